/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What every component of the build must hold to, whatever it does: driven with messages made from
 * its port types, in every state, of every length, with every value of its enum parameters and
 * every type that its inputs accept. */
#include "tests/contract/subject.h"

static void each_variant(
    const char *name, unsigned *count, void (*holds)(struct subject *, unsigned, unsigned *))
{
	const unsigned n = variants(name);

	for (unsigned v = 0; v < n; v++) {
		struct subject *s = subject_start(name, v, true, count);
		if (!s)
			continue;
		holds(s, v, count);
		if (s->failed)
			broken(count, name, "variant %u: work returned %d: %s%s", v, s->failed,
			    s->mock.why ? s->mock.why : "", s->mock.setup.error);
		subject_close(s);
	}
}

/* ---- the contracts ---- */

static bool any_valid_output(const struct subject *s)
{
	for (unsigned i = 0; i < INPUTS; i++)
		if (s->mock.out[i].state == ALOE_VALID)
			return true;
	return false;
}

static void absent_of_nothing(struct subject *s, unsigned variant, unsigned *count)
{
	if (!s->mock.format_in[0].type)
		return; /* a source */
	for (uint64_t k = 0; k < 3; k++) {
		step(s, k, MISSING);
		if (any_valid_output(s) ||
		    (s->mock.component->drain && s->mock.record.state == ALOE_VALID))
			broken(count, s->mock.name, "variant %u makes a VALID message of nothing",
			    variant);
	}
}

/* NOLINTNEXTLINE(readability-non-const-parameter): one signature for all contracts */
static void empty_messages(struct subject *s, unsigned variant, unsigned *count)
{
	(void)variant;
	(void)count;
	for (uint64_t k = 0; k < 3; k++)
		step(s, k, EMPTY);
}

/* Every third message is a good one: after nonsense it must still come out with a length that fits
 * (mock_work looks). All contracts have one signature. */
/* NOLINTNEXTLINE(readability-non-const-parameter) */
static void hostile_numbers(struct subject *s, unsigned variant, unsigned *count)
{
	(void)variant;
	(void)count;
	for (uint64_t k = 0; k < INDICES && step(s, k, k % 3 == 2 ? FULL : HOSTILE); k++)
		;
}

static void inputs_stay_as_they_are(struct subject *s, unsigned variant, unsigned *count)
{
	run(s);
	if (s->input_changed)
		broken(count, s->mock.name, "variant %u writes to its input, which others read too",
		    variant);
}

static void no_allocation_in_a_slot(struct subject *s, unsigned variant, unsigned *count)
{
	unsigned before = asked.allocations;

	run(s);
	hostile_numbers(s, variant, count);
	if (asked.allocations != before)
		broken(count, s->mock.name, "variant %u: %u calls of malloc or free in work",
		    variant, asked.allocations - before);
	if (!s->mock.component->reset)
		return;
	before = asked.allocations;
	asked.in_slot = true;
	s->mock.component->reset(s->mock.state);
	asked.in_slot = false;
	if (asked.allocations != before)
		broken(count, s->mock.name, "variant %u: malloc or free in reset", variant);
}

/* What has a history must be able to forget it: the same messages give the same output again. Files
 * go on, of course. */
static void reset_forgets(struct subject *s, unsigned variant, unsigned *count)
{
	const uint64_t first = run(s);
	const bool has_reset = s->mock.component->reset;

	if (s->mock.component->fill || s->mock.component->drain)
		return;
	if (has_reset && s->mock.component->reset(s->mock.state) < 0)
		broken(count, s->mock.name, "variant %u: reset fails", variant);
	if (run(s) != first)
		broken(count, s->mock.name, "variant %u: %s", variant,
		    has_reset ? "does not forget everything in reset"
		              : "has a history but no reset");
}

static void instances_do_not_meet(struct subject *s, unsigned variant, unsigned *count)
{
	const uint64_t alone = run(s);
	struct subject *one = subject_start(s->mock.name, variant, true, count);
	struct subject *two = subject_start(s->mock.name, variant, true, count);
	bool more = true;

	one->random = 7;
	one->hash = 0xcbf29ce484222325u;
	two->random = 99;
	for (uint64_t k = 0; k < INDICES && more; k++) {
		more = step(one, k, kind_at(k));
		step(two, k, k % 2 ? FULL : SHORT);
	}
	if (one->hash != alone)
		broken(count, s->mock.name, "variant %u: another instance changes what it makes",
		    variant);
	subject_close(one);
	subject_close(two);
}

/* Sums in another order, or a level's own windows: their unit tests say how far levels may be
 * apart. */
static bool levels_may_differ(const char *name)
{
	static const char *const names[] = {"upols", "utran_turbo_decoder"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void levels_agree(struct subject *s, unsigned variant, unsigned *count)
{
	const uint64_t best = run(s);

	for (int level = 0; level < SIMD_LEVELS && !levels_may_differ(s->mock.name); level++) {
		struct subject *other;

		if (!simd_has((enum simd_level)level))
			continue;
		other = subject_open(s->mock.name, variant, true);
		other->mock.setup.simd = (uint32_t)level;
		if (mock_start(&other->mock) != 0)
			broken(count, s->mock.name, "variant %u does not start with %s: %s",
			    variant, simd_name((enum simd_level)level), other->mock.setup.error);
		else if (run(other) != best)
			broken(count, s->mock.name,
			    "variant %u makes something else with %s than with %s", variant,
			    simd_name((enum simd_level)level),
			    simd_name((enum simd_level)s->mock.setup.simd));
		subject_close(other);
	}
}

static void only_what_must_be_connected(const char *name, unsigned *count)
{
	struct subject *s = subject_start(name, 0, false, count);

	if (!s)
		return;
	run(s);
	subject_close(s);
}

/* check and shape look only; the state that work will see is made by init. */
static void shape_is_pure(struct subject *s, unsigned variant, unsigned *count)
{
	const struct aloe_component *c = s->mock.component;
	uint8_t *before = malloc(c->state_size + 1);
	uint32_t max[INPUTS];

	memcpy(before, s->mock.state, c->state_size);
	for (unsigned i = 0; i < INPUTS; i++)
		max[i] = s->mock.format_out[i].max;
	if (c->check && c->check(s->mock.state, &s->mock.setup) < 0)
		broken(count, s->mock.name, "variant %u: check refuses what it took: %s", variant,
		    s->mock.setup.error);
	for (unsigned i = 0; i < INPUTS; i++)
		s->mock.format_out[i].max = MAX_ITEMS;
	if (c->shape && c->shape(s->mock.state, &s->mock.setup) < 0)
		broken(count, s->mock.name, "variant %u: shape refuses what it took", variant);
	if (memcmp(before, s->mock.state, c->state_size) != 0)
		broken(
		    count, s->mock.name, "variant %u: check or shape writes to the state", variant);
	for (unsigned i = 0; c->shape && i < INPUTS && mock_port(&s->mock, i, 1); i++)
		if (s->mock.format_out[i].max != max[i])
			broken(count, s->mock.name, "variant %u: shape says %u, then %u", variant,
			    max[i], s->mock.format_out[i].max);
	free(before);
}

/* Each call of aloe_alloc fails once: init says so, and close copes with what was not made. */
static void memory_may_be_short(const char *name, unsigned *count)
{
	bool failed = true;

	for (int nth = 1; failed && nth < 100; nth++) {
		struct subject *s = subject_open(name, 0, true);
		s->alloc_fails_in = nth;
		failed = mock_start(&s->mock) < 0;
		if (!failed && s->alloc_fails_in == 0)
			broken(count, name, "init does not see that allocation %d failed", nth);
		if (failed && !s->mock.setup.error[0])
			broken(
			    count, name, "init fails without a word when allocation %d fails", nth);
		subject_close(s);
	}
	if (failed)
		broken(count, name, "does not start");
}

/* ---- live arrays: set at an index, in force exactly there ---- */

enum { AT = 6, BYTES_MAX = 1 << 20 };

struct record { /* what came out of one index */
	struct aloe_out out;
	uint32_t type;
	uint8_t bytes[BYTES_MAX];
};

static void record_step(struct subject *s, uint64_t index, struct record *ret)
{
	step(s, index, FULL);
	ret->out = s->mock.out[0];
	ret->type = s->mock.format_out[0].type;
	assert_true((size_t)ret->out.max * aloe_item_bytes(ret->type) <= BYTES_MAX);
	if (ret->out.len)
		memcpy(
		    ret->bytes, ret->out.data, (size_t)ret->out.len * aloe_item_bytes(ret->type));
}

/* The same but for the order of sums, if the items are floats. */
static bool records_agree(const struct record *a, const struct record *b)
{
	const size_t n = (size_t)a->out.len * aloe_item_bytes(a->type);
	float largest = 0;

	if (a->out.len != b->out.len || a->out.state != b->out.state)
		return false;
	if (memcmp(a->bytes, b->bytes, n) == 0 || !(a->type & (ALOE_F32 | ALOE_CF32)))
		return memcmp(a->bytes, b->bytes, n) == 0;
	for (size_t i = 0; i < n / sizeof(float); i++)
		largest = fmaxf(largest, fabsf(((const float *)(const void *)a->bytes)[i]));
	for (size_t i = 0; i < n / sizeof(float); i++)
		if (!(fabsf(((const float *)(const void *)a->bytes)[i] -
		          ((const float *)(const void *)b->bytes)[i]) <= 1e-5f * largest))
			return false;
	return true;
}

/* One that has the new array from the start, one that gets it before index AT; the subject itself
 * keeps the old one. */
static void live_array(
    struct subject *old, unsigned variant, const char *param, uint32_t len, unsigned *count)
{
	static const float taps[] = {0.3f, -0.2f, 0.1f, 0, 0.25f, -0.1f, 0.2f, 0.05f, -0.3f};
	struct subject *all = subject_open(old->mock.name, variant, true);
	struct subject *set = subject_start(old->mock.name, variant, true, count);
	struct record *before = malloc(3 * sizeof(*before)), *after = before + 1, *now = before + 2;
	bool differ = false;

	mock_set_reals(&all->mock, param, taps, len);
	assert_int_equal(mock_start(&all->mock), 0);
	old->random = all->random = set->random = 7;
	if (old->mock.component->reset)
		old->mock.component->reset(old->mock.state);
	for (uint64_t k = 0; k < INDICES; k++) {
		if (k == AT)
			assert_int_equal(mock_set_live(&set->mock, param, taps, len), 0);
		record_step(old, k, before);
		record_step(all, k, after);
		record_step(set, k, now);
		differ |= !records_agree(before, after);
		if (!records_agree(now, k < AT ? before : after))
			broken(count, old->mock.name,
			    "variant %u: %s of %u items set at index %d: index %d is not %s",
			    variant, param, len, AT, (int)k,
			    k < AT ? "as before" : "as with the new one");
	}
	if (!differ)
		broken(count, old->mock.name, "variant %u: %s changes nothing", variant, param);
	free(before);
	subject_close(all);
	subject_close(set);
}

static void live_arrays(struct subject *s, unsigned variant, unsigned *count)
{
	const struct aloe_list_params *params = &s->mock.component->params;
	const unsigned before = asked.allocations;

	for (uint32_t i = 0; i < params->len; i++) {
		if (!param_is_live_array(&params->items[i]))
			continue;
		live_array(s, variant, params->items[i].name, 5, count); /* as many as there were */
		if (params->items[i].items_max >= 9)
			live_array(s, variant, params->items[i].name, 9, count);
	}
	if (asked.allocations != before)
		broken(count, s->mock.name,
		    "variant %u: malloc or free in work that sees a new array", variant);
}

/* ---- tails: what is held when nothing more comes in leaves within so many indices ---- */

enum { TAIL_PHASES = 4, TAIL_FED = 2 * TAIL_PHASES, TAIL_AFTER = 8 };

struct flow {
	/* items of all ports, up to the last index at which something may have come in */
	uint64_t in, out;
	uint32_t tail; /* how many indices after that one the last VALID message left */
};

/* From index `first` on is counted. Messages come at every `every`-th index up to `last`, then
 * none. */
static struct flow flow_of(
    struct subject *s, uint64_t first, uint64_t last, uint64_t every, enum message after)
{
	struct flow flow = {0};

	s->random = 7;
	for (uint64_t k = 0; k <= last + TAIL_AFTER; k++) {
		const bool given = k <= last && k % every == 0;

		s->mock.after = k > last;
		step(s, k, given ? FULL : k > last ? after : IDLE);
		for (unsigned i = 0; i < INPUTS && k >= first && k <= last; i++) {
			flow.in +=
			    given && s->mock.format_in[i].type ? s->mock.format_in[i].max : 0;
			flow.out += s->mock.out[i].state == ALOE_VALID ? s->mock.out[i].len : 0;
		}
		if (any_valid_output(s) && k > last)
			flow.tail = (uint32_t)(k - last);
	}
	return flow;
}

/* What an item becomes is seen over whole blocks. What leaves late without having been held is the
 * ringing of a filter. */
static void tail_at(const char *name, uint64_t last, uint64_t every, enum message after,
    uint32_t *largest, unsigned *count)
{
	struct subject *whole = subject_start(name, 0, true, count),
	               *s = subject_start(name, 0, true, count);

	if (whole && s) {
		const struct flow steady =
		    flow_of(whole, TAIL_PHASES, 2 * TAIL_FED - 1, every, after);
		const struct flow flow = flow_of(s, 0, last, every, after);
		const double held =
		    (double)flow.in * (double)steady.out / (double)steady.in - (double)flow.out;

		if (held >= 1 && flow.tail > s->mock.setup.tail)
			broken(count, name,
			    "sends %u indices after its last input (index %d), its tail is %u",
			    flow.tail, (int)last, s->mock.setup.tail);
		if (held >= 1 && flow.tail > *largest)
			*largest = flow.tail;
	}
	for (int i = 0; i < 2; i++)
		if ((i ? s : whole) != NULL)
			subject_close(i ? s : whole);
}

static void tail_is_as_stated(const char *name, unsigned *count)
{
	struct subject *s = subject_start(name, 0, true, count);
	uint32_t largest = 0, stated;

	if (!s)
		return;
	stated = s->mock.setup.tail;
	if (stated > s->mock.component->tail)
		broken(count, name, "shape states a tail of %u, more than the descriptor's %u",
		    stated, s->mock.component->tail);
	if (s->mock.format_in[0].type == 0 && s->mock.component->tail != 0)
		broken(count, name, "is a source, and states a tail");
	for (uint64_t k = 0;
	     k < TAIL_PHASES && s->mock.format_in[0].type && s->mock.format_out[0].type; k++) {
		tail_at(name, TAIL_FED + k, 1, k % 2 ? IDLE : MISSING, &largest, count);
		/* rings after each message: more items leave than came in */
		if (strcmp(name, "upols") != 0)
			tail_at(
			    name, TAIL_FED, TAIL_PHASES, k % 2 ? IDLE : MISSING, &largest, count);
	}
	if (largest != stated)
		broken(count, name,
		    "states a tail of %u, and sends nothing later than %u indices after its last "
		    "input",
		    stated, largest);
	subject_close(s);
}

/* ---- warm: what is named can be read, stays what it is, and reading it changes nothing ---- */

/* pipe takes no more than a page at a time without waiting; EFAULT: cannot be read. */
static bool readable(const struct aloe_range *range)
{
	const uint8_t *at = range->at;
	int ends[2];
	bool fine = true;

	assert_int_equal(pipe(ends), 0);
	for (size_t done = 0, n; fine && done < range->bytes; done += n) {
		uint8_t page[4096];

		n = range->bytes - done < sizeof(page) ? range->bytes - done : sizeof(page);
		fine = write(ends[1], at + done, n) == (ssize_t)n &&
		    read(ends[0], page, n) == (ssize_t)n;
	}
	close(ends[0]);
	close(ends[1]);
	return fine;
}

static bool warm_same(const struct aloe_warm *a, const struct aloe_warm *b)
{
	bool same = a->len == b->len;

	for (uint32_t i = 0; same && i < a->len; i++)
		same =
		    a->ranges[i].at == b->ranges[i].at && a->ranges[i].bytes == b->ranges[i].bytes;
	return same;
}

/* As the lane does. With a sanitizer it also sees a range that goes beyond its piece of memory. */
static void warm_read(const struct aloe_warm *warm)
{
	for (uint32_t i = 0; i < warm->len; i++)
		for (size_t at = 0; at < warm->ranges[i].bytes; at++)
			(void)((const volatile uint8_t *)warm->ranges[i].at)[at];
}

static uint64_t warm_run(struct subject *s, unsigned variant, unsigned *count)
{
	const size_t size = s->mock.component->state_size;
	uint8_t *before = malloc(size + 1);
	struct aloe_warm first = {0};

	s->mock.component->warm(s->mock.state, &first);
	for (uint32_t i = 0; i < first.len; i++)
		if (!readable(&first.ranges[i]))
			broken(count, s->mock.name,
			    "variant %u: range %u that warm names cannot be read", variant, i);
	s->random = 7;
	s->hash = 0xcbf29ce484222325u;
	for (uint64_t k = 0; k < INDICES; k++) {
		struct aloe_warm now = {0};

		memcpy(before, s->mock.state, size);
		s->mock.component->warm(s->mock.state, &now);
		warm_read(&first);
		if (memcmp(before, s->mock.state, size) != 0)
			broken(
			    count, s->mock.name, "variant %u: warm writes to the state", variant);
		if (!warm_same(&first, &now))
			broken(count, s->mock.name,
			    "variant %u: warm names something else at index %d", variant, (int)k);
		if (!step(s, k, kind_at(k)))
			break;
	}
	free(before);
	return s->hash;
}

static void warm_changes_nothing(struct subject *s, unsigned variant, unsigned *count)
{
	struct subject *other;

	if (!s->mock.component->warm)
		return;
	other = subject_start(s->mock.name, variant, true, count);
	if (!other)
		return;
	if (warm_run(s, variant, count) != run(other))
		broken(count, s->mock.name, "variant %u: makes something else when it is warm",
		    variant);
	subject_close(other);
}

#define CONTRACT(name)                                                                             \
	static void holds_##name(const char *component, unsigned *count)                           \
	{                                                                                          \
		each_variant(component, count, name);                                              \
	}                                                                                          \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		each_component(holds_##name);                                                      \
	}
CONTRACT(absent_of_nothing)
CONTRACT(empty_messages)
CONTRACT(hostile_numbers)
CONTRACT(inputs_stay_as_they_are)
CONTRACT(no_allocation_in_a_slot)
CONTRACT(reset_forgets)
CONTRACT(instances_do_not_meet)
CONTRACT(levels_agree)
CONTRACT(shape_is_pure)
CONTRACT(live_arrays)
CONTRACT(warm_changes_nothing)

static void test_only_what_must_be_connected(void **state)
{
	(void)state;
	each_component(only_what_must_be_connected);
}

static void test_memory_may_be_short(void **state)
{
	(void)state;
	each_component(memory_may_be_short);
}

static void test_tail_is_as_stated(void **state)
{
	(void)state;
	each_component(tail_is_as_stated);
}

/* The counter itself: it sees the program, and libraries that the program loaded. */
static void allocations_are_seen(void **state)
{
	/* volatile: or the compiler sees that nothing comes of it */
	char *(*volatile copy)(const char *) = strdup;
	void (*volatile release)(void *) = free;

	(void)state;
	asked.allocations = 0;
	asked.in_slot = true;
	release(copy("from inside a library"));
	asked.in_slot = false;
	assert_int_equal(asked.allocations, COUNTING ? 2 : 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(allocations_are_seen),
	    cmocka_unit_test(test_no_allocation_in_a_slot),
	    cmocka_unit_test(test_absent_of_nothing),
	    cmocka_unit_test(test_empty_messages),
	    cmocka_unit_test(test_hostile_numbers),
	    cmocka_unit_test(test_inputs_stay_as_they_are),
	    cmocka_unit_test(test_live_arrays),
	    cmocka_unit_test(test_reset_forgets),
	    cmocka_unit_test(test_instances_do_not_meet),
	    cmocka_unit_test(test_levels_agree),
	    cmocka_unit_test(test_shape_is_pure),
	    cmocka_unit_test(test_warm_changes_nothing),
	    cmocka_unit_test(test_only_what_must_be_connected),
	    cmocka_unit_test(test_memory_may_be_short),
	    cmocka_unit_test(test_tail_is_as_stated),
	};

	return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
