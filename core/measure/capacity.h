/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/measure/capacity.h - what this machine can do, measured once and kept: the rates of a
 * core, the costs of a lane.
 *
 * The frontend has it measured when the node starts, beside everything else; whoever needs it
 * before that is done waits for the end of it, or measures itself. Nobody measures while another
 * does: of the same state directory one has the lock.
 */
#ifndef ALOE_MEASURE_CAPACITY_H
#define ALOE_MEASURE_CAPACITY_H

#include <stdbool.h>

/* capacity_keep measures what is not kept yet in the state directory (core/measure/local.h): half a
 * second at most on a quiet machine, and nothing the next time; *ret_waited (may be NULL) tells
 * which. 0, or -errno: without it plans have guesses, and nobody measures again for
 * CAPACITY_AGAIN_S. */
enum { CAPACITY_AGAIN_S = 60 };
int capacity_keep(const char *state, bool *ret_waited);

/* capacity_keep_soon does so in a thread of its own; state NULL: where runs are kept if nobody says
 * otherwise. The thread ends with the process. 0 or -errno. */
int capacity_keep_soon(const char *state);

#endif
