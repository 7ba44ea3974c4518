/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What it costs to run a component in a segment beside its own work: clock read, histogram, event,
 * canary, one link in and one out, all on. Beside it: a bare function pointer between two reads of
 * the clock that the engine reads (core/base/clock_fast.h). Then the same from 10 copies to 10 000
 * on a lane, which should cost a component no more than twice as much.
 */
#include "core/base/clock_fast.h"
#include "tests/bench/chain.h"
#include "tests/bench/pairs.h"

struct bare {
	struct clock_fast clock;
	unsigned n;
	int (*work)(void *self, struct aloe_slot *slot);
	struct aloe_slot slot;
	struct aloe_in in;
	struct aloe_out out;
	uint64_t ns[64];
	uint8_t *ground;
};

struct engine_chain {
	struct wave wave;
	unsigned n;
	uint8_t *ground;
};

enum { CALLS = 40000, COLD_STEPS = 40, CHILL_BYTES = 8 << 20 };

static double dispatch(void *context)
{
	struct engine_chain *chain = context;

	return chain_steps(&chain->wave, CALLS / chain->n) / chain->n;
}

static void bare_step(struct bare *bare)
{
	for (unsigned i = 0; i < bare->n; i++) {
		const uint64_t start = clock_fast_ns(&bare->clock);
		int (*volatile work)(void *, struct aloe_slot *) = bare->work;

		work(NULL, &bare->slot);
		bare->ns[i] += clock_fast_ns(&bare->clock) - start;
	}
}

static double bare(void *context)
{
	struct bare *bare = context;
	const unsigned steps = CALLS / bare->n;
	const uint64_t begin = clock_ns();

	clock_fast_tend(&bare->clock, begin);
	for (unsigned step = 0; step < steps; step++)
		bare_step(bare);
	return (double)(clock_ns() - begin) / steps / bare->n;
}

/* The slots between which something else had the core's caches: a walk through more than they
 * hold. */
static void chill(uint8_t *ground)
{
	for (size_t i = 0; i < CHILL_BYTES; i += 64)
		ground[i]++;
}

static double cold(void *context)
{
	struct engine_chain *chain = context;
	double ns = 0;

	for (unsigned i = 0; i < COLD_STEPS; i++) {
		chill(chain->ground);
		ns += chain_steps(&chain->wave, 1);
	}
	return ns / COLD_STEPS / chain->n;
}

static double cold_bare(void *context)
{
	struct bare *bare = context;
	uint64_t ns = 0;

	for (unsigned i = 0; i < COLD_STEPS; i++) {
		const uint64_t begin = (chill(bare->ground), clock_ns());

		clock_fast_tend(&bare->clock, begin);
		bare_step(bare);
		ns += clock_ns() - begin;
	}
	return (double)ns / COLD_STEPS / bare->n;
}

static void run(unsigned n)
{
	struct engine_chain chain = {.n = n + 2};
	struct bare peer = {.n = n + 2, .work = chain_pass};
	char name[64];

	clock_fast_init(&peer.clock);
	peer.slot.in = &peer.in;
	peer.slot.out = &peer.out;
	chain_open(&chain.wave, n, 4, NULL);
	snprintf(name, sizeof(name), "dispatch, %u components", n + 2);
	chain.ground = peer.ground = calloc(1, CHILL_BYTES);
	if (chain.ground == NULL)
		exit(1);
	pairs_run(name, dispatch, &chain, "pointer + 2 clocks", bare, &peer, 0.06);
	printf("%30shistograms: %s p50 %u ns, p99 %u ns\n", "", "c0",
	    (unsigned)image_time_quantile(&chain.wave.view, 1, 0.5),
	    (unsigned)image_time_quantile(&chain.wave.view, 1, 0.99));
	pairs_run("the same, caches cold", cold, &chain, "pointer + 2 clocks", cold_bare, &peer, 0);
	free(chain.ground);
	wave_close(&chain.wave);
}

/* ---- from 10 components to 10 000 on one lane ---- */

enum { SCALES = 4, SCALE_CALLS = 100000 };

static double scale_turn(void *context)
{
	struct engine_chain *chain = context;
	const unsigned steps = SCALE_CALLS / chain->n;

	return chain_steps(&chain->wave, steps > 3 ? steps : 3) / chain->n;
}

/* In turn, so that what the machine does meanwhile strikes all of them. */
static void run_scale(void)
{
	static const unsigned sizes[SCALES] = {10, 100, 1000, 10000};
	static struct engine_chain chains[SCALES];
	double ns[SCALES][PAIRS], ratio[PAIRS];
	struct pairs_sorted sorted;

	for (int s = 0; s < SCALES; s++) {
		chains[s].n = sizes[s] + 2;
		chain_open(&chains[s].wave, sizes[s], 4, NULL);
		scale_turn(&chains[s]);
	}
	for (int i = 0; i < PAIRS; i++)
		for (int s = 0; s < SCALES; s++)
			ns[s][i] = scale_turn(&chains[s]);
	printf("-- scale: us of the slot for one component\n");
	for (int s = 0; s < SCALES; s++) {
		char name[32];

		snprintf(name, sizeof(name), "%u copies on a lane", sizes[s]);
		for (int i = 0; i < PAIRS; i++)
			ratio[i] = ns[s][i] / ns[0][i];
		sorted = pairs_sort(ns[s]);
		printf("%-30s", name);
		pairs_print("", &sorted, 1e-3, " us");
		sorted = pairs_sort(ratio);
		printf("x%.3g of %u copies; reach x2: %s\n", pairs_median(&sorted), sizes[0],
		    pairs_median(&sorted) <= 2 ? "met" : "missed");
		wave_close(&chains[s].wave);
	}
}

int main(void)
{
	pairs_quiet();
	printf("-- dispatch: ns of the slot for one component, the segment's own share included\n");
	run(1);
	run(8);
	run(48);
	run_scale();
	return 0;
}
