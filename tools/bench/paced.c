/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench chain, throughput, handover: one chain, beside others: how late what went in comes
 * out, how many bits a second it carries, what the hand-over from one component to the next
 * takes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/report/report.h"
#include "tools/bench/bare_chain.h"
#include "tools/bench/commands.h"
#include "tools/bench/conf.h"
#include "tools/bench/contest.h"

enum {
	STAGES = 10,
	VECTOR = 1000,
	CLIENTS = 8,
	FRAMES = 64,
	RATE = 48000,
	SLOT_BITS = 16384,
	HANDOVER_SLOT_NS = 1333333
};

struct paced_kind;

struct paced {
	struct bench *bench;
	struct contest contest;
	const struct paced_kind *kind;
	enum simd_level level;
	double seconds;                     /* of a run that has a clock */
	bool checked[2];                    /* by type: numbered bytes came out as they went in */
	double missed[CONTEST_SYSTEMS_MAX]; /* of ours: slots that were not complete in time */
};

#define LIMIT_SHARE .91 /* 1.1 times as much as the limit */

#define SETUPS(array) .setups = array, .n_setups = sizeof(array) / sizeof((array)[0])

static int report_end(json_t *report, int status)
{
	json_decref(report);
	return status;
}

/* ---- the limit ------------------------------------------------------------------------ */

/* As many processes as there are components, each of which copies the message. */
static const struct contest_setup bare[] = {{"a process each, FIFO", 1, false, "bare"}};

static int bare_measure(struct paced *paced, unsigned processes, size_t bytes, unsigned slot_ns,
    double slots, struct bare_chain_times *ret)
{
	const struct bare_chain chain = {.processes = processes,
	    .bytes = bytes,
	    .slot_ns = slot_ns,
	    .slots = (unsigned)slots,
	    .cpu = paced->bench->cpus[0]};
	const int status = bare_chain_run(&chain, ret);

	if (status == 0)
		return CLI_OK;
	return cli_fail(paced->bench->args, "the bare futex chain: %s", strerror(-status)),
	       CLI_FAILED;
}

static void missed_add(
    struct paced *paced, const struct contest_system *system, const json_t *report)
{
	paced->missed[system - paced->contest.systems] +=
	    report_number(json_object_get(report, "slots"), "missed");
}

/* ---- chain ------------------------------------------------------------------------ */

static const struct contest_setup one_lane[] = {{"1 lane, FIFO", 1, false, "waveform"}};
static const struct contest_setup one_shared[] = {{"1 lane, FIFO", 1, false, "none"}};
static const struct contest_setup one_apart[] = {{"1 lane, FIFO", 1, false, "component"}};
static const struct contest_system chain_peers[] = {
    {"gnuradio", "gnuradio", 0, 10, 0, contest_gnuradio, CONTEST_GNURADIO_PACED, false}};

static void spread_read(const json_t *spread, double ret[CONTEST_FIGURES])
{
	ret[0] = report_number(spread, "p99");
	ret[1] = report_number(spread, "p50");
	ret[2] = report_number(spread, "max");
}

static int slots_run(struct paced *paced, const char *conf, const char *isolation,
    const char *clock, double slots, const char *what, json_t **ret_report)
{
	struct words words = {0};
	char cpus[16];

	bench_cpus_write(paced->bench, 1, cpus, sizeof(cpus));
	words_add(&words, "%s", conf);
	words_add(&words, "--lanes=%s", cpus);
	words_add(&words, "--slots=%.0f", slots);
	words_add(&words, "--isolation=%s", isolation);
	words_add(&words, "--clock=%s", clock);
	return run_only(paced->bench, &words, paced->level, what, ret_report, NULL);
}

/* A source of `items` floats, `stages` of copy, a sink, on a slot clock. */
static int copies_write(const struct bench *bench, unsigned stages, unsigned items,
    unsigned slot_ns, char *ret_path, size_t size)
{
	char source[80];

	snprintf(source, sizeof(source), "component = \"null_source\"; length = %u;", items);
	return conf_chain(bench, "paced", stages, source, slot_ns, ret_path, size);
}

static int chain_bare(struct paced *paced, const struct contest_system *system, double slots,
    double ret[CONTEST_FIGURES])
{
	struct bare_chain_times times = {0};
	const int status =
	    bare_measure(paced, STAGES + 2, VECTOR * sizeof(float), 1000000, slots, &times);

	ret[0] = times.p99;
	ret[1] = times.p50;
	ret[2] = times.max;
	paced->missed[system - paced->contest.systems] += times.missed;
	return status;
}

static int chain_measure(struct contest *contest, const struct contest_system *system,
    const struct contest_setup *setup, const struct contest_size *size, double items,
    const char *what, double ret[CONTEST_FIGURES])
{
	struct paced *paced = contest->self;
	struct words words = {0};
	json_t *report = NULL;
	char path[4096];
	int status;

	(void)size;
	if (setup == bare)
		return chain_bare(paced, system, items, ret);
	if (!system->program) {
		if (copies_write(paced->bench, STAGES, VECTOR, 1000000, path, sizeof(path)) !=
		    CLI_OK)
			return CLI_FAILED;
		status = slots_run(paced, path, setup->keys, "timer", items, what, &report);
		spread_read(
		    json_object_get(json_object_get(report, "latency"), "measured_us"), ret);
		missed_add(paced, system, report);
		return report_end(report, status);
	}
	words_add(&words, "chain");
	words_add(&words, "stages=%d", (int)STAGES);
	words_add(&words, "length=%d", (int)VECTOR);
	words_add(&words, "items=%.0f", items);
	contest_words(&words, setup->keys);
	status = peer_run(paced->bench, system, &words, what, &report);
	spread_read(json_object_get(report, "latency_us"), ret);
	return report_end(report, status);
}

static double in_ms(const struct contest *contest, const struct contest_size *size, double us)
{
	(void)contest;
	(void)size;
	return us / 1000;
}

/* ---- throughput ------------------------------------------------------------------------ */

static const struct contest_setup our_setups[] = {
    {"1 lane", 1, false, NULL},
    {"2 lanes", 2, false, NULL},
    {"1 lane, FIFO", 1, true, NULL},
    {"2 lanes, FIFO", 2, true, NULL},
};
static const struct contest_system throughput_peers[] = {
    {"gnuradio", "gnuradio", 0, 10, 0, contest_gnuradio, CONTEST_GNURADIO, false},
    {"gnuradio float", "gnuradio", 0, 0, 0, contest_gnuradio, CONTEST_GNURADIO, false}};

/* The type of the symbols is the second word of a system's name. */
static const char *type_of(const struct contest_system *system, const char *otherwise)
{
	static const char *const types[] = {"i16", "float"};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strstr(system->name, types[i]))
			return types[i];
	return otherwise;
}

/* Bytes in, bytes out; with two lanes the receiver has its own. */
static int bits_write(const struct bench *bench, double bits, const char *type, unsigned lanes,
    bool numbers, char *ret_path, size_t size)
{
	char text[1024];
	const int second = lanes > 1;

	snprintf(text, sizeof(text),
	    "name = \"bits\";\nslot_ns = 1000000;\ninstances: {\n"
	    "\tsource: { component = \"null_source\"; type = \"byte\"; length = %d; content = "
	    "\"%s\"; pin = 0; };\n"
	    "\thead: { component = \"head\"; items = %.0f; pin = 0; };\n"
	    "\tunpack: { component = \"unpack\"; pin = 0; };\n"
	    "\tmap: { component = \"bpsk_mod\"; output = \"%s\"; pin = 0; };\n"
	    "\tdecide: { component = \"bpsk_demod\"; pin = %d; };\n"
	    "\tpack: { component = \"pack\"; output = \"byte\"; pin = %d; };\n"
	    "\tsink: { component = \"%s\"; pin = %d; };\n"
	    "};\nlinks = (\"source -> head -> unpack -> map -> decide -> pack -> sink\");\n",
	    (int)SLOT_BITS / 8, numbers ? "numbers" : "zeros", bits / 8, type, second, second,
	    numbers ? "number_check" : "null_sink", second);
	return conf_write(bench, "bits", text, ret_path, size);
}

static int bits_run(struct paced *paced, const struct contest_system *system,
    const struct contest_setup *setup, double items, bool numbers, const char *what, double *ret)
{
	struct words words = {.fifo = setup->fifo};
	const unsigned lanes =
	    setup->lanes < paced->bench->n_cpus ? setup->lanes : (unsigned)paced->bench->n_cpus;
	const json_t *sink;
	json_t *report = NULL;
	char path[4096], cpus[16];
	int status;

	if (bits_write(paced->bench, items, type_of(system, "cf32"), lanes, numbers, path,
	        sizeof(path)) != CLI_OK)
		return CLI_FAILED;
	bench_cpus_write(paced->bench, lanes, cpus, sizeof(cpus));
	words_add(&words, "%s", path);
	words_add(&words, "--clock=virtual");
	words_add(&words, "--lanes=%s", cpus);
	status = run_only(paced->bench, &words, paced->level, what, &report, NULL);
	sink = json_object_get(report_instance(report, "sink"), "variables");
	*ret = report_number(report, "run_s");
	if (status == CLI_OK &&
	    (report_number(sink, "items") * 8 != items || report_number(sink, "wrong") != 0)) {
		fprintf(stderr, "%s: the received bytes differ from the sent bytes\n", what);
		status = CLI_FAILED;
	}
	return report_end(report, status);
}

/* Before the first run of each type one with bytes that are looked at; those that count carry
 * zeros, as the peers' do. */
static int bits_ours(struct paced *paced, const struct contest_system *system,
    const struct contest_setup *setup, double items, const char *what, double *ret)
{
	bool *checked = &paced->checked[strcmp(type_of(system, "cf32"), "cf32") != 0];
	int status = *checked ? CLI_OK : bits_run(paced, system, setup, 8e5, true, "check", ret);

	*checked = *checked || status == CLI_OK;
	if (status == CLI_OK)
		status = bits_run(paced, system, setup, items, false, what, ret);
	return status;
}

static int throughput_measure(struct contest *contest, const struct contest_system *system,
    const struct contest_setup *setup, const struct contest_size *size, double items,
    const char *what, double ret[CONTEST_FIGURES])
{
	struct paced *paced = contest->self;
	struct words words = {0};
	json_t *report = NULL;
	int status;

	(void)size;
	if (!system->program)
		return bits_ours(paced, system, setup, items, what, ret);
	words_add(&words, "throughput");
	words_add(&words, "items=%.0f", items);
	words_add(&words, "complex=%d", !strcmp(type_of(system, "complex"), "complex"));
	contest_words(&words, setup->keys);
	status = peer_run(paced->bench, system, &words, what, &report);
	ret[0] = report_number(report, "seconds");
	if (status == CLI_OK && report_number(report, "arrived") != items) {
		fprintf(stderr, "%s: of %.0f bit%s only %.0f arrived\n", what, items, plural(items),
		    report_number(report, "arrived"));
		status = CLI_FAILED;
	}
	return report_end(report, status);
}

static double megabits_of(
    const struct contest *contest, const struct contest_size *size, double seconds)
{
	(void)size;
	return contest->items / seconds * 1e-6;
}

/* ---- handover ------------------------------------------------------------------------ */

static const struct contest_setup hot[] = {{"1 lane, no clock", 1, false, "waveform"}};
static const struct contest_setup jack_setups[] = {
    {"one core", 0, false, "cpus=1"},
    {"one core, real time", 0, false, "cpus=1 fifo=1"},
    {"all cores", 0, false, ""},
    {"all cores, real time", 0, false, "fifo=1"},
};
static const struct contest_system handover_peers[] = {
    {.name = "jack", .program = "jack", .reach = 40, .reach_others = 1, SETUPS(jack_setups)}};

/* From the first's beginning to the last's end, by their number: with all that the components do
 * themselves. */
static int handover_ours(struct paced *paced, const struct contest_system *system,
    const struct contest_setup *setup, double items, const char *what, double ret[CONTEST_FIGURES])
{
	const int instances = CLIENTS + 2;
	const bool free_running = setup == hot;
	const json_t *measured;
	json_t *report = NULL;
	char path[4096];
	int status;

	if (copies_write(paced->bench, CLIENTS, FRAMES, HANDOVER_SLOT_NS, path, sizeof(path)) !=
	    CLI_OK)
		return CLI_FAILED;
	status = slots_run(
	    paced, path, setup->keys, free_running ? "virtual" : "timer", items, what, &report);
	measured = json_object_get(json_object_get(report, "latency"), "measured_us");
	ret[0] = report_number(measured, "p50") / instances;
	ret[1] = report_number(measured, "p50");
	ret[2] = report_number(measured, "p99");
	missed_add(paced, system, report);
	return report_end(report, status);
}

static int handover_bare(struct paced *paced, const struct contest_system *system, double slots,
    double ret[CONTEST_FIGURES])
{
	struct bare_chain_times times = {0};
	const int status = bare_measure(
	    paced, CLIENTS + 2, FRAMES * sizeof(float), HANDOVER_SLOT_NS, slots, &times);

	ret[0] = times.p50 / (CLIENTS + 2);
	ret[1] = times.p50;
	ret[2] = times.p99;
	paced->missed[system - paced->contest.systems] += times.missed;
	return status;
}

static int handover_measure(struct contest *contest, const struct contest_system *system,
    const struct contest_setup *setup, const struct contest_size *size, double items,
    const char *what, double ret[CONTEST_FIGURES])
{
	struct paced *paced = contest->self;
	struct words words = {0};
	json_t *report = NULL;
	int status;

	(void)size;
	if (setup == bare)
		return handover_bare(paced, system, items, ret);
	if (!system->program)
		return handover_ours(paced, system, setup, items, what, ret);
	words_add(&words, "handover");
	words_add(&words, "clients=%d", (int)CLIENTS);
	words_add(&words, "frames=%d", (int)FRAMES);
	words_add(&words, "rate=%d", (int)RATE);
	words_add(&words, "cycles=%.0f", items);
	contest_words(&words, setup->keys);
	status = peer_run(paced->bench, system, &words, what, &report);
	ret[0] = report_number(json_object_get(report, "handover_us"), "p50");
	ret[1] = report_number(json_object_get(report, "chain_us"), "p50");
	ret[2] = report_number(json_object_get(report, "chain_us"), "p99");
	return report_end(report, status);
}

static double per_second(const struct contest *contest, const struct contest_size *size, double us)
{
	(void)contest;
	(void)size;
	return 1e6 / us;
}

/* ---- the commands ------------------------------------------------------------------------ */

struct paced_kind {
	struct contest contest; /* what is the same in each run of the command */
	const struct contest_system *peers;
	size_t n_peers;
	const struct contest_system ours[5];
	size_t p50, p99; /* which figures they are, where a bare chain is among ours */
	double items;    /* bits; 0: slots of `seconds` */
	double slot_s;
	const char *notes[3], *plot, *x;
};

static const struct paced_kind kinds[] = {
    {{.measure = chain_measure,
         .unit = "us",
         .rate_of = in_ms,
         .title = "p99 from emit to sink, in us; rate: ms",
         .more = {NULL, "p50 us", "max us"}},
        chain_peers, 1,
        {{.name = "aloe", SETUPS(one_lane)},
            {.name = "aloe none", .beside = true, SETUPS(one_shared)},
            {.name = "aloe component", .beside = true, SETUPS(one_apart)},
            {.name = "bare futex chain", .beside = true, SETUPS(bare)}},
        1, 0, 0, 1e-3,
        {"a vector of 1000 floats goes every ms through 10 copies; the time is from the source to "
         "the sink",
            "ALOE: one lane on a slot clock of 1 ms, with isolation waveform (all components in "
            "one process, as the blocks of GNU Radio), none, and component (one process per "
            "component); awake: /dev/cpu_dma_latency is held at 0, as ALOE does"},
        "Latency of a vector each ms through ten copies, p99", "p99 of the latency [us]"},
    {{.measure = throughput_measure,
         .unit = "s",
         .rate_of = megabits_of,
         .title = "times in s; rate: Mbit/s"},
        throughput_peers, 2,
        {{.name = "aloe", SETUPS(our_setups)},
            {.name = "aloe i16", .beside = true, SETUPS(our_setups)}},
        0, 0, 50e6, 0,
        {"bytes are unpacked to bits, mapped to symbols, decided and packed to bytes; ALOE: "
         "free-running clock, 16384 bits in a slot; the source sends zeros; a run with numbered "
         "bytes checks before the measurement that all bytes arrive unchanged",
            "symbols: aloe cf32 and gnuradio complex, the same type; and beside each the best of "
            "its other types, aloe i16 and gnuradio float"},
        "Time that a BPSK chain takes for the bits, as fast as possible", "time [s]"},
    {{.measure = handover_measure,
         .unit = "us",
         .rate_of = per_second,
         .title = "time for a component or client, in us; rate: in a second",
         .more = {NULL, "chain p50 us", "chain p99 us"}},
        handover_peers, 1,
        {{.name = "aloe in process", SETUPS(one_lane)},
            {.name = "aloe component", SETUPS(one_apart)},
            {.name = "aloe none", .beside = true, SETUPS(one_shared)},
            {.name = "aloe slot after slot", .beside = true, SETUPS(hot)},
            {.name = "bare futex chain", .beside = true, SETUPS(bare)}},
        1, 2, 0, HANDOVER_SLOT_NS * 1e-9,
        {"64 floats in 1.333 ms; ALOE: source, 8 copies and sink on one lane, the time from the "
         "start of the source to the end of the sink divided by 10, which includes the work of the "
         "components; JACK: the time from the end of a client's callback to the start of the next "
         "callback, 8 clients",
            "aloe component: one process per component, like the clients of JACK; in process: "
            "isolation waveform, one process for all components; none: the process of all trusted "
            "waveforms; slot after slot: one process without a clock, so the caches stay warm "
            "between slots (cold caches take most of the time otherwise)"},
        "Hand-over from one component or client to the next", "time [us]"},
};

static int options_parse(struct paced *paced, const struct paced_kind *kind)
{
	struct contest *contest = &paced->contest;
	int status;

	*contest = kind->contest;
	contest->bench = paced->bench;
	contest->self = paced;
	paced->kind = kind;
	paced->seconds = 2;
	status = contest_options(contest);
	contest->sizes[0] = (struct contest_size){1, STAGES};
	contest->n_sizes = 1;
	for (size_t i = 0; i < sizeof(kind->ours) / sizeof(kind->ours[0]) && kind->ours[i].setups;
	     i++)
		contest->systems[contest->n_systems++] = kind->ours[i];
	contest->items = kind->items;
	if (status == CLI_OK &&
	    cli_real(paced->bench->args, "seconds", 0.1, 3600, &paced->seconds) < 0)
		status = CLI_USAGE;
	if (status == CLI_OK && kind->items > 0 &&
	    cli_real(paced->bench->args, "items", 8, 1e12, &contest->items) < 0)
		status = CLI_USAGE;
	contest->items =
	    kind->items > 0 ? floor(contest->items / 8) * 8 : ceil(paced->seconds / kind->slot_s);
	contest->trial_items = contest->items;
	if (status == CLI_OK && bench_level(paced->bench, &paced->level) < 0)
		status = CLI_USAGE;
	return status == CLI_OK ? contest_peers(contest, kind->peers, kind->n_peers) : status;
}

static int chain_options(void *self)
{
	return options_parse(self, &kinds[0]);
}

static int throughput_options(void *self)
{
	return options_parse(self, &kinds[1]);
}

static int handover_options(void *self)
{
	return options_parse(self, &kinds[2]);
}

static int paced_measure(void *self)
{
	struct paced *paced = self;

	return contest_run(&paced->contest);
}

/* There is one size: systems side by side. */
static void paced_plot(struct paced *paced)
{
	const struct contest *contest = &paced->contest;
	struct plot *plot = &paced->bench->plot, over = *plot;
	json_t *spans, *means;

	*plot = (struct plot){
	    .title = paced->kind->plot, .x = paced->kind->x, .y = "system", .log_x = true};
	spans = plot_series(plot, PLOT_SPANS, "95 % interval of the mean");
	means = plot_series(plot, PLOT_ROWS, "mean of the runs");
	for (size_t i = 0; i < contest->n_systems; i++) {
		const char *name = contest->systems[i].name;
		json_t *point = json_array_get(over.series[i].points, 0);

		json_array_append_new(spans,
		    json_pack(
		        "[s, O, O]", name, json_array_get(point, 2), json_array_get(point, 3)));
		json_array_append_new(means, json_pack("[s, O]", name, json_array_get(point, 1)));
	}
	plot_fini(&over);
}

static const struct column limit_columns[] = {
    {"system", "system", COLUMN_TEXT},
    {"chain_p50_us", "chain p50 us", COLUMN_SHORT},
    {"chain_p99_us", "chain p99 us", COLUMN_SHORT},
    {"share_p50", "share of the limit, p50", 2},
    {"share_p99", "share of the limit, p99", 2},
    {"in_process_times", "p99 by that in process", COLUMN_SHORT},
    {"missed", "missed", 0},
    {"reach", "reach", 2},
    {"reached", "reached", COLUMN_TEXT},
};

/* Of those whose components are in processes of their own: the others hand nothing over. */
static bool is_apart(const struct contest_system *system)
{
	return system->setups == one_apart || system->setups == bare;
}

static void limit_row(struct paced *paced, size_t system, size_t limit)
{
	const struct contest *contest = &paced->contest;
	const struct paced_kind *kind = paced->kind;
	const struct contest_system *who = &contest->systems[system];
	const double share = contest_ratio(contest, limit, system, 0, kind->p50);
	json_t *row = json_pack("{s:s, s:f, s:f, s:f, s:f}", "system", who->name, "chain_p50_us",
	    contest_median(contest, system, 0, kind->p50), "chain_p99_us",
	    contest_median(contest, system, 0, kind->p99), "in_process_times",
	    contest_ratio(contest, system, 0, 0, kind->p99), "missed", paced->missed[system]);

	if (row && is_apart(who)) {
		json_object_set_new(row, "share_p50", json_real_or_null(share));
		json_object_set_new(row, "share_p99",
		    json_real_or_null(contest_ratio(contest, limit, system, 0, kind->p99)));
	}
	if (row && who->setups == one_apart) {
		json_object_set_new(row, "reach", json_real(LIMIT_SHARE));
		json_object_set_new(
		    row, "reached", json_string(share >= LIMIT_SHARE ? "yes" : "no"));
		paced->bench->missed |= share < LIMIT_SHARE;
	}
	bench_row(paced->bench, row);
}

/* Beside the bare chain of the same run, the last of ours. */
static void limits_table(struct paced *paced)
{
	const struct contest *contest = &paced->contest;
	size_t limit = contest->n_systems;

	while (limit > 0 && contest->systems[limit - 1].setups != bare)
		limit--;
	if (limit == 0)
		return;
	bench_table(paced->bench, "limits", "beside the bare chain of the same run", limit_columns,
	    sizeof(limit_columns) / sizeof(limit_columns[0]));
	for (size_t system = 0; system < limit; system++)
		limit_row(paced, system, limit - 1);
	bench_note(paced->bench,
	    "bare futex chain: as many processes as components, on one CPU, at the priority of "
	    "lanes: each is woken by a futex, copies the message, reads the clock twice and wakes "
	    "the next one; the first is awake before the slot; share of the limit: what this chain "
	    "takes by what the system takes, in the same round; reach: 1.1 times as much as the "
	    "bare chain at most");
	bench_note(paced->bench,
	    "p99 by that in process: for the bare chain this is what no chain of processes that "
	    "are woken one by one falls below, as each hand-over is a futex's wake-up and a "
	    "switch of the CPU; missed: slots of all rounds whose chain was not complete at the "
	    "next edge");
}

static void paced_result(void *self)
{
	struct paced *paced = self;
	const struct paced_kind *kind = paced->kind;

	if (paced->contest.done == 0)
		return;
	contest_tables(&paced->contest);
	limits_table(paced);
	for (size_t i = 0; i < sizeof(kind->notes) / sizeof(kind->notes[0]) && kind->notes[i]; i++)
		bench_note(paced->bench, "%s", kind->notes[i]);
	paced_plot(paced);
}

static void paced_fini(void *self)
{
	struct paced *paced = self;

	contest_fini(&paced->contest);
}

static int paced_main(const struct cli_args *args, int (*options)(void *self))
{
	const struct bench_parts parts = {
	    sizeof(struct paced), options, paced_measure, paced_result, paced_fini};

	return bench_main(args, &parts);
}

int bench_chain(const struct cli_args *args)
{
	return paced_main(args, chain_options);
}

int bench_throughput(const struct cli_args *args)
{
	return paced_main(args, throughput_options);
}

int bench_handover(const struct cli_args *args)
{
	return paced_main(args, handover_options);
}

/* Which of four measurements an option of the command is for. */
enum kind { OF_CHAINS = 1, OF_DAEMONS = 2, OF_VS = 4, OF_WEB = 8 };

/* What asks for these; NULL: chains are measured without being asked for. */
static const char *kind_name(unsigned of)
{
	switch (of) {
	case OF_DAEMONS:
		return "--daemons";
	case OF_VS:
		return "--vs";
	case OF_WEB:
		return "--web";
	case OF_DAEMONS | OF_WEB:
		return "--daemons or --web";
	default:
		return NULL;
	}
}

static int overhead_check(const struct cli_args *args, unsigned kind)
{
	static const struct {
		const char *option;
		unsigned kinds;
	} options[] = {
	    {"samples", OF_CHAINS},
	    {"rounds", OF_CHAINS | OF_WEB},
	    {"components", OF_CHAINS},
	    {"isolation", OF_CHAINS},
	    {"simd", OF_CHAINS | OF_VS},
	    {"slot-us", OF_CHAINS | OF_DAEMONS | OF_WEB},
	    {"cpu", OF_CHAINS | OF_DAEMONS | OF_WEB},
	    {"clock", OF_CHAINS | OF_DAEMONS | OF_WEB},
	    {"slots", OF_DAEMONS | OF_WEB},
	    {"daemons", OF_DAEMONS},
	    {"web", OF_WEB},
	    {"seconds", OF_VS},
	    {"all", OF_VS},
	    {"runs", OF_VS},
	    {"trials", OF_VS},
	    {"seed", OF_VS},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const char *own = kind_name(kind), *other = kind_name(options[i].kinds);

		if (!cli_has(args, options[i].option) || (options[i].kinds & kind))
			continue;
		return cli_fail(args, "--%s is for measurements %s %s", options[i].option,
		    own ? "without" : "with", own ? own : other);
	}
	return CLI_OK;
}

int bench_overhead_vs(const struct cli_args *args)
{
	const unsigned kind = cli_has(args, "vs") ? OF_VS
	    : cli_has(args, "daemons")            ? OF_DAEMONS
	    : cli_has(args, "web")                ? OF_WEB
	                                          : OF_CHAINS;
	const int status = overhead_check(args, kind);

	return status            ? status
	    : kind == OF_VS      ? bench_handover(args)
	    : kind == OF_DAEMONS ? bench_overhead_daemons(args)
	    : kind == OF_WEB     ? bench_overhead_web(args)
	                         : bench_overhead(args);
}
