/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/bpsk_lanes.h - what two lanes make of the chain of `aloe bench bpsk` beside one lane,
 * slot after slot, without replicas and with them; and beside it what two cores make of the copying
 * alone that one core needs for it.
 *
 * Two CPUs of a machine may be threads of one core, or share a cache or its memory: what the bare
 * loop gains on two, with messages as long as those of two lanes, is what can be had.
 */
#ifndef TOOLS_BENCH_BPSK_LANES_H
#define TOOLS_BENCH_BPSK_LANES_H

#include "tools/bench/bench.h"

/* The chain as a waveform: `more` stands in the file's head, `ends` in the braces of source and
 * sink, `middle` in those of modulator and demodulator. */
int bpsk_write(const struct bench *bench, const char *name, const char *more, const char *ends,
    const char *middle, char *ret_path, size_t size);

struct bpsk_lanes {
	struct bench *bench;
	enum simd_level level;
	uint64_t pairs; /* of runs for a row; 0: no rows */
	json_t *rows;
};

/* bpsk_lanes_measure adds the rows of one slot length: runs with packets of `bits` on one lane, and
 * of twice as many on two, in pairs. 0, or the exit status. */
int bpsk_lanes_measure(struct bpsk_lanes *lanes, double slot_us, uint64_t bits);
/* bpsk_lanes_result adds the table, and says what it stands on. */
void bpsk_lanes_result(struct bpsk_lanes *lanes);

#endif
