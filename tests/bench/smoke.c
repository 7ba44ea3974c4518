/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Instructions of the hot paths, counted by callgrind and held against tests/bench/expected.json: a
 * guard against regressions that does not depend on how busy the machine is.
 *
 *         smoke               run itself under callgrind, for each level; print a table; exit 1 if
 *                             a count is above its expected one by more than its tolerance, or
 *                             there is no such count in the file, or no such case any more
 * 	smoke --expected    write the file instead
 * 	smoke --cases       run the cases, once each (this is what callgrind sees)
 *
 * Counts are those of one compiler: with another they are shown, and not judged. callgrind knows no
 * AVX-512. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <valgrind/callgrind.h>

#include "core/base/hist.h"
#include "core/base/simd.h"
#include "core/json/json.h"
#include "tests/bench/chain.h"

/* SETTLED: the phase of a step, of 128 (a sampled one is the first), at which the histograms have
 * found where their values lie. ROUNDS: the least of them counts, for in some the clock learns. */
enum { SLOTS = 20, WARM = 4, SETTLED = 32, ROUNDS = 4, SAMPLES = 1000 };

#define TOLERANCE 0.05
#define EXPECTED "tests/bench/expected.json"

/* ---- the cases: each ends with a dump of its name and the number of its units ---- */

static void case_begin(void)
{
	CALLGRIND_ZERO_STATS;
	CALLGRIND_TOGGLE_COLLECT;
}

static void case_end(const char *name, unsigned units)
{
	char text[128];

	CALLGRIND_TOGGLE_COLLECT;
	snprintf(text, sizeof(text), "%s %u", name, units);
	CALLGRIND_DUMP_STATS_AT(text);
}

static void run_hist(void)
{
	struct hist *hist = calloc(1, sizeof(*hist));

	if (!hist)
		exit(1);
	case_begin();
	for (uint64_t i = 0; i < SAMPLES; i++)
		hist_add(hist, i * i);
	case_end("histogram: add", SAMPLES);
	free(hist);
}

static void run_engine(unsigned copies, const char *name)
{
	struct wave wave;

	chain_open(&wave, copies, 4, NULL);
	do
		chain_steps(&wave, WARM);
	while (clock_fast_learns(&wave.segments[0].clock) ||
	    atomic_load(&wave.segments[0].state->done) % 128 != SETTLED);
	for (int round = 0; round < ROUNDS; round++) {
		case_begin();
		chain_steps(&wave, SLOTS);
		case_end(name, SLOTS);
	}
	wave_close(&wave);
}

/* One instance of the waveform at a time is counted, in its `work`. */
struct counted {
	struct wave wave;
	uint32_t which;
	int (*work)(void *self, struct aloe_slot *slot);
};

static struct counted *counted(void)
{
	static struct counted one;

	return &one;
}

static int work_counted(void *self, struct aloe_slot *slot)
{
	int rc;

	CALLGRIND_TOGGLE_COLLECT;
	rc = counted()->work(self, slot);
	CALLGRIND_TOGGLE_COLLECT;
	return rc;
}

static void run_instance(uint32_t which, uint64_t *slot)
{
	struct counted *c = counted();
	struct instance *instance = &c->wave.instances[which];
	char name[96];

	c->work = instance->work;
	instance->work = work_counted;
	CALLGRIND_ZERO_STATS;
	for (uint32_t i = 0; i < SLOTS; i++)
		segment_step(&c->wave.segments[0], (*slot)++, clock_ns());
	snprintf(name, sizeof(name), "utran384: %s %u",
	    image_text(&c->wave.view, c->wave.view.instances[which].name), (unsigned)SLOTS);
	CALLGRIND_DUMP_STATS_AT(name);
	instance->work = c->work;
}

static void run_chain(void)
{
	struct counted *c = counted();
	char *text = wave_file("waveforms/utran384-random.conf");
	uint64_t slot = 0;

	if (!text || wave_open(&c->wave, text, &(struct wave_options){0}) != 0)
		exit(1);
	for (; slot < WARM; slot++)
		segment_step(&c->wave.segments[0], slot, clock_ns());
	for (uint32_t i = 0; i < c->wave.view.head->instances.count; i++)
		run_instance(i, &slot);
	wave_close(&c->wave);
	free(text);
}

static int cases(void)
{
	const char *level = getenv("ALOE_SIMD");

	if (!level || !strcmp(level, simd_name(SIMD_PLAIN))) { /* the same at every level */
		run_hist();
		run_engine(1, "engine: a slot of 3 components");
		run_engine(48, "engine: a slot of 50 components");
	}
	run_chain();
	return 0;
}

/* ---- counting: callgrind's file, part after part ---- */

static void least_note(json_t *counts, const char *key, json_int_t count)
{
	const json_t *before = json_object_get(counts, key);

	if (!before || json_integer_value(before) > count)
		json_object_set_new(counts, key, json_integer(count));
}

static void counts_read(FILE *in, const char *level, json_t *counts)
{
	static const char desc[] = "desc: Trigger: Client Request: ";
	char line[4096], name[160] = "", key[200];
	unsigned long long total;
	unsigned units = 0;

	while (fgets(line, sizeof(line), in)) {
		char *blank;
		if (!strncmp(line, desc, sizeof(desc) - 1)) {
			snprintf(name, sizeof(name), "%.*s",
			    (int)strcspn(line + sizeof(desc) - 1, "\n"), line + sizeof(desc) - 1);
			blank = strrchr(name, ' ');
			units = blank ? (unsigned)strtoul(blank, NULL, 10) : 0;
			if (blank)
				*blank = 0;
		} else if (sscanf(line, "totals: %llu", &total) == 1 && units) {
			snprintf(key, sizeof(key), "%s, %s", name, level);
			least_note(counts, key, (json_int_t)(total / units));
			units = 0;
		}
	}
}

/* The child is this program under callgrind, with one level of the kernels. */
static int count(const char *self, const char *level, json_t *counts)
{
	char path[] = "/tmp/aloe-smoke-XXXXXX", command[8192];
	const int fd = mkstemp(path);
	FILE *in;
	int status = -1;

	if (fd < 0)
		return -errno;
	snprintf(command, sizeof(command),
	    "ALOE_SIMD=%s valgrind --tool=callgrind --collect-atstart=no --combine-dumps=yes "
	    "--callgrind-out-file=%s '%s' --cases >%s.log 2>&1 || { cat %s.log >&2; false; }",
	    level, path, self, path, path);
	in = fdopen(fd, "r");
	if (in)
		status = system(command);
	if (status == 0)
		counts_read(in, level, counts);
	if (in)
		fclose(in);
	snprintf(command, sizeof(command), "rm -f %s %s.*", path, path);
	if (system(command) != 0)
		status = -1;
	return status == 0 ? 0 : -EIO;
}

static int count_all(const char *self, json_t *counts)
{
	static const enum simd_level levels[] = {SIMD_PLAIN, SIMD_SSE41, SIMD_AVX2};

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (!simd_has(levels[i])) {
			printf("%s: not on this machine: not counted\n", simd_name(levels[i]));
			continue;
		}
		printf("counting, %s ...\n", simd_name(levels[i]));
		fflush(stdout);
		if (count(self, simd_name(levels[i]), counts) < 0) {
			fprintf(stderr, "smoke: valgrind has failed (apt-get install valgrind)\n");
			return -EIO;
		}
	}
	return 0;
}

/* ---- judging ------------------------------------------------------------------------ */

static bool level_counted(const char *key)
{
	const char *comma = strrchr(key, ',');

	for (int level = 0; comma && level < SIMD_LEVELS; level++)
		if (!strcmp(comma + 2, simd_name((enum simd_level)level)))
			return simd_has((enum simd_level)level);
	return false;
}

static int judge_one(const char *key, const json_t *is, const json_t *expected)
{
	const json_t *limit = json_object_get(expected, "tolerance");
	const double have = json_number_value(is),
	             want = json_number_value(json_object_get(expected, "instructions"));
	const double tolerance = limit ? json_number_value(limit) : TOLERANCE;
	const char *word = "ok";

	if (!expected)
		word = "NOT EXPECTED";
	else if (!is)
		word = "GONE";
	else if (have > want * (1 + tolerance))
		word = "MORE";
	else if (have < want * (1 - tolerance))
		word = "less: make bench-expected";
	printf("  %-48s %12.0f %12.0f %+8.1f %%  %s\n", key, have, want,
	    want > 0 ? 100 * (have / want - 1) : 0, word);
	return word[0] >= 'A' && word[0] <= 'Z';
}

static int judge(const json_t *counts, const json_t *file)
{
	const char *compiler = json_string_value(json_object_get(file, "compiler")), *key;
	const json_t *expected = json_object_get(file, "cases");
	const bool same = compiler && !strcmp(compiler, __VERSION__);
	json_t *value;
	int bad = 0;

	printf("\n  %-48s %12s %12s\n", "instructions of one", "is", "expected");
	json_object_foreach((json_t *)counts, key, value)
	{
		bad += judge_one(key, value, json_object_get(expected, key));
	}
	json_object_foreach((json_t *)expected, key, value)
	{
		if (!json_object_get(counts, key) && level_counted(key))
			bad += judge_one(key, NULL, value);
	}
	if (!same)
		printf("the expected counts are those of compiler %s, this is %s: not judged\n",
		    compiler ? compiler : "(none)", __VERSION__);
	else if (bad)
		printf("%d cases are not as expected. If that is right: make bench-expected, and "
		       "say why in the commit\n",
		    bad);
	return same && bad ? 1 : 0;
}

/* What was expected with a tolerance of its own keeps it. */
static int expected_write(const json_t *counts, const json_t *before)
{
	json_t *cases = json_object(), *value, *file;
	const char *key;
	int rc;

	json_object_foreach((json_t *)counts, key, value)
	{
		json_t *limit = json_object_get(
		    json_object_get(json_object_get(before, "cases"), key), "tolerance");
		json_object_set_new(cases, key,
		    json_pack("{s:O, s:o}", "instructions", value, "tolerance",
		        limit ? json_incref(limit) : json_real(TOLERANCE)));
	}
	file = json_pack("{s:s, s:s, s:o}", "license", "SPDX-License-Identifier: BSD-3-Clause",
	    "compiler", __VERSION__, "cases", cases);
	rc = file ? json_dump_file(file, EXPECTED, JSON_INDENT(1) | JSON_REAL_PRECISION(4)) : -1;
	json_decref(file);
	if (rc < 0)
		fprintf(stderr, "smoke: %s cannot be written\n", EXPECTED);
	return rc < 0;
}

int main(int argc, char **argv)
{
	json_t *counts = json_object(), *file = json_load_file(EXPECTED, 0, NULL);
	int status;

	if (argc > 1 && !strcmp(argv[1], "--cases"))
		return cases();
	status = count_all(argv[0], counts) < 0;
	if (status == 0)
		status = argc > 1 && !strcmp(argv[1], "--expected") ? expected_write(counts, file)
		                                                    : judge(counts, file);
	json_decref(counts);
	json_decref(file);
	return status;
}
