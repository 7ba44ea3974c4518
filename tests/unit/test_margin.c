/* SPDX-License-Identifier: BSD-3-Clause
 * How much time was left: what core/image/margin counts, and what the pace of a radio counts of the
 * samples that it sends. The ends of slots: test_segment.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/slot/radio_pace.h"
#include "tests/common/fake_radio.h"

/* ---- counting ------------------------------------------------------------------------ */

enum { ENDS = 2000 };

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static uint64_t draw(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 33;
}

/* Against a sorted list of what was left, of which `late` of 8 ends are negative. */
static void quantiles_are_true(unsigned late)
{
	static const double shares[] = {0, 0.001, 0.01, 0.1, 0.5, 0.875, 0.9, 1};
	struct image_margin *margin = calloc(1, sizeof(*margin));
	uint64_t seed = 1 + late, over = 0;
	double left[ENDS];

	assert_non_null(margin);
	for (int i = 0; i < ENDS; i++) {
		const uint64_t ns = 1 + draw(&seed) % 3000000, deadline = 5000000;
		const bool is_late = draw(&seed) % 8 < late;

		over += is_late;
		left[i] = is_late ? -(double)ns : (double)ns;
		assert_int_equal(
		    image_margin_add(margin, deadline, is_late ? deadline + ns : deadline - ns),
		    is_late ? 0 : ns);
	}
	qsort(left, ENDS, sizeof(left[0]), by_value);
	assert_int_equal(image_margin_count(margin), ENDS);
	assert_int_equal(hist_count(&margin->over), over);
	for (size_t s = 0; s < sizeof(shares) / sizeof(shares[0]); s++) {
		const double rank = fmax(ceil(shares[s] * ENDS), 1), is = left[(size_t)rank - 1];

		assert_true(
		    fabs(image_margin_quantile(margin, shares[s]) - is) <= fabs(is) / 128 + 1);
	}
	free(margin);
}

static void test_quantiles(void **state)
{
	(void)state;
	for (unsigned late = 0; late <= 8; late++)
		quantiles_are_true(late);
}

static void test_empty(void **state)
{
	struct image_margin *margin = calloc(1, sizeof(*margin));

	(void)state;
	assert_non_null(margin);
	assert_int_equal(image_margin_count(margin), 0);
	assert_true(image_margin_quantile(margin, 0.01) == 0);
	image_margin_add(margin, 7, 7); /* at the deadline: in time, nothing left */
	assert_int_equal(hist_count(&margin->left), 1);
	assert_int_equal(hist_count(&margin->over), 0);
	free(margin);
}

/* ---- a radio ------------------------------------------------------------------------ */

enum { SLOT = FAKE_RADIO_SLOT };

/* A slot whose lane takes took_ns, at 1 MSa/s: what is left, in ns; NAN: nothing was counted. */
static double left_after(int64_t advance, bool sends, bool waits, uint64_t took_ns)
{
	struct image_radio_state *state = calloc(1, sizeof(*state));
	struct fake_radio fake;
	struct radio_pace pace;
	uint64_t edge, now;
	uint32_t n;
	double left = NAN;

	assert_non_null(state);
	fake_radio_init(&fake, 0);
	fake.device.tx_advance = advance;
	fake.device.waits = waits;
	assert_int_equal(radio_pace_init(&pace, &fake.device, 1e6, SLOT), 0);
	pace.state = state;
	assert_int_equal(radio_pace_wait(&pace, 0, &edge, &now), 0);
	if (sends && pace.radio.place(&pace.radio, 0, &n) != NULL)
		pace.radio.send(&pace.radio, 0, SLOT);
	edge = (uint64_t)pace.edge_ns;
	radio_pace_end(&pace, edge + took_ns);
	if (image_margin_count(&state->margin) == 1)
		left = image_margin_quantile(&state->margin, 0);
	radio_pace_fini(&pace);
	free(state);
	return left;
}

static bool is_near(double ns, double want)
{
	return fabs(ns - want) <= fabs(want) / 128 + 1;
}

/* The radio transmits two slots behind the first sample of the slot: one slot behind its edge. */
static void test_radio(void **state)
{
	(void)state;
	assert_true(is_near(left_after(2 * SLOT, true, false, 10000), 54000));
	assert_true(is_near(left_after(2 * SLOT, true, false, 64000), 0));
	assert_true(is_near(left_after(2 * SLOT, true, false, 70000), -6000));
	assert_true(is_near(left_after(SLOT, true, false, 5000), -5000));
	assert_true(isnan(left_after(2 * SLOT, false, false, 10000))); /* nothing was sent */
	assert_true(isnan(left_after(-1, true, false, 10000)));        /* at once: no deadline */
	assert_true(isnan(left_after(2 * SLOT, true, true, 10000)));   /* a radio that waits */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_quantiles),
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_radio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
