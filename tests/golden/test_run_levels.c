/* SPDX-License-Identifier: BSD-3-Clause
 * Every vector level gives the same bits: each waveform of the project leaves the same files and
 * the same values of all variables with ALOE_SIMD=plain as on every other level of this machine.
 * Where there is noise it is so strong that blocks fail: what a decoder makes of those is the same,
 * too. So are the samples of fast convolution, whose block is a power of two there. A waveform that
 * lives by a radio receives a recording of noise, and what it sends is compared. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/simd.h"
#include "tests/common/aloe.h"

enum { SINKS_MAX = 2, CHANNELS_MAX = 2 };

/* What utran384-tx has written on the plain level. */
#define RECEIVED "frames lengths"

static const struct subject {
	const char *name;
	int slots;
	const char *set;              /* --set ... */
	const char *sinks[SINKS_MAX]; /* INSTANCE, whose file is compared */
	/* INSTANCE.VARIABLE that counts what noise spoils; NULL: there is none */
	const char *wrong;
	/* of its radio; 0: it has none */
	int channels, slot_samples;
	const char *rate;
} subjects[] = {
    {"bpsk", 20, "", {NULL}, NULL, 0, 0, NULL},
    {"bpsk-rf", 30, "--set noise.ebn0_db=4", {NULL}, "check.bit_errors", 0, 0, NULL},
    {"channel-emulator-input", 20, "", {"signal", "response"}, NULL, 0, 0, NULL},
    {"channel-emulator", 20, "", {"sink"}, NULL, 0, 0, NULL},
    {"dvbs2-costs", 20, "", {NULL}, NULL, 0, 0, NULL},
    {"passthrough", 20, "", {"sink"}, NULL, 0, 0, NULL},
    {"utran12k2", 16, "--set noise.esn0_db=-4", {NULL}, "compare.block_errors", 0, 0, NULL},
    {"utran144", 16, "--set noise.esn0_db=-3.2", {NULL}, "compare.block_errors", 0, 0, NULL},
    {"utran384", 50, "--set noise.ebn0_db=1.8", {"sink"}, "compare.block_errors", 0, 0, NULL},
    {"utran384", 50, "--set noise.ebn0_db=1.8 --set decoder.metrics=8", {"sink"},
        "compare.block_errors", 0, 0, NULL},
    {"utran384", 50,
        "--set noise.ebn0_db=0.6 --set decoder.iterations=8 --set decoder.early_stop=true",
        {"sink"}, "compare.block_errors", 0, 0, NULL},
    {"utran384-dtch-dcch", 16, "--set noise.esn0_db=-1.6", {NULL}, "compare.block_errors", 0, 0,
        NULL},
    {"utran384-fading", 50, "--set noise.ebn0_db=4", {"sink"}, "compare.block_errors", 0, 0, NULL},
    {"utran384-random", 50, "--set noise.ebn0_db=1.8", {NULL}, "compare.block_errors", 0, 0, NULL},
    {"utran384-rf", 30, "--set noise.ebn0_db=1.8", {"sink"}, "compare.block_errors", 0, 0, NULL},
    {"utran384-rf-random", 30, "--set noise.ebn0_db=1.8", {NULL}, "compare.block_errors", 0, 0,
        NULL},
    {"utran384-tx", 20, "", {"frames", "lengths"}, NULL, 0, 0, NULL},
    {"utran384-rx", 20, RECEIVED, {"sink"}, NULL, 0, 0, NULL},
    {"utran384-uplink", 16, "--set noise.esn0_db=-2.1", {NULL}, "compare.block_errors", 0, 0, NULL},
    {"utran64", 16, "--set noise.esn0_db=-3.5", {NULL}, "compare.block_errors", 0, 0, NULL},
    {"radio-file", 20, "", {NULL}, NULL, 1, 256, "1e6"},
    {"fm-receiver", 20, "", {"sink"}, NULL, 1, 12000, "1.2e6"},
    {"utran384-over-x310", 4, "", {"sink"}, NULL, 1, 62500, "6.25e6"},
    {"x310-channel", 20, "", {NULL}, NULL, 1, 256, "100e6"},
    {"x310-mimo2x2", 20, "", {NULL}, NULL, 2, 256, "100e6"},
    {"x310-passthrough", 20, "", {NULL}, NULL, 1, 256, "100e6"},
};

enum { SUBJECTS = sizeof(subjects) / sizeof(subjects[0]) };

/* Where level `level` writes what sink s gets. */
static const char *sink_path(const struct subject *subject, int s, int level)
{
	char name[64];

	snprintf(name, sizeof(name), "%s-%s", subject->sinks[s], simd_name((enum simd_level)level));
	return aloe_path(name);
}

/* ---- a radio that plays and records files ---- */

static void noise_make(const char *path, size_t samples)
{
	int16_t *iq = malloc(samples * 2 * sizeof(*iq));
	uint32_t seed = 1;

	assert_non_null(iq);
	for (size_t i = 0; i < 2 * samples; i++) {
		seed = seed * 1664525 + 1013904223;
		iq[i] = (int16_t)(seed >> 19); /* of both signs, an eighth of the range */
		iq[i] = (int16_t)(iq[i] - 4096);
	}
	file_make(path, iq, samples * 2 * sizeof(*iq));
	free(iq);
}

static const char *sent_path(int channel, int level)
{
	char name[64];

	snprintf(name, sizeof(name), "sent%d-%s", channel, simd_name((enum simd_level)level));
	return aloe_path(name);
}

static const char *radio_make(const struct subject *subject, int level)
{
	char text[4096] = "radio = ( ";
	size_t len = strlen(text);

	noise_make(aloe_path("noise"), (size_t)subject->slots * (size_t)subject->slot_samples);
	for (int c = 0; c < subject->channels; c++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
		    "%s{ type = \"file\"; path = \"%s\"; format = \"ci16_le\"; rate = %s; "
		    "tx_path = \"%s\"; }",
		    c > 0 ? ", " : "", aloe_path("noise"), subject->rate, sent_path(c, level));
	len += (size_t)snprintf(text + len, sizeof(text) - len, " );\n");
	file_make(aloe_path("radio.conf"), text, len);
	return aloe_path("radio.conf");
}

/* ---- a run ---- */

static struct ran *run(const struct subject *subject, int level)
{
	char sinks[4096] = "";

	if (subject->channels > 0)
		snprintf(sinks, sizeof(sinks), "--radio '%s'", radio_make(subject, level));
	if (strcmp(subject->set, RECEIVED) == 0)
		snprintf(sinks, sizeof(sinks), "--set frames.path='%s' --set lengths.path='%s'",
		    aloe_path("frames-plain"), aloe_path("lengths-plain"));
	for (int s = 0; s < SINKS_MAX && subject->sinks[s]; s++)
		snprintf(sinks + strlen(sinks), sizeof(sinks) - strlen(sinks),
		    " --set %s.path='%s'", subject->sinks[s], sink_path(subject, s, level));
	setenv("ALOE_SIMD", simd_name((enum simd_level)level), 1);
	return aloe_ok("run waveforms/%s.conf --clock virtual --lanes 0 --slots %d --json -q %s %s",
	    subject->name, subject->slots, strcmp(subject->set, RECEIVED) == 0 ? "" : subject->set,
	    sinks);
}

static void same(
    const struct subject *subject, const struct ran *plain, const struct ran *other, int level)
{
	const json_t *want = json_object_get(plain->report, "instances"),
	             *have = json_object_get(other->report, "instances");

	assert_true(json_array_size(want) > 0);
	assert_int_equal(json_array_size(want), json_array_size(have));
	for (size_t i = 0; i < json_array_size(want); i++) {
		const json_t *a = json_array_get(want, i), *b = json_array_get(have, i);
		if (!json_equal(json_object_get(a, "variables"), json_object_get(b, "variables")))
			fail_msg("%s %s: variables of %s with %s are not those of plain",
			    subject->name, subject->set,
			    json_string_value(json_object_get(a, "name")),
			    simd_name((enum simd_level)level));
	}
}

static void check(const struct subject *subject)
{
	struct ran *plain = run(subject, SIMD_PLAIN);

	if (subject->wrong && ran_variable(plain, subject->wrong) == 0)
		fail_msg("%s %s: the noise spoils nothing", subject->name, subject->set);
	for (int level = SIMD_PLAIN + 1; level < SIMD_LEVELS; level++) {
		struct ran *other;
		if (!simd_has((enum simd_level)level))
			continue;
		other = run(subject, level);
		same(subject, plain, other, level);
		for (int s = 0; s < SINKS_MAX && subject->sinks[s]; s++)
			files_equal(
			    sink_path(subject, s, SIMD_PLAIN), sink_path(subject, s, level));
		for (int c = 0; c < subject->channels; c++)
			files_equal(sent_path(c, SIMD_PLAIN), sent_path(c, level));
		ran_free(other);
	}
	ran_free(plain);
}

static void test_levels(void **state)
{
	(void)state;
	for (size_t i = 0; i < SUBJECTS; i++)
		if (subjects[i].channels == 0)
			check(&subjects[i]);
}

/* A lane whose clock is a radio has its CPU for itself, on the virtual clock as well. */
static void test_levels_of_radios(void **state)
{
	(void)state;
	for (size_t i = 0; i < SUBJECTS; i++)
		if (subjects[i].channels > 0)
			check(&subjects[i]);
}

/* Their samples come from other programs: tests/unit/test_srsran.c, tests/others/grzmq.sh. */
static const char *const fed[] = {"waveforms/gnuradio.conf", "waveforms/srsran-channel.conf"};

static bool is_subject(const char *path)
{
	for (size_t i = 0; i < sizeof(fed) / sizeof(fed[0]); i++)
		if (!strcmp(path, fed[i]))
			return true;
	for (size_t i = 0; i < SUBJECTS; i++) {
		char file[256];
		snprintf(file, sizeof(file), "waveforms/%s.conf", subjects[i].name);
		if (!strcmp(path, file))
			return true;
	}
	return false;
}

/* No waveform is left out. */
static void test_all_are_there(void **state)
{
	glob_t found;

	(void)state;
	assert_int_equal(glob("waveforms/*.conf", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (!is_subject(found.gl_pathv[i]))
			fail_msg("%s is in no list", found.gl_pathv[i]);
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest lanes[] = {
	    cmocka_unit_test(test_levels_of_radios),
	};
	const struct CMUnitTest rest[] = {
	    cmocka_unit_test(test_levels),
	    cmocka_unit_test(test_all_are_there),
	};
	int failed = ALOE_PART("lanes", lanes, aloe_init, aloe_fini);

	return failed + ALOE_PART("rest", rest, aloe_init, aloe_fini);
}
