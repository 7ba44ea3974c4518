/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A component that says .stateless keeps nothing from one index to the next: whatever an instance
 * has done before, it makes the same of the same messages at the same index. */
#include "tests/contract/subject.h"

/* What comes of index k, of messages that depend on k alone. */
static uint64_t hash_at(struct subject *s, uint64_t k)
{
	s->random = 1000 * k + 7;
	s->hash = 0xcbf29ce484222325u;
	step(s, k, kind_at(k));
	return s->hash;
}

/* Whether an instance makes the same of an index whatever it has done before: as the first one that
 * it is called for, backwards, every other one, twice, and after nonsense. */
static bool keeps_nothing(const char *name, unsigned variant, unsigned *count)
{
	struct subject *forth = subject_start(name, variant, true, count);
	struct subject *back = subject_start(name, variant, true, count);
	uint64_t hash[INDICES];
	bool same = true;

	for (uint64_t k = 0; k < INDICES; k++)
		hash[k] = hash_at(forth, k);
	for (uint64_t k = INDICES; k-- > 0;)
		same &= hash_at(back, k) == hash[k];
	for (uint64_t k = 1; k < INDICES; k += 2)
		same &= hash_at(back, k) == hash[k] && hash_at(back, k) == hash[k];
	for (uint64_t k = 0; k < INDICES; k++) {
		struct subject *fresh = subject_start(name, variant, true, count);

		same &= hash_at(fresh, k) == hash[k];
		subject_close(fresh);
		step(forth, 100 + k, HOSTILE);
		same &= hash_at(forth, k) == hash[k];
	}
	subject_close(forth);
	subject_close(back);
	return same;
}

static void stateless_keeps_nothing(const char *name, unsigned *count)
{
	const struct aloe_component *c;
	struct mock m;

	mock_open(&m, name);
	c = m.component;
	for (unsigned v = 0; c->stateless && v < variants(name); v++)
		if (!keeps_nothing(name, v, count))
			broken(count, name,
			    "variant %u says .stateless, and what it makes of an index depends on "
			    "others",
			    v);
	if (c->stateless && (c->tail > 0 || c->reset || c->fill || c->drain))
		broken(count, name, "says .stateless, and has a tail, reset, fill or drain");
	mock_close(&m);
}

static void test_stateless_keeps_nothing(void **state)
{
	unsigned count = 0;

	(void)state;
	each_component(stateless_keeps_nothing);
	if (getenv("ALOE_CONTRACT"))
		return;
	assert_false(keeps_nothing("utran_segment", 0, &count)); /* the test can fail */
	assert_false(keeps_nothing("deemphasis", 0, &count));
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stateless_keeps_nothing),
	};

	return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
