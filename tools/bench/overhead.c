/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench overhead: what a slot costs beside the work of its components, T_base + N x T_module,
 * fitted and measured directly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/platform/perf.h"
#include "core/report/report.h"
#include "tools/bench/commands.h"
#include "tools/bench/conf.h"
#include "tools/bench/figures.h"
#include "tools/bench/published.h"
#include "tools/bench/run.h"
#include "tools/bench/samples.h"
#include "tools/bench/switches.h"

/* Two of a chain's components are its source and its sink. */
enum {
	PATH = 4096,
	COUNTS_MAX = 16,
	ROUNDS_MAX = 64,
	SLOTS_MAX = 32,
	SLOT_NS = 1000000, /* but for --slot-us */
	ENDS = 2,
	RELATIVE = 10,
	TAPS = 10, /* outputs of a chain of so many copies that have a tap, or none */
	TAPPED = 2,
	LONG = 4096,  /* items in the longer messages that are digested */
	MESSAGES = 2, /* short and long */
	DIRECT_MAX = 60,
	WAKE_ROUNDS = 4, /* of wake-ups, in a round of chains */
	SAMPLES = 50000
};
enum statistic { MEAN, P50, STATISTICS };

#define IN_PROCESS_SLOT_US 250.0 /* of the chains that are fitted */
#define HAND_OVER_US 8.0         /* where components are processes: more where that takes more */
#define RELATIVE_S 1.0           /* for a slot length, and RELATIVE_SLOTS */
#define RELATIVE_SLOTS 200.0

/* one run: from the slot's edge to its start, and from there to the end of its last component */
struct sample {
	double slots, not_run, late[STATISTICS], time[STATISTICS], p99, max;
	double load_p50, load_p99; /* all components of a slot, in slots */
};

struct cell { /* a chain */
	double slot_us;
	unsigned taps; /* outputs with a ring of their own */
	bool recorded, digests;
	const char *source; /* NULL: CONF_COUNTER */
	size_t n;           /* rounds */
	struct sample rounds[ROUNDS_MAX];
	char refused[160];
};

struct direct { /* from the event rings */
	double samples, module_us[STATISTICS];
};

struct overhead {
	struct bench *bench;
	enum isolation isolations[ISOLATIONS];
	int n_isolations, cpu;
	enum simd_level level;
	uint64_t samples, rounds;
	double counts[COUNTS_MAX], slot_us[SLOTS_MAX];
	size_t n_counts, n_slots;
	struct cell chains[ISOLATIONS][COUNTS_MAX], relative[ISOLATIONS][SLOTS_MAX];
	struct cell tapped[ISOLATIONS][TAPPED];   /* without taps, and with */
	struct cell evidence[ISOLATIONS][TAPPED]; /* without the kernel's records, and with */
	struct cell digested[ISOLATIONS][MESSAGES][TAPPED]; /* without digests, and with */
	struct switches switches; /* without the kernel's records, and with */
	int no_switches;          /* -errno: not measured */
	unsigned recordings;
	struct direct direct[ISOLATIONS];
	struct line lines[ISOLATIONS][STATISTICS];
};

static const char *const statistic_names[STATISTICS] = {"mean", "p50"};

/* ---- runs ------------------------------------------------------------------------ */

static struct sample sample_of(const json_t *report)
{
	const json_t *time = json_object_get(json_object_get(report, "latency"), "measured_us");
	const json_t *lane = json_array_get(json_object_get(report, "lanes"), 0);
	const json_t *late = json_object_get(lane, "late_us");
	const json_t *slots = json_object_get(report, "slots");

	return (struct sample){
	    .slots = report_number(time, "count"),
	    .not_run = report_number(slots, "skipped") + report_number(slots, "slipped"),
	    .late = {report_number(late, "mean"), report_number(late, "p50")},
	    .time = {report_number(time, "mean"), report_number(time, "p50")},
	    .p99 = report_number(time, "p99"),
	    .max = report_number(time, "max"),
	    .load_p50 = report_number(lane, "load_p50"),
	    .load_p99 = report_number(lane, "load_p99"),
	};
}

static void chain_words(const struct overhead *o, const char *path, enum isolation isolation,
    double slot_us, struct words *words)
{
	const char *clock = cli_get(o->bench->args, "clock");

	words_add(words, "%s", path);
	words_add(words, "--clock=%s", clock ? clock : "timer");
	words_add(words, "--slot-us=%.9g", slot_us);
	words_add(words, "--lanes=%d", o->cpu);
	words_add(words, "--isolation=%s", isolation_name(isolation));
}

/* A folder of its own for each recording. */
static void record_words(struct overhead *o, const struct cell *cell, struct words *words)
{
	for (unsigned t = 0; t < cell->taps; t++)
		words_add(words, "--set=c%u.tap=true", t);
	if (cell->recorded)
		words_add(words, "--record=%s/recording%u", o->bench->dir, o->recordings++);
	if (cell->digests)
		words_add(words, "--digests");
}

/* One run of one chain. A chain that is refused (a lane has room for so many processes) is an
 * answer. */
static int cell_run(struct overhead *o, struct cell *cell, double components,
    enum isolation isolation, double slots)
{
	struct words words = {0};
	json_t *report = NULL;
	char *errors = NULL, what[120], path[PATH];
	int status = conf_chain(o->bench, "chain", (uint64_t)components - ENDS,
	    cell->source ? cell->source : CONF_COUNTER, SLOT_NS, path, sizeof(path));

	if (status != CLI_OK || cell->refused[0])
		return status;
	chain_words(o, path, isolation, cell->slot_us, &words);
	words_add(&words, "--slots=%.0f", slots);
	record_words(o, cell, &words);
	snprintf(what, sizeof(what), "isolation %s, %.0f component%s, slots of %.0f us",
	    isolation_name(isolation), components, plural(components), cell->slot_us);
	status = run_only(o->bench, &words, o->level, what, &report, &errors);
	if (report && (status == CLI_OK || status == BENCH_INTERRUPTED) && cell->n < ROUNDS_MAX)
		cell->rounds[cell->n++] = sample_of(report);
	if (status == CLI_USAGE && components > o->counts[0])
		snprintf(cell->refused, sizeof(cell->refused), "%.*s",
		    errors ? (int)strcspn(errors, "\n") : 0, errors ? errors : "");
	else if (status != CLI_OK && status != BENCH_INTERRUPTED)
		fputs(errors ? errors : "", stderr);
	free(errors);
	json_decref(report);
	return cell->refused[0] ? CLI_OK : status;
}

/* The longest chain that ran, of those that do not fill the rings in no time; -1: none ran. */
static int direct_choose(const struct overhead *o, enum isolation isolation)
{
	int best = -1;

	for (size_t c = 0; c < o->n_counts; c++)
		if (o->chains[isolation][c].n && o->counts[c] > ENDS + 1 &&
		    o->counts[c] <= DIRECT_MAX && (best < 0 || o->counts[c] > o->counts[best]))
			best = (int)c;
	return best;
}

/* Single calls: from the start of one component to that of the next. */
static int direct_run(struct overhead *o, enum isolation isolation)
{
	const int chosen = direct_choose(o, isolation);
	const double components = chosen < 0 ? 0 : o->counts[chosen];
	struct samples samples = {
	    .waveform = "chain", .wanted = (size_t)fmin(SAMPLES, (double)o->samples * components)};
	const struct watcher watcher = {samples_look, &samples};
	struct direct *direct = &o->direct[isolation];
	struct words words = {0};
	json_t *report = NULL;
	double *ns = NULL;
	char path[PATH];
	size_t n = 0;
	int status;

	if (chosen < 0)
		return CLI_OK;
	status = conf_chain(o->bench, "chain", (uint64_t)components - ENDS, CONF_COUNTER, SLOT_NS,
	    path, sizeof(path));
	if (status != CLI_OK)
		return status;
	chain_words(o, path, isolation, o->chains[isolation][chosen].slot_us, &words);
	status = run_watched(o->bench, &words, o->level, "event rings", &watcher, &report, NULL);
	if (status == CLI_OK)
		n = samples_distances(&samples, 1, (uint32_t)components - ENDS, &ns);
	for (size_t i = 0; i < n; i++)
		direct->module_us[MEAN] += ns[i] / 1e3 / (double)n;
	direct->module_us[P50] = n ? median(ns, n) / 1e3 : NAN;
	direct->samples = (double)n;
	free(ns);
	json_decref(report);
	samples_fini(&samples);
	return status;
}

/* The same chain without taps and with, in turn. */
static int taps_run(struct overhead *o, enum isolation isolation, double slots)
{
	int status = CLI_OK;

	for (unsigned t = 0; t < TAPPED && status == CLI_OK; t++) {
		struct cell *cell = &o->tapped[isolation][t];

		cell->slot_us = IN_PROCESS_SLOT_US;
		cell->taps = t * TAPS;
		status = cell_run(o, cell, TAPS + ENDS, isolation, slots);
	}
	return status;
}

/* The same chain as a recording without digests and with, in turn: what came from outside is
 * nothing, so only the digests differ. */
static int digests_run(struct overhead *o, enum isolation isolation, double slots)
{
	static const char *const sources[MESSAGES] = {
	    CONF_COUNTER, "component = \"counter_source\"; length = 4096;"};
	int status = CLI_OK;

	for (unsigned m = 0; m < MESSAGES; m++)
		for (unsigned t = 0; t < TAPPED && status == CLI_OK; t++) {
			struct cell *cell = &o->digested[isolation][m][t];

			cell->slot_us = IN_PROCESS_SLOT_US;
			cell->source = sources[m];
			cell->recorded = true;
			cell->digests = t > 0;
			status = cell_run(o, cell, TAPS + 1, isolation, slots);
		}
	return status;
}

/* The same chain without the records of the kernel and with, in turn, at 1000 slots a second: the
 * lane goes and comes as often. */
static int evidence_run(struct overhead *o, enum isolation isolation, double slots)
{
	int status = CLI_OK;

	for (unsigned e = 0; e < TAPPED && status == CLI_OK; e++) {
		struct cell *cell = &o->evidence[isolation][e];

		cell->slot_us = SLOT_NS / 1e3;
		if (e == 0)
			setenv("ALOE_EVIDENCE", "off", 1);
		status = cell_run(o, cell, TAPS + ENDS, isolation, slots);
		unsetenv("ALOE_EVIDENCE");
	}
	return status;
}

static int rounds_run(struct overhead *o)
{
	const double slots = ceil((double)o->samples / (double)o->rounds);
	int status = CLI_OK;

	for (uint64_t r = 0; r < o->rounds; r++)
		for (size_t c = 0; c < o->n_counts; c++)
			for (int i = 0; i < o->n_isolations && status == CLI_OK; i++) {
				struct cell *cell = &o->chains[o->isolations[i]][c];
				const bool apart = o->isolations[i] == ISOLATION_COMPONENT;
				cell->slot_us = fmax(
				    IN_PROCESS_SLOT_US, apart ? HAND_OVER_US * o->counts[c] : 0);
				status = cell_run(o, cell, o->counts[c], o->isolations[i], slots);
				if (c == 0 && status == CLI_OK)
					status = taps_run(o, o->isolations[i], slots);
				if (c == 0 && status == CLI_OK)
					status = digests_run(o, o->isolations[i], slots);
				if (c == 0 && status == CLI_OK)
					status = evidence_run(o, o->isolations[i], slots);
			}
	return status;
}

static int overhead_runs(void *self)
{
	struct overhead *o = self;
	int status = rounds_run(o);

	if (status == CLI_OK)
		o->no_switches =
		    switches_measure(o->cpu, WAKE_ROUNDS * (size_t)o->rounds, &o->switches);
	for (int i = 0; i < o->n_isolations && status == CLI_OK; i++)
		status = direct_run(o, o->isolations[i]);
	for (size_t s = 0; s < o->n_slots; s++)
		for (int i = 0; i < o->n_isolations && status == CLI_OK; i++) {
			struct cell *cell = &o->relative[o->isolations[i]][s];
			cell->slot_us = o->slot_us[s];
			status = cell_run(o, cell, RELATIVE, o->isolations[i],
			    fmin((double)o->samples,
			        ceil(fmax(RELATIVE_SLOTS, RELATIVE_S * 1e6 / cell->slot_us))));
		}
	return status;
}

/* ---- the line ------------------------------------------------------------------------ */

static double whole_of(const struct sample *sample, enum statistic statistic)
{
	return sample->late[statistic] + sample->time[statistic];
}

static struct line line_of(
    const struct overhead *o, enum isolation isolation, enum statistic statistic)
{
	double points[COUNTS_MAX * ROUNDS_MAX][2];
	size_t n = 0;

	for (size_t c = 0; c < o->n_counts; c++)
		for (size_t r = 0; r < o->chains[isolation][c].n; r++) {
			points[n][0] = o->counts[c];
			points[n++][1] = whole_of(&o->chains[isolation][c].rounds[r], statistic);
		}
	return line_fit((const double(*)[2])points, n);
}

/* The median over the rounds. */
static double late_of(const struct cell *cell, enum statistic statistic)
{
	double values[ROUNDS_MAX];

	for (size_t r = 0; r < cell->n; r++)
		values[r] = cell->rounds[r].late[statistic];
	return median(values, cell->n);
}

static double time_of(const struct cell *cell, enum statistic statistic)
{
	double values[ROUNDS_MAX];

	for (size_t r = 0; r < cell->n; r++)
		values[r] = cell->rounds[r].time[statistic];
	return median(values, cell->n);
}

static double p99_of(const struct cell *cell)
{
	double values[ROUNDS_MAX];

	for (size_t r = 0; r < cell->n; r++)
		values[r] = cell->rounds[r].p99;
	return median(values, cell->n);
}

/* Of a slot, in microseconds: a recording has sinks at every link, so no end of one says it. */
static double load_of(const struct cell *cell, int percent)
{
	double values[ROUNDS_MAX];

	for (size_t r = 0; r < cell->n; r++)
		values[r] = cell->slot_us *
		    (percent == 50 ? cell->rounds[r].load_p50 : cell->rounds[r].load_p99);
	return median(values, cell->n);
}

static double max_of(const struct cell *cell)
{
	double most = 0;

	for (size_t r = 0; r < cell->n; r++)
		most = fmax(most, cell->rounds[r].max);
	return most;
}

static double slots_of(const struct cell *cell)
{
	double sum = 0;

	for (size_t r = 0; r < cell->n; r++)
		sum += cell->rounds[r].slots;
	return sum;
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column chain_columns[] = {
    {"isolation", "isolation", COLUMN_TEXT},
    {"components", "components", 0},
    {"slot_us", "slot us", 0},
    {"samples", "slots", 0},
    {"late_us", "late us", 3},
    {"mean_us", "from start to end us", 3},
    {"p50_us", "p50", 3},
    {"p99_us", "p99", 3},
    {"max_us", "max", 1},
    {"each_us", "us a component", 3},
    {"refused", "refused", COLUMN_TEXT},
};

static void chain_row(struct overhead *o, enum isolation isolation, size_t c)
{
	const struct cell *cell = &o->chains[isolation][c];
	json_t *row = json_pack("{s:s, s:f, s:f, s:f}", "isolation", isolation_name(isolation),
	    "components", o->counts[c], "slot_us", cell->slot_us, "samples", slots_of(cell));

	if (row && cell->n)
		json_object_update_new(row,
		    json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "late_us", late_of(cell, MEAN),
		        "mean_us", time_of(cell, MEAN), "p50_us", time_of(cell, P50), "p99_us",
		        p99_of(cell), "max_us", max_of(cell), "each_us",
		        time_of(cell, MEAN) / o->counts[c]));
	if (row && cell->refused[0])
		json_object_set_new(row, "refused", json_string(cell->refused));
	bench_row(o->bench, row);
}

static const struct column line_columns[] = {
    {"isolation", "isolation", COLUMN_TEXT},
    {"of", "of", COLUMN_TEXT},
    {"samples", "slots", 0},
    {"base_us", "T_base us", 3},
    {"base_low_us", "95 % from", 3},
    {"base_high_us", "to", 3},
    {"base_direct_us", "direct", 3},
    {"module_us", "T_module us", 4},
    {"module_low_us", "95 % from", 4},
    {"module_high_us", "to", 4},
    {"module_direct_us", "direct", 4},
    {"direct_samples", "samples", 0},
    {"published_base_us", "published T_base", 1},
    {"published_module_us", "T_module", 2},
    {"times", "T_module: times smaller", 1},
    {"in_process_module_us", "in process T_module us", 4},
};

static void line_row(struct overhead *o, enum isolation isolation, enum statistic statistic)
{
	const struct line *line = &o->lines[isolation][statistic];
	const struct direct *direct = &o->direct[isolation];
	const bool apart = isolation == ISOLATION_COMPONENT;
	double slots = 0, late[COUNTS_MAX];
	size_t n = 0;

	for (size_t c = 0; c < o->n_counts; c++) {
		slots += slots_of(&o->chains[isolation][c]);
		if (o->chains[isolation][c].n)
			late[n++] = late_of(&o->chains[isolation][c], statistic);
	}
	bench_row(o->bench,
	    json_pack(
	        "{s:s, s:s, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:f, s:o, s:o}",
	        "isolation", isolation_name(isolation), "of", statistic_names[statistic], "samples",
	        slots, "base_us", json_real_or_null(line->base), "base_low_us",
	        json_real_or_null(line->base_range.low), "base_high_us",
	        json_real_or_null(line->base_range.high), "base_direct_us",
	        json_real_or_null(median(late, n)), "module_us", json_real_or_null(line->slope),
	        "module_low_us", json_real_or_null(line->slope_range.low), "module_high_us",
	        json_real_or_null(line->slope_range.high), "module_direct_us",
	        json_real_or_null(direct->samples > 0 ? direct->module_us[statistic] : NAN),
	        "direct_samples", direct->samples, "published_base_us", PUBLISHED_BASE_US,
	        "published_module_us", PUBLISHED_MODULE_US, "times",
	        json_real_or_null(apart ? PUBLISHED_MODULE_US / line->slope : NAN),
	        "in_process_module_us",
	        json_real_or_null(apart && o->chains[ISOLATION_WAVEFORM][0].n
	                ? o->lines[ISOLATION_WAVEFORM][statistic].slope
	                : NAN)));
}

static const struct column taps_columns[] = {
    {"isolation", "isolation", COLUMN_TEXT},
    {"samples", "slots", 0},
    {"untapped_us", "without taps us", 3},
    {"tapped_us", "with taps us", 3},
    {"taps_us", "ten taps us", 3},
    {"taps_ratio", "ratio", 3},
    {"untapped_p99_us", "p99 without", 3},
    {"tapped_p99_us", "p99 with", 3},
};

static void taps_row(struct overhead *o, enum isolation isolation)
{
	const struct cell *without = &o->tapped[isolation][0], *with = &o->tapped[isolation][1];
	const double before = time_of(without, P50), after = time_of(with, P50);

	if (!without->n || !with->n)
		return;
	bench_row(o->bench,
	    json_pack("{s:s, s:f, s:f, s:f, s:f, s:o, s:f, s:f}", "isolation",
	        isolation_name(isolation), "samples", slots_of(with), "untapped_us", before,
	        "tapped_us", after, "taps_us", after - before, "taps_ratio",
	        json_real_or_null(before > 0 ? after / before : NAN), "untapped_p99_us",
	        p99_of(without), "tapped_p99_us", p99_of(with)));
}

static const struct column digests_columns[] = {
    {"isolation", "isolation", COLUMN_TEXT},
    {"bytes", "bytes in a message", 0},
    {"samples", "slots", 0},
    {"without_us", "without digests us", 3},
    {"with_us", "with digests us", 3},
    {"digests_us", "ten digests us", 3},
    {"without_p99_us", "p99 without", 3},
    {"with_p99_us", "p99 with", 3},
};

static void digests_row(struct overhead *o, enum isolation isolation, unsigned m)
{
	const struct cell *without = &o->digested[isolation][m][0],
	                  *with = &o->digested[isolation][m][1];
	const double before = load_of(without, 50), after = load_of(with, 50);

	if (!without->n || !with->n)
		return;
	bench_row(o->bench,
	    json_pack("{s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:f}", "isolation",
	        isolation_name(isolation), "bytes", m ? 2 * LONG : CONF_COUNTER_BYTES, "samples",
	        (double)o->samples, "without_us", before, "with_us", after, "digests_us",
	        after - before, "without_p99_us", load_of(without, 99), "with_p99_us",
	        load_of(with, 99)));
}

static const struct column evidence_columns[] = {
    {"isolation", "isolation", COLUMN_TEXT},
    {"samples", "slots", 0},
    {"off_us", "edge to end, off us", 3},
    {"on_us", "on us", 3},
    {"component_us", "us a component", 4},
    {"core_share", "of the core", 5},
    {"off_p99_us", "p99 off", 3},
    {"on_p99_us", "p99 on", 3},
};

/* The median over pairs of rounds of what `on` takes more. */
static double pairs_more(const struct cell *off, const struct cell *on, bool whole)
{
	double values[ROUNDS_MAX];
	size_t n = 0;

	for (; n < off->n && n < on->n; n++)
		values[n] = whole ? whole_of(&on->rounds[n], P50) - whole_of(&off->rounds[n], P50)
		                  : on->rounds[n].time[P50] - off->rounds[n].time[P50];
	return median(values, n);
}

static void evidence_row(struct overhead *o, enum isolation isolation)
{
	const struct cell *off = &o->evidence[isolation][0], *on = &o->evidence[isolation][1];

	if (!off->n || !on->n)
		return;
	bench_row(o->bench,
	    json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "isolation",
	        isolation_name(isolation), "samples", slots_of(on), "off_us",
	        late_of(off, P50) + time_of(off, P50), "on_us", late_of(on, P50) + time_of(on, P50),
	        "component_us", pairs_more(off, on, false) / (TAPS + ENDS), "core_share",
	        pairs_more(off, on, true) / on->slot_us, "off_p99_us", p99_of(off), "on_p99_us",
	        p99_of(on)));
}

static const struct column switches_columns[] = {
    {"wakes", "wake-ups", 0},
    {"off_us", "a wake-up, off us", 3},
    {"on_us", "on us", 3},
    {"switch_us", "us a switch", 3},
    {"switch_low_us", "95 % from", 3},
    {"switch_high_us", "to", 3},
    {"core_share", "of the core at 1000 switches/s", 6},
    {"here", "sources", COLUMN_TEXT},
};

static void switches_row(struct overhead *o)
{
	struct switches *s = &o->switches;
	double more[SWITCHES_ROUNDS_MAX], mean = NAN;
	struct interval range;
	char here[80];

	for (size_t r = 0; r < s->rounds; r++)
		more[r] = (s->on_us[r] - s->off_us[r]) / SWITCHES_OF_A_WAKE;
	range = interval_mean(more, s->rounds, &mean);
	snprintf(here, sizeof(here), "%u of %d", s->sources, PERF_SOURCES);
	if (o->no_switches < 0)
		snprintf(here, sizeof(here), "not measured: %s", strerror(-o->no_switches));
	bench_row(o->bench,
	    json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "wakes", (json_int_t)s->wakes,
	        "off_us", json_real_or_null(median(s->off_us, s->rounds)), "on_us",
	        json_real_or_null(median(s->on_us, s->rounds)), "switch_us",
	        json_real_or_null(mean), "switch_low_us", json_real_or_null(range.low),
	        "switch_high_us", json_real_or_null(range.high), "core_share",
	        json_real_or_null(mean * 1000 / 1e6), "here", here));
}

static const struct column relative_columns[] = {
    {"isolation", "isolation", COLUMN_TEXT},
    {"slot_us", "slot us", 0},
    {"samples", "slots", 0},
    {"overhead_us", "overhead us", 3},
    {"share", "of the slot", 6},
    {"fitted_share", "by the line", 6},
    {"not_run", "not run", 0},
    {"published_share", "published", 4},
    {"times", "times smaller", 1},
    {"in_process_share", "in process", 6},
};

static double share_of(const struct cell *cell)
{
	return cell->n ? whole_of(&cell->rounds[0], MEAN) / cell->slot_us : NAN;
}

static void relative_row(struct overhead *o, enum isolation isolation, size_t s)
{
	const struct cell *cell = &o->relative[isolation][s];
	const struct line *line = &o->lines[isolation][MEAN];
	const bool apart = isolation == ISOLATION_COMPONENT;
	const double published =
	    (PUBLISHED_BASE_US + RELATIVE * PUBLISHED_MODULE_US) / cell->slot_us;

	if (!cell->n)
		return;
	bench_row(o->bench,
	    json_pack("{s:s, s:f, s:f, s:f, s:f, s:o, s:f, s:f, s:o, s:o}", "isolation",
	        isolation_name(isolation), "slot_us", cell->slot_us, "samples", slots_of(cell),
	        "overhead_us", whole_of(&cell->rounds[0], MEAN), "share", share_of(cell),
	        "fitted_share",
	        json_real_or_null((line->base + RELATIVE * line->slope) / cell->slot_us), "not_run",
	        cell->rounds[0].not_run, "published_share", published, "times",
	        json_real_or_null(apart ? published / share_of(cell) : NAN), "in_process_share",
	        json_real_or_null(apart ? share_of(&o->relative[ISOLATION_WAVEFORM][s]) : NAN)));
}

static void overhead_plot(struct overhead *o)
{
	json_t *points;

	for (int i = 0; i < o->n_isolations; i++) {
		points = plot_series(&o->bench->plot, PLOT_LINE, isolation_name(o->isolations[i]));
		for (size_t s = 0; s < o->n_slots && points; s++) {
			const double y = share_of(&o->relative[o->isolations[i]][s]);
			if (!isnan(y))
				json_array_append_new(
				    points, json_pack("[f, f, f, f]", o->slot_us[s], y, y, y));
		}
	}
	points = plot_series(&o->bench->plot, PLOT_MARKS, "published: 186.7 us + 10 x 5.94 us");
	for (size_t s = 0; s < o->n_slots && points; s++)
		json_array_append_new(points,
		    json_pack("[f, f]", o->slot_us[s],
		        (PUBLISHED_BASE_US + RELATIVE * PUBLISHED_MODULE_US) / o->slot_us[s]));
	o->bench->plot.title = "Share of the slot that ALOE itself takes for ten components";
	o->bench->plot.x = "slot length [us]";
	o->bench->plot.y = "share of the slot";
	o->bench->plot.log_x = true;
	o->bench->plot.log_y = true;
}

static void overhead_notes(struct overhead *o)
{
	struct bench *bench = o->bench;
	const char *clock = cli_get(bench->args, "clock");

	bench_note(bench,
	    "clock %s, CPU %d; chains source -> copy ... copy -> sink with messages of %d bytes; "
	    "T_module includes the copying itself; %llu round%s, all chains in turn; medians of "
	    "the rounds",
	    clock ? clock : "timer", o->cpu, CONF_COUNTER_BYTES, (unsigned long long)o->rounds,
	    plural(o->rounds));
	bench_note(bench,
	    "T is the time from the slot's edge to the end of the last component: late + from "
	    "start to end. T = T_base + N x T_module is fitted by least squares relative to T, "
	    "with 95 %% intervals by Student. N processes need N - 1 hand-overs, so T_base of "
	    "`component` is smaller by one hand-over; T_base is smaller still because hand-overs "
	    "between few processes find warm caches and are faster");
	bench_note(bench,
	    "the direct T_base is the delay of the first component in the slot, and the direct "
	    "T_module is the time from the start of one copy to the start of the next copy, both "
	    "from the event rings");
	bench_note(bench,
	    "ten taps: a chain of %d components, of which ten outputs have rings of 100 ms, and "
	    "the same chain without; p50 of the time from start to end. Rings that are longer than "
	    "the caches of the core cost more; whoever reads them costs a slot nothing",
	    TAPS + ENDS);
	bench_note(bench,
	    "ten digests: a chain of %d components, recorded with --digests and without, in turn; "
	    "p50 of the time that all components of a slot take, without hand-overs between "
	    "processes. Each of the ten outputs has a digester, which reads the message where it "
	    "lies; a digester is a component more, and with isolation component a process more",
	    TAPS + 1);
	bench_note(bench,
	    "evidence: a chain of %d components at %d slots a second, without the records of the "
	    "kernel and with them in turn; medians over the pairs of rounds. The share of the core "
	    "is what a slot takes more from its edge to the end of the last component; what the "
	    "kernel writes when the lane wakes before the edge and goes to sleep is not in it",
	    TAPS + ENDS, 1000000000 / SLOT_NS);
	bench_note(bench,
	    "a context switch: a thread wakes each millisecond by the timer and sleeps again; the "
	    "time that this takes from another thread of the CPU, which reads the clock, without "
	    "records and with all of them in turn, is that of two switches and of the interrupts "
	    "around them; medians of the rounds (%zu). To reach: at most 0.01 of the core at 1000 "
	    "switches a second",
	    o->switches.rounds);
	bench_note(bench,
	    "the published figures are of ALOE on x86 with one process per component, and T_base "
	    "is the time that its daemons take of a slot, so `times smaller` is shown for "
	    "isolation component only");
}

#define TABLE(bench, key, title, columns)                                                          \
	bench_table(bench, key, title, columns, sizeof(columns) / sizeof((columns)[0]))

static void overhead_result(void *self)
{
	struct overhead *o = self;
	TABLE(o->bench, "chains", "a slot of a chain", chain_columns);
	for (int i = 0; i < o->n_isolations; i++)
		for (size_t c = 0; c < o->n_counts; c++)
			chain_row(o, o->isolations[i], c);
	for (int i = 0; i < ISOLATIONS; i++)
		for (int s = 0; s < STATISTICS; s++)
			o->lines[i][s] = line_of(o, (enum isolation)i, (enum statistic)s);
	TABLE(o->bench, "lines", "what a slot and a component cost", line_columns);
	for (int i = 0; i < o->n_isolations; i++)
		for (int s = 0; s < STATISTICS; s++)
			line_row(o, o->isolations[i], (enum statistic)s);
	TABLE(o->bench, "taps", "what ten taps cost a slot", taps_columns);
	for (int i = 0; i < o->n_isolations; i++)
		taps_row(o, o->isolations[i]);
	TABLE(o->bench, "digests", "what ten digests cost a slot", digests_columns);
	for (int i = 0; i < o->n_isolations; i++)
		for (unsigned m = 0; m < MESSAGES; m++)
			digests_row(o, o->isolations[i], m);
	TABLE(o->bench, "evidence", "what the records of the kernel cost", evidence_columns);
	for (int i = 0; i < o->n_isolations; i++)
		evidence_row(o, o->isolations[i]);
	TABLE(o->bench, "switches", "what the records of the kernel cost a context switch",
	    switches_columns);
	switches_row(o);
	TABLE(o->bench, "relative", "the overhead of ten components", relative_columns);
	for (int i = 0; i < o->n_isolations; i++)
		for (size_t s = 0; s < o->n_slots; s++)
			relative_row(o, o->isolations[i], s);
	overhead_plot(o);
	overhead_notes(o);
}

static int lists_parse(struct overhead *o)
{
	const struct cli_args *args = o->bench->args;
	const char *counts = cli_get(args, "components");
	int n = list_parse(counts ? counts : "3,10,50,200", ENDS, 10000, COUNTS_MAX, o->counts);

	for (int i = 0; i < n; i++)
		if (o->counts[i] != floor(o->counts[i]))
			n = -1;
	if (n < 0)
		return cli_fail(args,
		    "--components %s: different whole numbers %d .. 10000 are needed", counts,
		    ENDS);
	o->n_counts = (size_t)n;
	n = bench_slot_lengths(o->bench, SLOTS_MAX, o->slot_us);
	if (n < 0)
		return CLI_USAGE;
	o->n_slots = (size_t)n;
	return CLI_OK;
}

static int options_parse(void *self)
{
	struct overhead *o = self;
	const struct cli_args *args = o->bench->args;

	o->samples = 100000;
	o->rounds = 5;
	o->n_isolations = bench_isolations(o->bench, o->isolations);
	if (o->n_isolations < 0 || bench_level(o->bench, &o->level) < 0 ||
	    bench_cpu(o->bench, &o->cpu) < 0 ||
	    cli_whole(args, "samples", 1, 100000000, &o->samples) < 0 ||
	    cli_whole(args, "rounds", 1, ROUNDS_MAX, &o->rounds) < 0)
		return CLI_USAGE;
	return lists_parse(o);
}

int bench_overhead(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct overhead), options_parse, overhead_runs, overhead_result, NULL};

	return bench_main(args, &parts);
}
