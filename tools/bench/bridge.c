/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench bridge: messages from one node to another by the bridges of both, beside bare sockets,
 * against their length. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "tools/bench/commands.h"
#include "tools/bench/figures.h"
#include "tools/bench/run.h"
#include "tools/bench/stream.h"

enum { LENGTHS_MAX = 16, ROUNDS_MAX = 1000, WAYS = 8, NONE = WAYS };

#define REACH 0.8
#define REACH_BYTES 30000.0

/* Bare ones first. A bridge is held against the way that has the same protection, and shown beside
 * the bare socket. */
static const struct {
	const struct stream_way *way;
	int like, bare;
} ways[WAYS] = {
    {&stream_tcp, NONE, NONE},
    {&stream_udp, NONE, NONE},
    {&stream_zeromq, NONE, 0},
    {&stream_zeromq_curve, NONE, 0},
    {&stream_udp_sealed, NONE, 1},
    {&stream_bridge_tcp, 2, 0},
    {&stream_bridge_curve, 3, 0},
    {&stream_bridge_udp, 4, 1},
};

struct bridge_bench {
	struct bench *bench;
	double bytes[LENGTHS_MAX];
	size_t n_bytes;
	double seconds;
	uint64_t rounds, depth, done; /* rounds that are whole */
	bool used[WAYS];
	double wrong;
	/* messages a second, and CPU time of a message, by length, way and round */
	double rates[LENGTHS_MAX][WAYS][ROUNDS_MAX], cpu_us[LENGTHS_MAX][WAYS][ROUNDS_MAX];
};

/* ---- runs ------------------------------------------------------------------------ */

static int way_measure(struct bridge_bench *bench, size_t length, int way, uint64_t round)
{
	struct stream stream = {.dir = bench->bench->dir,
	    .bytes = (size_t)bench->bytes[length],
	    .depth = (uint32_t)bench->depth};
	struct stream_speed speed;

	progress_show(&bench->bench->progress, "round %llu of %llu, %.0f byte%s, %s",
	    (unsigned long long)round + 1, (unsigned long long)bench->rounds, bench->bytes[length],
	    plural(bench->bytes[length]), ways[way].way->name);
	if (stream_measure(ways[way].way, &stream, bench->seconds, &speed) < 0) {
		cli_fail(bench->bench->args, "%s, %.0f byte%s: %s", ways[way].way->name,
		    bench->bytes[length], plural(bench->bytes[length]), stream.why);
		return CLI_FAILED;
	}
	bench->rates[length][way][round] = speed.messages / speed.seconds;
	bench->cpu_us[length][way][round] = 1e6 * speed.cpu_s / speed.messages;
	bench->wrong += speed.wrong;
	return CLI_OK;
}

/* All ways of one length in turn: what the machine does meanwhile strikes all. */
static int measure_all(void *self)
{
	struct bridge_bench *bench = self;
	int status = CLI_OK;

	for (uint64_t round = 0; round < bench->rounds && status == CLI_OK; round++) {
		for (size_t length = 0; length < bench->n_bytes && status == CLI_OK; length++)
			for (int way = 0; way < WAYS && status == CLI_OK; way++) {
				if (bench->used[way])
					status = way_measure(bench, length, way, round);
				if (run_wait(bench->bench, NULL, 0, 0) == -EINTR)
					status = BENCH_INTERRUPTED;
			}
		bench->done += status == CLI_OK;
	}
	return status;
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column columns[] = {
    {"way", "way", COLUMN_TEXT},
    {"bytes", "bytes", 0},
    {"rounds", "rounds", 0},
    {"messages_per_s", "messages/s", 0},
    {"message_us", "us a message", 3},
    {"gbit_per_s", "Gbit/s", 3},
    {"cpu_us", "CPU us", 3},
    {"against", "against", COLUMN_TEXT},
    {"share", "share of that", 2},
    {"bare", "bare", COLUMN_TEXT},
    {"bare_share", "share of that", 2},
    {"reach", "reach", 2},
    {"reached", "reached", COLUMN_TEXT},
};

static double middle_of(const struct bridge_bench *bench, const double values[ROUNDS_MAX])
{
	double sorted[ROUNDS_MAX];

	memcpy(sorted, values, bench->done * sizeof(sorted[0]));
	return median(sorted, bench->done);
}

/* The median of the ratios of the rounds; NAN: there is nothing to be held against. */
static double share_of(const struct bridge_bench *bench, size_t length, int way, int other)
{
	double shares[ROUNDS_MAX];

	if (other == NONE || !bench->used[other])
		return NAN;
	for (uint64_t round = 0; round < bench->done; round++)
		shares[round] =
		    bench->rates[length][way][round] / bench->rates[length][other][round];
	return median(shares, bench->done);
}

static json_t *name_of(int way)
{
	return way == NONE ? json_null() : json_string(ways[way].way->name);
}

static void row_add(struct bridge_bench *bench, size_t length, int way)
{
	const double rate = middle_of(bench, bench->rates[length][way]),
	             bytes = bench->bytes[length],
	             share = share_of(bench, length, way, ways[way].like);
	const bool reaches = bytes == REACH_BYTES && !isnan(share);

	bench_row(bench->bench,
	    json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "way",
	        ways[way].way->name, "bytes", bytes, "rounds", (double)bench->done,
	        "messages_per_s", rate, "message_us", 1e6 / rate, "gbit_per_s", rate * bytes * 8e-9,
	        "cpu_us", middle_of(bench, bench->cpu_us[length][way]), "against",
	        name_of(ways[way].like), "share", json_real_or_null(share), "bare",
	        name_of(ways[way].bare), "bare_share",
	        json_real_or_null(share_of(bench, length, way, ways[way].bare)), "reach",
	        json_real_or_null(reaches ? REACH : NAN), "reached",
	        reaches ? json_string(share >= REACH ? "yes" : "no") : json_null()));
	bench->bench->missed |= reaches && share < REACH;
}

static void curve_draw(struct bridge_bench *bench, int way)
{
	json_t *points = plot_series(&bench->bench->plot, PLOT_LINE, ways[way].way->name);

	for (size_t length = 0; length < bench->n_bytes && points; length++) {
		const double gbit =
		    middle_of(bench, bench->rates[length][way]) * bench->bytes[length] * 8e-9;

		json_array_append_new(
		    points, json_pack("[f, f, f, f]", bench->bytes[length], gbit, gbit, gbit));
	}
}

static void bridge_notes(struct bridge_bench *bench)
{
	bench_note(bench->bench,
	    "from one process to another over the loopback interface; both ends have a ring of "
	    "%llu message%s, every way takes a message out of the ring of the sender and puts it "
	    "into the ring of the receiver; each figure is the median of %llu round%s of %g s, "
	    "each share the median of the ratios of the rounds",
	    (unsigned long long)bench->depth, plural((double)bench->depth),
	    (unsigned long long)bench->done, plural((double)bench->done), bench->seconds);
	bench_note(bench->bench,
	    "bridge: the program aloe-bridge on both ends, without frontend and exec; this command "
	    "takes the steps of both segments itself; the bridge repeats what is lost, and gives "
	    "the places of the ring back");
	bench_note(bench->bench,
	    "against: the same transport with the same protection and without the bridge; bare: a "
	    "socket of the kernel; CPU us: of both processes, a message; UDP: datagrams of 1472 "
	    "bytes in bursts, with a window that costs nothing, because both processes share its "
	    "counter; ZeroMQ: PUSH to PULL");
	bench_note(
	    bench->bench, "every message carries its number; wrong numbers: %.0f", bench->wrong);
}

static void bridge_result(void *self)
{
	struct bridge_bench *bench = self;
	struct plot *plot = &bench->bench->plot;

	if (bench->done == 0)
		return;
	bench_table(bench->bench, "bridge", "messages from one node to another", columns,
	    sizeof(columns) / sizeof(columns[0]));
	for (size_t length = 0; length < bench->n_bytes; length++)
		for (int way = 0; way < WAYS; way++)
			if (bench->used[way])
				row_add(bench, length, way);
	for (int way = 0; way < WAYS; way++)
		if (bench->used[way])
			curve_draw(bench, way);
	bridge_notes(bench);
	plot->title =
	    "Throughput of messages from one node to another, over the loopback interface";
	plot->x = "length [byte]";
	plot->y = "throughput [Gbit/s]";
	plot->log_x = plot->log_y = true;
	bench->bench->missed |= bench->wrong > 0;
}

/* ---- options ------------------------------------------------------------------------ */

static int way_find(const char *key, size_t len)
{
	int way = 0;

	while (way < WAYS &&
	    (strlen(ways[way].way->key) != len || strncmp(ways[way].way->key, key, len) != 0))
		way++;
	return way;
}

static int ways_parse(struct bridge_bench *bench)
{
	const char *text = cli_get(bench->bench->args, "ways");

	for (int way = 0; way < WAYS && !text; way++)
		bench->used[way] = true;
	for (const char *at = text; at; at = *at ? at + 1 : NULL) {
		const size_t len = strcspn(at, ",");
		const int way = way_find(at, len);

		if (way == NONE)
			return cli_fail(bench->bench->args,
			    "--ways %s: names separated by commas are needed, of: tcp udp zeromq "
			    "zeromq_curve udp_sealed bridge_tcp bridge_curve bridge_udp",
			    text);
		bench->used[way] = true;
		at += len;
	}
	return CLI_OK;
}

static int lengths_parse(struct bridge_bench *bench)
{
	static const double usual[] = {100, 1000, 10000, REACH_BYTES, 100000};
	const char *text = cli_get(bench->bench->args, "bytes");
	int n = sizeof(usual) / sizeof(usual[0]);

	memcpy(bench->bytes, usual, sizeof(usual));
	if (text)
		n = list_parse(text, STREAM_BYTES_MIN, STREAM_BYTES_MAX, LENGTHS_MAX, bench->bytes);
	for (int i = 0; i < n; i++)
		if (bench->bytes[i] != floor(bench->bytes[i]))
			n = -1;
	if (n < 0)
		return cli_fail(bench->bench->args,
		    "--bytes %s: different whole numbers %d .. %d are needed", text,
		    STREAM_BYTES_MIN, STREAM_BYTES_MAX);
	bench->n_bytes = (size_t)n;
	return CLI_OK;
}

static int options_parse(void *self)
{
	struct bridge_bench *bench = self;
	const struct cli_args *args = bench->bench->args;
	int status;

	bench->seconds = 0.5;
	bench->rounds = 5;
	bench->depth = STREAM_DEPTH_MAX;
	if (cli_real(args, "seconds", 0.01, 60, &bench->seconds) < 0 ||
	    cli_whole(args, "rounds", 1, ROUNDS_MAX, &bench->rounds) < 0 ||
	    cli_whole(args, "depth", 2, STREAM_DEPTH_MAX, &bench->depth) < 0)
		return CLI_USAGE;
	if ((bench->depth & (bench->depth - 1)) != 0)
		return cli_fail(args, "--depth %llu: a power of two, 2 .. %d, is needed",
		    (unsigned long long)bench->depth, STREAM_DEPTH_MAX);
	status = ways_parse(bench);
	return status == CLI_OK ? lengths_parse(bench) : status;
}

int bench_bridge(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct bridge_bench), options_parse, measure_all, bridge_result, NULL};

	return bench_main(args, &parts);
}
