/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/chain.h - a waveform whose errors are to be counted: which of its instances make
 * noise, random bits, decode and compare. They are known by their parameters and ports, not by
 * their names.
 */
#ifndef TOOLS_BENCH_CHAIN_H
#define TOOLS_BENCH_CHAIN_H

#include "tools/bench/bench.h"
#include "tools/bench/run.h"
#include "tools/aloe/source.h"

struct chain {
	struct source source;
	const char *path;
	const struct cli_args *args;
	const struct wf_instance *noise; /* has a parameter ebn0_db */
	/* bit_compare whose `received` comes from a decoder, else the first */
	const struct wf_instance *compare;
	const struct wf_instance *decoder; /* the first with a parameter `iterations`, or NULL */
	bool esn0;                         /* the file says how much noise as Es/N0 */
	double k;                          /* bits in a block */
	double m;                          /* items on the channel for it; 0: not known */
	int iterations;                    /* of the decoder as in the file; 0 without one */
	/* of the decoder's extrinsics; 1 where it has no such parameter */
	double scaling;
};

/* chain_open reads, checks and shapes the waveform: 0, or the exit status after saying what is
 * wrong or missing. */
int chain_open(struct bench *bench, const char *path, struct chain *chain);
void chain_close(struct chain *chain);

struct chain_point {
	double ebn0_db; /* NAN: as in the file */
	int iterations; /* 0: as in the file */
	double scaling; /* NAN: as in the file */
	uint64_t seed;  /* below 2^13 */
	uint32_t batch; /* below 2^12: other noise, other bits */
};

/* chain_words adds the waveform, --set of the user, and what makes it this point. Points of the
 * same noise and seed get the same noise and bits, whatever decodes them. */
void chain_words(const struct chain *chain, const struct chain_point *point, struct words *words);

#endif
