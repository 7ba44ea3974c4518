/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/recording.h - a recording that is read: all of it is checked before anything runs.
 */
#ifndef TOOLS_ALOE_RECORDING_H
#define TOOLS_ALOE_RECORDING_H

#include "core/recording/control.h"
#include "core/recording/table.h"

struct recording {
	const char *dir;
	struct diag diag;
	struct recording_control control;
	struct message_table *tables; /* as control.head's `outputs` */
	size_t n_tables;
	uint64_t slots;      /* that it replays */
	uint64_t exact;      /* its lapses are known before this index; UINT64_MAX: all */
	char exact_why[128]; /* of which instance they are not known from there on */
	bool live;           /* it began while the waveform ran, at control.from */
	bool partly;         /* it replays fewer indices than ran */
};

/* recording_open reads the folder `dir`: 0; or negative after printing what is truncated, altered
 * or of another version, and where. Files that components read themselves, and are not as they
 * were, are errors. recording_close in any case. */
int recording_open(const char *dir, struct recording *ret);
void recording_close(struct recording *recording);

/* recording_lapses reads the lapses of all instances and finds `exact`, of a recording that has
 * `dir`, `diag` and `control`. Errors go to diag. */
void recording_lapses(struct recording *recording);

#endif
