/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/bench/chain.h - source -> copy0 -> copy1 -> ... -> sink in one segment, where the copies
 * move no items: what is left is the engine.
 */
#ifndef TESTS_BENCH_CHAIN_H
#define TESTS_BENCH_CHAIN_H

#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "tests/common/wave.h"

static inline int chain_pass(void *self, struct aloe_slot *slot)
{
	(void)self;
	aloe_pass(slot, 0, 0);
	return 0;
}

static inline int chain_source(void *self, struct aloe_slot *slot)
{
	(void)self;
	aloe_put(slot, 0, aloe_out_max(slot, 0));
	return 0;
}

static const struct wave_work chain_works[] = {
    {"copy", chain_pass}, {"counter_source", chain_source}};

/* chain_text gives the waveform of n copies with messages of `items` i16; the caller frees it. */
static inline char *chain_text(unsigned n, unsigned items)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out,
	    "name = \"chain\"; slot_ns = 1000000; instances: {\n"
	    "s: { component = \"counter_source\"; length = %u; };\n",
	    items);
	for (unsigned i = 0; i < n; i++)
		fprintf(out, "c%u: { component = \"copy\"; };\n", i);
	fprintf(out, "k: { component = \"null_sink\"; }; };\nlinks = ( \"s");
	for (unsigned i = 0; i < n; i++)
		fprintf(out, " -> c%u", i);
	fprintf(out, " -> k\" );\n");
	fclose(out);
	return text;
}

/* chain_open makes it ready to step, in one segment; the program ends with a message if that
 * fails. */
static inline void chain_open(
    struct wave *wave, unsigned n, unsigned items, const struct wave_options *more)
{
	struct wave_options options = more != NULL ? *more : (struct wave_options){0};
	char *text = chain_text(n, items);

	options.works = chain_works;
	options.n_works = sizeof(chain_works) / sizeof(chain_works[0]);
	if (wave_open(wave, text, &options) != 0) {
		fprintf(stderr, "the chain of %u components cannot be opened\n", n);
		exit(1);
	}
	free(text);
}

/* chain_steps runs `steps` slots of segment 0, as its lane would: ns for one. */
static inline double chain_steps(struct wave *wave, uint64_t steps)
{
	const uint64_t begin = clock_ns();
	uint64_t slot = atomic_load(&wave->segments[0].state->done), now;

	for (uint64_t i = 0; i < steps; i++) {
		now = clock_ns();
		segment_slot(&wave->segments[0], slot++, now, &now);
	}
	return (double)(clock_ns() - begin) / (double)steps;
}

#endif
