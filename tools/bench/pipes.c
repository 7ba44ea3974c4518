/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench pipes, messages: what it takes to move items, or packets, through pipes x stages,
 * beside other schedulers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/report/report.h"
#include "tools/bench/commands.h"
#include "tools/bench/contest.h"
#include "tools/bench/copying.h"
#include "tools/bench/figures.h"
#include "tools/bench/topology.h"

enum {
	PACKETS_A_SLOT = 20,
	PACKET_BYTES = 500,
	ITEM_BYTES = 4,
	PLACES = 3,
	SWEEP_MAX = 8,
	MESSAGES_SETUPS = 4 /* of ours: the first ones */
};

struct pipes {
	struct bench *bench;
	struct contest contest;
	bool messages, check;
	enum simd_level level;
};

#define SOURCES "sources=1"

static const struct contest_setup our_setups[] = {
    {"1 lane", 1, false, NULL},
    {"all lanes", 0, false, NULL},
    {"1 lane, FIFO", 1, true, NULL},
    {"all lanes, FIFO", 0, true, NULL},
    {"all lanes, a source each", 0, false, SOURCES},
    {"all lanes, a source each, FIFO", 0, true, SOURCES},
};

static const struct contest_setup futuresdr_setups[] = {
    {"smol", 0, false, ""},
    {"smol, pinned", 0, false, "pin=1"},
    {"flow", 0, false, "flow=1"},
    {"flow, pinned", 0, false, "flow=1 pin=1"},
    {"smol, FIFO", 0, false, "fifo=1"},
    {"smol, FIFO, pinned", 0, false, "fifo=1 pin=1"},
    {"flow, FIFO", 0, false, "flow=1 fifo=1"},
    {"flow, FIFO, pinned", 0, false, "flow=1 fifo=1 pin=1"},
    {"smol, FIFO, one core", 0, false, "fifo=1 cpus=1"},
    {"smol, FIFO, pinned, a source each", 0, false, "fifo=1 pin=1 " SOURCES},
    {"flow, FIFO, a source each", 0, false, "fifo=1 flow=1 " SOURCES},
    {"flow, FIFO, pinned, a source each", 0, false, "fifo=1 flow=1 pin=1 " SOURCES},
    {"local domains, a source each", 0, false, "local=1"},
    {"local domains, FIFO, a source each", 0, false, "fifo=1 local=1"},
};
static const struct contest_setup gnuradio_setups[] = {
    {"normal", 0, false, ""},
    {"normal, pinned", 0, false, "pin=1"},
    {"normal, one core", 0, false, "cpus=1"},
    {"FIFO", 0, false, "fifo=1"},
    {"FIFO, pinned", 0, false, "fifo=1 pin=1"},
    {"FIFO, one core", 0, false, "fifo=1 cpus=1"},
    {"FIFO, a source each", 0, false, "fifo=1 " SOURCES},
    {"FIFO, pinned, a source each", 0, false, "fifo=1 pin=1 " SOURCES},
};
static const struct contest_setup bare_setups[] = {{"as aloe", 0, false, NULL}};

#define SETUPS(array) .setups = array, .n_setups = sizeof(array) / sizeof((array)[0])

static const struct contest_system peers[] = {
    {.name = "gnuradio", .program = "gnuradio", .reach = 20, SETUPS(gnuradio_setups)},
    {.name = "futuresdr", .program = "futuresdr", .reach = 2, SETUPS(futuresdr_setups)},
};
/* What no system can be below: its time is a share of ours. */
static const struct contest_system bare = {
    .name = "copying", .program = "", .reach = 0.85, SETUPS(bare_setups)};
static const struct contest_system message_peers[] = {
    {"gnuradio", "gnuradio", 0, 50, 0, contest_gnuradio, CONTEST_GNURADIO, false},
};

/* ---- ours ------------------------------------------------------------------------ */

static bool items_arrived(const json_t *variables, const void *wanted)
{
	return report_number(variables, "items") == *(const double *)wanted &&
	    report_number(variables, "wrong") == 0;
}

static bool packets_arrived(const json_t *variables, const void *wanted)
{
	return report_number(variables, "packets") == *(const double *)wanted &&
	    report_number(variables, "gaps") == 0 && report_number(variables, "wrong") == 0 &&
	    report_number(variables, "malformed") == 0 && report_number(variables, "done") == 1;
}

static unsigned lanes_of(
    const struct bench *bench, const struct contest_setup *setup, const struct contest_size *size)
{
	const unsigned all = bench->n_cpus < size->pipes ? (unsigned)bench->n_cpus : size->pipes;

	return setup->lanes ? setup->lanes : all;
}

static int measure_ours(struct pipes *pipes, const struct contest_system *system,
    const struct contest_setup *setup, const struct contest_size *size, double items,
    const char *what, double ret[CONTEST_FIGURES])
{
	struct bench *bench = pipes->bench;
	const unsigned lanes = lanes_of(bench, setup, size);
	char source[160], head[64], path[4096], cpus[256];
	struct topology topology = {.name = "pipes",
	    .pipes = size->pipes,
	    .stages = size->stages,
	    .lanes = lanes,
	    .sources = setup->keys != NULL};
	struct words words = {.fifo = setup->fifo};
	json_t *report = NULL;
	int status;

	if (pipes->messages)
		snprintf(source, sizeof(source),
		    "component = \"packet_source\"; packets = %.0f; bytes = %d; per_slot = %.0f;",
		    items, (int)PACKET_BYTES, system->slot_items);
	else
		snprintf(source, sizeof(source),
		    "component = \"null_source\"; length = %.0f; content = \"%s\";",
		    system->slot_items, pipes->check ? "numbers" : "zeros");
	snprintf(head, sizeof(head), "component = \"head\"; items = %.0f;", items);
	topology.source = source;
	topology.head = pipes->messages ? NULL : head;
	topology.stage =
	    pipes->messages ? "component = \"packet_forward\";" : "component = \"copy\";";
	topology.sink = pipes->messages
	    ? (pipes->check ? "component = \"packet_sink\"; check = true;"
	                    : "component = \"packet_sink\";")
	    : pipes->check ? "component = \"number_check\";"
	                   : "component = \"null_sink\";";
	if (topology_write(bench, &topology, path, sizeof(path)) != CLI_OK)
		return CLI_FAILED;
	bench_cpus_write(bench, lanes, cpus, sizeof(cpus));
	words_add(&words, "%s", path);
	words_add(&words, "--clock=virtual");
	words_add(&words, "--lanes=%s", cpus);
	status = run_only(bench, &words, pipes->level, what, &report, NULL);
	if (status == CLI_OK)
		status = topology_sinks(bench, &topology, report,
		    pipes->messages ? packets_arrived : items_arrived, &items);
	*ret = report_number(report, "run_s");
	json_decref(report);
	return status;
}

/* ---- theirs ------------------------------------------------------------------------ */

static int measure_peer(struct pipes *pipes, const struct contest_system *system,
    const struct contest_setup *setup, const struct contest_size *size, double items,
    const char *what, double ret[CONTEST_FIGURES])
{
	struct words words = {0};
	json_t *report = NULL;
	double arrived;
	int status;

	words_add(&words, "%s", pipes->messages ? "messages" : "pipes");
	words_add(&words, "pipes=%u", size->pipes);
	words_add(&words, "stages=%u", size->stages);
	words_add(&words, "items=%.0f", items);
	words_add(&words, "bytes=%d", (int)PACKET_BYTES);
	contest_words(&words, setup->keys);
	status = peer_run(pipes->bench, system, &words, what, &report);
	*ret = report_number(report, "seconds");
	arrived = report_number(report, "arrived");
	json_decref(report);
	if (status == CLI_OK && (arrived != items || !(*ret > 0))) {
		fprintf(stderr, "%s: of %.0f only %.0f have arrived\n", what, items, arrived);
		status = CLI_FAILED;
	}
	return status;
}

/* ---- the limit ------------------------------------------------------------------------ */

static unsigned bare_lane(const struct copying *copying, unsigned pipe)
{
	const struct topology topology = {.pipes = copying->pipes, .lanes = copying->lanes};

	return topology_lane(&topology, pipe);
}

/* On the cores, with the priority and the messages of ours at this size. */
static int measure_bare(struct pipes *pipes, const struct contest_size *size, double items,
    const char *what, double ret[CONTEST_FIGURES])
{
	const struct contest *contest = &pipes->contest;
	const struct contest_setup *setup = contest->best[0][size - contest->sizes];
	const double slot_items = contest->systems[0].slot_items;
	const struct copying copying = {
	    .pipes = size->pipes,
	    .stages = size->stages,
	    .lanes = lanes_of(pipes->bench, setup, size),
	    .sources = setup->keys != NULL,
	    .fifo = setup->fifo,
	    .cpus = pipes->bench->cpus,
	    .bytes = (size_t)slot_items * ITEM_BYTES,
	    .messages = (uint64_t)ceil(items / slot_items),
	    .kernels = move_kernels(pipes->level),
	    .lane_of = bare_lane,
	};

	*ret = copying_run(&copying);
	if (*ret > 0)
		return CLI_OK;
	fprintf(stderr, "%s: the bare loop cannot have its cores\n", what);
	return CLI_FAILED;
}

static int pipes_measure(struct contest *contest, const struct contest_system *system,
    const struct contest_setup *setup, const struct contest_size *size, double items,
    const char *what, double *ret)
{
	struct pipes *pipes = contest->self;

	if (system->setups == bare_setups)
		return measure_bare(pipes, size, items, what, ret);
	return (system->program ? measure_peer : measure_ours)(
	    pipes, system, setup, size, items, what, ret);
}

static double gigabytes_copied(
    const struct contest *contest, const struct contest_size *size, double seconds)
{
	return contest->items * ITEM_BYTES * size->pipes * size->stages / seconds * 1e-9;
}

static double packet_us(
    const struct contest *contest, const struct contest_size *size, double seconds)
{
	return seconds * 1e6 / (contest->items * size->pipes * size->stages);
}

/* ---- check ------------------------------------------------------------------------ */

static const struct column check_columns[] = {
    {"pipes", "pipes", 0},
    {"stages", "stages", 0},
    {"setup", "set-up", COLUMN_TEXT},
    {"slot_items", "a slot", 0},
    {"arrived", "arrived at each sink", 0},
};

/* Numbered data, with every set-up: all have to arrive as they were sent, which measure_ours sees
 * to. */
static int items_check(struct pipes *pipes)
{
	struct contest *contest = &pipes->contest;
	int status = CLI_OK;

	bench_table(pipes->bench, "check",
	    pipes->messages ? "packets that arrived as they were sent, in order"
	                    : "items that arrived as they were sent, in order",
	    check_columns, sizeof(check_columns) / sizeof(check_columns[0]));
	for (size_t i = 0; i < contest->n_sizes * contest->n_systems && status == CLI_OK; i++) {
		const struct contest_size *size = &contest->sizes[i % contest->n_sizes];
		const struct contest_system *system = &contest->systems[i / contest->n_sizes];

		for (size_t s = 0; s < system->n_setups && status == CLI_OK; s++) {
			double seconds[CONTEST_FIGURES];

			if (system->program)
				continue;
			status = measure_ours(pipes, system, &system->setups[s], size,
			    contest->items, "check", seconds);
			if (status == CLI_OK)
				bench_row(pipes->bench,
				    json_pack("{s:i, s:i, s:s, s:f, s:f}", "pipes",
				        (int)size->pipes, "stages", (int)size->stages, "setup",
				        system->setups[s].name, "slot_items", system->slot_items,
				        "arrived", contest->items));
		}
	}
	return status;
}

/* ---- the commands ------------------------------------------------------------------------ */

static double first_cache(void)
{
	const long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);

	return bytes > 0 ? (double)bytes : 32768;
}

/* What lets three messages stay in a core's first cache, beside 3 KiB of the engine's: that is
 * where the throughput has its top (--slot-items with several shows it). */
static double slot_items_default(void)
{
	return fmax(64, floor((first_cache() - 3072) / PLACES / ITEM_BYTES / 64) * 64);
}

/* Ours once for each number of items in a slot; the first is what the others are held against. */
static int ours_add(struct pipes *pipes)
{
	struct contest *contest = &pipes->contest;
	const char *key = pipes->messages ? "packets" : "slot-items",
	           *text = cli_get(pipes->bench->args, key);
	const double max = pipes->messages ? 4096 : 1 << 24;
	double values[SWEEP_MAX];
	char otherwise[16];
	int n;

	snprintf(otherwise, sizeof(otherwise), "%.0f",
	    pipes->messages ? PACKETS_A_SLOT : slot_items_default());
	n = list_parse(text ? text : otherwise, 1, max, sizeof(values) / sizeof(values[0]), values);
	if (n < 0)
		return cli_fail(pipes->bench->args,
		    "--%s %s: at most %zu different numbers 1 .. %.0f are needed", key, text,
		    sizeof(values) / sizeof(values[0]), max);
	for (int i = 0; i < n; i++) {
		struct contest_system *system = &contest->systems[contest->n_systems++];

		*system = (struct contest_system){.slot_items = floor(values[i]),
		    .setups = our_setups,
		    .n_setups = pipes->messages ? MESSAGES_SETUPS
		                                : sizeof(our_setups) / sizeof(our_setups[0])};
		snprintf(
		    system->name, sizeof(system->name), n > 1 ? "aloe %.0f" : "aloe", values[i]);
	}
	return CLI_OK;
}

static int options_parse(struct pipes *pipes)
{
	struct contest *contest = &pipes->contest;
	int status = contest_options(contest);

	contest->items = pipes->messages ? 1e5 : 1e8;
	pipes->check = cli_has(pipes->bench->args, "check");
	if (status == CLI_OK && cli_real(pipes->bench->args, "items", 1, 1e12, &contest->items) < 0)
		status = CLI_USAGE;
	contest->items = floor(contest->items);
	contest->trial_items = fmax(1, floor(contest->items / 4));
	if (status == CLI_OK)
		status = contest_sizes(contest, "1,2,3,4,5,6,7,8,9,10,20");
	if (status == CLI_OK && bench_level(pipes->bench, &pipes->level) < 0)
		status = CLI_USAGE;
	if (status == CLI_OK)
		status = ours_add(pipes);
	if (status == CLI_OK && !pipes->messages && !cli_has(pipes->bench->args, "all"))
		contest->systems[contest->n_systems++] = bare;
	if (status == CLI_OK && pipes->messages)
		status = contest_peers(
		    contest, message_peers, sizeof(message_peers) / sizeof(message_peers[0]));
	else if (status == CLI_OK)
		status = contest_peers(contest, peers, sizeof(peers) / sizeof(peers[0]));
	return status;
}

/* ---- what it stands on ---- */

/* How many calls of each slot the lane has that has most: the first has source and head, but fewer
 * pipes where they differ. */
static unsigned calls_of(
    const struct bench *bench, const struct contest_setup *setup, const struct contest_size *size)
{
	const unsigned lanes = lanes_of(bench, setup, size), uneven = size->pipes % lanes > 0;
	const bool heads = !uneven || setup->keys != NULL;

	return (size->pipes / lanes + uneven) * (size->stages + 1) + 2 * heads;
}

static const struct column limit_columns[] = {
    {"pipes", "pipes", 0},
    {"stages", "stages", 0},
    {"lanes", "lanes", 0},
    {"ours", "ours, median", COLUMN_SHORT},
    {"copying", "the limit, median", COLUMN_SHORT},
    {"share", "share of the limit, %", 0},
    {"call_ns", "rest, ns a call", COLUMN_SHORT},
    {"most", "x gnuradio at most", COLUMN_SHORT},
};

static size_t system_find(const struct contest *contest, const char *name)
{
	size_t i = 0;

	while (i < contest->n_systems && strcmp(contest->systems[i].name, name) != 0)
		i++;
	return i;
}

static void limit_row(struct pipes *pipes, size_t z, size_t limit)
{
	const struct contest *contest = &pipes->contest;
	const struct contest_size *size = &contest->sizes[z];
	const struct contest_setup *setup = contest->best[0][z];
	const size_t gnuradio = system_find(contest, "gnuradio");
	const double slots = contest->items / contest->systems[0].slot_items,
	             ours = contest_median(contest, 0, z, 0),
	             copying = contest_median(contest, limit, z, 0);

	bench_row(pipes->bench,
	    json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:o}", "pipes", (int)size->pipes,
	        "stages", (int)size->stages, "lanes", (int)lanes_of(pipes->bench, setup, size),
	        "ours", ours, "copying", copying, "share",
	        100 * contest_ratio(contest, limit, 0, z, 0), "call_ns",
	        (ours - copying) / slots / calls_of(pipes->bench, setup, size) * 1e9, "most",
	        json_real_or_null(gnuradio < contest->n_systems
	                ? contest_ratio(contest, gnuradio, limit, z, 0)
	                : NAN)));
}

/* How near our time is to what copying alone takes, which no engine can be below. */
static void limits_table(struct pipes *pipes)
{
	struct contest *contest = &pipes->contest;
	const size_t limit = system_find(contest, bare.name);
	const double bytes = contest->systems[0].slot_items * ITEM_BYTES;

	if (limit == contest->n_systems)
		return;
	bench_table(pipes->bench, "limits", "share of the limit, a bare copying loop; times in s",
	    limit_columns, sizeof(limit_columns) / sizeof(limit_columns[0]));
	for (size_t z = 0; z < contest->n_sizes; z++)
		limit_row(pipes, z, limit);
	bench_note(pipes->bench,
	    "copying: in the same rounds a bare loop fills and copies messages of %.1f KiB between "
	    "the same buffers with the kernels of the components, on the same cores, with the "
	    "same priority and the same number of sources as ALOE at this size, and does nothing "
	    "else; of the engine are the calls, the checks of messages, counts and times, and "
	    "the gates of lanes; x gnuradio at most: the ratio of the loop; share and ratio are "
	    "medians of those of the rounds",
	    bytes / 1024);
}

static const struct column sweep_columns[] = {
    {"pipes", "pipes", 0},
    {"stages", "stages", 0},
    {"slot_items", "items a slot", 0},
    {"kib", "three messages, KiB", COLUMN_SHORT},
    {"setup", "best set-up", COLUMN_TEXT},
    {"mean", "mean s", COLUMN_SHORT},
    {"rate", "GB/s", COLUMN_SHORT},
    {"best", "best", COLUMN_TEXT},
};

static void sweep_row(struct pipes *pipes, size_t z, size_t system, size_t best, json_t *points)
{
	const struct contest *contest = &pipes->contest;
	const struct contest_size *size = &contest->sizes[z];
	const double items = contest->systems[system].slot_items,
	             mean = contest_mean(contest, system, z),
	             rate = contest->rate_of(contest, size, mean);

	bench_row(pipes->bench,
	    json_pack("{s:i, s:i, s:f, s:f, s:s, s:f, s:f, s:s}", "pipes", (int)size->pipes,
	        "stages", (int)size->stages, "slot_items", items, "kib",
	        PLACES * items * ITEM_BYTES / 1024, "setup", contest->best[system][z]->name, "mean",
	        mean, "rate", rate, "best", system == best ? "<-" : ""));
	if (points)
		json_array_append_new(points, json_pack("[f, f, f, f]", items, rate, rate, rate));
}

/* Ours by their items in a slot, least first. */
static void sweep_order(const struct contest *contest, size_t n_ours, size_t ret[SWEEP_MAX])
{
	for (size_t i = 0; i < n_ours; i++) {
		size_t at = i;

		for (; at > 0 &&
		     contest->systems[ret[at - 1]].slot_items > contest->systems[i].slot_items;
		     at--)
			ret[at] = ret[at - 1];
		ret[at] = i;
	}
}

/* Of several numbers of items in a slot: throughput against them, which is also what is drawn. */
static void sweep_table(struct pipes *pipes, size_t n_ours)
{
	struct contest *contest = &pipes->contest;
	struct plot *plot = &pipes->bench->plot;
	size_t order[SWEEP_MAX] = {0};

	sweep_order(contest, n_ours, order);
	bench_table(pipes->bench, "slot_items", "throughput against the items in a slot",
	    sweep_columns, sizeof(sweep_columns) / sizeof(sweep_columns[0]));
	plot_fini(plot);
	*plot = (struct plot){0};
	for (size_t z = 0; z < contest->n_sizes; z++) {
		char title[40];
		size_t best = 0;
		json_t *points;

		snprintf(title, sizeof(title), "%u x %u", contest->sizes[z].pipes,
		    contest->sizes[z].stages);
		points = plot_series(plot, PLOT_LINE, title);
		for (size_t i = 1; i < n_ours; i++)
			if (contest_mean(contest, i, z) < contest_mean(contest, best, z))
				best = i;
		for (size_t i = 0; i < n_ours; i++)
			sweep_row(pipes, z, order[i], best, points);
	}
	plot->title = "Throughput of floats through pipes x stages, by what a slot holds";
	plot->bars = "of the mean of the runs";
	plot->x = "items in a slot";
	plot->y = "copied by the stages [GB/s]";
	plot->log_x = true;
}

static size_t ours_count(const struct contest *contest)
{
	size_t n = 0;

	while (n < contest->n_systems && !contest->systems[n].program)
		n++;
	return n;
}

static void pipes_notes(struct pipes *pipes)
{
	struct bench *bench = pipes->bench;

	if (pipes->messages)
		bench_note(bench,
		    "%.0f packet%s of %d bytes are queued before the start, then \"done\"; every "
		    "stage looks at the length and the number of each packet and sends the packet "
		    "on; ALOE copies the bytes, and GNU Radio passes a pointer on",
		    pipes->contest.items, plural(pipes->contest.items), (int)PACKET_BYTES);
	else
		bench_note(bench,
		    "%.0f float%s, one source and one head for all pipes (\"a source each\": for "
		    "each lane of ALOE, for each pipe of the others); every stage copies every "
		    "byte into another buffer; ALOE has a free-running clock with %.0f item%s in a "
		    "slot and takes one slot through all stages of a pipe before the next slot: "
		    "the stages of a pipe alternate between two buffers, head has a third, and "
		    "these %.0f KiB of %.0f KiB stay in the first cache of a core",
		    pipes->contest.items, plural(pipes->contest.items),
		    pipes->contest.systems[0].slot_items,
		    plural(pipes->contest.systems[0].slot_items),
		    pipes->contest.systems[0].slot_items * ITEM_BYTES * PLACES / 1024,
		    first_cache() / 1024);
	bench_note(bench,
	    "every sink of every run received all items; the time of ALOE is from the start to the "
	    "end of the last sink, and the time of the other systems ends when the run returns or "
	    "the last sink is done");
	bench->plot.title = plot_text(&bench->plot, "Time that %.0f %s take through pipes x stages",
	    pipes->contest.items, pipes->messages ? "packets" : "floats");
	bench->plot.bars = "mean of the runs, bars: 95 % interval of the mean";
	bench->plot.x = "pipes x stages";
	bench->plot.y = "time [s]";
	bench->plot.log_x = bench->plot.log_y = true;
	if (!pipes->messages && !pipes->contest.all && ours_count(&pipes->contest) > 1)
		sweep_table(pipes, ours_count(&pipes->contest));
	if (!pipes->messages)
		limits_table(pipes);
}

static int pipes_begin(struct pipes *pipes, bool messages)
{
	pipes->messages = messages;
	pipes->contest = (struct contest){
	    .bench = pipes->bench, .measure = pipes_measure, .self = pipes, .unit = "s"};
	pipes->contest.title = messages ? "times in s; rate: us a packet and stage"
	                                : "times in s; rate: GB/s that the stages copy";
	pipes->contest.rate_of = messages ? packet_us : gigabytes_copied;
	return options_parse(pipes);
}

static int pipes_options(void *self)
{
	return pipes_begin(self, false);
}

static int messages_options(void *self)
{
	return pipes_begin(self, true);
}

static int pipes_run(void *self)
{
	struct pipes *pipes = self;

	return pipes->check ? items_check(pipes) : contest_run(&pipes->contest);
}

static void pipes_result(void *self)
{
	struct pipes *pipes = self;

	if (pipes->check || pipes->contest.done == 0)
		return;
	contest_tables(&pipes->contest);
	pipes_notes(pipes);
}

static void pipes_fini(void *self)
{
	struct pipes *pipes = self;

	contest_fini(&pipes->contest);
}

static int pipes_main(const struct cli_args *args, int (*options)(void *self))
{
	const struct bench_parts parts = {
	    sizeof(struct pipes), options, pipes_run, pipes_result, pipes_fini};

	return bench_main(args, &parts);
}

int bench_pipes(const struct cli_args *args)
{
	return pipes_main(args, pipes_options);
}

int bench_messages(const struct cli_args *args)
{
	return pipes_main(args, messages_options);
}
