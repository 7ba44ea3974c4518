/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What every component with work_many must hold to: one call for n instances makes what n calls of
 * work make, instance by instance: messages, their states, variables, and what is remembered to the
 * next index. Inputs of every state come between those that are whole, and live numbers of some
 * instances change on the way. Instances of one call have one scratch memory. Parameters are their
 * defaults, or $ALOE_CONTRACT_SET; the turbo decoder is tried with others, too. */
#include "tests/common/counting.h"
#include "tests/contract/each.h"

enum { ITEMS = 1212, ITEMS_MAX = 15372, INDICES = 8 };

/* Two of each: the one works alone, the other one among many. */
struct pair {
	struct mock alone, among;
	uint32_t items;
	uint8_t message[ITEMS_MAX * 8];
};

/* The scratch memory of the first instance of a call is that of the others, as far as instances
 * share any: the first piece. */
static _Thread_local struct mock *scratch_owner;

static void *scratch_shared(struct aloe_setup *setup, size_t size)
{
	struct mock *m = (struct mock *)((char *)setup - offsetof(struct mock, setup));
	const struct mock_scratch *first = &scratch_owner->scratch[0];

	if (m == scratch_owner || m->n_scratch > 0)
		return mock_scratch(setup, size);
	if (scratch_owner->n_scratch == 0 || first->size != size)
		mock_die(m, "instances of one shape ask for scratch memory", "of several sizes");
	m->scratch[m->n_scratch++] = *first;
	return first->at;
}

static void mock_ready(struct mock *m, const char *name, uint32_t items, struct mock *owner)
{
	const struct aloe_port *port;
	char value[64];

	mock_open(m, name);
	if (owner) {
		scratch_owner = owner;
		m->setup.scratch = scratch_shared;
	}
	for (uint32_t i = 0; i < m->component->params.len; i++)
		if (given_value(m->component->params.items[i].name, value, sizeof(value)))
			mock_set(m, m->component->params.items[i].name, value);
	for (unsigned i = 0; (port = mock_port(m, i, 0)); i++)
		mock_input(m, i, port->types & -port->types, items);
	if (mock_start(m) < 0)
		fail_msg("%s does not start: %s", name, m->setup.error);
}

static uint32_t draw(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Items, short ones of both signs where that has a meaning: random ones; or in every second
 * message random ones among zeros, or one value all the way. */
static void message_make(struct pair *p, uint32_t type, uint32_t *seed)
{
	const uint32_t kind = draw(seed) % 6, apart = kind == 1 ? 4 : kind == 2 ? 10 : 1;

	for (size_t i = 0; i < p->items; i++) {
		const int16_t random = (int16_t)((int)(draw(seed) % 81) - 40),
		              soft = kind == 0 ? 20
		    : i % apart                ? 0
		                               : random;
		const float sample[2] = {(float)soft, (float)(draw(seed) % 9)};
		uint8_t *item = p->message + i * aloe_item_bytes(type);
		if (type == ALOE_F32 || type == ALOE_CF32)
			memcpy(item, sample, aloe_item_bytes(type));
		else if (type == ALOE_BIT)
			*item = soft & 1;
		else
			memcpy(item, &soft, aloe_item_bytes(type) < 2 ? 1 : 2);
	}
}

static void give_both(struct pair *p, uint32_t kind, uint32_t *seed)
{
	for (unsigned i = 0; mock_port(&p->alone, i, 0); i++) {
		struct mock *const both[] = {&p->alone, &p->among};
		message_make(p, p->alone.format_in[i].type, seed);
		for (int b = 0; b < 2; b++) {
			if (kind < 2)
				mock_give_state(both[b], i, kind ? ALOE_IDLE : ALOE_ABSENT);
			else
				mock_give(
				    both[b], i, p->message, kind == 2 ? p->items / 2 : p->items);
		}
	}
}

/* The live number of one instance that has this place among them takes its largest value. */
static void set_live(struct pair *p, uint32_t place)
{
	for (uint32_t i = 0; i < p->alone.component->params.len; i++) {
		const struct aloe_param *param = &p->alone.component->params.items[i];
		if (!(param->flags & ALOE_LIVE) ||
		    (param->kind != ALOE_KIND_REAL && param->kind != ALOE_KIND_INT) || place-- > 0)
			continue;
		mock_set_number(&p->alone, param, param->max);
		mock_set_number(&p->among, param, param->max);
	}
}

static void work_together(struct pair *pairs, uint32_t n, uint64_t index, unsigned *count)
{
	const struct aloe_component *component = pairs[0].among.component;
	struct aloe_slot slots[ALOE_MANY_MAX], *slot[ALOE_MANY_MAX];
	void *self[ALOE_MANY_MAX];
	int rc;

	for (uint32_t i = 0; i < n; i++) {
		struct mock *m = &pairs[i].among;
		for (unsigned port = 0; port < ALOE_PORTS_MAX; port++) {
			m->out[port].len = 0;
			m->out[port].state = ALOE_ABSENT;
		}
		for (unsigned s = 0; s < m->n_scratch; s++)
			memset(m->scratch[s].at, (int)(0xa5 + index), m->scratch[s].size);
		slots[i] = (struct aloe_slot){.index = index, .in = m->in, .out = m->out};
		slot[i] = &slots[i];
		self[i] = m->state;
	}
	asked.allocations = asked.locks = asked.texts = 0;
	asked.in_slot = true;
	rc = component->work_many(self, slot, n);
	asked.in_slot = false;
	if (rc < 0)
		broken(count, pairs[0].among.name, "work_many returned %d", rc);
	if (COUNTING && asked.allocations + asked.locks + asked.texts > 0)
		broken(count, pairs[0].among.name, "work_many allocates, locks or prints");
}

/* What differs between the two, or NULL. */
static const char *difference(const struct pair *p)
{
	const struct aloe_component *component = p->alone.component;

	mock_outputs_check(&p->among);
	for (unsigned i = 0; mock_port(&p->alone, i, 1); i++) {
		const struct aloe_out *a = &p->alone.out[i], *b = &p->among.out[i];
		if (a->state != b->state || a->len != b->len)
			return "a message has another state or length";
		if (a->len > 0 &&
		    memcmp(a->data, b->data,
		        (size_t)a->len * aloe_item_bytes(p->alone.format_out[i].type)) != 0)
			return "a message has other items";
	}
	for (uint32_t i = 0; i < component->vars.len; i++)
		if (memcmp(p->alone.state + component->vars.items[i].offset,
		        p->among.state + component->vars.items[i].offset, 8) != 0)
			return "a variable differs";
	return NULL;
}

static void many_is_n_times_one(const char *name, uint32_t items, uint32_t n, unsigned *count)
{
	struct pair *pairs = calloc(n, sizeof(*pairs));
	uint32_t seed = n;

	assert_non_null(pairs);
	for (uint32_t i = 0; i < n; i++) {
		pairs[i].items = items;
		mock_ready(&pairs[i].alone, name, items, NULL);
		mock_ready(&pairs[i].among, name, items, &pairs[0].among);
	}
	for (uint64_t k = 0; k < INDICES; k++) {
		if (k == INDICES / 2)
			for (uint32_t i = n % 2; i < n; i += 5)
				set_live(&pairs[i], i / 5);
		for (uint32_t i = 0; i < n; i++)
			give_both(&pairs[i], k % 2 ? draw(&seed) % 16 : 16, &seed);
		work_together(pairs, n, k, count);
		for (uint32_t i = 0; i < n; i++) {
			const int rc = mock_work(&pairs[i].alone, k);
			const char *what = difference(&pairs[i]);
			if (rc < 0 || what)
				broken(count, name, "instance %u of %u, index %d: %s", i, n, (int)k,
				    rc < 0 ? "work fails" : what);
			memset(pairs[i].among.in, 0, sizeof(pairs[i].among.in));
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		mock_close(&pairs[i].alone);
		mock_close(&pairs[i].among);
	}
	free(pairs);
}

static _Thread_local unsigned tried;

static void holds_many(const char *name, unsigned *count)
{
	static const uint32_t sizes[] = {1, 2, 8, 11, ALOE_MANY_MAX};
	struct mock m;
	bool offered;

	mock_open(&m, name);
	offered = m.component->work_many != NULL;
	mock_close(&m);
	if (!offered)
		return;
	tried++;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		many_is_n_times_one(name, ITEMS, sizes[i], count);
}

static void test_many_is_n_times_one(void **state)
{
	(void)state;
	each_component(holds_many);
	print_message("%u of them have work_many\n", tried);
	assert_true(tried > 0 || getenv("ALOE_CONTRACT") != NULL);
}

/* Filler bits before the first block, one block or two in a TTI, and all ways to decode them. */
static void test_turbo_decoder(void **state)
{
	static const struct {
		uint32_t items;
		const char *settings;
	} cases[] = {
	    {132, "bits=30"},
	    {132, "bits=30 early_stop=true crc=8"},
	    {132, "bits=30 metrics=8"},
	    {1212, "bits=400 windows=8"},
	    {15372, "bits=5115"},
	    {15372, "bits=5115 early_stop=true"},
	    {15372, "bits=5115 metrics=8"},
	    {15372, "bits=5115 metrics=8 early_stop=true"},
	};
	static const uint32_t sizes[] = {8, 11, ALOE_MANY_MAX};
	unsigned count = 0;

	(void)state;
	if (getenv("ALOE_CONTRACT") || getenv("ALOE_CONTRACT_SET"))
		return; /* somebody's own */
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setenv("ALOE_CONTRACT_SET", cases[i].settings, 1);
		for (size_t n = 0; n < sizeof(sizes) / sizeof(sizes[0]); n++)
			many_is_n_times_one(
			    "utran_turbo_decoder", cases[i].items, sizes[n], &count);
		unsetenv("ALOE_CONTRACT_SET");
	}
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_many_is_n_times_one),
	    cmocka_unit_test(test_turbo_decoder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
