/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/record_output.h - what a tap has read of an output goes into a recording: the messages
 * of an output that comes from outside, the digests of one that a sink reads.
 *
 *	record_output_open -> record_output_take, each frame -> record_output_close
 */
#ifndef TOOLS_ALOE_RECORD_OUTPUT_H
#define TOOLS_ALOE_RECORD_OUTPUT_H

#include <stdio.h>

#include "core/recording/digests.h"
#include "core/recording/table.h"
#include "tools/aloe/tap_reader.h"

struct record_output {
	char name[160]; /* INSTANCE.PORT */
	int instance, port;
	bool keeps;   /* NAME.messages, NAME.sigmf-data */
	bool digests; /* NAME.digests */
	struct tap_reader reader;
	bool ended; /* the last frames were taken */
	/* what came */
	uint64_t next;  /* index behind the last message */
	uint64_t until; /* from this index on nothing is taken */
	uint64_t lost;  /* messages */
	uint64_t lost_at;
	/* files */
	FILE *data, *table, *digest;
	struct table_row row; /* being gathered; count 0: none */
	uint64_t row_next, bytes;
	uint32_t n_rows;
	uint8_t rows[DIGESTS_ROWS_MAX * DIGESTS_ROW];
};

/* record_output_open makes the files in `dir`, from the index `from` on. record_output_take takes a
 * frame; from a message that the tap has lost on there are no more. record_output_flush writes what
 * was gathered. record_output_close ends the files. All: 0 or -errno. */
int record_output_open(struct record_output *output, const char *dir, uint64_t from);
int record_output_take(struct record_output *output, const struct tap_frame *frame);
int record_output_flush(struct record_output *output);
int record_output_close(struct record_output *output);

/* record_output_done: nothing more is to be taken. */
bool record_output_done(const struct record_output *output);

#endif
