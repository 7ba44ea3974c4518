/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/limits.h - what a user may open and write (ulimit), and what a node needs of it.
 *
 * libzmq ends the process that has no descriptor left for a peer: so a node begins only where there
 * are enough, and takes no waveform that would use up the last ones.
 */
#ifndef ALOE_BASE_LIMITS_H
#define ALOE_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/* Descriptors: LIMITS_NODE is the least that a node can do anything with, LIMITS_RESERVE stay free
 * in exec for what the frontend has open beside the same hosts and waveforms: its sockets, the
 * other daemons, clients. */
enum { LIMITS_NODE = 96, LIMITS_RESERVE = 48 };

/* limits_begin lets this process open as many files as the user may (the hard limit), and makes a
 * write beyond the limit on file sizes an error (EFBIG) instead of a signal that kills. To be
 * called before anything is opened. */
void limits_begin(void);

/* limits_node: 0, or -EMFILE or -EFBIG where no node can be had, whose first shared memory has
 * `bytes`, with the reason and the numbers in `ret_why`. */
int limits_node(size_t bytes, char *ret_why, size_t size);

/* limits_left: how many descriptors this process may still open. */
uint64_t limits_left(void);

#endif
