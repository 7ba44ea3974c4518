/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/doctor/bench.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>

/* Student's t for a two-sided interval of 95 % with BENCH_ROUNDS - 1 degrees of freedom. */
#define STUDENT_T 2.776
#define CHANGE_S 0.2 /* to make the changes of a setting and to put them back, at most */

static_assert(BENCH_ROUNDS == 5, "STUDENT_T is of 4 degrees of freedom");

const char *const doctor_bench_keys[BENCH_FIGURES] = {
    "missed_per_million", "late_p99_us", "gaps_percent"};

struct setting { /* "none", one knob, or "all" */
	const char *name;
	json_t *changes;
	const char *why_not; /* NULL: can be turned */
	double figures[BENCH_FIGURES][BENCH_ROUNDS];
};

/* ---- one measurement ------------------------------------------------------------------------ */

static bool results_good(const json_t *done)
{
	json_t *one;
	size_t n, good = 0;

	json_array_foreach(done, n, one)
	{
		good += json_is_true(json_object_get(one, "done"));
	}
	return good > 0 || json_array_size(done) == 0;
}

/* What this machine refuses whole is not here, and is not measured again. */
static int setting_measure(struct record *record, struct setting *setting, int round,
    doctor_bench_measure *measure, void *self)
{
	double figures[BENCH_FIGURES] = {0};
	json_t *done = NULL, *undone = NULL;
	int rc = record_apply(record, setting->changes, &done), back;

	if (rc == 0 && !results_good(done))
		setting->why_not = "not here: the kernel refuses the change";
	else if (rc == 0)
		rc = measure(self, figures);
	back = record_revert(record, &undone);
	json_decref(done);
	json_decref(undone);
	for (int f = 0; f < BENCH_FIGURES; f++)
		setting->figures[f][round] = figures[f];
	if (back == 0 && json_array_size(record->changes) > 0)
		back = -EBUSY;
	return rc < 0 ? rc : back;
}

int doctor_bench_signals(void)
{
	static const int held[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
		sigaddset(&set, held[i]);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	sigprocmask(SIG_BLOCK, &set, NULL);
	return fd;
}

/* ---- all of them ------------------------------------------------------------------------ */

static json_t *interval_json(const double values[BENCH_ROUNDS])
{
	double mean = 0, square = 0, half;

	for (int i = 0; i < BENCH_ROUNDS; i++)
		mean += values[i] / BENCH_ROUNDS;
	for (int i = 0; i < BENCH_ROUNDS; i++)
		square += (values[i] - mean) * (values[i] - mean);
	half = STUDENT_T * sqrt(square / (BENCH_ROUNDS - 1) / BENCH_ROUNDS);
	return json_pack("{s:f, s:f, s:f}", "mean", mean, "low", fmax(mean - half, 0), "high",
	    mean + half); /* no figure is negative */
}

static json_t *setting_json(const struct setting *setting)
{
	json_t *row = json_pack("{s:s, s:s}", "knob", setting->name, "here",
	    setting->why_not != NULL ? setting->why_not : "measured");

	for (int f = 0; f < BENCH_FIGURES && setting->why_not == NULL; f++)
		json_object_set_new(row, doctor_bench_keys[f], interval_json(setting->figures[f]));
	return row;
}

static void setting_find(
    const struct machine *machine, const struct knob *knob, struct setting *setting, json_t *all)
{
	struct finding finding;

	knob_find(machine, knob, &finding);
	*setting = (struct setting){.name = knob->name, .changes = json_deep_copy(finding.changes)};
	if (json_array_size(finding.changes) > 0)
		json_array_extend(all, setting->changes);
	else
		setting->why_not = finding.verdict == GOOD ? "good already"
		    : finding.verdict == UNAVAILABLE       ? "not here"
		                                           : "not here: not while the machine runs";
	finding_fini(&finding);
}

static void rounds_tell(const struct setting *settings, size_t n, double seconds)
{
	size_t here = 0;

	for (size_t i = 0; i < n; i++)
		here += settings[i].why_not == NULL;
	fprintf(stderr,
	    "aloe: settings that can be changed here: %zu; each is measured %d times for %g s, "
	    "which takes about %.0f min in all; Ctrl-C ends it and puts everything back\n",
	    here, BENCH_ROUNDS, seconds,
	    ceil((double)here * BENCH_ROUNDS * (seconds + CHANGE_S) / 60));
}

static void failure_tell(const struct record *record, int rc)
{
	const size_t left = json_array_size(record->changes);

	if (rc == -EINTR)
		fprintf(stderr, "aloe: the knobs were not measured to the end: interrupted\n");
	else if (rc != -EBUSY)
		fprintf(
		    stderr, "aloe: the knobs were not measured to the end: %s\n", strerror(-rc));
	if (left > 0)
		fprintf(stderr,
		    "aloe: changes that could not be put back: %zu; `aloe doctor --revert` tries "
		    "again\n",
		    left);
}

static int rounds_run(struct record *record, struct setting *settings, size_t n,
    doctor_bench_measure *measure, void *self)
{
	int rc = 0;

	for (int round = 0; round < BENCH_ROUNDS; round++)
		for (size_t i = 0; i < n && rc == 0; i++)
			if (settings[i].why_not == NULL)
				rc = setting_measure(record, &settings[i], round, measure, self);
	if (rc < 0)
		failure_tell(record, rc);
	return rc;
}

static json_t *settings_json(const struct setting *settings, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, setting_json(&settings[i]));
	return array;
}

int doctor_bench(
    struct record *record, double seconds, doctor_bench_measure *measure, void *self, json_t **ret)
{
	const size_t n = n_knobs + 2;
	struct setting *settings;
	json_t *all;
	int rc;

	*ret = NULL;
	if (json_array_size(record->changes) > 0) {
		fprintf(stderr,
		    "aloe: --bench: changes of --apply, or of a --bench that was killed, are in "
		    "force; --revert undoes them\n");
		return -EBUSY;
	}
	settings = calloc(n, sizeof(*settings));
	if (settings == NULL)
		return -ENOMEM;
	all = json_array();
	settings[0] = (struct setting){.name = "none", .changes = json_array()};
	for (size_t k = 0; k < n_knobs; k++)
		setting_find(record->machine, &knobs[k], &settings[k + 1], all);
	settings[n - 1] = (struct setting){.name = "all", .changes = all};
	rounds_tell(settings, n, seconds);
	rc = rounds_run(record, settings, n, measure, self);
	if (rc == 0)
		*ret = settings_json(settings, n);
	for (size_t i = 0; i < n; i++)
		json_decref(settings[i].changes);
	free(settings);
	return rc;
}

/* ---- as text ------------------------------------------------------------------------ */

static double interval_part(const json_t *row, int figure, const char *part)
{
	return json_number_value(
	    json_object_get(json_object_get(row, doctor_bench_keys[figure]), part));
}

void doctor_bench_print(const json_t *bench, FILE *out)
{
	json_t *row;
	size_t n;

	fprintf(out,
	    "each knob alone, with 95 %% intervals of %d rounds in turns, on the worst CPU; "
	    "missed: slots of %d us in a million, on the timer; late: after a slot's edge, p99, on "
	    "the timer; gaps: time lost by a lane that polls\n"
	    "  %-16s  %9s %9s %9s  %9s %9s %9s  %9s %9s %9s\n",
	    BENCH_ROUNDS, BENCH_SLOT_NS / 1000, "knob", "missed", "from", "to", "late us", "from",
	    "to", "gaps %", "from", "to");
	json_array_foreach(bench, n, row)
	{
		static const int digits[BENCH_FIGURES] = {0, 1, 3};
		const char *name = json_string_value(json_object_get(row, "knob")),
		           *here = json_string_value(json_object_get(row, "here"));

		if (json_object_get(row, doctor_bench_keys[0]) == NULL) {
			fprintf(out, "  %-16s  %s\n", name, here);
			continue;
		}
		fprintf(out, "  %-16s", name);
		for (int f = 0; f < BENCH_FIGURES; f++)
			fprintf(out, "  %9.*f %9.*f %9.*f", digits[f],
			    interval_part(row, f, "mean"), digits[f], interval_part(row, f, "low"),
			    digits[f], interval_part(row, f, "high"));
		fputc('\n', out);
	}
}
