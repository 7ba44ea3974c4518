/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A component that says .stateless keeps nothing from one index to the next: whatever an instance
 * has done before, and in whichever order its live parameters were set, it makes the same of the
 * same messages at the same index. */
#include "tests/contract/subject.h"

/* What comes of index k, of messages that depend on k alone. */
static uint64_t hash_of(struct subject *s, uint64_t k, enum message kind)
{
	s->random = 1000 * k + 7;
	s->hash = 0xcbf29ce484222325u;
	step(s, k, kind);
	return s->hash;
}

static uint64_t hash_at(struct subject *s, uint64_t k)
{
	return hash_of(s, k, kind_at(k));
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
	for (uint64_t k = 2; k < 2 * INDICES; k++) /* every other index, twice */
		if (k / 2 % 2 == 1)
			same &= hash_at(back, k / 2) == hash[k / 2];
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

static bool never_ends(const char *name, unsigned variant, unsigned *count)
{
	struct subject *s = subject_start(name, variant, true, count);
	bool never = true;

	for (uint64_t k = 0; k < 4 * INDICES; k++) {
		hash_at(s, k);
		never &= (s->mock.slot_flags & ALOE_SLOT_END) == 0;
	}
	subject_close(s);
	return never;
}

/* ---- live parameters ---- */

static bool is_live_number(const struct aloe_param *param)
{
	return (param->flags & ALOE_LIVE) && param->kind != ALOE_KIND_REALS;
}

/* The `which`th value of a live parameter, near its default: not far, for some are times. */
static double value_of(const struct aloe_param *param, unsigned which)
{
	const double usual = param->def == param->def ? param->def : 0;
	const double least = param->kind == ALOE_KIND_BOOL ? 0 : param->min,
	             most = param->kind == ALOE_KIND_BOOL ? 1
	    : param->kind == ALOE_KIND_ENUM               ? enum_count(param) - 1.0
	                                                  : param->max;
	const double up = usual + which, down = usual - which;

	return up <= most ? (up > least ? up : least) : (down >= least ? down : least);
}

/* What need not be set has a value all the same: a live parameter may mean nothing without it. */
static struct subject *subject_with_all(const char *name, unsigned variant, unsigned *count)
{
	struct subject *s = subject_open(name, variant, true);

	for (uint32_t i = 0; i < s->mock.component->params.len; i++) {
		const struct aloe_param *p = &s->mock.component->params.items[i];

		if (p->kind == ALOE_KIND_REAL && !(p->flags & ALOE_LIVE) && p->def != p->def)
			mock_set_number(&s->mock, p, value_of(p, 2));
	}
	if (mock_start(&s->mock) != 0)
		broken(count, name, "variant %u does not start: %s", variant, s->mock.setup.error);
	return s;
}

/* Index 3 after each of `n` settings, which have a step between. */
static uint64_t hash_after(const char *name, unsigned variant,
    const struct aloe_param *const *params, const unsigned *which, size_t n, unsigned *count)
{
	struct subject *s = subject_with_all(name, variant, count);
	uint64_t hash;

	for (size_t i = 0; i < n; i++) {
		mock_set_number(&s->mock, params[i], value_of(params[i], which[i]));
		hash_of(s, 20 + i, FULL);
	}
	hash = hash_of(s, 3, FULL);
	subject_close(s);
	return hash;
}

/* Two parameters in either order, and after other values of both. */
static bool pair_keeps_nothing(const char *name, unsigned variant, const struct aloe_param *a,
    const struct aloe_param *b, unsigned *count)
{
	const struct aloe_param *const forth[] = {a, b}, *const back[] = {b, a},
	                               *const after[] = {b, a, a, b}, *const late[] = {a, b, b, a};
	const unsigned ones[] = {1, 1}, others[] = {2, 2, 1, 1};
	const uint64_t hash = hash_after(name, variant, forth, ones, 2, count);

	return hash_after(name, variant, back, ones, 2, count) == hash &&
	    hash_after(name, variant, after, others, 4, count) == hash &&
	    hash_after(name, variant, late, others, 4, count) == hash;
}

static bool live_keeps_nothing(const char *name, unsigned variant, unsigned *count)
{
	struct mock m;
	bool same = true;

	mock_open(&m, name);
	for (uint32_t a = 0; a < m.component->params.len; a++)
		for (uint32_t b = a; b < m.component->params.len; b++)
			if (is_live_number(&m.component->params.items[a]) &&
			    is_live_number(&m.component->params.items[b]))
				same &=
				    pair_keeps_nothing(name, variant, &m.component->params.items[a],
				        &m.component->params.items[b], count);
	mock_close(&m);
	return same;
}

/* ---- all of them ---- */

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
	for (unsigned v = 0; c->stateless && v < variants(name); v++)
		if (!never_ends(name, v, count))
			broken(count, name, "variant %u says .stateless, and calls aloe_end", v);
	for (unsigned v = 0; c->stateless && v < variants(name); v++)
		if (!live_keeps_nothing(name, v, count))
			broken(count, name,
			    "variant %u says .stateless, and what it makes depends on the order in "
			    "which live parameters were set",
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
	assert_false(live_keeps_nothing("awgn", 0, &count));
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stateless_keeps_nothing),
	};

	return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
