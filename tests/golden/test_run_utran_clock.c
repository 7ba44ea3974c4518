/* SPDX-License-Identifier: BSD-3-Clause
 * The clock of the UTRA receiver through the real processes, where one block in ten is lost. Two
 * cheap oscillators, 20 ppm apart either way: found within 10 frames, never lost, and hardly a
 * block more than with one oscillator. The pedestrian channel A of ITU-R M.1225 at 3 km/h: no block
 * more, with 0.2 dB, than a receiver without search and loop that is told the strongest path of
 * each frame.
 *
 * SYNC_FRAMES=10000 (make sync-hold) runs so many frames instead of a few hundred. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/faults/node.h"

enum { FRAMES = 300, MANY = 10000, FIRST_LOCK = 10 };

#define CLOCK_PPM 20.0
#define FINGER_DB 0.2
#define BITS_DB 2.12 /* one block in ten is lost here, by the bits alone */
#define WALK_DB 12.0 /* and here in a channel that fades at a walking pace, told the path */

static const char conf[] = "waveforms/utran384-rf-random.conf";

static int frames(void)
{
	const char *given = getenv("SYNC_FRAMES");

	return given ? atoi(given) : FRAMES;
}

static struct ran *run_blocks(const char *file, double ebn0_db, const char *more)
{
	struct ran *ran =
	    aloe_ok("run '%s' --clock virtual --slots %d --json -q --set noise.ebn0_db=%g %s", file,
	        frames(), ebn0_db, more);

	print_message("%.2f dB %s: %.0f of %.0f blocks wrong, %.0f frames absent, %.0f locks, "
	              "clock %.2f ppm\n",
	    ebn0_db, more, ran_variable(ran, "compare.block_errors"),
	    ran_variable(ran, "compare.blocks"), ran_variable(ran, "compare.absent"),
	    ran_variable(ran, "sync.locks"), ran_variable(ran, "sync.clock_ppm"));
	assert_true(ran_variable(ran, "sync.locked") == 1);
	return ran;
}

/* ---- two oscillators ---- */

static const char *drifting(void)
{
	static const char *const edits[][2] = {{"component = \"delay\"; items = 30001;",
	                                           "component = \"clock_skew\"; items = 30001.0;"},
	    {NULL}};

	return conf_derive(conf, "drifting.conf", edits);
}

static double check_drift(const char *file, double ppm)
{
	char more[64];
	struct ran *ran;
	double wrong;

	snprintf(more, sizeof(more), "--set path.ppm=%g", ppm);
	ran = run_blocks(file, BITS_DB, more);
	assert_true(ran_variable(ran, "sync.locks") == 1);
	assert_true(ran_variable(ran, "sync.tries") <= FIRST_LOCK);
	assert_true(fabs(ran_variable(ran, "sync.clock_ppm") - ppm) < 0.2);
	wrong = ran_variable(ran, "compare.block_errors");
	ran_free(ran);
	return wrong;
}

/* By three standard deviations of the difference of two counts; FIRST_LOCK for what is lost before
 * the lock. 0.1 dB are a factor of two in blocks: what remains is below that. */
static void test_error_rate_two_oscillators(void **state)
{
	static const double ppm[] = {5, -5, 10, -10, CLOCK_PPM, -CLOCK_PPM};
	const size_t step = frames() < MANY ? 4 : 0;
	const char *file = drifting();
	const double alone = check_drift(file, 0);

	(void)state;
	for (size_t i = step; i < sizeof(ppm) / sizeof(ppm[0]); i++)
		assert_true(
		    check_drift(file, ppm[i]) < 1.1 * alone + FIRST_LOCK + 3 * sqrt(2 * alone));
}

/* ---- paths that fade ---- */

#define PATHS                                                                                      \
	"fading: { component = \"channel_tdl\"; profile = \"pedestrian_a\"; speed_kmh = 3.0; "     \
	"carrier_hz = 2e9; "                                                                       \
	"delays = \"interpolate\"; };\n"

/* Frames begin 1000 items into a message, so that the mean gains of a message are those of a
 * frame. */
static const char *walking(void)
{
	static const char *const edits[][2] = {{"items = 30001", "items = 1000"},
	    {"\tnoise:         {", "\t" PATHS "\tnoise:         {"},
	    {"carrier -> noise\"", "carrier -> fading.out -> noise\""}, {NULL}};

	return conf_derive(conf, "walking.conf", edits);
}

/* The line of channel_tdl is 7 items late, its paths are 0, 110, 190 and 410 ns late at 7.68 MSa/s;
 * the guide takes 32 items, and a chip is whole 20 items (10 chips) into its pulse: so the path may
 * change at item 1000 + 7 + 32 + 19. */
static const char *told(const char *walk)
{
	static const char *const edits[][2] = {
	    {"\tsync:          {",
	        "\ttold: { component = \"clock_skew\"; items = 32.0; from = 1058; path_items = "
	        "[0.0, 0.8448, 1.4592, 3.1488]; };\n"
	        "\tsync:          { known_delay = 1039.0; bandwidth = 0.0; "},
	    {"\"noise -> sync ->",
	        "\"fading.taps -> told.taps\",\n\t\"noise -> told.in -> sync ->"},
	    {NULL}};

	return conf_derive(walk, "told.conf", edits);
}

/* The same fades and the same noise for both. A count of some thirty blocks is excused five of
 * them. */
static void check_walk(const char *walk, const char *guided, int seed)
{
	struct ran *found, *known;
	char more[64];
	double wrong;

	snprintf(more, sizeof(more), "--set fading.seed=%d", seed);
	known = run_blocks(guided, WALK_DB, more);
	wrong = ran_variable(known, "compare.block_errors");
	assert_true(ran_variable(known, "told.changes") > 0.03 * frames());
	assert_true(wrong > 0.02 * frames());
	found = run_blocks(walk, WALK_DB + FINGER_DB, more);
	assert_true(
	    ran_variable(found, "compare.block_errors") <= wrong + (frames() < MANY ? 5 : 0));
	ran_free(known);
	ran_free(found);
}

/* Many frames are run with two seeds: one might be lucky. */
static void test_error_rate_pedestrian(void **state)
{
	const char *walk = walking(), *guided = told(walk);

	(void)state;
	for (int seed = 1; seed <= (frames() < MANY ? 1 : 2); seed++)
		check_walk(walk, guided, seed);
}

/* ---- what is stated ---- */

/* The help promises what is measured here. */
static void test_help(void **state)
{
	char *help = aloe_help("utran_sync"), texts[3][64];

	(void)state;
	snprintf(texts[0], 64, "holds it if the clocks differ by up to %g ppm", CLOCK_PPM);
	snprintf(texts[1], 64, "The receiver finds the frame within %d frames", FIRST_LOCK);
	snprintf(texts[2], 64, "at 3 km/h the finger loses at most %g dB", FINGER_DB);
	for (int i = 0; i < 3; i++)
		if (strstr(help, texts[i]) == NULL)
			fail_msg("`%s` is not in: %s", texts[i], help);
	free(help);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_help),
	    cmocka_unit_test(test_error_rate_two_oscillators),
	    cmocka_unit_test(test_error_rate_pedestrian),
	};

	cmocka_set_test_filter(getenv("ONLY"));
	return cmocka_run_group_tests(tests, faults_init, faults_fini);
}
