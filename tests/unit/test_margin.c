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

enum { SLOT = 64, LOOK_NS = 50 };

struct fake { /* a packet of one slot at each look */
	struct radio device;
	uint64_t now_ns, slots;
	uint8_t place[4 * SLOT];
};

static uint64_t fake_clock(struct radio *device)
{
	return ((struct fake *)device)->now_ns += LOOK_NS;
}

static void fake_nothing(struct radio *device)
{
	(void)device;
}

static unsigned fake_receive(
    struct radio *device, uint32_t channel, uint64_t now_ns, struct radio_packet *ret, unsigned n)
{
	struct fake *fake = (struct fake *)device;

	(void)channel;
	(void)now_ns;
	assert_true(n > 0);
	ret[0] = (struct radio_packet){
	    .iq = fake->place, .ticks = SLOT * fake->slots++, .samples = SLOT};
	return 1;
}

static void fake_release(
    struct radio *device, uint32_t channel, const struct radio_packet *packets, unsigned n)
{
	(void)device, (void)channel, (void)packets, (void)n;
}

static uint8_t *fake_place(struct radio *device, uint32_t channel)
{
	(void)channel;
	return ((struct fake *)device)->place;
}

static void fake_send(struct radio *device, uint32_t channel, uint32_t samples, uint64_t ticks)
{
	(void)device, (void)channel, (void)samples, (void)ticks;
}

static void fake_count(struct radio *device, uint32_t channel, struct radio_counts *ret)
{
	(void)device, (void)channel;
	*ret = (struct radio_counts){0};
}

static const struct radio_driver fake_driver = {.clock = fake_clock,
    .start = fake_nothing,
    .receive = fake_receive,
    .release = fake_release,
    .place = fake_place,
    .send = fake_send,
    .flush = fake_nothing,
    .count = fake_count};

/* A slot whose lane takes took_ns, at 1 MSa/s: what is left, in ns; NAN: nothing was counted. */
static double left_after(int64_t advance, bool sends, bool waits, uint64_t took_ns)
{
	struct fake fake = {.device = {.driver = &fake_driver,
	                        .channels = 1,
	                        .ticks_per_sample = 1,
	                        .rx_packet = SLOT,
	                        .tx_packet = SLOT,
	                        .tx_advance = advance,
	                        .waits = waits,
	                        .patience_ns = 1000000,
	                        .end_ticks = UINT64_MAX},
	    .now_ns = 1000000000};
	struct image_radio_state *state = calloc(1, sizeof(*state));
	struct radio_pace pace;
	uint64_t edge, now;
	uint32_t n;
	double left = NAN;

	assert_non_null(state);
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
