/* SPDX-License-Identifier: BSD-3-Clause
 *
 * waveforms/fm-receiver.conf with a synthetic recording: a tone, a stereo pilot, a strong neighbour
 * and a DC offset go in at 1.2 MHz; the tone alone comes out of the WAV file. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

enum { SLOT = 12000, SLOTS = 50, AUDIO = 320, RATE = 1200000, AUDIO_RATE = 32000, HEADER = 44 };

#define TONE_HZ 1000.0
#define PILOT_HZ 19000.0
#define DEVIATION_HZ 75000.0
#define OFFSET_HZ 300000.0
#define NEIGHBOUR_HZ 300000.0 /* above the station */

static void recording_make(const char *path)
{
	const size_t n = (size_t)SLOT * SLOTS;
	float *samples = malloc(n * 2 * sizeof(float));
	double phase = 0, other = 0;

	assert_non_null(samples);
	for (size_t i = 0; i < n; i++) {
		const double t = (double)i / RATE;
		const double audio =
		    0.5 * cos(2 * M_PI * TONE_HZ * t) + 0.1 * cos(2 * M_PI * PILOT_HZ * t);
		double complex sample;

		phase += (OFFSET_HZ + DEVIATION_HZ * audio) / RATE;
		other += (OFFSET_HZ + NEIGHBOUR_HZ + 40e3 * sin(2 * M_PI * 440 * t)) / RATE;
		sample = 0.3 * cexp(2 * M_PI * I * phase) + 0.3 * cexp(2 * M_PI * I * other) + 0.1;
		samples[2 * i] = (float)creal(sample);
		samples[2 * i + 1] = (float)cimag(sample);
	}
	file_make(path, samples, n * 2 * sizeof(float));
	free(samples);
}

/* How strong a tone of this frequency is, over whole periods. */
static double tone(const int16_t *samples, size_t n, double hz)
{
	double complex sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += samples[i] * cexp(-2 * M_PI * I * hz * (double)i / AUDIO_RATE);
	return 2 * cabs(sum) / (double)n / 32768;
}

static double power(const int16_t *samples, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)samples[i] * samples[i] / 32768 / 32768;
	return sum / (double)n;
}

static void test_tone(void **state)
{
	const double want = 0.5 * 0.8 / sqrt(1 + pow(2 * M_PI * TONE_HZ * 50e-6, 2));
	char radio[2048];
	struct ran *ran;
	int16_t *samples;
	uint8_t *file;
	double has, rest;
	size_t len, n = (size_t)AUDIO * (SLOTS - 10);

	(void)state;
	recording_make(aloe_path("fm.cf32"));
	snprintf(radio, sizeof(radio),
	    "radio: { type = \"file\"; path = \"%s\"; format = \"cf32_le\"; rate = 1.2e6; };\n",
	    aloe_path("fm.cf32"));
	file_make(aloe_path("radio.conf"), radio, strlen(radio));
	ran = aloe_ok("run waveforms/fm-receiver.conf --radio '%s' --clock virtual --json -q "
	              "--set sink.path='%s'",
	    aloe_path("radio.conf"), aloe_path("fm.wav"));
	assert_true(ran_clean(ran));
	assert_true(ran_variable(ran, "words.limited") == 0);
	file = file_take(aloe_path("fm.wav"), &len);
	assert_int_equal(len, HEADER + 2 * AUDIO * SLOTS);
	samples = malloc(n * sizeof(int16_t));
	assert_non_null(samples);
	/* after the filters have filled */
	memcpy(samples, file + HEADER + 2 * (size_t)AUDIO * 10, n * sizeof(int16_t));
	has = tone(samples, n, TONE_HZ);
	rest = power(samples, n) - has * has / 2;
	if (fabs(has - want) > 0.01 * want)
		fail_msg("the tone is %g, not %g", has, want);
	if (rest > has * has / 2 * 1e-5)
		fail_msg(
		    "all else is only %.1f dB below the tone", -10 * log10(rest / (has * has / 2)));
	assert_true(tone(samples, n, 13000) < 1e-3);
	free(samples);
	free(file);
	ran_free(ran);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tone),
	};
	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
