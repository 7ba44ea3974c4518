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
#include "tools/bench/gaps.h"

enum {
	WORKS = 3,
	SYSTEMS = 6,
	RATES = 12,
	ADVANCES = 12,
	BUCKETS = 9,
	TRIAL_MS = 300,
	GAPS_MS = 1000,
	WINDOWS = 8,
	MORE = 4
};

#define REACH_LOOP_US 0.25
#define REACH_CHANNEL_US 1.2
#define REACH_ENGINE_US 0.15
#define REACH_RATE_HZ 100e6
#define TICKS_PER_S 200e6
#define BUSY 0.1                /* of its time that a polling loop may lose */
#define DEVICE_SAMPLES 100000.0 /* that its buffer holds, with some room left */

static const struct x310_work works[WORKS] = {
    {"pass-through 512", 512, false}, {"pass-through 256", 256, false}, {"channel 256", 256, true}};

static const struct system {
	const char *key;
	enum x310_host host;
	bool dpdk;
} systems[SYSTEMS] = {{"bare loop, UDP", X310_LOOP, false}, {"bare loop, DPDK", X310_LOOP, true},
    {"UHD", X310_UHD, false}, {"UHD-DPDK", X310_UHD, true}, {"ALOE-UDP", X310_ALOE, false},
    {"ALOE-DPDK", X310_ALOE, true}};

/* Ticks per sample, from fast to slow; how long after it was heard a sample is played. */
static const double divides[RATES] = {2, 4, 8, 10, 16, 20, 32, 40, 50, 80, 100, 200};
static const double advances_us[ADVANCES] = {
    12.8, 25.2, 31, 40, 50, 100, 200, 400, 800, 1600, 3200, 6400};

struct x310_cell {
	bool done;
	double rate_hz, advance_us;
	const char *limit; /* which end did not hold the next faster rate */
	struct x310_figures figures;
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
	const struct x310_stretch stretch = {
	    systems[system].host, systems[system].dpdk, &works[work], rate_hz, advance_us, seconds};
	char what[128];

	snprintf(what, sizeof(what), "%s, %s, %g MSa/s, %g us", systems[system].key,
	    works[work].key, rate_hz * 1e-6, advance_us);
	return x310_stretch_run(x->bench, &stretch, what, ret);
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
	} while (status == CLI_OK && !(is_most(f, f->answered) && is_most(f, f->in_time)) &&
	    more-- && cell_relax(cell));
	cell->done = status == CLI_OK;
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
			const char *why = x310_missing(systems[system].host, systems[system].dpdk,
			    works[work].emulates, text, sizeof(text));

			if (why)
				snprintf(x->missing[system], sizeof(x->missing[system]), "%s", why);
			else
				status = measure_cell(x, system, work);
		}
	return status;
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
    {"delay_p50_us", "host delay p50 us", 2},
    {"delay_p99_us", "p99", 2},
    {"delay_p99_9_us", "p99.9", 1},
    {"delay_p99_99_us", "p99.99", 1},
    {"delay_max_us", "max", 1},
    {"packets", "packets", 0},
    {"lost", "lost", 0},
    {"not_sent", "not sent", 0},
    {"late", "late", 0},
    {"sim_late_us", "device stood still us", 0},
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
	        "{s:s, s:s, s:f, s:s, s:f, s:f, s:o, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, "
	        "s:f, s:f, s:f}",
	        "system", systems[system].key, "work", works[work].key, "rate_msps",
	        cell->rate_hz * 1e-6, "limit", cell->limit ? cell->limit : "-", "held_percent",
	        100 * f->answered / fmax(f->windows, 1), "advance_us", cell->advance_us,
	        "age_p50_us", json_real_or_null(f->age_p50_us), "age_p99_us",
	        json_real_or_null(f->age_p99_us), "late_percent", late_percent(f), "delay_p50_us",
	        f->p50_us, "delay_p99_us", f->p99_us, "delay_p99_9_us", f->p999_us,
	        "delay_p99_99_us", f->p9999_us, "delay_max_us", f->max_us, "packets", f->packets,
	        "lost", f->lost, "not_sent", f->not_sent, "late", f->late, "sim_late_us",
	        f->sim_late_us));
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

static void reach_note(struct x310 *x)
{
	const struct x310_cell *loop = &x->cells[1][1], *aloe = &x->cells[5][1],
	                       *channel = &x->cells[5][2], *plain = &x->cells[1][2];

	if (loop->done)
		bench_note(x->bench,
		    "bare loop over DPDK, 256 samples: %.1f MSa/s of 100, p50 %.2f us (to reach: "
		    "%.2f), %.2f %% late",
		    loop->rate_hz * 1e-6, loop->figures.p50_us, REACH_LOOP_US,
		    late_percent(&loop->figures));
	if (loop->done && aloe->done)
		bench_note(x->bench,
		    "the slot engine adds %.2f us to the bare loop at p50 (to reach: %.2f), with "
		    "%.2f %% of the packets late",
		    aloe->figures.p50_us - loop->figures.p50_us, REACH_ENGINE_US,
		    late_percent(&aloe->figures));
	if (channel->done && plain->done)
		bench_note(x->bench,
		    "channel emulator: p99 %.2f us, %.2f times that of plain FFTW in a bare loop "
		    "(to reach: 1.1), %.2f %% late",
		    channel->figures.p99_us,
		    channel->figures.p99_us / fmax(plain->figures.p99_us, 1e-3),
		    late_percent(&channel->figures));
	if (channel->done)
		bench_note(x->bench,
		    "channel emulator over DPDK: %.1f MSa/s of 100, p50 %.2f us (to reach: %.2f), "
		    "%.2f %% late",
		    channel->rate_hz * 1e-6, channel->figures.p50_us, REACH_CHANNEL_US,
		    late_percent(&channel->figures));
	x->bench->missed = x->bench->missed ||
	    (loop->done &&
	        (loop->figures.p50_us > REACH_LOOP_US || loop->rate_hz < REACH_RATE_HZ)) ||
	    (channel->done && channel->figures.p50_us > REACH_CHANNEL_US);
}

static void x310_notes(struct x310 *x)
{
	struct bench *bench = x->bench;

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
	    "40, 50, 100, ... us at which 98 %% of the answers were in time in more than half of "
	    "the windows. The time is then measured by marks in the samples; there is no figure if "
	    "the host changes the marks. If the long stretch fails, it is repeated with more time "
	    "or a slower rate. Limited by names the end that failed at the next faster rate",
	    TRIAL_MS);
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
	reach_note(x);
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
	static const char *const keys[SYSTEMS] = {
	    "loop-udp", "loop-dpdk", "uhd", "uhd-dpdk", "aloe-udp", "aloe-dpdk"};
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
		x->wanted[system] = list == NULL || list_names(list, keys[system]);
		any |= x->wanted[system];
	}
	if (!any)
		return cli_fail(x->bench->args,
		    "--systems %s: loop-udp, loop-dpdk, uhd, uhd-dpdk, aloe-udp, aloe-dpdk are "
		    "allowed",
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
