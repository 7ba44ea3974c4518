/* SPDX-License-Identifier: BSD-3-Clause
 * What the help of a component says that a parameter costs is what it costs: the figures are read
 * from `aloe help` and held against blocks in error over the waveform that measures block error
 * rates, each against others of the same bits and noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

enum { SOFT_BLOCKS = ALOE_SLOWER(4000, 1000), METRIC_BLOCKS = ALOE_SLOWER(12000, 2000) };

/* About 1 block in 15 is wrong there at 2 iterations; 0.05 dB are 40 % of them. */
#define SOFT_DB 2.12
#define STEP_DB 0.05

static const char waveform[] = "waveforms/utran384-random.conf";

/* From where the sentence begins; fails the test where it is not there. */
static const char *sentence(const char *text, const char *begin)
{
	const char *at = strstr(text, begin);

	if (at == NULL)
		fail_msg("`%s` is not in: %s", begin, text);
	return at;
}

static unsigned wrong_of(const char *path, double ebn0_db, unsigned blocks, const char *set)
{
	struct ran *ran = aloe_ok("run '%s' --clock virtual --slots %u --json --quiet --set "
	                          "noise.ebn0_db=%.4f %s",
	    path, blocks, ebn0_db, set);
	const unsigned wrong = (unsigned)ran_variable(ran, "compare.block_errors");

	assert_true(ran_variable(ran, "compare.blocks") == blocks);
	print_message("%s at %.2f dB: %u of %u blocks wrong\n", set, ebn0_db, wrong, blocks);
	ran_free(ran);
	return wrong;
}

static unsigned wrong_at(double scale, double ebn0_db)
{
	char set[64];

	snprintf(set, sizeof(set), "--set soft.scale=%g", scale);
	return wrong_of(waveform, ebn0_db, SOFT_BLOCKS, set);
}

static double chance(double errors)
{
	return 3 * sqrt(errors + 1);
}

/* With that much less noise, and a step more, as few blocks are wrong as without a loss. */
static void loses_no_more(double scale, double loss_db, double errors)
{
	assert_true(wrong_at(scale, SOFT_DB + loss_db + STEP_DB) <= errors + chance(errors));
}

/* With a step less than that, they are not. */
static void loses_no_less(double scale, double loss_db, double errors)
{
	assert_true(wrong_at(scale, SOFT_DB + loss_db - STEP_DB) > errors);
}

static void test_soft_scale(void **state)
{
	static const char *const components[] = {"bpsk_soft_demod", "qpsk_soft_demod"};
	double none, scales[4], loss[3];
	double errors;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *text = aloe_help(components[i]);
		const char *at = sentence(text, "the turbo decoder loses ");

		if (sscanf(at,
		        "the turbo decoder loses %lf dB at %lf and more, %lf at %lf, %lf at %lf, "
		        "over %lf at %lf (",
		        &none, &scales[0], &loss[0], &scales[1], &loss[1], &scales[2], &loss[2],
		        &scales[3]) != 8)
			fail_msg("the figures are not in: %.200s", at);
		free(text);
		assert_true(none == 0 && scales[0] > scales[1] && scales[1] > scales[2]);
		errors = wrong_at(16, SOFT_DB);
		loses_no_more(scales[0], none, errors);
		if (i > 0)
			continue; /* it says the same; the waveform has the other one */
		loses_no_more(scales[1], loss[0], errors);
		loses_no_less(scales[1], loss[0], errors);
		loses_no_more(scales[2], loss[1], errors);
		loses_no_less(scales[2], loss[1], errors);
		assert_true(wrong_at(scales[3], SOFT_DB + loss[2]) > errors + chance(errors));
	}
}

/* All bits of the code are sent. */
static void test_metrics(void **state)
{
	static const char *const edits[][2] = {{"output = 9120", "output = 11580"},
	    {"bits_per_item = 0.42280701754385966", "bits_per_item = 0.33298791018998273"},
	    {"iterations = 2", "iterations = 8; scaling = 0.75"}, {NULL, NULL}};
	const char *path = conf_derive(waveform, "metrics.conf", edits);
	char *text = aloe_help("utran_turbo_decoder"), set[96];
	const char *at = sentence(text, "raises BLER at ");
	double rates[2], ebn0_db;
	unsigned iterations;

	(void)state;
	if (sscanf(at, "raises BLER at %u iterations: %lf for %lf at %lf dB", &iterations,
	        &rates[1], &rates[0], &ebn0_db) != 4)
		fail_msg("the figures are not in: %.200s", at);
	free(text);
	assert_true(rates[1] > rates[0]);
	for (int bytes = 0; bytes < 2; bytes++) {
		const double stated = rates[bytes] * METRIC_BLOCKS;
		double wrong;

		snprintf(set, sizeof(set), "--set decoder.iterations=%u --set decoder.metrics=%d",
		    iterations, bytes ? 8 : 16);
		wrong = wrong_of(path, ebn0_db, METRIC_BLOCKS, set);
		assert_true(fabs(wrong - stated) <= chance(stated));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_soft_scale),
	    cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
