/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/bpsk_lanes.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/kernels/move.h"
#include "core/report/report.h"
#include "tools/bench/conf.h"
#include "tools/bench/figures.h"
#include "tools/bench/run.h"

enum { PAIRS_MAX = 99, PATH = 4096, LANES = 2, PLACES = 3, PIECE = 4096 };

/* about how long a run takes, and what the chain takes, to know how many slots that are */
#define RUN_NS 2e8
#define GUESS_SLOT_NS 300.0
#define GUESS_BIT_NS 0.2
#define REACH 1.8

static const struct replicas {
	const char *name, *ends, *middle; /* source and sink; mod and demod */
} ways[] = {
    {"-", "", ""},
    {"mod, demod 2", "", "replicas = 2;"},
    {"all 2", "replicas = 2;", "replicas = 2;"},
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

int bpsk_write(const struct bench *bench, const char *name, const char *more, const char *ends,
    const char *middle, char *ret_path, size_t size)
{
	char text[1024];

	snprintf(text, sizeof(text),
	    "name = \"bench-bpsk\";\nslot_ns = 1000000;\n%sinstances: {\n"
	    "\tsource: { component = \"random_source\"; length = 1000; %s };\n"
	    "\tmod: { component = \"bpsk_mod\"; output = \"i16\"; %s };\n"
	    "\tdemod: { component = \"bpsk_demod\"; %s };\n"
	    "\tsink: { component = \"null_sink\"; %s };\n};\n"
	    "links = (\"source -> mod -> demod -> sink\");\n",
	    more, ends, middle, middle, ends);
	return conf_write(bench, name, text, ret_path, size);
}

/* ---- the bare loop ------------------------------------------------------------------------ */

/* What a slot must at least move: the bits are written, and read to be modulated; of each a symbol
 * of two bytes is written, and read to be decided; the decisions are written where the bits were,
 * as in a chain of the engine, whose messages share two places. The bytes are cleared and copied by
 * core/kernels/move, piece by piece, so that what is copied twice is in the first cache the second
 * time. At ordinary priority, which is that of lanes on the virtual clock. */
struct bare_core {
	const struct move_kernels *move;
	uint8_t *bits, *symbols;
	size_t n; /* bits, of a byte each */
	uint64_t rounds;
	atomic_int *ready;
	int wanted;
	uint64_t began_ns, ended_ns;
};

static void slot_move(const struct bare_core *bare)
{
	const struct move_kernels *move = bare->move;

	move->clear(bare->bits, bare->n);
	for (size_t at = 0; at < bare->n; at += PIECE) {
		const size_t bytes = bare->n - at < PIECE ? bare->n - at : PIECE;

		move->copy(bare->symbols + 2 * at, bare->bits + at, bytes);
		move->copy(bare->symbols + 2 * at + bytes, bare->bits + at, bytes);
	}
	for (size_t at = 0; at < bare->n; at += PIECE) {
		const size_t bytes = bare->n - at < PIECE ? bare->n - at : PIECE;

		move->copy(bare->bits + at, bare->symbols + 2 * at, bytes);
		move->copy(bare->bits + at, bare->symbols + 2 * at + bytes, bytes);
	}
	__asm__ volatile("" ::: "memory");
}

static void *bare_main(void *self)
{
	struct bare_core *bare = self;

	atomic_fetch_add(bare->ready, 1);
	while (atomic_load(bare->ready) < bare->wanted)
		;
	bare->began_ns = clock_ns();
	for (uint64_t r = 0; r < bare->rounds; r++)
		slot_move(bare);
	bare->ended_ns = clock_ns();
	return NULL;
}

static bool bare_start(const struct bench *bench, size_t i, struct bare_core *bare, pthread_t *ret)
{
	const size_t place = (bare->n + 63) & ~(size_t)63;
	pthread_attr_t attr;
	cpu_set_t set;
	bool started;

	bare->bits = aligned_alloc(64, PLACES * place);
	if (!bare->bits)
		return false;
	memset(bare->bits, 0, PLACES * place); /* all pages are there before */
	bare->symbols = bare->bits + place;
	CPU_ZERO(&set);
	CPU_SET((size_t)bench->cpus[i], &set);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	started = pthread_create(ret, &attr, bare_main, bare) == 0;
	pthread_attr_destroy(&attr);
	return started;
}

/* Of the bits of so many slots each of n cores has its part, in slots of n times as many bits, as
 * chain_time has: ns for a slot of `bits`; NAN: not measured. */
static double bare_time(const struct bpsk_lanes *lanes, size_t cores, uint64_t bits, uint64_t slots)
{
	struct bare_core bare[LANES];
	pthread_t threads[LANES];
	uint64_t began = UINT64_MAX, ended = 0;
	atomic_int ready = 0;
	size_t n = 0;

	for (; n < cores; n++) {
		bare[n] = (struct bare_core){.move = move_kernels(lanes->level),
		    .n = cores * (size_t)bits,
		    .rounds = slots / (cores * cores),
		    .ready = &ready,
		    .wanted = (int)cores};
		if (!bare_start(lanes->bench, n, &bare[n], &threads[n]))
			break;
	}
	if (n < cores) /* let those go that wait for it */
		atomic_fetch_add(&ready, (int)cores);
	for (size_t i = 0; i < n; i++) {
		pthread_join(threads[i], NULL);
		began = bare[i].began_ns < began ? bare[i].began_ns : began;
		ended = bare[i].ended_ns > ended ? bare[i].ended_ns : ended;
	}
	for (size_t i = 0; i < cores && i <= n; i++)
		free(bare[i].bits);
	return n == cores ? (double)(ended - began) / (double)slots : NAN;
}

/* ---- the engine ------------------------------------------------------------------------ */

/* ns for a slot of `bits`, of which each on two lanes has twice as many; NAN and *ret_status
 * otherwise. */
static double chain_time(const struct bpsk_lanes *lanes, const char *path, size_t n, uint64_t bits,
    uint64_t slots, int *ret_status)
{
	struct words words = {0};
	json_t *report = NULL;
	char cpus[64], what[80];
	double ns = NAN;

	bench_cpus_write(lanes->bench, n, cpus, sizeof(cpus));
	words_add(&words, "%s", path);
	words_add(&words, "--set=source.length=%" PRIu64, n * bits);
	words_add(&words, "--clock=virtual");
	words_add(&words, "--lanes=%s", cpus);
	words_add(&words, "--slots=%" PRIu64, slots / n);
	snprintf(what, sizeof(what), "%zu lane%s, slot after slot, %" PRIu64 " bit", n, plural(n),
	    n * bits);
	*ret_status = run_only(lanes->bench, &words, lanes->level, what, &report, NULL);
	if (*ret_status == CLI_OK)
		ns = report_number(report, "run_s") * 1e9 / (double)(slots / n * n);
	json_decref(report);
	return ns;
}

struct way_times { /* of one way */
	double one[PAIRS_MAX], two[PAIRS_MAX], times[PAIRS_MAX], bare[PAIRS_MAX], share[PAIRS_MAX];
	size_t n;
};

static int pair_run(const struct bpsk_lanes *lanes, char (*paths)[PATH], size_t way, uint64_t bits,
    uint64_t slots, struct way_times *side)
{
	int status;
	const double one = chain_time(lanes, paths[0], 1, bits, slots, &status),
	             two = status == CLI_OK
	    ? chain_time(lanes, paths[way], LANES, bits, slots, &status)
	    : NAN;
	const double bare = bare_time(lanes, 1, bits, slots) / bare_time(lanes, LANES, bits, slots);

	if (status != CLI_OK)
		return status;
	side->one[side->n] = one * 1e-3;
	side->two[side->n] = two * 1e-3;
	side->times[side->n] = one / two;
	side->bare[side->n] = bare;
	side->share[side->n] = 100 * one / two / bare;
	side->n++;
	return CLI_OK;
}

/* Two lanes reach it where every instance is on both. A machine whose bare loop does not reach it
 * cannot have it: then the limit is said. */
static void row_add(
    struct bpsk_lanes *lanes, double slot_us, uint64_t bits, size_t way, struct way_times *side)
{
	const double times = median(side->times, side->n), bare = median(side->bare, side->n);
	char reached[40];

	if (times < REACH && bare < REACH)
		snprintf(reached, sizeof(reached), "no; the limit is %.2f", bare);
	else
		snprintf(reached, sizeof(reached), "%s", times >= REACH ? "yes" : "no");
	json_array_append_new(lanes->rows,
	    json_pack("{s:f, s:f, s:s, s:i, s:f, s:f, s:f, s:o, s:o, s:f, s:s}", "slot_us", slot_us,
	        "bits", (double)bits, "replicas", ways[way].name, "pairs", (int)side->n, "one_us",
	        median(side->one, side->n), "two_us", median(side->two, side->n), "times", times,
	        "bare_times", json_real_or_null(bare), "limit_share",
	        json_real_or_null(median(side->share, side->n)), "reach", REACH, "reached",
	        reached));
	lanes->bench->missed = lanes->bench->missed || (way == WAYS - 1 && times < REACH);
}

static int ways_write(const struct bpsk_lanes *lanes, char (*ret_paths)[PATH])
{
	int status = CLI_OK;
	char name[32];

	for (size_t w = 0; w < WAYS && status == CLI_OK; w++) {
		snprintf(name, sizeof(name), "bpsk-lanes-%zu", w);
		status = bpsk_write(lanes->bench, name, "late = \"slip\";\n", ways[w].ends,
		    ways[w].middle, ret_paths[w], PATH);
	}
	return status;
}

int bpsk_lanes_measure(struct bpsk_lanes *lanes, double slot_us, uint64_t bits)
{
	const double slot_guess_ns = GUESS_SLOT_NS + GUESS_BIT_NS * (double)bits;
	const uint64_t each = LANES * LANES, /* a whole number for each core, too */
	    slots = each * (uint64_t)ceil(RUN_NS / slot_guess_ns / (double)each);
	char(*paths)[PATH] = calloc(WAYS, sizeof(*paths));
	struct way_times *sides = calloc(WAYS, sizeof(*sides));
	int status = paths && sides ? ways_write(lanes, paths) : CLI_FAILED;

	for (uint64_t p = 0; p < lanes->pairs && status == CLI_OK; p++)
		for (size_t w = 0; w < WAYS && status == CLI_OK; w++)
			status = pair_run(lanes, paths, w, bits, slots, &sides[w]);
	for (size_t w = 0; w < WAYS && sides; w++)
		if (sides[w].n > 0)
			row_add(lanes, slot_us, bits, w, &sides[w]);
	free(paths);
	free(sides);
	return status;
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column lanes_columns[] = {
    {"slot_us", "slot us", 0},
    {"bits", "packet bit", 0},
    {"replicas", "replicas", COLUMN_TEXT},
    {"pairs", "pairs", 0},
    {"one_us", "one lane us", 2},
    {"two_us", "two lanes us", 2},
    {"times", "times", 2},
    {"bare_times", "bare loop times", 2},
    {"limit_share", "share of the limit %", 0},
    {"reach", "reach", 1},
    {"reached", "reached", COLUMN_TEXT},
};

void bpsk_lanes_result(struct bpsk_lanes *lanes)
{
	struct bench *bench = lanes->bench;
	json_t *row;
	size_t i;

	bench_table(bench, "lanes", "what two lanes make beside one, slot after slot",
	    lanes_columns, sizeof(lanes_columns) / sizeof(lanes_columns[0]));
	json_array_foreach(lanes->rows, i, row)
	{
		bench_row(bench, json_incref(row));
	}
	bench_note(bench,
	    "one lane, two lanes: the time for the bits of the packet that is stable on one lane, "
	    "on the virtual clock, medians; on two lanes each slot has two such packets; replicas: "
	    "instances that are in two places, each for every other index: where all are, each "
	    "lane has its messages alone, and this row has to reach %.1f; bare loop: moves as "
	    "many bytes of bits, symbols and decisions as each slot must, by the same kernels as "
	    "components that copy, on one core, and on both at once with slots of two packets, in "
	    "the same pair of runs: what it gains is the limit, for CPUs may be threads of one "
	    "core or share a cache",
	    REACH);
}
