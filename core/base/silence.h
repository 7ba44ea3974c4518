/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/silence.h - whether a process that does not answer hangs, or is not let: by the CPU
 * time that it got. [control]
 *
 * A second of silence counts by the part of it in which the process could have answered: in which
 * it did not wait for a CPU. So one that was stopped, sleeps or computes is found out after a few
 * seconds, and one that is starved is not blamed for the machine.
 *
 *   heard -----------------------------------------> SILENCE_NONE
 *   silent, and it could have answered for `patience_s` -> SILENCE_HANGS
 *   silent for a while, most of it waiting for a CPU -----> SILENCE_STARVED
 */
#ifndef ALOE_BASE_SILENCE_H
#define ALOE_BASE_SILENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What the kernel says of all threads of a process, since it began; a difference of two is what
 * counts. */
struct silence_sample {
	uint64_t ran_ns, waited_ns; /* on a CPU; ready to run, without one */
	bool runs, stopped;         /* any thread runs or is ready; SIGSTOP or a debugger */
};

/* silence_sample reads /proc: 0, or -errno (a kernel without these figures: nothing counts as
 * waiting). */
int silence_sample(pid_t pid, struct silence_sample *ret);

enum silence_kind { SILENCE_NONE, SILENCE_WAITS, SILENCE_STARVED, SILENCE_HANGS };

enum { SILENCE_DOUBLES_MAX = 4, SILENCE_STARVED_S = 2 };

struct silence { /* all zero: a process that has just begun */
	uint64_t silent_ns, waited_ns;
	struct silence_sample last;
	bool sampled, heard;
};

/* silence_look is called about once a second, `passed_ns` after it was called last, with what the
 * process has used since it began (NULL: not known) and how long the caller itself has waited for a
 * CPU meanwhile. `hangs`: how often it was killed for its silence lately: each time its successor
 * is given twice as long, 16 times at most. One that is stopped has the patience `stopped_s`. */
enum silence_kind silence_look(struct silence *silence, uint64_t passed_ns,
    const struct silence_sample *sample, uint64_t own_waited_ns, unsigned patience_s,
    unsigned stopped_s, unsigned hangs);
void silence_heard(struct silence *silence);

#endif
