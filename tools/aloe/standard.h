/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/standard.h - standard input and output of `aloe run` as files of a waveform (path -).
 *
 * A component opens its files in aloe-host, which has other standard input and output. So `aloe
 * run` makes a FIFO for each in the folder of its node, gives its path to the instance, and a
 * thread moves the bytes.
 *
 *	standard_find, standard_open       before LOAD
 *	standard_loaded                    the instances have opened their ends
 *	standard_ending                    the node is about to end
 *	standard_close                     the node has ended
 */
#ifndef TOOLS_ALOE_STANDARD_H
#define TOOLS_ALOE_STANDARD_H

#include <pthread.h>
#include <semaphore.h>

#include "core/json/json.h"
#include "tools/aloe/source.h"

struct standard_end {
	const struct wf_instance *instance; /* that has it; NULL: none */
	char path[4200];
	int fd;   /* of the thread */
	int hold; /* the other end, so that the FIFO stays open; -1 */
	pthread_t thread;
	bool running;
};

struct standard {
	struct standard_end in, out;
	sem_t loaded;       /* `in` may end */
	_Atomic int ending; /* `out` takes what comes, however slow its reader is */
	_Atomic int failed; /* errno of writing standard output; 0 */
	_Atomic int cut;    /* input could not be read to its end, or output was not taken to its */
	bool said;          /* that it failed */
};

/* standard_find looks for the instances that take `-`: 0, or CLI_USAGE after saying that two of
 * them want the same. */
int standard_find(const struct source *source, struct standard *ret);
/* standard_writes tells whether standard output belongs to the waveform. */
bool standard_writes(const struct source *source);
/* standard_refuse is for commands that have neither: 0, or CLI_USAGE after saying so. */
int standard_refuse(const struct source *source);

/* standard_open makes the FIFOs in `dir` and begins to move bytes. 0 or CLI_FAILED, with a word. */
int standard_open(struct standard *standard, struct source *source, const char *dir);
void standard_loaded(struct standard *standard);
/* standard_failed says once that standard output takes no more: true then. */
bool standard_failed(struct standard *standard);
/* standard_name has a report say `standard output` instead of the FIFO. */
void standard_name(const struct standard *standard, json_t *report);
/* standard_ending is called before the node is told to end, which waits for no slow reader. */
void standard_ending(struct standard *standard);
/* standard_close waits until standard output has everything, or a signal comes; or with `now` does
 * not. standard_lost tells afterwards whether something of either is lost (a reader that had enough
 * is no loss). */
void standard_close(struct standard *standard, int signal_fd, bool now);
bool standard_lost(struct standard *standard);

#endif
