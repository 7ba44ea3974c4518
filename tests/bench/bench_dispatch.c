/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What it costs to run a component in a segment beside its own work: clock read, histogram, event, canary, one link in and
 * one out, all on. Beside it: a bare function pointer between two clock reads.
 */
#include "tests/bench/chain.h"
#include "tests/bench/pairs.h"

struct bare {
	unsigned n;
	int (*work)(void *self, struct aloe_slot *slot);
	struct aloe_slot slot;
	struct aloe_in in;
	struct aloe_out out;
	uint64_t ns[64];
};

struct engine_chain {
	struct wave wave;
	unsigned n;
};

enum { CALLS = 40000 };

static double dispatch(void *context)
{
	struct engine_chain *chain = context;

	return chain_steps(&chain->wave, CALLS / chain->n) / chain->n;
}

static double bare(void *context)
{
	struct bare *bare = context;
	const uint64_t begin = clock_ns();

	for (unsigned step = 0; step < CALLS / bare->n; step++)
		for (unsigned i = 0; i < bare->n; i++) {
			const uint64_t start = clock_ns();
			int (*volatile work)(void *, struct aloe_slot *) = bare->work;

			work(NULL, &bare->slot);
			bare->ns[i] += clock_ns() - start;
		}
	return (double)(clock_ns() - begin) / (CALLS / bare->n) / bare->n;
}

static void run(unsigned n)
{
	struct engine_chain chain = {.n = n + 2};
	struct bare peer = {.n = n + 2, .work = chain_pass};
	char name[64];

	peer.slot.in = &peer.in;
	peer.slot.out = &peer.out;
	chain_open(&chain.wave, n, 4, NULL);
	snprintf(name, sizeof(name), "dispatch, %u components", n + 2);
	pairs_run(name, dispatch, &chain, "pointer + 2 clocks", bare, &peer, 0.08);
	printf("%30shistograms: %s p50 %u ns, p99 %u ns\n", "", "c0",
	       (unsigned)hist_quantile(&chain.wave.instances[1].stats->time, 0.5),
	       (unsigned)hist_quantile(&chain.wave.instances[1].stats->time, 0.99));
	wave_close(&chain.wave);
}

int main(void)
{
	pairs_quiet();
	printf("-- dispatch: ns of the slot for one component, the segment's own share included\n");
	run(1);
	run(8);
	run(48);
	return 0;
}
