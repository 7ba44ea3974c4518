/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/soapy/track: times in nanoseconds and ticks are the same at every rate and after years,
 * and what lies between two reads is known, or known to be unknown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "platforms/soapy/track.h"

static const double rates[] = {1000, 250e3, 384e3, 1.2e6, 2.048e6, 3.84e6, 1625e3 / 6, 30.72e6,
    61.44e6, 100e6, 200e6 / 3, 499e6};
enum { RATES = sizeof(rates) / sizeof(rates[0]) };

/* From the first second to 2030, at which a double holds a nanosecond no longer. */
static void ticks_and_times_agree(void **state)
{
	static const uint64_t seconds[] = {0, 1, 86400, 1900000000};

	(void)state;
	for (size_t r = 0; r < RATES; r++)
		for (size_t s = 0; s < sizeof(seconds) / sizeof(seconds[0]); s++) {
			const uint64_t first = (uint64_t)((double)seconds[s] * rates[r]);

			for (uint64_t i = 0; i < 1000; i++) {
				const uint64_t ticks = first + i * 12347;
				const int64_t ns = track_time_ns(ticks, rates[r]);

				assert_int_equal(track_ticks(ns, rates[r]), ticks);
			}
		}
	assert_int_equal(track_ticks(31500000, 48000), 1512);
	assert_int_equal(track_ticks(5333333, 48000), 256);
	assert_int_equal(track_ticks(-1, 48000), 0);
}

static enum track_step take(
    struct track *track, uint32_t n, uint64_t at, uint64_t *ret_ticks, uint64_t *ret_missing)
{
	return track_samples(
	    track, n, true, track_time_ns(at, track->rate), ret_ticks, ret_missing);
}

static void gaps_are_sized(void **state)
{
	struct track track = {.rate = 3.84e6};
	uint64_t ticks, missing;

	(void)state;
	assert_int_equal(take(&track, 100, 5000, &ticks, &missing), TRACK_ON);
	assert_true(ticks == 5000 && missing == 0);
	assert_int_equal(take(&track, 50, 5100, &ticks, &missing), TRACK_ON);
	track_lost(&track);
	assert_int_equal(take(&track, 7, 5151, &ticks, &missing), TRACK_GAP);
	assert_true(ticks == 5151 && missing == 1);
	assert_int_equal(take(&track, 10, 6158, &ticks, &missing), TRACK_GAP);
	assert_true(ticks == 6158 && missing == 1000);
	/* fragments have no time of their own */
	assert_int_equal(track_samples(&track, 10, false, 0, &ticks, &missing), TRACK_ON);
	assert_true(ticks == 6168 && track.next == 6178);
	/* nothing was lost after all */
	track_lost(&track);
	assert_int_equal(take(&track, 10, 6178, &ticks, &missing), TRACK_ON);
}

static void rounding_is_no_gap(void **state)
{
	struct track track = {.rate = 1e6};
	uint64_t ticks, missing;

	(void)state;
	assert_int_equal(take(&track, 100, 5000, &ticks, &missing), TRACK_ON);
	assert_int_equal(take(&track, 100, 5101, &ticks, &missing), TRACK_ON);
	assert_true(ticks == 5100);
	assert_int_equal(take(&track, 100, 5199, &ticks, &missing), TRACK_ON);
	assert_true(ticks == 5200);
	/* but it does not add up */
	assert_int_equal(take(&track, 100, 5302, &ticks, &missing), TRACK_GAP);
	assert_true(ticks == 5302 && missing == 2);
}

static void without_time_nobody_knows(void **state)
{
	struct track track = {.rate = 1e6};
	uint64_t ticks, missing;

	(void)state;
	track_lost(&track); /* before the first sample nothing is lost */
	assert_int_equal(track_samples(&track, 100, false, 0, &ticks, &missing), TRACK_ON);
	assert_int_equal(ticks, 0);
	track_lost(&track);
	assert_int_equal(track_samples(&track, 100, false, 0, &ticks, &missing), TRACK_UNSIZED);
	assert_true(missing == 0 && track.next == 100);
	track_skip(&track, 156);
	assert_int_equal(track_samples(&track, 100, false, 0, &ticks, &missing), TRACK_ON);
	assert_int_equal(ticks, 256);
}

static void a_time_that_was_set_is_no_loss(void **state)
{
	struct track track = {.rate = 1e6};
	uint64_t ticks, missing;

	(void)state;
	take(&track, 100, 50000000, &ticks, &missing);
	assert_int_equal(take(&track, 100, 20, &ticks, &missing), TRACK_JUMP);
	assert_true(ticks == 20 && track.next == 120 && missing == 0);
	assert_int_equal(take(&track, 100, 120 + 10000000, &ticks, &missing), TRACK_GAP);
	assert_int_equal(take(&track, 100, 30000221, &ticks, &missing), TRACK_JUMP);
	assert_true(missing == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ticks_and_times_agree),
	    cmocka_unit_test(gaps_are_sized),
	    cmocka_unit_test(rounding_is_no_gap),
	    cmocka_unit_test(without_time_nobody_knows),
	    cmocka_unit_test(a_time_that_was_set_is_no_loss),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
