/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/spent.h - what the threads of a waveform have taken of their lanes' cores, waiting
 * included, and how often they slept and were woken: by the kernel's own counts, which cost nothing
 * until somebody asks.
 */
#ifndef DAEMONS_EXEC_SPENT_H
#define DAEMONS_EXEC_SPENT_H

#include "daemons/exec/wave.h"

struct exec_spent { /* on a lane of the plan; of a process with other waveforms, theirs, too */
	uint64_t ran_ns, wakes; /* of the lane's threads */
	uint64_t looks;         /* wake-ups of the lane's watchdog */
	uint64_t io_wakes;      /* of the I/O threads; of hosts on several lanes: on the first */
	bool known;
};

/* spent_begin: it counts from now on. spent_end: not beyond now, before its threads end. */
void spent_begin(struct exec_wave *wave);
void spent_end(struct exec_wave *wave);

/* spent_of: on a lane of the plan, since spent_begin. Not known under `virtual`, after exec was
 * started again, and where a thread has died. */
struct exec_spent spent_of(const struct exec_wave *wave, uint32_t lane);

#endif
