/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What every component of the build must hold to, whatever it does: driven with messages made from
 * its port types, in every state, of every length, with every value of its enum parameters and
 * every type that its inputs accept. Nothing here knows a component, except for the few rows below:
 * parameters without a default, and inputs whose blocks have a length of their own. */
#include "tests/common/counting.h"
#include "tests/contract/each.h"

enum {
	MAX_ITEMS = 1212,
	SHORT_ITEMS = 840,
	INDICES = 12,
	INPUTS = ALOE_PORTS_MAX,
	PACKET_ITEMS = 364
};

static const struct row {
	const char *component, *param, *value; /* NULL: not set */
} rows[] = {
    {"awgn", "esn0_db", "10"},
    {"fader", "rate_hz", "1e6"},
    {"file_source", "type", "i16"}, /* what the file holds; not varied */
    {"fir", "decimation", "5"},
    {"nco", "frequency", "0.1"},
    {"player", "length", "4"},
    {"player", "path", "tests/vectors/recording/ramp"},
    {"player", "type", "i16"},
    {"resample", "ratio", "1.5"},
    {"resample_rational", "decimation", "4"},
    {"resample_rational", "interpolation", "5"},
    {"sigmf_sink", "datatype", "auto"}, /* the other one is for ci16 only */
    {"sigmf_source", "path", "waveforms/speech.sigmf-meta"},
    {"sigmf_source", "type", "i16"}, /* not varied */
    {"utran_deequalise", "coded", "1212"},
    {"utran_demux", "frame_bits", NULL}, /* the lengths are given */
    {"utran_demux", "rm", NULL},
    /* a message of its port takes 16 slots to hold, so that what is set is heard */
    {"upols", "per_slot", "1"},
    {"upols", "taps", "4"},
    {"upols", "transform", "auto"}, /* messages here have no size of its own transforms */
    {"utran_demux", "length1", "100"},
    {"utran_demux", "length2", "200"},
    {"utran_demux", "length3", "300"},
    {"utran_dpch_demap", "in", "600"},
    {"utran_dpch_demap", "slot_format", "11"},
    {"utran_dpch_map", "in", "420"},
    {"utran_dpch_map", "slot_format", "11"},
    {"utran_rate_dematch", "coded", "1212"},
    {"utran_rate_match", "output", "1000"},
    {"utran_rate_match", "frame_bits", NULL},
    {"utran_rate_match", "rm", NULL},
    {"utran_desegment", "tti_ms", "40"}, /* of several frames, so that there is a tail */
    {"utran_segment", "tti_ms", "40"},
    {"utran_sync", "in", "76800"},
};

/* ---- one instance under test ---- */

struct subject {
	struct mock mock;
	struct aloe_component watched; /* the component, with work going through watched_work */
	uint8_t *messages[INPUTS];
	uint64_t random;
	uint64_t hash; /* of all that came out */
	int failed;    /* what work returned, if negative */
	bool input_changed;
	int alloc_fails_in; /* aloe_alloc gives NULL at this call, counted down to 1; 0: never */
};

/* work has no argument but its own: this is the subject that this thread drives. */
static _Thread_local struct subject *driven;

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
	return hash;
}

static uint64_t hash_inputs(const struct subject *s)
{
	uint64_t hash = 1;

	for (unsigned i = 0; i < INPUTS; i++)
		if (s->mock.in[i].len)
			hash = hash_bytes(hash, s->mock.in[i].data,
			    (size_t)s->mock.in[i].len * aloe_item_bytes(s->mock.format_in[i].type));
	return hash;
}

static const struct aloe_component *original(const struct mock *m)
{
	char symbol[300];
	const struct aloe_entry *entry;

	snprintf(symbol, sizeof(symbol), "aloe_component_%s", m->name);
	entry = dlsym(m->library, symbol);
	return entry->component;
}

static int watched_work(void *self, struct aloe_slot *slot)
{
	const struct aloe_component *component = original(&driven->mock);
	const uint64_t before = hash_inputs(driven);
	int rc;

	asked.in_slot = true;
	rc = component->work(self, slot);
	asked.in_slot = false;
	driven->input_changed |= hash_inputs(driven) != before;
	if (rc < 0)
		driven->failed = rc;
	return rc;
}

static void *failing_alloc(struct aloe_setup *setup, size_t size)
{
	struct subject *s =
	    (struct subject *)((char *)setup - offsetof(struct subject, mock.setup));

	return s->alloc_fails_in && --s->alloc_fails_in == 0 ? NULL : mock_alloc(setup, size);
}

/* ---- variants: every enum value and every input type occurs in one of them ---- */

static unsigned type_count(uint32_t types)
{
	return (unsigned)__builtin_popcount(types);
}

static uint32_t type_at(uint32_t types, unsigned variant)
{
	for (unsigned skip = variant % type_count(types); skip; skip--)
		types &= types - 1;
	return types & -types;
}

static unsigned enum_count(const struct aloe_param *p)
{
	unsigned n = 0;

	while (p->kind == ALOE_KIND_ENUM && p->names[n])
		n++;
	return n;
}

static const struct row *find_row(const char *component, const char *param)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].component, component) && !strcmp(rows[i].param, param))
			return &rows[i];
	return NULL;
}

static unsigned variants(const char *name)
{
	struct mock m;
	unsigned n = 1;

	mock_open(&m, name);
	for (uint32_t i = 0; i < m.component->ports.len; i++) {
		const struct aloe_port *port = &m.component->ports.items[i];
		if (!port->output && type_count(port->types) > n)
			n = type_count(port->types);
	}
	for (uint32_t i = 0; i < m.component->params.len; i++)
		if (!find_row(name, m.component->params.items[i].name) &&
		    enum_count(&m.component->params.items[i]) > n)
			n = enum_count(&m.component->params.items[i]);
	mock_close(&m);
	return n;
}

static char scratch[128]; /* folder for what the sinks write */

/* A file to read, or one to write; of an address a socket of its own, without a peer. */
static void set_path(struct subject *s, const struct aloe_param *p)
{
	char path[256] = "waveforms/speech.wav";

	if (p->kind != ALOE_KIND_PATH || !s->mock.component->fill)
		snprintf(path, sizeof(path), "%s%s/%s-%p",
		    p->kind == ALOE_KIND_PATH ? "" : "ipc://", scratch, s->mock.name, (void *)s);
	assert_int_equal(mock_set(&s->mock, p->name, path), 0);
}

static void set_param(struct subject *s, const struct aloe_param *p, unsigned variant)
{
	static const float taps[] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
	const struct row *row = find_row(s->mock.name, p->name);
	char given[256];

	if (row && !row->value)
		return;
	if (given_value(p->name, given, sizeof(given)))
		assert_int_equal(mock_set(&s->mock, p->name, given), 0);
	else if (row)
		assert_int_equal(mock_set(&s->mock, p->name, row->value), 0);
	else if (p->kind == ALOE_KIND_ENUM)
		assert_int_equal(mock_set(&s->mock, p->name, p->names[variant % enum_count(p)]), 0);
	else if (p->kind == ALOE_KIND_REALS)
		mock_set_reals(&s->mock, p->name, taps, 5);
	else if (p->flags & ALOE_REQUIRED && !strcmp(p->name, "length"))
		assert_int_equal(mock_set(&s->mock, p->name, "100"), 0);
	else if ((p->kind == ALOE_KIND_PATH && p->flags & ALOE_REQUIRED) ||
	    !strcmp(p->name, "address"))
		set_path(s, p);
}

static void connect_input(
    struct subject *s, unsigned i, const struct aloe_port *port, unsigned variant)
{
	const struct row *row = find_row(s->mock.name, port->name);
	const uint32_t max = row ? (uint32_t)atoi(row->value) : MAX_ITEMS;

	mock_input(&s->mock, i, type_at(port->types, variant), max);
	s->messages[i] = calloc(max, 8);
}

/* subject_open opens, but does not start, a component with all connected, or what must be. */
static struct subject *subject_open(const char *name, unsigned variant, bool optional)
{
	struct subject *s = calloc(1, sizeof(*s));
	const struct aloe_port *port;

	mock_open(&s->mock, name);
	mock_radio(&s->mock, MAX_ITEMS, PACKET_ITEMS); /* for those that want one */
	s->mock.setup.alloc = failing_alloc;
	for (uint32_t i = 0; i < s->mock.component->params.len; i++)
		set_param(s, &s->mock.component->params.items[i], variant);
	for (unsigned i = 0; (port = mock_port(&s->mock, i, 0)); i++)
		if (optional || !(port->flags & ALOE_OPTIONAL))
			connect_input(s, i, port, variant);
	for (unsigned i = 0; (port = mock_port(&s->mock, i, 1)); i++)
		if (optional && port->flags & ALOE_OPTIONAL)
			mock_output(&s->mock, i, type_at(port->types, variant));
	s->watched = *s->mock.component;
	if (s->watched.work)
		s->watched.work = watched_work;
	s->mock.component = &s->watched;
	s->random = 1;
	return s;
}

static void subject_close(struct subject *s)
{
	mock_close(&s->mock);
	for (unsigned i = 0; i < INPUTS; i++)
		free(s->messages[i]);
	free(s);
}

static struct subject *subject_start(
    const char *name, unsigned variant, bool optional, unsigned *count)
{
	struct subject *s = subject_open(name, variant, optional);

	if (mock_start(&s->mock) == 0)
		return s;
	broken(count, name, "variant %u does not start: %s", variant, s->mock.setup.error);
	subject_close(s);
	return NULL;
}

/* ---- messages ---- */

enum message { FULL, SHORT, EMPTY, MISSING, IDLE, HOSTILE };

static uint32_t random_next(struct subject *s)
{
	s->random = s->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(s->random >> 33);
}

static float make_float(struct subject *s, enum message kind)
{
	static const float hostile[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-42f, -0.0f, 1};

	if (kind == HOSTILE && random_next(s) % 4 == 0)
		return hostile[random_next(s) % 8];
	return (float)(int32_t)(random_next(s) << 1) * 0x1p-30f;
}

static void make_item(struct subject *s, uint32_t type, enum message kind, uint8_t *item)
{
	const uint64_t bits = random_next(s) | (uint64_t)random_next(s) << 31;
	const float pair[2] = {make_float(s, kind), make_float(s, kind)};

	if (type == ALOE_F32 || type == ALOE_CF32)
		memcpy(item, pair, aloe_item_bytes(type));
	else if (type == ALOE_BIT)
		*item = bits & 1;
	else
		memcpy(item, &bits, aloe_item_bytes(type));
}

static void give(struct subject *s, unsigned port, enum message kind)
{
	const uint32_t type = s->mock.format_in[port].type, size = aloe_item_bytes(type);
	const uint32_t max = s->mock.format_in[port].max,
	               part = SHORT_ITEMS < max ? SHORT_ITEMS : max / 2;
	const uint32_t len = kind == EMPTY ? 0 : kind == SHORT ? part : max;

	if (kind == MISSING || kind == IDLE) {
		mock_give_state(&s->mock, port, kind == IDLE ? ALOE_IDLE : ALOE_ABSENT);
		return;
	}
	for (uint32_t i = 0; i < len; i++)
		make_item(s, type, kind, s->messages[port] + (size_t)i * size);
	mock_give(&s->mock, port, s->messages[port], len);
}

static void hash_outputs(struct subject *s)
{
	for (unsigned i = 0; i < INPUTS; i++) {
		const struct aloe_out *out = &s->mock.out[i];
		s->hash = hash_bytes(s->hash, &out->state, sizeof(out->state));
		s->hash = hash_bytes(s->hash, &out->len, sizeof(out->len));
		if (out->len)
			s->hash = hash_bytes(s->hash, out->data,
			    (size_t)out->len * aloe_item_bytes(s->mock.format_out[i].type));
	}
	for (unsigned c = 0; c < MOCK_RADIO_CHANNELS; c++)
		s->hash = hash_bytes(s->hash, s->mock.radio.sent[c],
		    (size_t)s->mock.radio.n_sent[c] * MOCK_RADIO_IQ);
}

/* step runs one index with messages of one kind at all inputs; false at the end of a source. */
static bool step(struct subject *s, uint64_t index, enum message kind)
{
	int rc;

	for (unsigned i = 0; i < INPUTS; i++)
		if (s->mock.format_in[i].type)
			give(s, i, kind);
	s->mock.radio.lost = index % 5 == 3 ? 1 << 1 : 0; /* of four packets the second */
	s->mock.radio.room = index % 7 == 5 ? SHORT_ITEMS : MAX_ITEMS;
	driven = s;
	rc = mock_work(&s->mock, index);
	if (rc < 0)
		s->failed = rc;
	hash_outputs(s);
	return rc == 0 || (rc == ALOE_IO_LATER && s->mock.component->drain);
}

static enum message kind_at(uint64_t index)
{
	static const enum message kinds[INDICES] = {
	    FULL, FULL, SHORT, MISSING, FULL, EMPTY, FULL, IDLE, FULL, SHORT, SHORT, FULL};

	return kinds[index % INDICES];
}

static uint64_t run(struct subject *s)
{
	s->random = 7;
	s->hash = 0xcbf29ce484222325u;
	for (uint64_t k = 0; k < INDICES && step(s, k, kind_at(k)); k++)
		;
	return s->hash;
}

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

static int make_scratch(void **state)
{
	(void)state;
	snprintf(scratch, sizeof(scratch), "%.90s/aloe-contract-XXXXXX",
	    getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	return mkdtemp(scratch) ? 0 : -1;
}

static int remove_scratch(void **state)
{
	char pattern[160];
	glob_t found;

	(void)state;
	snprintf(pattern, sizeof(pattern), "%s/*", scratch);
	if (glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			unlink(found.gl_pathv[i]);
	globfree(&found);
	return rmdir(scratch);
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
	    cmocka_unit_test(test_only_what_must_be_connected),
	    cmocka_unit_test(test_memory_may_be_short),
	    cmocka_unit_test(test_tail_is_as_stated),
	};

	return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
