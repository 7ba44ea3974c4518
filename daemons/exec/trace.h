/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/trace.h - what a waveform did last, as a file of core/trace: from the rings of calls
 * of its segments, the records of its misses, and what the kernel has recorded of the lanes' CPUs.
 * Everything is copied at ordinary priority; no segment waits, and what is overwritten meanwhile is
 * counted. Below trace.c: trace_calls.c and trace_kernel.c.
 */
#ifndef DAEMONS_EXEC_TRACE_H
#define DAEMONS_EXEC_TRACE_H

#include <stdio.h>

#include "core/trace/trace.h"
#include "daemons/exec/exec.h"

struct tracing {
	struct exec_wave *wave;
	struct trace out;
	uint64_t last_ns;        /* asked for */
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
	FILE *notes;             /* lines for whoever asked */
	size_t next_call;        /* of the segment that is next */
	size_t n_misses, n_switches, n_interrupts;
	uint32_t n_cpus;
};

/* ---- trace_calls.c ---- */

struct traced_call {
	uint64_t start_ns, end_ns, step;
	uint32_t instance, segment;
};

struct traced_link { /* from an output to an input */
	uint32_t from, to, number;
	uint64_t delay;
};

struct traced_ring {        /* of a segment */
	bool wrapped;       /* it has held older calls */
	uint64_t oldest_ns; /* start of the oldest that it still has; 0: it has none */
};

struct traced_calls {
	struct traced_call *calls; /* by segment, then in the order of time */
	size_t n;
	size_t *by_step;           /* numbers of calls, by instance and step */
	struct traced_ring *rings; /* by segment */
	struct traced_link *links; /* by `from` */
	size_t *first;             /* links from instance i: first[i + 1] to first[i + 2] */
	uint64_t newest_ns;        /* end of the last call */
	uint64_t overwritten;      /* while they were read */
	uint64_t senseless;        /* what a sound host does not write */
	uint64_t left_out;         /* more than are put into one file */
};

/* calls_read copies the rings; calls_cut leaves those since from_ns, the newest if they are too
 * many, and makes the tables of links. Both: 0 or -ENOMEM; calls_free in any case. */
int calls_read(const struct image_view *view, struct traced_calls *ret);
int calls_cut(const struct image_view *view, uint64_t from_ns, struct traced_calls *calls);
void calls_free(struct traced_calls *calls);
/* calls_writer gives the call whose message a call has read at an input, calls_reader the call that
 * reads its message over a link; NULL: there is none in the file, or the message was not there when
 * the reader began. */
const struct traced_call *calls_writer(const struct image_view *view,
    const struct traced_calls *calls, const struct traced_call *reader,
    const struct image_input *input);
const struct traced_call *calls_reader(const struct image_view *view,
    const struct traced_calls *calls, const struct traced_call *writer,
    const struct traced_link *link);

/* ---- trace_kernel.c: who had the CPU of a lane, and what interrupted it ---- */

void kernel_put(struct tracing *tracing, uint32_t lane);

/* ---- trace.c ---- */

/* trace_make gives the file, and lines that say what is in it and what is missing. Returns 0;
 * -ENODATA: no slot has run; -ENOMEM. The caller frees both. */
int trace_make(struct exec_wave *wave, uint64_t last_ns, enum trace_format format,
    uint8_t **ret_bytes, size_t *ret_len, char **ret_text);

#endif
