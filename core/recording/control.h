/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/recording/control.h - control.jsonl of a recording: one JSON object a line.
 *
 *	{"recording": 1, "waveform": "w", "text_sha256": "..", "slots": 0,                     first
 *	 "components": {NAME: SHA-256}, "files": {PATH: SHA-256}, "outputs": ["INST.PORT", ..],
 *	 "lapses": {INST: "", RECORDER: INST, ..},
 *	 "digests": ["INST.PORT", ..],                   only with digests, in the graph's order
 *	 "from": 17}                                     only if it began while the waveform ran
 *	{"set": {"INST.PARAM": "VALUE", ..}, "index": 17}                    from this index on
 *	{"state": "PAUSE", "index": 20}, {"remap": true, "index": 30}        told, not needed
 *	{"taken": 200}                        with `from`: up to this index all is in the files
 *	{"missed": 0, "end": 500, "recorded": {NAME: SHA-256}, "sinks": {LABEL: SHA-256}}     last
 *
 * `lapses` are the instances that have a file INSTANCE.lapses (core/recording/lapses.h), of a
 * waveform that may miss something; of a recorder also whose messages it keeps. `recorded` has the
 * digests of these files, too. `end` is how many indices ran, `missed` how many slots and messages
 * were missed under skip, and `slots` what was asked for, 0: nothing. A recording without a line
 * `end` was cut short by a crash; then a last line without an end of line is no line. Pure: text
 * in, objects or errors out.
 */
#ifndef ALOE_RECORDING_CONTROL_H
#define ALOE_RECORDING_CONTROL_H

#include "core/json/json.h"
#include "core/recording/table.h"

enum { CONTROL_VERSION = 1, CONTROL_BYTES_MAX = 1 << 30 };
#define CONTROL_INDEX_MAX TABLE_INDEX_MAX

struct recording_control {
	json_t *head;
	json_t *sets;  /* array, in the order of their index */
	json_t *end;   /* NULL: there is none */
	uint64_t seen; /* indices that are known to have run, by what was told of them */
	uint64_t from; /* its first index; 0 unless the head has one */
	uint64_t taken;
};

/* control_parse reads the text of `file` (its name for messages). 0; -EINVAL with all that is wrong
 * in diag, by line; -ENOMEM. control_fini in any case. */
int control_parse(const char *file, const char *text, size_t len, struct diag *diag,
    struct recording_control *ret);
void control_fini(struct recording_control *control);

#endif
