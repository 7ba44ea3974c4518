/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/x310_world.h - a host's radio (platforms/x310) and a device (tools/x310sim) on a wire
 * with one fault, in the device's own time: no clock, no thread, the same every time.
 *
 *         host: packet n for the time T0 + n x its length, sent `advance` before that, or never
 *         --wire--> device --> played
 *
 * Every sample says which it is, so what was played where is compared with what should have been.
 */
#ifndef TOOLS_BENCH_X310_WORLD_H
#define TOOLS_BENCH_X310_WORLD_H

#include "platforms/x310/channel.h"

enum x310_fault { X310_LOST, X310_LATE, X310_TWICE, X310_SWAPPED, X310_UNSENT, X310_FAULTS };

struct x310_trial {
	enum x310_fault
	    /* of one Tx packet. Late: it and all behind it, until it cannot be played any more.
	     * Swapped: with the one after it. Unsent: the host leaves it out */
	    fault;
	enum tx_policy policy;
	bool stop_on_seqerr; /* the device, and asked for */
	bool zeros;          /* the device puts zeros where a packet is missing: none does */
	uint32_t samples;    /* in a packet */
	uint32_t divide;     /* ticks per sample */
	uint64_t wire_ticks, advance_ticks;
};

struct x310_outcome {
	/* from the device's report to the first packet that is right again */
	unsigned round_trips;
	uint64_t reports;   /* of sequence errors */
	uint64_t inits;     /* INIT sent */
	uint64_t discarded; /* packets, by the device: flushed, out of sequence, late */
	uint64_t left_out;  /* packets that the host did not send */
	/* samples that were not played in their place, and nothing else instead */
	uint64_t silent;
	uint64_t misplaced; /* samples that were played in another's place */
	/* samples that all later ones are too early (> 0) or too late: it stays */
	int64_t slip;
	/* from the fault's place to the last sample that is not right; UINT64_MAX: never */
	uint64_t restored_ticks;
	uint64_t underruns, late; /* messages */
};

const char *x310_fault_name(enum x310_fault fault);

/* x310_trial_run: 0, -ENOMEM, or -EIO if the streams cannot be brought up. */
int x310_trial_run(const struct x310_trial *trial, struct x310_outcome *ret);

#endif
