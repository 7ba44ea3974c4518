/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench response: responses that come too late under load, by the quota on the load, the timer
 * and real-time priority. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/bench/bench.h"
#include "tools/bench/commands.h"
#include "tools/bench/figures.h"
#include "tools/bench/response.h"
#include "tools/bench/run.h"

enum {
	CELLS_MAX = 128,
	LOOPS = 4,
	RECIPE_TIMES = 50,
	STALL_LINES = 20,
	UNPROVEN_LINES = 40,
	KEY = 160,
	BEFORE = 64
};

#define WORK_FIRST_US 1300.0
#define WORK_LAST_US 2400.0 /* 2.45 ms are left between the transfers */
#define WORK_STEP_US 100.0
#define BESIDE 0.35     /* curves in the figure, in per cent of the quota */
#define PART_MORE_S 0.7 /* processes, control groups and the file of a part, at most */
#define DISTURBED_LEAST 0.5
#define IDLE_MOST 0.001

struct named_cell {
	struct response_cell cell;
	const char *what; /* "idle", "nothing", "recipe"; "": one of the figure */
	double published; /* NAN: none */
	struct response_result *result;
	int error;
};

struct response_bench {
	struct bench *bench;
	uint64_t subframes;
	double work_us;
	bool valid;
	struct response_kept kept; /* --resume */
	struct named_cell cells[CELLS_MAX];
	size_t n;
};

static const unsigned timers[] = {128, 512, 1024, 0};
static const double quotas[] = {0, 80, 60, 40, 20, 10};
static const unsigned periods_us[] = {100000, 5000};

static const char *priority_name(enum response_priority fifo)
{
	static const char *const names[] = {"none", "interface", "chain"};

	return names[fifo];
}

/* ---- the cells ------------------------------------------------------------------------ */

static void cell_add(
    struct response_bench *rb, const char *what, struct response_cell cell, double published)
{
	if (rb->n < CELLS_MAX)
		rb->cells[rb->n++] =
		    (struct named_cell){.cell = cell, .what = what, .published = published};
}

/* Published with a quota of 10 % and 1024 Hz, and without a quota. */
static double published_of(const struct response_cell *cell)
{
	if (cell->fifo != RESPONSE_INTERFACE || cell->hz != 1024)
		return NAN;
	if (cell->quota == 0)
		return 0.582;
	return cell->quota == 10 && cell->period_us == 100000 ? 0.00056 : NAN;
}

static void figure_add(struct response_bench *rb)
{
	for (int fifo = RESPONSE_INTERFACE; fifo <= RESPONSE_CHAIN; fifo++)
		for (size_t t = 0; t < sizeof(timers) / sizeof(timers[0]); t++)
			for (size_t p = 0; p < 2; p++)
				for (size_t q = p; q < sizeof(quotas) / sizeof(quotas[0]); q++) {
					const struct response_cell cell = {.quota = quotas[q],
					    .loops = LOOPS,
					    .period_us = quotas[q] > 0 ? periods_us[p] : 0,
					    .hz = timers[t],
					    .fifo = (enum response_priority)fifo};

					cell_add(rb, "", cell, published_of(&cell));
				}
}

static const struct response_cell idle = {.loops = 0}, nothing = {.loops = LOOPS},
                                  recipe = {.quota = 10,
                                      .loops = LOOPS,
                                      .period_us = 5000,
                                      .fifo = RESPONSE_CHAIN,
                                      .shield = true};

/* Of the recipe a part at a time is measured, so that a run that was ended loses little. */
static uint64_t parts_of(const struct named_cell *cell)
{
	return strcmp(cell->what, "recipe") == 0 ? RECIPE_TIMES : 1;
}

static void part_key(
    const struct response_bench *rb, const struct named_cell *cell, uint64_t part, char key[KEY])
{
	const struct response_cell *c = &cell->cell;

	snprintf(key, KEY,
	    "%s, loops %u quota %g period %u hz %u fifo %s shield %d work %.0f n %llu part %llu",
	    cell->what, c->loops, c->quota, c->period_us, c->hz, priority_name(c->fifo), c->shield,
	    rb->work_us, (unsigned long long)rb->subframes, (unsigned long long)part);
}

/* ---- measuring ------------------------------------------------------------------------ */

static int part_measure(struct response_bench *rb, struct named_cell *cell, uint64_t n)
{
	struct response_result part;
	char key[KEY];
	int rc;

	part_key(rb, cell, n, key);
	if (!response_kept_get(&rb->kept, key, rb->subframes, &part)) {
		memset(&part, 0, sizeof(part));
		rc = response_run(&cell->cell, &rb->kept.core, rb->work_us, rb->subframes,
		    rb->bench->signal_fd, &part);
		if (rc == -EINTR)
			(void)run_wait(rb->bench, NULL, 0, 0); /* takes the signal */
		if (rc < 0)
			return rc;
		rc = response_kept_put(&rb->kept, key, &part);
		if (rc < 0)
			fprintf(stderr, "aloe bench: %s: %s, so this part is not kept\n",
			    rb->kept.file, strerror(-rc));
	}
	response_add(cell->result, &part);
	return 0;
}

static void cell_show(struct response_bench *rb, const struct named_cell *cell, uint64_t part)
{
	const uint64_t parts = parts_of(cell);
	char timer[32] = "high-resolution timer", of[64] = "";

	if (cell->cell.hz > 0)
		snprintf(timer, sizeof(timer), "timer %u Hz", cell->cell.hz);
	if (parts > 1)
		snprintf(of, sizeof(of), ", part %llu of %llu", (unsigned long long)part + 1,
		    (unsigned long long)parts);
	progress_show(&rb->bench->progress, "quota %g %%, %s, FIFO %s%s%s%s",
	    cell->cell.quota > 0 ? cell->cell.quota : 100, timer, priority_name(cell->cell.fifo),
	    cell->what[0] ? ", " : "", cell->what, of);
}

static int cell_measure(struct response_bench *rb, struct named_cell *cell)
{
	cell->result = calloc(1, sizeof(*cell->result));
	if (!cell->result)
		return -ENOMEM;
	for (uint64_t n = 0; n < parts_of(cell) && cell->error == 0; n++) {
		if (rb->bench->interrupts > 0)
			break;
		cell_show(rb, cell, n);
		cell->error = part_measure(rb, cell, n);
	}
	if (cell->error != -ECHILD || rb->bench->interrupts > 0)
		return 0;
	fprintf(stderr,
	    "aloe bench: a process of the chain or a busy loop was killed (by the kernel for want "
	    "of memory, or by somebody), so this cell cannot be measured, and the benchmark "
	    "ends\n");
	return -ECHILD;
}

static double failed_of(const struct named_cell *cell)
{
	return cell->result && cell->result->subframes > 0
	    ? (double)cell->result->failed / (double)cell->result->subframes
	    : NAN;
}

static bool is_judged(const struct response_result *r)
{
	return r->judged > 0 || r->failed == 0;
}

/* Proven stalls of the machine are taken out, of the subframes, too. Where nothing can be judged it
 * is the raw share. */
static double outside_of(const struct named_cell *cell)
{
	const struct response_result *r = cell->result;

	return r && r->subframes > r->proven
	    ? (double)(r->failed - r->proven) / (double)(r->subframes - r->proven)
	    : failed_of(cell);
}

/* The work is raised until the loops alone make half of the responses late; an idle machine has to
 * hold it all the same, outside proven stalls. */
static int work_find(struct response_bench *rb)
{
	int status = 0;

	struct named_cell trial[2];
	double rates[2] = {NAN, NAN};

	for (rb->work_us = WORK_FIRST_US; rb->work_us <= WORK_LAST_US;
	     rb->work_us += WORK_STEP_US) {
		trial[0] = (struct named_cell){.cell = nothing, .what = "work is raised"};
		trial[1] = (struct named_cell){.cell = idle, .what = "idle, with this work"};
		for (int i = 0; i < 2 && status == 0; i++) {
			status = cell_measure(rb, &trial[i]);
			rates[i] = i == 0 ? failed_of(&trial[i]) : outside_of(&trial[i]);
			free(trial[i].result);
			if (rates[0] < DISTURBED_LEAST)
				break;
		}
		if (status < 0)
			return status;
		rb->valid = rates[0] >= DISTURBED_LEAST && rates[1] < IDLE_MOST;
		if (rates[0] >= DISTURBED_LEAST)
			break;
	}
	if (rb->work_us > WORK_LAST_US)
		rb->work_us = WORK_LAST_US;
	bench_note(rb->bench,
	    "work of %.0f us in a subframe: without measures %.3f of the responses are late, on "
	    "the idle machine %.4f outside proven stalls",
	    rb->work_us, rates[0], rates[1]);
	return 0;
}

/* Before it begins. The work is raised in steps, of which the last is tried on the idle machine,
 * too. */
static void duration_tell(const struct response_bench *rb)
{
	const size_t trials = (size_t)((WORK_LAST_US - WORK_FIRST_US) / WORK_STEP_US) + 2,
	             kept = json_object_size(json_object_get(rb->kept.json, "parts"));
	const double part_s = (double)rb->subframes * 1e-9 * RESPONSE_SUBFRAME_NS + PART_MORE_S;
	size_t parts = trials;

	for (size_t i = 0; i < rb->n; i++)
		parts += parts_of(&rb->cells[i]);
	fprintf(stderr,
	    "aloe bench: cells: %zu; subframes of 5 ms in each: %llu, in the recipe: %llu; time: "
	    "at most %.0f min, of which %.0f min are kept\n",
	    rb->n, (unsigned long long)rb->subframes,
	    (unsigned long long)rb->subframes * RECIPE_TIMES, ceil(part_s * (double)parts / 60),
	    floor(part_s * (double)kept / 60));
}

static int response_measure(void *self)
{
	struct response_bench *rb = self;

	cell_add(rb, "idle", idle, 0.00024);
	cell_add(rb, "nothing", nothing, 0.7841);
	figure_add(rb);
	cell_add(rb, "recipe", recipe, NAN);
	duration_tell(rb);
	if (work_find(rb) < 0)
		return CLI_FAILED;
	for (size_t i = 0; i < rb->n; i++) {
		if (rb->bench->interrupts > 0)
			return BENCH_INTERRUPTED;
		if (cell_measure(rb, &rb->cells[i]) < 0)
			return CLI_FAILED;
	}
	return rb->bench->interrupts > 0 ? BENCH_INTERRUPTED : CLI_OK;
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column columns[] = {
    {"row", "row", COLUMN_TEXT},
    {"quota_percent", "quota %", 0},
    {"period_ms", "period ms", 0},
    {"timer_hz", "timer Hz", 0},
    {"fifo", "FIFO", COLUMN_TEXT},
    {"subframes", "subframes", 0},
    {"failed", "late", 0},
    {"share", "share late", 5},
    {"low", "95 % from", 5},
    {"high", "to", 5},
    {"judged", "judged", 0},
    {"proven", "stalls", 0},
    {"outside", "outside stalls", 5},
    {"p50_us", "p50 us", 0},
    {"p99_us", "p99 us", 0},
    {"loops_percent", "loops had %", 1},
    {"published", "published", 5},
    {"here", "here", COLUMN_TEXT},
};

/* ---- stalls of the machine ---- */

static void cell_name(const struct named_cell *cell, char *ret, size_t size)
{
	const struct response_cell *c = &cell->cell;
	char timer[32] = "high-resolution";

	if (c->hz > 0)
		snprintf(timer, sizeof(timer), "1/%u s", c->hz);
	if (cell->what[0])
		snprintf(ret, size, "%s", cell->what);
	else
		snprintf(ret, size, "%s, %s, %s", priority_name(c->fifo), timer,
		    c->period_us == 5000 ? "5 ms" : "100 ms");
}

/* The fields of struct response_stall; all but the first are times. */
static json_t *late_json(const struct response_stall *late)
{
	static const char *const names[RESPONSE_STALL_FIELDS] = {"subframe", "late_us", "took_us",
	    "work_us", "others_us", "stood_us", "before_us", "chain_us", "beside_us",
	    "interrupts_us", "elsewhere_us", "woken_us", "slack_us", "cpu_us"};
	json_t *json = json_pack("{s:I}", names[0], (json_int_t)late->subframe);
	uint64_t field[RESPONSE_STALL_FIELDS];

	memcpy(field, late, sizeof(field));
	for (size_t f = 1; f < RESPONSE_STALL_FIELDS; f++)
		json_object_set_new(json, names[f], json_real((double)field[f] / 1e3));
	return json;
}

static json_t *list_json(const struct response_list *list)
{
	json_t *json = json_array();

	for (uint64_t i = 0; i < list->n; i++)
		json_array_append_new(json, late_json(&list->late[i]));
	return json;
}

/* "": it did not wait for the late answer before. */
static void before_text(const struct response_stall *s, char ret[BEFORE])
{
	ret[0] = 0;
	if (s->before_ns > 0)
		snprintf(ret, BEFORE, "; %.0f us by that of the subframe before",
		    (double)s->before_ns / 1e3);
}

static void stall_note(
    struct bench *bench, const struct named_cell *cell, const struct response_stall *s)
{
	char name[80], before[BEFORE], evidence[160] = "";

	cell_name(cell, name, sizeof(name));
	if (cell->cell.quota > 0 && !cell->what[0])
		snprintf(name + strlen(name), sizeof(name) - strlen(name), ", quota %g %%",
		    cell->cell.quota);
	before_text(s, before);
	if (s->stood_ns > 0)
		snprintf(evidence, sizeof(evidence),
		    "; the machine stood %.0f us: of %.0f us the chain had work for %.0f us and "
		    "all else had the CPUs for %.0f us",
		    (double)s->stood_ns / 1e3, (double)s->took_ns / 1e3, (double)s->work_ns / 1e3,
		    (double)s->others_ns / 1e3);
	bench_note(bench, "stall: %s, subframe %llu: late by %.0f us%s%s", name,
	    (unsigned long long)s->subframe, (double)s->late_ns / 1e3, evidence, before);
}

static bool is_first(const struct named_cell *cell)
{
	return strcmp(cell->what, "idle") == 0 || strcmp(cell->what, "recipe") == 0;
}

/* Those of the idle machine and of the recipe first. */
static void stalls_note(struct response_bench *rb)
{
	uint64_t proven = 0, lines = 0;
	const char *why = NULL;

	for (size_t i = 0; i < 2 * rb->n; i++) {
		const struct named_cell *cell = &rb->cells[i % rb->n];
		const struct response_result *r = cell->result;

		if (!r || is_first(cell) != (i < rb->n))
			continue;
		proven += r->proven;
		why = r->why_not ? r->why_not : why;
		for (uint64_t k = 0; k < r->stalls.n && lines < STALL_LINES; k++, lines++)
			stall_note(rb->bench, cell, &r->stalls.late[k]);
	}
	if (proven > lines)
		bench_note(rb->bench,
		    "%llu more proven stalls are not listed here (--json has up to %d of a cell)",
		    (unsigned long long)(proven - lines), RESPONSE_STALLS);
	if (why)
		bench_note(rb->bench,
		    "late answers are not judged, and shares stay raw: the kernel's "
		    "records of the CPUs are not here: %s",
		    why);
}

static void unproven_note(
    struct bench *bench, const struct named_cell *cell, const struct response_stall *s)
{
	const uint64_t proof_ns = response_proof_ns(s);
	char before[BEFORE];

	before_text(s, before);
	bench_note(bench,
	    "not proven: %s, subframe %llu: late by %.0f us: of %.0f us the chain had CPUs for "
	    "%.0f us (its work explains %.0f us, its CPU time is %.0f us), others had its CPUs for "
	    "%.0f us (interrupts %.0f us) and other CPUs for %.0f us, the interface woke %.0f us "
	    "late; the machine stood at least %.0f us (%.0f us would have proved it)%s",
	    cell->what, (unsigned long long)s->subframe, (double)s->late_ns / 1e3,
	    (double)s->took_ns / 1e3, (double)s->chain_ns / 1e3, (double)s->work_ns / 1e3,
	    (double)s->cpu_ns / 1e3, (double)s->beside_ns / 1e3, (double)s->interrupts_ns / 1e3,
	    (double)s->elsewhere_ns / 1e3, (double)s->woken_ns / 1e3, (double)s->stood_ns / 1e3,
	    (double)(proof_ns - (s->before_ns < proof_ns ? s->before_ns : proof_ns)) / 1e3, before);
}

/* Late answers that were judged and are no proven stalls, of the idle machine and the recipe. Those
 * of the other cells are many, and the loops' doing. */
static void unproven_notes(struct response_bench *rb)
{
	uint64_t lines = 0, more[2] = {0};

	for (size_t i = 0; i < rb->n; i++) {
		const struct named_cell *cell = &rb->cells[i];
		const struct response_result *r = cell->result;
		const bool first = is_first(cell);
		uint64_t k = 0;

		for (; r && first && k < r->unproven.n && lines < UNPROVEN_LINES; k++, lines++)
			unproven_note(rb->bench, cell, &r->unproven.late[k]);
		more[first] += r ? r->judged - r->proven - k : 0;
	}
	if (more[0] + more[1] > 0)
		bench_note(rb->bench,
		    "late answers that were judged, are not proven and are not listed here: %llu "
		    "of idle and recipe, %llu of the other cells (--json has up to %d of a cell)",
		    (unsigned long long)more[1], (unsigned long long)more[0], RESPONSE_STALLS);
}

static json_t *cell_row(const struct named_cell *cell)
{
	const struct response_cell *c = &cell->cell;
	const struct response_result *r = cell->result;
	const struct interval range = interval_wilson(r ? r->failed : 0, r ? r->subframes : 0);
	json_t *row = json_pack("{s:s, s:s}", "row", cell->what, "fifo", priority_name(c->fifo));

	if (c->quota > 0)
		json_object_set_new(row, "quota_percent", json_real(c->quota));
	if (c->period_us > 0)
		json_object_set_new(row, "period_ms", json_real(c->period_us / 1e3));
	if (c->hz > 0)
		json_object_set_new(row, "timer_hz", json_integer((json_int_t)c->hz));
	json_object_set_new(row, "published", json_real_or_null(cell->published));
	if (!r || cell->error != 0 || r->subframes == 0) {
		json_object_set_new(row, "here",
		    json_string(cell->error == -ENOTSUP
		            ? "not here: no quota (root and control groups v1)"
		            : cell->error == -EPERM ? "not here: no FIFO"
		                                    : "not measured"));
		return row;
	}
	json_object_update_new(row,
	    json_pack("{s:I, s:I, s:f, s:f, s:f}", "subframes", (json_int_t)r->subframes, "failed",
	        (json_int_t)r->failed, "share", failed_of(cell), "low", range.low, "high",
	        range.high));
	json_object_update_new(row,
	    json_pack("{s:I, s:I, s:o, s:o, s:o}", "judged", (json_int_t)r->judged, "proven",
	        (json_int_t)r->proven, "outside",
	        json_real_or_null(is_judged(r) ? outside_of(cell) : NAN), "stalls",
	        list_json(&r->stalls), "unproven", list_json(&r->unproven)));
	if (c->loops > 0 && r->all_ns > 0)
		json_object_set_new(row, "loops_percent", json_real(100 * r->loops_ns / r->all_ns));
	if (hist_count(&r->ns) > 0)
		json_object_update_new(row,
		    json_pack("{s:f, s:f}", "p50_us", (double)hist_quantile(&r->ns, 0.5) / 1e3,
		        "p99_us", (double)hist_quantile(&r->ns, 0.99) / 1e3));
	return row;
}

/* Where it stands in the figure. The curves stand side by side, so that their bars can be told
 * apart. */
static double cell_x(const struct response_cell *c)
{
	size_t t = 0;

	while (t + 1 < sizeof(timers) / sizeof(timers[0]) && timers[t] != c->hz)
		t++;
	return (c->quota > 0 ? c->quota : 100) +
	    BESIDE *
	    ((c->fifo == RESPONSE_CHAIN ? 8.0 : 0.0) + 2.0 * (double)t +
	        (c->period_us == 5000 ? 1 : 0) - 7.5);
}

/* A line for each timer, priority and period, and a point for each of the others. No late response
 * is drawn as half of one. */
static void cell_draw(struct response_bench *rb, const struct named_cell *cell)
{
	const struct response_result *r = cell->result;
	const double n = r ? (double)r->subframes : 0, share = failed_of(cell);
	struct interval range;
	char name[80];
	json_t *points;

	if (!r || n == 0 || cell->error != 0 || strcmp(cell->what, "idle") == 0)
		return;
	range = interval_wilson(r->failed, r->subframes);
	cell_name(cell, name, sizeof(name));
	points = plot_named(&rb->bench->plot, PLOT_LINE, name);
	if (points)
		json_array_append_new(points,
		    json_pack("[f, f, f, f]", cell_x(&cell->cell), fmax(share, 0.5 / n),
		        fmax(range.low, 0.5 / n), range.high));
}

static void published_draw(struct response_bench *rb)
{
	json_t *points = plot_named(&rb->bench->plot, PLOT_MARKS, "published");

	for (size_t i = 0; i < rb->n && points; i++)
		if (!isnan(rb->cells[i].published) && rb->cells[i].cell.loops > 0)
			json_array_append_new(points,
			    json_pack(
			        "[f, f]", cell_x(&rb->cells[i].cell), rb->cells[i].published));
}

static void response_result(void *self)
{
	struct response_bench *rb = self;
	struct bench *bench = rb->bench;

	bench_table(bench, "response",
	    rb->valid ? "responses that came too late"
	              : "EXPERIMENT VOID: responses that came too late",
	    columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < rb->n; i++) {
		bench_row(bench, cell_row(&rb->cells[i]));
		if (!rb->cells[i].what[0])
			cell_draw(rb, &rb->cells[i]);
	}
	for (size_t i = 0; i < rb->n; i++)
		if (rb->cells[i].what[0])
			cell_draw(rb, &rb->cells[i]);
	published_draw(rb);
	if (!rb->valid)
		bench_note(bench,
		    "experiment void: the loops alone must make at least %.0f %% of the responses "
		    "late while the idle machine makes fewer than %.1f %% late outside proven "
		    "stalls; other load on this "
		    "machine, or too few subframes, are the usual reasons",
		    100 * DISTURBED_LEAST, 100 * IDLE_MOST);
	bench_note(bench,
	    "TD-SCDMA: subframes of 5 ms, 6400 chips, answer due 3.45 ms after the first downlink "
	    "slot, of which 0.5 ms each way are the transfer by USB 2.0; interface, physical and "
	    "higher layer are a process each; %d busy loops",
	    LOOPS);
	bench_note(bench,
	    "a timer of 1/HZ is emulated by rounding wake-ups up; without an entry it is the "
	    "kernel's high resolution; the quota is that of `aloe cap`, without an entry there is "
	    "none; the recipe also keeps the loops off the chain's CPU, by their affinity");
	bench_note(bench,
	    "`share late` and its interval are raw; `outside stalls` is without the late answers, "
	    "and their subframes, that are proven stalls of the machine: of the time from when the "
	    "interface was to wake until the answer, the chain's work (an eighth more than its "
	    "rounds take at best) and all else that had a CPU, by the kernel's records (%.1f %% "
	    "of it on CPUs without the chain, by which full ones slowed these rounds before the "
	    "run: two CPUs may be threads of one core; in the recipe "
	    "only while the chain runs), explain "
	    "so little that the answer had been in time without the rest, which is at least half "
	    "of the delay; the machine also stood while the chain had a CPU by the records and no "
	    "CPU time, which the kernel counts without what the hypervisor says it took, and, in "
	    "the recipe, while nobody had the chain's CPU; where loops fill the CPUs the balance "
	    "proves nothing; `judged`: late answers of which the records are whole",
	    100 * rb->kept.core.slowed);
	stalls_note(rb);
	unproven_notes(rb);
	bench->plot.title = "Responses that come too late under load (Wang et al., Figure 6)";
	bench->plot.bars = "curves: who has FIFO priority, timer, period of the quota; bars: 95 % "
	                   "interval (Wilson)\nno late response at all is drawn as half of one";
	if (!rb->valid)
		bench->plot.invalid =
		    "VOID: the machine did not meet the conditions of the experiment";
	bench->plot.x = "quota on the load (100: none) [%]";
	bench->plot.y = "share of responses that come too late";
	bench->plot.log_y = true;
}

static int response_options(void *self)
{
	struct response_bench *rb = self;
	const struct cli_args *args = rb->bench->args;
	const char *wrong, *file = cli_get(args, "resume");
	char cpu[128];

	rb->subframes = 2000;
	if (cli_whole(args, "subframes", 10, 1000000, &rb->subframes) < 0)
		return CLI_USAGE;
	bench_cpu_name(cpu, sizeof(cpu));
	wrong = response_kept_open(&rb->kept, file, cpu);
	return wrong ? cli_fail(args, "--resume %s: %s", file, wrong) : CLI_OK;
}

static void response_fini(void *self)
{
	struct response_bench *rb = self;

	for (size_t i = 0; i < rb->n; i++)
		free(rb->cells[i].result);
	response_kept_close(&rb->kept);
}

int bench_response(const struct cli_args *args)
{
	static const struct bench_parts parts = {.size = sizeof(struct response_bench),
	    .options = response_options,
	    .measure = response_measure,
	    .result = response_result,
	    .fini = response_fini};

	return bench_main(args, &parts);
}
