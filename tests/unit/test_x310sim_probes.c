/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How x310sim measures what lies between its antennas: marks that tell their age, and sounding;
 * against a host that is known here to the sample. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/bytes.h"
#include "tools/x310sim/analog.h"
#include "tools/x310sim/device.h"
#include "tools/x310sim/expect.h"
#include "tools/x310sim/transform.h"

enum { SPP = 100, DIVIDE = 2 };

/* ---- marks ------------------------------------------------------------------------ */

static void a_mark_tells_its_age(void **state)
{
	static const uint64_t begins[] = {0, 32766, (1ull << 27) - 100, 77777777777ull};
	static const uint32_t divides[] = {1, 2, 200, 2040};
	static struct latency latency;
	uint8_t iq[4 * SPP];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		for (size_t k = 0; k < 4; k++) {
			latency = (struct latency){.unmarked = 0};
			latency_mark(5, begins[i], divides[k], iq, SPP);
			latency_take(&latency, 5, begins[i] + 1234, divides[k], iq, SPP);
			latency_take(&latency, 5, begins[i] + 1234, divides[k], iq, SPP);
			assert_int_equal(hist_count(&latency.ns), 2);
			assert_int_equal(hist_max(&latency.ns), 1234 * DEVICE_TICK_NS);
			assert_int_equal(latency.last, 1234);
			assert_int_equal(latency.steps + latency.unmarked + latency.crossed, 0);
			latency_take(&latency, 5, begins[i] + 1236, divides[k], iq, SPP);
			assert_int_equal(latency.steps, 1);
			latency_take(&latency, 4, begins[i] + 1234, divides[k], iq, SPP);
			assert_int_equal(latency.crossed, 1);
			assert_int_equal(hist_count(&latency.ns), 3);
		}
	}
}

/* A host that turns samples into floats and back leaves the marks as they are, whichever of the
 * usual scales it takes. */
static void marks_survive_floats(void **state)
{
	static const float scales[] = {32767.0f, 32768.0f};
	static struct latency latency;
	uint8_t iq[4 * SPP];

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		for (uint64_t tick = 0; tick < 1u << 27; tick += 1234567) {
			latency_mark(7, tick, DIVIDE, iq, SPP);
			for (size_t i = 0; i < 2 * SPP; i++) {
				const float real = (float)(int16_t)get_le16(iq + 2 * i) / scales[k];

				assert_true(fabsf(real) < 0.51f);
				put_le16(iq + 2 * i, (uint16_t)lrintf(real * scales[k]));
			}
			latency_take(&latency, 7, tick + 5000, DIVIDE, iq, SPP);
		}
	}
	assert_int_equal(latency.unmarked + latency.steps + latency.crossed, 0);
	assert_int_equal(hist_min(&latency.ns), 25000);
	assert_int_equal(hist_max(&latency.ns), 25000);
}

static void what_is_no_mark(void **state)
{
	static struct latency latency;
	uint8_t iq[4 * SPP] = {0};

	(void)state;
	latency_take(&latency, 0, 100, DIVIDE, iq, SPP); /* silence */
	latency_mark(0, 0, DIVIDE, iq, SPP);
	latency_take(&latency, 0, 100, DIVIDE + 1, iq, SPP); /* another rate */
	/* nothing to compare with */
	latency_take(&latency, 0, 100, DIVIDE, iq, 1);
	/* a sample is missing in it */
	memmove(iq + 4 * SPP / 2, iq + 4 * SPP / 2 + 4, 4 * SPP / 2 - 4);
	latency_mark(0, SPP, DIVIDE, iq + 4 * (SPP - 1), 1);
	latency_take(&latency, 0, 100, DIVIDE, iq, SPP);
	for (int i = 0; i < 4 * SPP; i++) /* another level */
		iq[i] ^= i & 1 ? 0x40 : 0;
	latency_take(&latency, 0, 100, DIVIDE, iq, SPP);
	assert_int_equal(latency.unmarked, 5);
	assert_int_equal(hist_count(&latency.ns), 0);
}

/* ---- the transform ------------------------------------------------------------------------ */

static void transforms(void **state)
{
	enum { N_MAX = 64 };
	double roots[N_MAX], x[2 * N_MAX], y[2 * N_MAX];

	(void)state;
	for (uint32_t n = 1; n <= N_MAX; n *= 2) {
		for (uint32_t i = 0; i < 2 * n; i++)
			x[i] = y[i] = sin(i * i + 1.0);
		transform_roots(n, roots);
		transform_forward(n, roots, y);
		for (uint32_t k = 0; k < n; k++) {
			double re = 0, im = 0;

			for (uint32_t i = 0; i < n; i++) {
				const double c = cos(2 * M_PI * i * k / n),
				             s = -sin(2 * M_PI * i * k / n);
				re += x[2 * i] * c - x[2 * i + 1] * s;
				im += x[2 * i] * s + x[2 * i + 1] * c;
			}
			assert_true(fabs(y[2 * k] - re) < 1e-12 * N_MAX &&
			    fabs(y[2 * k + 1] - im) < 1e-12 * N_MAX);
		}
		transform_inverse(n, roots, y);
		for (uint32_t i = 0; i < 2 * n; i++)
			assert_true(fabs(y[i] / n - x[i]) < 1e-12);
	}
}

/* ---- sounding ------------------------------------------------------------------------ */

enum { LENGTH = 1024, TAPS = 64, CHANNELS = 2, LATER = 300, BLOCK = 64 };

/* A host of CHANNELS inputs and outputs: all taps of all paths, as they are at a time. */
struct host {
	struct sound sound;
	unsigned channels[CHANNELS], n;
	const float *taps; /* as in a file */
	uint64_t sample;
	double gain;
};

static void random_taps(float *taps, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < 2 * n; i++) {
		seed = seed * 1664525u + 1013904223u;
		taps[i] = ((float)(seed >> 8) / (float)(1 << 24) - 0.5f) / sqrtf((float)n);
	}
}

static void host_init(
    struct host *host, const struct sound_options *options, const float *taps, unsigned n)
{
	*host =
	    (struct host){.taps = taps, .channels = {0, 4}, .n = n, .sample = 100000, .gain = 1};
	assert_int_equal(sound_open(&host->sound, options), 0);
}

/* What one input hears from `sample` on, into its part of an output. */
static void add_path(const struct host *host, unsigned in, const float *taps, double *sum)
{
	uint8_t heard[4 * (BLOCK + TAPS)];

	sound_receive(
	    &host->sound, host->channels[in], host->sample - LATER - TAPS, heard, BLOCK + TAPS);
	for (int i = 0; i < BLOCK; i++) {
		for (int k = 0; k < TAPS; k++) {
			const uint8_t *x = heard + 4 * (i + TAPS - k);
			const double re = (int16_t)get_le16(x), im = (int16_t)get_le16(x + 2);

			sum[2 * i] += re * taps[2 * k] - im * taps[2 * k + 1];
			sum[2 * i + 1] += re * taps[2 * k + 1] + im * taps[2 * k];
		}
	}
}

static void play(struct host *host, unsigned blocks)
{
	for (unsigned b = 0; b < blocks; b++, host->sample += BLOCK) {
		for (unsigned out = 0; out < host->n; out++) {
			double sum[2 * BLOCK] = {0};
			uint8_t iq[4 * BLOCK];

			for (unsigned in = 0; in < host->n; in++)
				add_path(host, in,
				    host->taps + 2 * (size_t)TAPS * (out * host->n + in), sum);
			for (int i = 0; i < 2 * BLOCK; i++)
				put_le16(iq + 2 * i, (uint16_t)lrint(host->gain * sum[i]));
			assert_int_equal(sound_transmit(&host->sound, host->channels[out],
			                     host->sample, iq, BLOCK),
			    0);
		}
	}
}

/* 0 or -errno, of a file of these bytes. */
static int load(const struct expect_options *options, const void *bytes, size_t size,
    struct expect *expect, char *ret_why)
{
	char path[] = "/tmp/x310sim-taps-XXXXXX";
	struct expect_options with = *options;
	const int fd = mkstemp(path);
	int rc;

	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	with.path = path;
	rc = expect_load(expect, &with, LENGTH, ret_why);
	assert_true(rc == 0 || strstr(ret_why, path) != NULL);
	unlink(path);
	return rc;
}

static struct expect expect_of(const struct expect_options *options, const float *taps, size_t n)
{
	char why[EXPECT_WHY] = "";
	struct expect expect;

	if (load(options, taps, n * 2 * sizeof(float), &expect, why) < 0)
		fail_msg("%s", why);
	return expect;
}

static void a_response_is_measured(void **state)
{
	const struct sound_options options = {LENGTH, 1, 10};
	const struct expect_options wanted = {.channels = {0}, .n_channels = 1, .limit_db = -50};
	struct sound_found found;
	struct expect expect;
	float taps[2 * TAPS], h[2 * LENGTH];
	struct host host;

	(void)state;
	random_taps(taps, TAPS, 1);
	host_init(&host, &options, taps, 1);
	assert_int_equal(sound_response(&host.sound, 0, 0, h), -ENOENT);
	play(&host, 20 * LENGTH / BLOCK);
	expect = expect_of(&wanted, taps, TAPS);
	assert_int_equal(expect_find(&expect, &host.sound, 0, &found), 0);
	assert_int_equal(found.kept, 10);
	assert_int_equal(found.within, 10);
	assert_int_equal(found.delay, LATER);
	assert_int_equal(found.delays, 1);
	assert_int_equal(found.responses, 1);
	assert_int_equal(found.changes + found.seams, 0);
	assert_true(found.worst_db < -70 && found.median_db <= found.worst_db);
	assert_int_equal(expect_find(&expect, &host.sound, 4, &found), -ENOENT);
	assert_int_equal(sound_response(&host.sound, 0, 9, h), 0);
	for (int i = 0; i < 2 * TAPS; i++)
		assert_true(fabsf(h[2 * LATER + i] - taps[i]) < 1e-4f);
	expect_free(&expect);
	sound_close(&host.sound);
}

/* A gain of 1 % too much is an error of -40 dB; a response that comes a sample later has another
 * delay. */
static void an_error_is_seen(void **state)
{
	const struct sound_options options = {LENGTH, 1, 3};
	const struct expect_options wanted = {.channels = {0}, .n_channels = 1, .limit_db = -50};
	struct sound_found found;
	struct expect expect;
	float taps[2 * TAPS];
	struct host host;

	(void)state;
	random_taps(taps, TAPS, 2);
	host_init(&host, &options, taps, 1);
	host.gain = 1.01;
	play(&host, 5 * LENGTH / BLOCK);
	expect = expect_of(&wanted, taps, TAPS);
	assert_int_equal(expect_find(&expect, &host.sound, 0, &found), 0);
	assert_int_equal(found.kept, 3);
	assert_int_equal(found.within, 0);
	assert_true(found.median_db > -40.1 && found.median_db < -39.9);
	expect_free(&expect);
	sound_close(&host.sound);
	host_init(&host, &options, taps, 1);
	play(&host, 5 * LENGTH / BLOCK);
	/* so that the rest is expected one sample earlier */
	taps[2 * TAPS - 2] = taps[2 * TAPS - 1] = 0;
	expect = expect_of(&wanted, taps + 2, TAPS - 1);
	assert_int_equal(expect_find(&expect, &host.sound, 0, &found), 0);
	assert_int_equal(found.delay, LATER + 1);
	expect_free(&expect);
	sound_close(&host.sound);
}

/* The response is another one every three periods: each is found, and only periods with a change in
 * them are not. */
static void responses_that_change(void **state)
{
	enum { SETS = 5, PERIODS = 30, EACH = 3 };
	const struct sound_options options = {LENGTH, 1, PERIODS};
	const struct expect_options wanted = {
	    .taps = TAPS, .channels = {0}, .n_channels = 1, .limit_db = -50};
	struct sound_found found;
	struct expect expect;
	float taps[SETS * 2 * TAPS];
	struct host host;

	(void)state;
	for (uint32_t i = 0; i < SETS; i++)
		random_taps(taps + (size_t)i * 2 * TAPS, TAPS, 100 + i);
	host_init(&host, &options, taps, 1);
	for (unsigned i = 0; i < (PERIODS + 1) / EACH + 1; i++) {
		host.taps = taps + (size_t)(i % SETS) * 2 * TAPS;
		play(&host, EACH * LENGTH / BLOCK + 1); /* changes wander through the periods */
	}
	expect = expect_of(&wanted, taps, SETS * TAPS);
	assert_int_equal(expect_find(&expect, &host.sound, 0, &found), 0);
	assert_int_equal(found.kept, PERIODS);
	assert_in_range(found.within, PERIODS - PERIODS / EACH - 1, PERIODS - PERIODS / EACH + 1);
	assert_int_equal(found.responses, SETS);
	assert_in_range(found.changes, PERIODS / EACH - 1, PERIODS / EACH + 1);
	assert_int_equal(found.delays, 1);
	assert_true(found.worst_db > -30 && found.worst_within_db < -70);
	expect_free(&expect);
	sound_close(&host.sound);
}

/* Four paths at once, each another response: two transmitters, and what each makes of both
 * receivers. */
static void paths_that_cross(void **state)
{
	const struct sound_options options = {LENGTH, 1, 4};
	const struct expect_options wanted = {.channels = {0, 4}, .n_channels = 2, .limit_db = -50};
	struct sound_found found;
	struct expect expect;
	float taps[8 * TAPS];
	struct host host;

	(void)state;
	random_taps(taps, 4 * TAPS, 4);
	host_init(&host, &options, taps, 2);
	play(&host, 6 * LENGTH / BLOCK);
	expect = expect_of(&wanted, taps, 4 * TAPS);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(expect_find(&expect, &host.sound, host.channels[i], &found), 0);
		assert_int_equal(found.within, 4);
		assert_int_equal(found.delay, LATER);
		assert_true(found.worst_db < -60);
	}
	expect_free(&expect);
	/* one path is not what it should be */
	memmove(taps + 4 * TAPS, taps + 2 * TAPS, 2 * TAPS * sizeof(float));
	expect = expect_of(&wanted, taps, 4 * TAPS);
	assert_int_equal(expect_find(&expect, &host.sound, 0, &found), 0);
	assert_int_equal(found.within, 4);
	assert_int_equal(expect_find(&expect, &host.sound, 4, &found), 0);
	assert_int_equal(found.within, 0);
	expect_free(&expect);
	sound_close(&host.sound);
}

/* What is lost in between spoils no period that is kept; every third is. */
static void seams(void **state)
{
	const struct sound_options options = {LENGTH, 3, 8};
	const struct expect_options wanted = {.channels = {0}, .n_channels = 1, .limit_db = -50};
	struct sound_found found;
	struct expect expect;
	float taps[2 * TAPS];
	struct host host;

	(void)state;
	random_taps(taps, TAPS, 5);
	host_init(&host, &options, taps, 1);
	for (unsigned i = 0; i < 20; i++) {
		play(&host, 5 * LENGTH / BLOCK / 2);
		host.sample += 10 * BLOCK;
	}
	expect = expect_of(&wanted, taps, TAPS);
	assert_int_equal(expect_find(&expect, &host.sound, 0, &found), 0);
	assert_int_equal(found.kept, 8);
	assert_int_equal(found.within, 8);
	assert_int_equal(found.seams, 19);
	for (unsigned i = 1; i < 8; i++)
		assert_true(host.sound.channels[0].first[i] - host.sound.channels[0].first[i - 1] >=
		    3 * LENGTH);
	expect_free(&expect);
	sound_close(&host.sound);
}

/* ---- files that cannot be ---- */

static void refused(
    const struct expect_options *options, const void *bytes, size_t size, const char *word)
{
	char why[EXPECT_WHY] = "";
	struct expect expect;

	assert_true(load(options, bytes, size, &expect, why) < 0);
	if (strstr(why, word) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", why, word);
}

static void files_of_taps(void **state)
{
	const struct expect_options one = {.channels = {0}, .n_channels = 1},
	                            two = {.channels = {0, 4}, .n_channels = 2};
	const struct expect_options seven = {.taps = 7, .channels = {0}, .n_channels = 1};
	const struct expect_options nowhere = {.path = "/proc/nowhere/taps", .n_channels = 1};
	static float taps[2 * LENGTH];
	char why[EXPECT_WHY] = "";
	struct expect expect;

	(void)state;
	refused(&one, taps, 12, "two 32-bit floats");
	refused(&one, taps, 0, "0 complex taps");
	refused(&seven, taps, 8 * 8, "8 complex taps");
	refused(&two, taps, 6 * 8, "4 paths");
	refused(&one, taps, sizeof(taps), "room for 1023 taps");
	refused(&two, taps, 8 * LENGTH, "room for 128 taps");
	taps[3] = NAN;
	refused(&one, taps, 16, "not a number");
	assert_int_equal(expect_load(&expect, &nowhere, LENGTH, why), -ENOENT);
	assert_non_null(strstr(why, "/proc/nowhere/taps"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_mark_tells_its_age),
	    cmocka_unit_test(marks_survive_floats),
	    cmocka_unit_test(what_is_no_mark),
	    cmocka_unit_test(a_response_is_measured),
	    cmocka_unit_test(transforms),
	    cmocka_unit_test(an_error_is_seen),
	    cmocka_unit_test(responses_that_change),
	    cmocka_unit_test(paths_that_cross),
	    cmocka_unit_test(seams),
	    cmocka_unit_test(files_of_taps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
