/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/umts/chip_clock.h alone, on pilot symbols made of the pulse and of noise: how soon a
 * clock is known, how long and how closely it is held where one block in ten is lost, that a path
 * is followed and a fade is not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "components/umts/chip_clock.h"
#include "core/kernels/random.h"

enum {
	FRAME = UTRAN_CHIPS,
	BLOCKS = FRAME / CLOCK_BLOCK,
	SLOT = BLOCKS / 15,
	MANY = 10000,
	SETTLED = 10
};

#define ROLLOFF 0.22
#define SNR 4.9 /* of a pilot symbol at 384 kbit/s and a block error rate of 0.1 */

struct radio {
	double ppm, snr; /* the sender's clock is fast; of a pilot symbol */
	double place;    /* of the first path; the second lies half a chip behind it */
	double second;   /* its amplitude */
	double at;       /* of the clock: chips */
	uint64_t blocks; /* so far */
	double mix[CLOCK_LAGS][CLOCK_LAGS];
	struct chip_clock clock;
	struct chip_look look;
	double worst, squares; /* of the distance to the first path, in a frame and in all */
};

/* The noise of two lags is as much the same as their pulses overlap: the root of that matrix
 * (Cholesky). */
static void make_mix(double mix[CLOCK_LAGS][CLOCK_LAGS])
{
	for (int i = 0; i < CLOCK_LAGS; i++)
		for (int j = 0; j <= i; j++) {
			double sum = pulse_rc(0.5 * (i - j), ROLLOFF);

			for (int k = 0; k < j; k++)
				sum -= mix[i][k] * mix[j][k];
			mix[i][j] = i == j ? sqrt(sum) : sum / mix[j][j];
		}
}

static void start(struct radio *r, double off, double ahead)
{
	make_mix(r->mix);
	chip_clock_init(&r->clock, ROLLOFF);
	chip_clock_start(&r->clock, ahead);
	r->at = r->place - off;
}

/* What the receiver sees of a block. */
static void look(struct radio *r)
{
	const double sigma = sqrt(0.5 / r->snr);
	float complex pilots[CLOCK_LAGS];
	float noise[2 * CLOCK_LAGS];

	random_gauss(1, r->blocks, noise, 2 * CLOCK_LAGS);
	for (int i = 0; i < CLOCK_LAGS; i++) {
		const double t = r->at + 0.5 * (i - CLOCK_LAGS / 2) - r->place;
		double complex sum = pulse_rc(t, ROLLOFF) + r->second * pulse_rc(t - 0.5, ROLLOFF);

		for (int k = 0; k <= i; k++)
			sum += sigma * r->mix[i][k] * (noise[2 * k] + I * noise[2 * k + 1]);
		pilots[i] = (float complex)sum;
	}
	chip_look_add(&r->look, pilots, CLOCK_BLOCK / r->snr, 0);
}

/* A frame, in the steps of utran_sync. */
static void run_frame(struct radio *r)
{
	uint32_t since = 0;

	r->worst = 0;
	for (uint32_t block = 0; block < BLOCKS; block++) {
		const bool known = r->clock.known;

		if (!known || block % (BLOCKS / CLOCK_LOOKS) == 0)
			look(r);
		r->worst = fmax(r->worst, fabs(r->at + r->clock.finger - r->place));
		r->place -= 1e-6 * r->ppm * CLOCK_BLOCK;
		r->at += r->clock.rate * CLOCK_BLOCK;
		r->blocks++;
		since += CLOCK_BLOCK;
		if (block + 1 < BLOCKS && (known || (block + 1) % SLOT))
			continue;
		r->at += chip_clock_steer(&r->clock, &r->look, since, 0.1);
		r->look = (struct chip_look){0};
		since = 0;
	}
	r->squares += r->worst * r->worst;
}

/* From the first frame on the clock is never a chip away, and from the tenth on as close as costs
 * nothing: 0.05 chips are 0.04 dB. */
static void holds_any_clock(void **state)
{
	static const double ppm[] = {0, 5, -12, 20, -20, 30, -35};

	(void)state;
	for (size_t i = 0; i < sizeof(ppm) / sizeof(ppm[0]); i++) {
		const double ahead = (double)i * 6000 - 18000;
		struct radio r = {.ppm = ppm[i], .snr = SNR};
		double worst = 0;
		int known = 0;

		start(&r, -1e-6 * ppm[i] * ahead + 0.1, ahead);
		for (int frame = 0; frame < MANY; frame++) {
			run_frame(&r);
			assert_true(r.worst < 1);
			known += !r.clock.known;
			if (frame < SETTLED)
				r.squares = 0;
			else
				worst = fmax(worst, r.worst);
		}
		print_message("%5.1f ppm: known after %d frames; %.3f chips off in the mean, %.3f "
		              "at most, %.3f ppm\n",
		    ppm[i], known, sqrt(r.squares / (MANY - SETTLED)), worst, -1e6 * r.clock.rate);
		assert_true(known < SETTLED);
		assert_true(sqrt(r.squares / (MANY - SETTLED)) < 0.05 && worst < 0.25);
		assert_true(fabs(-1e6 * r.clock.rate - ppm[i]) < 0.3);
	}
}

/* Half a chip behind a path that has gone another one is followed within two frames; what is too
 * weak to be seen moves nothing, and the clock goes on at the rate that it had. */
static void follows_paths_not_fades(void **state)
{
	struct radio r = {.ppm = 20, .snr = 4 * SNR};
	double before;

	(void)state;
	start(&r, 0.1, 0);
	for (int frame = 0; frame < 30; frame++)
		run_frame(&r);
	r.place += 0.5;
	run_frame(&r);
	run_frame(&r);
	run_frame(&r);
	assert_true(r.worst < 0.1);
	before = r.clock.finger;
	r.snr = 0.02;
	for (int frame = 0; frame < 10; frame++) {
		run_frame(&r);
		assert_true(r.worst < 0.25);
	}
	assert_true(fabs(r.clock.finger - before) < 0.25);
}

/* Two paths half a chip apart: the place is between them, nearer to the stronger one. */
static void stands_between_paths(void **state)
{
	struct radio r = {.snr = 50, .second = 0.5};
	double place, power, best = 0, best_place = 0;

	(void)state;
	start(&r, 0, 0);
	for (int frame = 0; frame < 30; frame++)
		run_frame(&r);
	place = r.at + r.clock.finger;
	for (double t = -0.5; t < 1; t += 0.01) {
		power = pulse_rc(t, ROLLOFF) + r.second * pulse_rc(t - 0.5, ROLLOFF);
		best_place = power > best ? t : best_place;
		best = fmax(best, power);
	}
	print_message("place %.3f, most power at %.3f\n", place, best_place);
	assert_true(fabs(place - best_place) < 0.1);
}

/* Silence and what is no number are no measurement. */
static void nothing_moves_nothing(void **state)
{
	const float complex silence[CLOCK_LAGS] = {0}, bad[CLOCK_LAGS] = {NAN, NAN, NAN, NAN, NAN};
	struct chip_look look = {0};
	struct chip_clock clock;

	(void)state;
	chip_clock_init(&clock, ROLLOFF);
	chip_clock_start(&clock, 0);
	assert_true(chip_clock_steer(&clock, &look, 2560, 0.1) == 0);
	chip_look_add(&look, silence, 0, 0);
	assert_true(chip_clock_steer(&clock, &look, 2560, 0.1) == 0);
	chip_look_add(&look, bad, NAN, 0);
	assert_true(chip_clock_steer(&clock, &look, 2560, 0.1) == 0);
	assert_true(clock.rate == 0 && clock.finger == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(holds_any_clock),
	    cmocka_unit_test(follows_paths_not_fades),
	    cmocka_unit_test(stands_between_paths),
	    cmocka_unit_test(nothing_moves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
