/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/lengths.h - chains in which every component of the groups utran, umts, modem and
 * channel runs at three lengths side by side.
 */
#ifndef TOOLS_BENCH_LENGTHS_H
#define TOOLS_BENCH_LENGTHS_H

#include "tools/bench/bench.h"

/* The first two are measured, the third is predicted from them: about n, 4 n and 2 n. */
enum { LENGTHS_SHORT, LENGTHS_LONG, LENGTHS_THIRD, LENGTHS };
enum { LENGTHS_NUMBERS = 4 };

struct lengths_chain {
	const char *name;
	unsigned slots; /* of a run */
	/* lines "NAME COMPONENT PARAMETERS" and "NAME -> NAME.PORT", of one length: each `$0` ..
	 * `$3` becomes one of its numbers, each `$s` a seed of its own, so that no branch is
	 * foreseen from the bits of another length */
	const char *instances, *links;
	uint32_t numbers[LENGTHS][LENGTHS_NUMBERS];
};

extern const struct lengths_chain lengths_chains[];
extern const size_t lengths_n_chains;

/* lengths_letter: instances end in "_a", "_b" and "_c", by length. */
static inline char lengths_letter(int length)
{
	return (char)('a' + length);
}

/* lengths_write writes the waveform of a chain at all lengths. 0, or CLI_FAILED after saying why
 * not. */
int lengths_write(
    const struct bench *bench, const struct lengths_chain *chain, char *ret_path, size_t size);

#endif
