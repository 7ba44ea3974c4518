/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/swman/tables.h - a program while it is built: tables that grow, texts that are there
 * once, and who reads what of whom.
 */
#ifndef DAEMONS_SWMAN_TABLES_H
#define DAEMONS_SWMAN_TABLES_H

#include <stdbool.h>

#include "core/image/program.h"
#include "core/map/plan.h"

enum { NAMES_KNOWN = 1024 };

/* A table that grows; memory errors are kept until the end. */
struct rows {
	uint8_t *bytes;
	size_t count, size, room;
};

/* Of the links and buffers, by instance: built once, so that large waveforms take no longer than
 * they must. */
struct index {
	uint32_t *first;  /* by instance: of its links in `links`; n_instances + 1 */
	uint32_t *links;  /* that lead to it, in the file's order */
	uint32_t *buffer; /* by instance: its first buffer */
	bool *has_reader;
};

struct build {
	const struct waveform *wf;
	const struct plan *plan;
	struct image_head head;
	struct rows nodes, lanes, hosts, segments, order, gates, instances, inputs, outputs,
	    buffers, params, vars, reals, radios, holds, text;
	struct index index;
	bool nodes_differ; /* the segments lie on several nodes */
	bool can_end;      /* something between sources and sinks may call aloe_end */
	/* lists of an enum's words that were added last, by where the registry has them */
	struct names {
		const char *const *names;
		uint32_t at;
	} names[NAMES_KNOWN];
	uint32_t *words; /* hash table of texts: offset + 1 */
	size_t n_words, words_size;
	bool failed;
};

/* rows_add gives where the rows lie now; NULL: there is no memory, which b->failed says too. */
void *rows_add(struct build *b, struct rows *rows, const void *row, size_t count);

/* text_add gives the offset of a text, text_append that of one of its own behind the text before
 * it. */
uint32_t text_append(struct build *b, const char *text);
uint32_t text_add(struct build *b, const char *text);

int index_init(struct build *b); /* 0 or -ENOMEM */
void index_fini(struct index *index);

#endif
