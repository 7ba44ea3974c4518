/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench x310: how fast samples go from an X310 through this machine and back to it, by
 * whom. */
#include "tools/bench/x310.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tools/bench/commands.h"
#include "tools/bench/contest.h"
#include "tools/bench/figures.h"
#include "tools/bench/gaps.h"
#include "tools/bench/x310_judge.h"

enum {
	WORKS = 3,
	SYSTEMS = 10,
	LIMITS = 8,
	ROUNDS = 7,
	RATES = 12,
	ADVANCES = 12,
	BUCKETS = 9,
	TRIAL_MS = 300,
	GAPS_MS = 1000,
	WINDOWS = 8,
	MORE = 8
};

#define REACH_PASS_US 0.15
#define REACH_CHANNEL_US 0.25
#define HELD_UDP 1.0 /* percent of the packets that may be late */
#define HELD_DPDK 0.2
#define TICKS_PER_S 200e6
#define BUSY 0.1                /* of its time that a polling loop may lose */
#define DEVICE_SAMPLES 100000.0 /* that its buffer holds, with some room left */

static const struct x310_work works[WORKS] = {
    {"pass-through 512", 512, false}, {"pass-through 256", 256, false}, {"channel 256", 256, true}};

enum {
	LOOP_UDP,
	LOOP_DPDK,
	UPOLS_UDP,
	UPOLS_DPDK,
	UHD_UDP,
	UHD_DPDK,
	ALOE_UDP,
	ALOE_DPDK,
	FLOATS_UDP,
	FLOATS_DPDK
};

static const struct system {
	const char *key, *option;
	enum x310_host host;
	bool dpdk, floats;
} systems[SYSTEMS] = {
    [LOOP_UDP] = {"bare loop, UDP", "loop-udp", X310_LOOP, false, false},
    [LOOP_DPDK] = {"bare loop, DPDK", "loop-dpdk", X310_LOOP, true, false},
    [UPOLS_UDP] = {"UPOLS in the loop, UDP", "upols-udp", X310_UPOLS, false, false},
    [UPOLS_DPDK] = {"UPOLS in the loop, DPDK", "upols-dpdk", X310_UPOLS, true, false},
    [UHD_UDP] = {"UHD", "uhd", X310_UHD, false, false},
    [UHD_DPDK] = {"UHD-DPDK", "uhd-dpdk", X310_UHD, true, false},
    [ALOE_UDP] = {"ALOE-UDP", "aloe-udp", X310_ALOE, false, false},
    [ALOE_DPDK] = {"ALOE-DPDK", "aloe-dpdk", X310_ALOE, true, false},
    [FLOATS_UDP] = {"ALOE-UDP cf32", "aloe-udp-cf32", X310_ALOE, false, true},
    [FLOATS_DPDK] = {"ALOE-DPDK cf32", "aloe-dpdk-cf32", X310_ALOE, true, true},
};

/* Ours beside the limit of the same run: the same rate and time, in turn. */
static const struct limit_pair {
	int ours, limit, work;
	double reach_us; /* that ours may be slower; 0: nothing said */
} limit_pairs[LIMITS] = {
    {ALOE_DPDK, LOOP_DPDK, 0, REACH_PASS_US},
    {ALOE_DPDK, LOOP_DPDK, 1, REACH_PASS_US},
    {ALOE_DPDK, UPOLS_DPDK, 2, REACH_CHANNEL_US},
    {FLOATS_DPDK, LOOP_DPDK, 0, 0},
    {FLOATS_DPDK, LOOP_DPDK, 1, 0},
    {ALOE_UDP, LOOP_UDP, 0, 0},
    {ALOE_UDP, LOOP_UDP, 1, 0},
    {ALOE_UDP, UPOLS_UDP, 2, 0},
};

/* Ticks per sample, from fast to slow; how long after it was heard a sample is played. */
static const double divides[RATES] = {2, 4, 8, 10, 16, 20, 32, 40, 50, 80, 100, 200};
static const double advances_us[ADVANCES] = {
    12.8, 25.2, 31, 40, 50, 100, 200, 400, 800, 1600, 3200, 6400};

struct x310_cell {
	bool done;
	double rate_hz, advance_us, retries;
	const char *limit; /* which end did not hold the next faster rate */
	struct x310_figures figures;
};

struct limit_rounds {
	uint64_t n, rejected; /* pairs */
	uint64_t held[2];     /* stretches that count, of the limit and of ours */
	double rate_hz, limit_us[ROUNDS], ours_us[ROUNDS];
};

struct core_gaps {
	double longest_us, share, n;
};

struct x310 {
	struct bench *bench;
	double seconds;
	bool wanted[SYSTEMS];
	char missing[SYSTEMS][512];
	struct x310_cell cells[SYSTEMS][WORKS];
	struct limit_rounds limits[LIMITS];
	struct core_gaps gaps[2];
};

/* ---- search ------------------------------------------------------------------------ */

/* Most of the time: what is left is when this machine stood still, and it does so at every rate. */
static bool is_most(const struct x310_figures *f, double windows)
{
	return f->windows >= WINDOWS && 2 * windows > f->windows;
}

static const char *limit_of(const struct x310_figures *f)
{
	return is_most(f, f->paced) ? "host" : "device";
}

static double advance_most(double rate_hz)
{
	const double most = DEVICE_SAMPLES / rate_hz * 1e6;
	int i = ADVANCES - 1;

	while (i > 0 && advances_us[i] > most)
		i--;
	return advances_us[i];
}

static int try_one(struct x310 *x, int system, int work, double rate_hz, double advance_us,
    double seconds, struct x310_figures *ret)
{
	const struct x310_stretch stretch = {systems[system].host, systems[system].dpdk,
	    systems[system].floats, &works[work], rate_hz, advance_us, seconds};
	char what[128];
	int status;

	snprintf(what, sizeof(what), "%s, %s, %g MSa/s, %g us", systems[system].key,
	    works[work].key, rate_hz * 1e-6, advance_us);
	status = x310_stretch_run(x->bench, &stretch, what, ret);
	x->cells[system][work].retries += ret->retries;
	return status;
}

/* Twice, if it does not hold: something else may have had the machine just then. */
static int trial_run(struct x310 *x, int system, int work, double rate_hz, double advance_us,
    bool in_time, bool *ret_holds, const char **ret_limit)
{
	struct x310_figures f = {0};
	int status = CLI_OK;

	*ret_holds = false;
	for (int i = 0; i < 2 && status == CLI_OK && !*ret_holds; i++) {
		status = try_one(x, system, work, rate_hz, advance_us, TRIAL_MS * 1e-3, &f);
		*ret_holds = is_most(&f, in_time ? f.in_time : f.answered);
		*ret_limit = limit_of(&f);
		x310_figures_fini(&f);
	}
	return status;
}

/* The fastest rate that holds; the fastest is tried first, then by bisection. */
static int find_rate(struct x310 *x, int system, int work, double *ret_hz)
{
	int low = 0, high = RATES - 1, status = CLI_OK;
	const char *limit;
	bool holds;

	for (int at = low; status == CLI_OK && low < high; at = (low + high) / 2) {
		const double rate_hz = TICKS_PER_S / divides[at];

		status = trial_run(
		    x, system, work, rate_hz, advance_most(rate_hz), false, &holds, &limit);
		if (holds) {
			high = at;
		} else {
			x->cells[system][work].limit = limit;
			low = at + 1;
		}
	}
	*ret_hz = TICKS_PER_S / divides[high];
	return status;
}

/* The shortest time from antenna to antenna for which the answers come in time. */
static int find_advance(struct x310 *x, int system, int work, double rate_hz, double *ret_us)
{
	int low = 0, high = 0, status = CLI_OK;
	const char *limit;
	bool holds;

	while (advances_us[high] < advance_most(rate_hz))
		high++;
	while (status == CLI_OK && low < high) {
		const int at = (low + high) / 2;

		status = trial_run(x, system, work, rate_hz, advances_us[at], true, &holds, &limit);
		if (holds)
			high = at;
		else
			low = at + 1;
	}
	*ret_us = advances_us[high];
	return status;
}

/* What a short stretch held and a long one does not: more time or, where the device has no more, a
 * slower rate. False: that was the slowest. */
static bool cell_relax(struct x310_cell *cell)
{
	int advance = 0, rate = 0;

	while (TICKS_PER_S / divides[rate] > cell->rate_hz)
		rate++;
	while (advances_us[advance] < cell->advance_us)
		advance++;
	if (advances_us[advance] < advance_most(cell->rate_hz)) {
		cell->advance_us = advances_us[advance + 1];
		return true;
	}
	if (rate == RATES - 1)
		return false;
	cell->limit = limit_of(&cell->figures);
	cell->rate_hz = TICKS_PER_S / divides[rate + 1];
	cell->advance_us = advance_most(cell->rate_hz);
	return true;
}

/* Of the packets where the device kept its pace; where it did not, the machine stood still. */
static bool is_held(int system, const struct x310_figures *f)
{
	return is_most(f, f->answered) && is_most(f, f->in_time) &&
	    f->late_paced < (systems[system].dpdk ? HELD_DPDK : HELD_UDP);
}

static int measure_cell(struct x310 *x, int system, int work)
{
	struct x310_cell *cell = &x->cells[system][work];
	struct x310_figures *f = &cell->figures;
	int more = MORE, status = find_rate(x, system, work, &cell->rate_hz);

	if (status == CLI_OK)
		status = find_advance(x, system, work, cell->rate_hz, &cell->advance_us);
	do {
		x310_figures_fini(f);
		if (status == CLI_OK)
			status = try_one(
			    x, system, work, cell->rate_hz, cell->advance_us, x->seconds, f);
	} while (status == CLI_OK && !is_held(system, f) && more-- && cell_relax(cell));
	cell->done = status == CLI_OK;
	return status;
}

/* ---- beside the limit ---- */

/* A stretch that did not hold says nothing of delays, nor does one without any. */
static int round_run(struct x310 *x, const struct limit_pair *pair, struct limit_rounds *rounds)
{
	const struct x310_cell *ours = &x->cells[pair->ours][pair->work],
	                       *limit = &x->cells[pair->limit][pair->work];
	const double advance_us = fmax(ours->advance_us, limit->advance_us);
	double p50[2] = {0};
	bool counts[2] = {false, false};
	int status = CLI_OK;

	for (int i = 0; i < 2 && status == CLI_OK; i++) {
		const bool is_ours = (i == 0) == ((rounds->n + rounds->rejected) % 2 == 0);
		const int system = is_ours ? pair->ours : pair->limit;
		struct x310_figures f = {0};

		status = try_one(
		    x, system, pair->work, rounds->rate_hz, advance_us, TRIAL_MS * 1e-3, &f);
		p50[is_ours] = f.p50_us;
		counts[is_ours] = f.delays > 0 && is_held(system, &f);
		x310_figures_fini(&f);
	}
	if (status != CLI_OK)
		return status;
	rounds->limit_us[rounds->n] = p50[0];
	rounds->ours_us[rounds->n] = p50[1];
	for (int i = 0; i < 2; i++)
		rounds->held[i] += counts[i];
	rounds->n += counts[0] && counts[1];
	rounds->rejected += !(counts[0] && counts[1]);
	return CLI_OK;
}

static int limits_measure(struct x310 *x)
{
	int status = CLI_OK;

	for (int i = 0; i < LIMITS && status == CLI_OK; i++) {
		const struct limit_pair *pair = &limit_pairs[i];
		const struct x310_cell *ours = &x->cells[pair->ours][pair->work],
		                       *limit = &x->cells[pair->limit][pair->work];

		if (!ours->done || !limit->done)
			continue;
		x->limits[i].rate_hz = fmin(ours->rate_hz, limit->rate_hz);
		for (int round = 0; round < ROUNDS && status == CLI_OK; round++)
			status = round_run(x, pair, &x->limits[i]);
	}
	return status;
}

/* ---- the machine alone ---- */

static int watch_core(struct x310 *x, int cpu, struct core_gaps *ret)
{
	struct gaps *gaps = gaps_start_idle(cpu);
	int rc = -EAGAIN;

	if (gaps == NULL)
		return cli_fail(x->bench->args,
		    "no memory or no thread for the polling loop on "
		    "CPU %d",
		    cpu);
	for (int ms = 0; ms < GAPS_MS && rc == -EAGAIN; ms += 100) {
		progress_show(&x->bench->progress, "a bare polling loop on CPU %d", cpu);
		rc = run_wait(x->bench, NULL, 0, 100);
	}
	gaps_stop(gaps);
	*ret = (struct core_gaps){
	    (double)gaps_longest_ns(gaps) * 1e-3, gaps_share(gaps), (double)gaps_count(gaps)};
	gaps_free(gaps);
	return rc == -EINTR ? BENCH_INTERRUPTED : CLI_OK;
}

/* Floats are another type of what passes through; upols is a channel. */
static bool is_done_by(int system, int work)
{
	return systems[system].host == X310_UPOLS
	    ? works[work].emulates
	    : !systems[system].floats || !works[work].emulates;
}

static int x310_measure(void *self)
{
	struct x310 *x = self;
	int status = CLI_OK;

	(void)setpriority(PRIO_PROCESS, 0, -20); /* as lanes that poll have it */
	for (int side = 0; side < 2 && status == CLI_OK; side++)
		status =
		    watch_core(x, x->bench->cpus[side ? x->bench->n_cpus - 1 : 0], &x->gaps[side]);
	for (int system = 0; system < SYSTEMS; system++)
		for (int work = 0; work < WORKS && x->wanted[system] && status == CLI_OK; work++) {
			char text[sizeof(x->missing[0])];
			const char *why;

			if (!is_done_by(system, work))
				continue;
			why = x310_missing(systems[system].host, systems[system].dpdk,
			    works[work].emulates, text, sizeof(text));

			if (why)
				snprintf(x->missing[system], sizeof(x->missing[system]), "%s", why);
			else
				status = measure_cell(x, system, work);
		}
	return status == CLI_OK ? limits_measure(x) : status;
}

/* ---- tables ------------------------------------------------------------------------ */

static const struct column columns[] = {
    {"system", "system", COLUMN_TEXT},
    {"work", "work", COLUMN_TEXT},
    {"rate_msps", "MSa/s", 1},
    {"limit", "limited by", COLUMN_TEXT},
    {"held_percent", "held % of the time", 1},
    {"age_p50_us", "antenna to antenna p50 us (simulated)", 1},
    {"age_p99_us", "p99", 1},
    {"late_percent", "late % of the packets", 2},
    {"late_paced_percent", "late % outside stalls", 2},
    {"held", "held", COLUMN_TEXT},
    {"delay_p50_us", "host delay p50 us", 2},
    {"whole_p50_us", "with the poll", 2},
    {"delay_p99_us", "p99", 2},
    {"delay_p99_9_us", "p99.9", 1},
    {"delay_p99_99_us", "p99.99", 1},
    {"delay_max_us", "max", 1},
    {"packets", "packets", 0},
    {"lost", "lost", 0},
    {"not_sent", "not sent", 0},
    {"late", "late", 0},
    {"sim_late_us", "device stood still us", 0},
    {"retries", "retries", 0},
};

/* Of the packets that the host had in hand, in percent. */
static double late_percent(const struct x310_figures *f)
{
	return 100 * f->late / fmax(f->packets, 1);
}

static void cell_row(struct x310 *x, int system, int work)
{
	const struct x310_cell *cell = &x->cells[system][work];
	const struct x310_figures *f = &cell->figures;

	if (!cell->done)
		return;
	bench_row(x->bench,
	    json_pack(
	        "{s:s, s:s, s:f, s:s, s:f, s:f, s:o, s:o, s:f, s:f, s:s, s:f, s:o, s:f, s:f, s:f, "
	        "s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
	        "system", systems[system].key, "work", works[work].key, "rate_msps",
	        cell->rate_hz * 1e-6, "limit", cell->limit ? cell->limit : "-", "held_percent",
	        100 * f->answered / fmax(f->windows, 1), "advance_us", cell->advance_us,
	        "age_p50_us", json_real_or_null(f->age_p50_us), "age_p99_us",
	        json_real_or_null(f->age_p99_us), "late_percent", late_percent(f),
	        "late_paced_percent", f->late_paced, "held", is_held(system, f) ? "yes" : "no",
	        "delay_p50_us", f->p50_us, "whole_p50_us", json_real_or_null(f->whole_us),
	        "delay_p99_us", f->p99_us, "delay_p99_9_us", f->p999_us, "delay_p99_99_us",
	        f->p9999_us, "delay_max_us", f->max_us, "packets", f->packets, "lost", f->lost,
	        "not_sent", f->not_sent, "late", f->late, "sim_late_us", f->sim_late_us, "retries",
	        cell->retries));
}

static const double bucket_us[BUCKETS - 1] = {0.25, 0.5, 1, 2, 6.2, 25, 100, 1000};
static const struct column bucket_columns[] = {{"system", "system", COLUMN_TEXT},
    {"work", "work", COLUMN_TEXT}, {"b0", "<= 0.25 us", 0}, {"b1", "0.5", 0}, {"b2", "1", 0},
    {"b3", "2", 0}, {"b4", "6.2", 0}, {"b5", "25", 0}, {"b6", "100", 0}, {"b7", "1000", 0},
    {"b8", "more", 0}};

static void bucket_row(struct x310 *x, int system, int work)
{
	const struct x310_cell *cell = &x->cells[system][work];
	json_t *row =
	           json_pack("{s:s, s:s}", "system", systems[system].key, "work", works[work].key),
	       *item;
	double counts[BUCKETS] = {0};
	char title[96], key[16];
	json_t *points;
	size_t i;

	snprintf(title, sizeof(title), "%s, %s", systems[system].key, works[work].key);
	points = plot_series(&x->bench->plot, PLOT_TAIL, title);
	json_array_foreach(cell->figures.cells, i, item)
	{
		const size_t last = json_array_size(item) - 1;
		const double us = (json_number_value(json_array_get(item, 0)) +
		                      json_number_value(json_array_get(item, last - 1))) *
		    5e-4;
		const double from_us = json_number_value(json_array_get(item, 0)) * 1e-3,
		             count = json_number_value(json_array_get(item, last));
		int bucket = 0;

		while (bucket < BUCKETS - 1 && us > bucket_us[bucket])
			bucket++;
		counts[bucket] += count;
		if (points)
			json_array_append_new(points, json_pack("[f, f]", from_us, count));
	}
	for (int bucket = 0; row && bucket < BUCKETS; bucket++) {
		snprintf(key, sizeof(key), "b%d", bucket);
		json_object_set_new(row, key, json_real(counts[bucket]));
	}
	bench_row(x->bench, row);
}

static const struct column gaps_columns[] = {{"cpu", "CPU", 0}, {"part", "for", COLUMN_TEXT},
    {"gaps", "gaps > 20 us a second", 0}, {"longest_us", "longest us", 1},
    {"share_percent", "of the time %", 2}};

static const struct column limit_columns[] = {
    {"system", "system", COLUMN_TEXT},
    {"work", "work", COLUMN_TEXT},
    {"limit", "limit", COLUMN_TEXT},
    {"rate_msps", "MSa/s", 1},
    {"pairs", "pairs", 0},
    {"rejected", "rejected", 0},
    {"limit_us", "limit p50 us", 3},
    {"ours_us", "ours p50 us", 3},
    {"share", "share of the limit", 2},
    {"difference_us", "ours slower by us", 3},
    {"quarter", "1/4", 3},
    {"three_quarters", "3/4", 3},
    {"reach_us", "reach us", COLUMN_SHORT},
    {"reached", "reached", COLUMN_TEXT},
};

/* Ours less the limit, of the rounds that were run side by side, and the medians of both: the
 * median of the differences. */
static double limit_add(struct limit_rounds *rounds, json_t *row)
{
	double by[ROUNDS], difference, limit, ours;

	for (uint64_t i = 0; i < rounds->n; i++)
		by[i] = rounds->ours_us[i] - rounds->limit_us[i];
	difference = median(by, rounds->n); /* sorts them */
	limit = median(rounds->limit_us, rounds->n);
	ours = median(rounds->ours_us, rounds->n);
	json_object_update_new(row,
	    json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "limit_us", limit, "ours_us", ours, "share",
	        limit / fmax(ours, 1e-3), "difference_us", difference, "quarter", by[rounds->n / 4],
	        "three_quarters", by[rounds->n - 1 - rounds->n / 4]));
	return difference;
}

static void limit_row(struct x310 *x, const struct limit_pair *pair, struct limit_rounds *rounds)
{
	json_t *row = json_pack("{s:s, s:s, s:s, s:f, s:I, s:I, s:o}", "system",
	    systems[pair->ours].key, "work", works[pair->work].key, "limit",
	    systems[pair->limit].key, "rate_msps", rounds->rate_hz * 1e-6, "pairs",
	    (json_int_t)rounds->n, "rejected", (json_int_t)rounds->rejected, "reach_us",
	    json_real_or_null(pair->reach_us > 0 ? pair->reach_us : NAN));
	struct x310_pairs pairs = {
	    .both = rounds->n, .limit = rounds->held[0], .ours = rounds->held[1]};

	if (row && rounds->n > 0)
		pairs.difference_us = limit_add(rounds, row);
	if (row && pair->reach_us > 0)
		json_object_set_new(row, "reached",
		    json_string(bench_judge(x->bench, x310_pairs_judge(&pairs, pair->reach_us))));
	bench_row(x->bench, row);
}

static const struct column udp_columns[] = {
    {"work", "work", COLUMN_TEXT},
    {"uhd_msps", "UHD MSa/s", 1},
    {"uhd_late_percent", "late % outside stalls", 2},
    {"uhd_held", "held", COLUMN_TEXT},
    {"aloe_msps", "ALOE-UDP MSa/s", 1},
    {"aloe_late_percent", "late % outside stalls", 2},
    {"aloe_held", "held", COLUMN_TEXT},
    {"reached", "reached", COLUMN_TEXT},
};

static void udp_row(struct x310 *x, int work)
{
	const struct x310_cell *uhd = &x->cells[UHD_UDP][work], *aloe = &x->cells[ALOE_UDP][work];
	const struct x310_rate ours = {is_held(ALOE_UDP, &aloe->figures), aloe->rate_hz},
	                       theirs = {is_held(UHD_UDP, &uhd->figures), uhd->rate_hz};

	if (!uhd->done || !aloe->done)
		return;
	bench_row(x->bench,
	    json_pack("{s:s, s:f, s:f, s:s, s:f, s:f, s:s, s:s}", "work", works[work].key,
	        "uhd_msps", uhd->rate_hz * 1e-6, "uhd_late_percent", uhd->figures.late_paced,
	        "uhd_held", theirs.held ? "yes" : "no", "aloe_msps", aloe->rate_hz * 1e-6,
	        "aloe_late_percent", aloe->figures.late_paced, "aloe_held",
	        ours.held ? "yes" : "no", "reached",
	        bench_judge(x->bench, x310_rates_judge(ours, theirs))));
}

static void reach_tables(struct x310 *x)
{
	bench_table(x->bench, "limits",
	    "beside the limit of the same run: rounds in turn, at the same rate and time",
	    limit_columns, sizeof(limit_columns) / sizeof(limit_columns[0]));
	for (int i = 0; i < LIMITS; i++)
		if (x->limits[i].n + x->limits[i].rejected > 0)
			limit_row(x, &limit_pairs[i], &x->limits[i]);
	bench_table(x->bench, "udp", "over UDP, beside UHD", udp_columns,
	    sizeof(udp_columns) / sizeof(udp_columns[0]));
	for (int work = 0; work < WORKS; work++)
		udp_row(x, work);
}

static double retries_of(const struct x310 *x)
{
	double sum = 0;

	for (int system = 0; system < SYSTEMS; system++)
		for (int work = 0; work < WORKS; work++)
			sum += x->cells[system][work].retries;
	return sum;
}

static void x310_notes(struct x310 *x)
{
	struct bench *bench = x->bench;
	char built[512];

	for (int system = 0; system < SYSTEMS; system++)
		if (x->wanted[system] && x->missing[system][0])
			bench_note(bench, "%s: %s", systems[system].key, x->missing[system]);
	bench_note(bench,
	    "x310sim simulates the device on CPU %d, and the host runs on CPU %d; both poll at "
	    "nice -20 if that is allowed; DPDK is memif with 16384 places in each direction, UDP "
	    "is loopback; this command ran nothing else at the same time, and the gaps of the "
	    "polling loop show what else the machine did",
	    bench->cpus[bench->n_cpus - 1], bench->cpus[0]);
	if (fmax(x->gaps[0].share, x->gaps[1].share) > BUSY)
		bench_note(bench,
		    "this machine was busy: a bare polling loop lost %.0f %% of its time on one "
		    "CPU and %.0f %% on the other CPU, so slow results may come from the machine",
		    100 * x->gaps[0].share, 100 * x->gaps[1].share);
	bench_note(bench,
	    "rate is the fastest held rate of 200 MHz / 2, 4, 8, 10, ..., found by bisection with "
	    "stretches of %d ms, twice if necessary. A rate is held if, in more than half of the "
	    "windows of 2 ms (or 32 packets) after the first answer, the device kept its pace and "
	    "at least 99.8 %% of the packets were answered. In the other windows this machine "
	    "stood still, which happens at every rate; \"held\" is the share of the windows in "
	    "which it did not. Antenna to antenna (simulated) is the shortest of 12.8, 25.2, 31, "
	    "40, 50, 100, ... us at which 99.8 %% of the answers were in time in more than half of "
	    "the windows. The time is then measured by marks in the samples; there is no figure if "
	    "the host changes the marks. If the long stretch does not hold, it is repeated with "
	    "more time or a slower rate, up to %d times. Limited by names the end that failed at "
	    "the next faster rate",
	    TRIAL_MS, MORE);
	bench_note(bench,
	    "a row is held if, in addition, less than %.1f %% of the answers were late over DPDK, "
	    "and less than %.0f %% over UDP, outside stalls: in the windows in which the device "
	    "kept its pace. Stalls of the host's CPU alone are not left out",
	    HELD_DPDK, HELD_UDP);
	bench_note(bench,
	    "limits: %d pairs of stretches of %d ms, ours and the limit in turn; the difference is "
	    "the median of those of the pairs; a pair is rejected if either is not held or has no "
	    "delay. Between two looks the loop holds a packet ready and looks at its way, as ALOE "
	    "does before the edge. The loop and UHD have samples of 16 bits, so ALOE's "
	    "pass-through has ci16, and cf32 in rows of its own; the channel has cf32 and the same "
	    "512 taps: UPOLS in the loop is the component upols without the engine, and the bare "
	    "loop's channel is plain FFTW (FFTW_PATIENT, with vectors of this machine)",
	    (int)ROUNDS, TRIAL_MS);
	bench_note(bench,
	    "retries: %.0f stretch%s begun again because a program had failed (UHD gives up a "
	    "device that does not answer in 0.1 s)",
	    retries_of(x), retries_of(x) == 1 ? " was" : "es were");
	peer_built("uhd", built, sizeof(built));
	if (x->wanted[UHD_UDP] && built[0])
		bench_note(bench, "uhd: %s", built);
	bench_note(bench,
	    "host delay is the time from the reception of a packet to the end of the transmission "
	    "of its answer; for ALOE from the edge of the slot to the end of the last component. "
	    "Lost counts packets for which the host had no room. Late counts answers that reached "
	    "the device after their time and were dropped; no latency includes them, so their "
	    "share of the packets stands beside each latency. Device stood still is the longest "
	    "pause of the device, which the device then catches up");
	bench_note(bench,
	    "published (Engelhardt et al. 2022, bare metal, isolated cores): pass-through 25.2 us "
	    "and channel 31 us from analog to analog, with converters; host delay mostly under 1 "
	    "us, at most 6.2 us");
}

static void x310_result(void *self)
{
	struct x310 *x = self;
	struct bench *bench = x->bench;

	bench_table(bench, "streams", "from an X310 and back to it", columns,
	    sizeof(columns) / sizeof(columns[0]));
	for (int system = 0; system < SYSTEMS; system++)
		for (int work = 0; work < WORKS; work++)
			cell_row(x, system, work);
	reach_tables(x);
	bench_table(bench, "delays", "packets by their delay in the host", bucket_columns,
	    sizeof(bucket_columns) / sizeof(bucket_columns[0]));
	for (int system = 0; system < SYSTEMS; system++)
		for (int work = 0; work < WORKS; work++)
			if (x->cells[system][work].done &&
			    json_array_size(x->cells[system][work].figures.cells))
				bucket_row(x, system, work);
	bench_table(bench, "gaps", "a bare polling loop, alone", gaps_columns,
	    sizeof(gaps_columns) / sizeof(gaps_columns[0]));
	for (int side = 0; side < 2; side++)
		bench_row(bench,
		    json_pack("{s:i, s:s, s:f, s:f, s:f}", "cpu",
		        bench->cpus[side ? bench->n_cpus - 1 : 0], "part", side ? "device" : "host",
		        "gaps", x->gaps[side].n * 1000 / GAPS_MS, "longest_us",
		        x->gaps[side].longest_us, "share_percent", 100 * x->gaps[side].share));
	x310_notes(x);
	bench->plot.title = "Distribution of the host delay of packets";
	bench->plot.x = "delay [us]";
	bench->plot.y = "share of the packets that are at least that late";
	bench->plot.log_x = bench->plot.log_y = true;
}

/* ---- options ------------------------------------------------------------------------ */

static bool list_names(const char *list, const char *key)
{
	const size_t len = strlen(key);

	for (const char *at = list; at; at = strchr(at, ','), at += at != NULL)
		if (strncmp(at, key, len) == 0 && (at[len] == ',' || at[len] == 0))
			return true;
	return false;
}

static int options_parse(void *self)
{
	struct x310 *x = self;
	const char *list = cli_get(x->bench->args, "systems");
	bool any = false;

	x->seconds = 2;
	if (cli_real(x->bench->args, "seconds", 0.1, 3600, &x->seconds) < 0)
		return CLI_USAGE;
	if (x->bench->n_cpus < 2)
		return cli_fail(
		    x->bench->args, "two CPUs are needed: one CPU simulates the device");
	for (int system = 0; system < SYSTEMS; system++) {
		x->wanted[system] = list == NULL || list_names(list, systems[system].option);
		any |= x->wanted[system];
	}
	if (!any)
		return cli_fail(x->bench->args,
		    "--systems %s: loop-udp, loop-dpdk, upols-udp, upols-dpdk, uhd, uhd-dpdk, "
		    "aloe-udp, aloe-dpdk, aloe-udp-cf32, aloe-dpdk-cf32 are allowed",
		    list);
	return CLI_OK;
}

static void x310_fini(void *self)
{
	struct x310 *x = self;

	for (int system = 0; system < SYSTEMS; system++)
		for (int work = 0; work < WORKS; work++)
			x310_figures_fini(&x->cells[system][work].figures);
}

int bench_x310(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct x310), options_parse, x310_measure, x310_result, x310_fini};

	return bench_main(args, &parts);
}
