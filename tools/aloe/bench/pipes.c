/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench pipes, messages: what it takes to move items, or packets, through pipes x stages, beside other schedulers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/report/report.h"
#include "tools/aloe/bench/commands.h"
#include "tools/aloe/bench/contest.h"
#include "tools/aloe/bench/figures.h"
#include "tools/aloe/bench/topology.h"

enum { SLOT_ITEMS = 4096, PACKETS_A_SLOT = 30, PACKET_BYTES = 500, ITEM_BYTES = 4 };

struct pipes {
	struct contest contest;
	struct bench *bench;
	bool messages, check;
	enum simd_level level;
};

static const struct contest_setup our_setups[] = {
    {"1 lane", 1, false, NULL},
    {"all lanes", 0, false, NULL},
    {"1 lane, FIFO", 1, true, NULL},
    {"all lanes, FIFO", 0, true, NULL},
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
};

#define SETUPS(array) array, sizeof(array) / sizeof((array)[0])

static const struct contest_system peers[] = {
    {"gnuradio", "gnuradio", 0, 20, 0, contest_gnuradio, CONTEST_GNURADIO},
    {"futuresdr", "futuresdr", 0, 2, 0, SETUPS(futuresdr_setups)},
};
static const struct contest_system message_peers[] = {
    {"gnuradio", "gnuradio", 0, 50, 0, contest_gnuradio, CONTEST_GNURADIO},
};

/* ---- ours --------------------------------------------------------------------------------------------------------------- */

static bool items_arrived(const json_t *variables, const void *wanted)
{
	return report_number(variables, "items") == *(const double *)wanted && report_number(variables, "wrong") == 0;
}

static bool packets_arrived(const json_t *variables, const void *wanted)
{
	return report_number(variables, "packets") == *(const double *)wanted &&
	       report_number(variables, "gaps") == 0 && report_number(variables, "wrong") == 0 &&
	       report_number(variables, "malformed") == 0 && report_number(variables, "done") == 1;
}

static int measure_ours(struct pipes *pipes, const struct contest_system *system, const struct contest_setup *setup,
			const struct contest_size *size, double items, const char *what, double ret[CONTEST_FIGURES])
{
	struct bench *bench = pipes->bench;
	const unsigned all = bench->n_cpus < size->pipes ? (unsigned)bench->n_cpus : size->pipes;
	const unsigned lanes = setup->lanes ? setup->lanes : all;
	char source[160], head[64], path[4096], cpus[256];
	struct topology topology = {.name = "pipes", .pipes = size->pipes, .stages = size->stages, .lanes = lanes};
	struct words words = {.fifo = setup->fifo};
	json_t *report = NULL;
	int status;

	if (pipes->messages)
		snprintf(source, sizeof(source),
			 "component = \"packet_source\"; packets = %.0f; bytes = %d; per_slot = %.0f;", items,
			 (int)PACKET_BYTES, system->slot_items);
	else
		snprintf(source, sizeof(source), "component = \"null_source\"; length = %.0f; content = \"%s\";",
			 system->slot_items, pipes->check ? "numbers" : "zeros");
	snprintf(head, sizeof(head), "component = \"head\"; items = %.0f;", items);
	topology.source = source;
	topology.head = pipes->messages ? NULL : head;
	topology.stage = pipes->messages ? "component = \"packet_forward\";" : "component = \"copy\";";
	topology.sink = pipes->messages ? (pipes->check ? "component = \"packet_sink\"; check = true;"
							: "component = \"packet_sink\";")
			: pipes->check  ? "component = \"number_check\";"
					: "component = \"null_sink\";";
	if (topology_write(bench, &topology, path, sizeof(path)) != CLI_OK)
		return CLI_FAILED;
	contest_cpus(bench, lanes, cpus, sizeof(cpus));
	words_add(&words, "%s", path);
	words_add(&words, "--clock=virtual");
	words_add(&words, "--lanes=%s", cpus);
	status = run_only(bench, &words, pipes->level, what, &report, NULL);
	if (status == CLI_OK)
		status =
		    topology_sinks(bench, &topology, report, pipes->messages ? packets_arrived : items_arrived, &items);
	*ret = report_number(report, "run_s");
	json_decref(report);
	return status;
}

/* ---- theirs ------------------------------------------------------------------------------------------------------------- */

static int measure_peer(struct pipes *pipes, const struct contest_system *system, const struct contest_setup *setup,
			const struct contest_size *size, double items, const char *what, double ret[CONTEST_FIGURES])
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

static int pipes_measure(struct contest *contest, const struct contest_system *system,
			 const struct contest_setup *setup, const struct contest_size *size, double items,
			 const char *what, double *ret)
{
	struct pipes *pipes = contest->self;

	return (system->program ? measure_peer : measure_ours)(pipes, system, setup, size, items, what, ret);
}

static double copied(const struct contest *contest, const struct contest_size *size, double seconds)
{
	return contest->items * ITEM_BYTES * size->pipes * size->stages / seconds * 1e-9;
}

static double packet_us(const struct contest *contest, const struct contest_size *size, double seconds)
{
	return seconds * 1e6 / (contest->items * size->pipes * size->stages);
}

/* ---- check -------------------------------------------------------------------------------------------------------------- */

static const struct column check_columns[] = {
    {"pipes", "pipes", 0},
    {"stages", "stages", 0},
    {"setup", "set-up", COLUMN_TEXT},
    {"slot_items", "a slot", 0},
    {"arrived", "arrived at each sink", 0},
};

/* Numbered data, with every set-up: all have to arrive as they were sent, which measure_ours sees to. */
static int check(struct pipes *pipes)
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
			status =
			    measure_ours(pipes, system, &system->setups[s], size, contest->items, "check", seconds);
			if (status == CLI_OK)
				bench_row(pipes->bench,
					  json_pack("{s:i, s:i, s:s, s:f, s:f}", "pipes", (int)size->pipes, "stages",
						    (int)size->stages, "setup", system->setups[s].name, "slot_items",
						    system->slot_items, "arrived", contest->items));
		}
	}
	return status;
}

/* ---- the commands ------------------------------------------------------------------------------------------------------- */

/* Ours once for each number of items in a slot; the first is what the others are held against. */
static int ours_add(struct pipes *pipes)
{
	struct contest *contest = &pipes->contest;
	const char *key = pipes->messages ? "packets" : "slot-items", *text = cli_get(pipes->bench->args, key);
	const double max = pipes->messages ? 4096 : 1 << 24;
	double values[6];
	char otherwise[16];
	int n;

	snprintf(otherwise, sizeof(otherwise), "%d", pipes->messages ? (int)PACKETS_A_SLOT : (int)SLOT_ITEMS);
	n = list_parse(text ? text : otherwise, 1, max, sizeof(values) / sizeof(values[0]), values);
	if (n < 0)
		return cli_fail(pipes->bench->args, "--%s %s: at most %zu different numbers 1 .. %.0f are needed", key,
				text, sizeof(values) / sizeof(values[0]), max);
	for (int i = 0; i < n; i++) {
		struct contest_system *system = &contest->systems[contest->n_systems++];

		*system = (struct contest_system){.slot_items = floor(values[i]),
						  .setups = our_setups,
						  .n_setups = sizeof(our_setups) / sizeof(our_setups[0])};
		snprintf(system->name, sizeof(system->name), n > 1 ? "aloe %.0f" : "aloe", values[i]);
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
	if (status == CLI_OK && pipes->messages)
		status = contest_peers(contest, message_peers, sizeof(message_peers) / sizeof(message_peers[0]));
	else if (status == CLI_OK)
		status = contest_peers(contest, peers, sizeof(peers) / sizeof(peers[0]));
	return status;
}

/* How fast a core copies what a slot holds, from one buffer into another: the best of many tries, in bytes a second. */
static double copy_speed(size_t bytes)
{
	uint8_t *both = aligned_alloc(64, 2 * ((bytes + 127) & ~(size_t)63));
	uint8_t *other = both ? both + ((bytes + 127) & ~(size_t)63) : NULL;
	uint64_t best = UINT64_MAX;

	if (!both)
		return NAN;
	memset(both, 1, 2 * ((bytes + 127) & ~(size_t)63));
	for (int round = 0; round < 200; round++) {
		const uint64_t began = clock_ns();
		uint64_t ns;

		for (int i = 0; i < 20; i++) {
			memcpy(i % 2 ? both : other, i % 2 ? other : both, bytes);
			__asm__ volatile("" ::: "memory");
		}
		ns = clock_ns() - began;
		best = ns < best ? ns : best;
	}
	free(both);
	return (double)bytes * 20 / (double)best * 1e9;
}

/* What of our time is copying, where a reach was missed. */
static void explain(struct pipes *pipes)
{
	struct contest *contest = &pipes->contest;
	const double bytes = contest->systems[0].slot_items * ITEM_BYTES, speed = copy_speed((size_t)bytes);

	for (size_t z = 0; z < contest->n_sizes; z++) {
		const struct contest_size *size = &contest->sizes[z];
		const unsigned copies = size->pipes * size->stages + 1, calls = copies + 1 + size->pipes;
		const unsigned lanes =
		    contest->best[0][z]->lanes ? contest->best[0][z]->lanes : (unsigned)pipes->bench->n_cpus;
		const double slots = contest->items * ITEM_BYTES / bytes,
			     copying = slots * copies * bytes / speed / lanes;
		const double mean = contest_mean(contest, 0, z);

		bench_note(pipes->bench,
			   "%u x %u: of our %.3g s copying at a core's best (%.0f GB/s) is %.3g s on %u lane%s; what "
			   "is left is "
			   "%.0f ns for each of a slot's %u calls: the engine, and data that come from the other core",
			   size->pipes, size->stages, mean, speed * 1e-9, copying, lanes, lanes == 1 ? "" : "s",
			   (mean - copying) * lanes / slots / calls * 1e9, calls);
	}
}

static void notes(struct pipes *pipes)
{
	struct bench *bench = pipes->bench;

	if (pipes->messages)
		bench_note(
		    bench,
		    "%.0f packets of %d bytes, queued before the start, then \"done\"; every stage looks at length and "
		    "number of each and sends it on; ours copies the bytes, GNU Radio passes a pointer on",
		    pipes->contest.items, (int)PACKET_BYTES);
	else
		bench_note(
		    bench,
		    "%.0f floats, one source and head for all pipes; every stage copies every byte into another "
		    "buffer; "
		    "ours: a free-running clock, %.0f items in a slot, one slot through all stages of a pipe before "
		    "the next: two buffers of %.0f KiB stay in a core's first cache if they fit",
		    pipes->contest.items, pipes->contest.systems[0].slot_items,
		    pipes->contest.systems[0].slot_items * ITEM_BYTES / 1024);
	if (!pipes->messages && bench->missed)
		explain(pipes);
	bench_note(bench,
		   "every sink of every run was seen to have got all of them; ours from the start to the last sink's "
		   "end, the others until their run returns or their last sink is done");
	bench->plot.title = pipes->messages ? "packets through pipes x stages" : "floats through pipes x stages";
	bench->plot.x = "pipes x stages";
	bench->plot.y = "time [s]";
	bench->plot.log_x = bench->plot.log_y = true;
}

static int bench_both(const struct cli_args *args, bool messages)
{
	struct bench bench;
	struct pipes *pipes = calloc(1, sizeof(*pipes));
	int status = pipes ? bench_begin(&bench, args) : CLI_FAILED;

	if (status != CLI_OK) {
		free(pipes);
		return status;
	}
	pipes->bench = &bench;
	pipes->messages = messages;
	pipes->contest = (struct contest){.bench = &bench, .measure = pipes_measure, .self = pipes, .unit = "s"};
	pipes->contest.title =
	    messages ? "times in s; rate: us a packet and stage" : "times in s; rate: GB/s that the stages copy";
	pipes->contest.rate_of = messages ? packet_us : copied;
	status = options_parse(pipes);
	if (status == CLI_OK && pipes->check)
		status = check(pipes);
	else if (status == CLI_OK)
		status = contest_run(&pipes->contest);
	if (status == CLI_OK && !pipes->check) {
		contest_tables(&pipes->contest);
		notes(pipes);
	}
	contest_fini(&pipes->contest);
	status = bench_end(&bench, status);
	free(pipes);
	return status;
}

int bench_pipes(const struct cli_args *args)
{
	return bench_both(args, false);
}

int bench_messages(const struct cli_args *args)
{
	return bench_both(args, true);
}
