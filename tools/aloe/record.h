/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/record.h - `aloe run FILE --record DIR`: a run that can be replayed.
 */
#ifndef TOOLS_ALOE_RECORD_H
#define TOOLS_ALOE_RECORD_H

#include "core/cli/cli.h"
#include "core/json/json.h"
#include "core/waveform/print.h"

/* record_run returns the exit status. */
int record_run(const struct cli_args *args);

/* record_is_outside tells whether what an instance sends comes from outside of the waveform: from a
 * file or socket, or from a radio. record_is_radio: it needs a radio. */
bool record_is_outside(const struct wf_instance *instance);
bool record_is_radio(const struct wf_instance *instance);

/* The folder of a recording. record_folder makes it, or takes one that is empty: an exit status;
 * words about `given` begin with `option`. record_text writes a file and frees `text` (NULL: no
 * memory). record_line adds a line to control.jsonl, which the first one makes, and gives
 * `object` back. record_hashes gives the SHA-256 of each NAME.messages, and gives `names` back. */
int record_folder(const struct cli_args *args, const char *option, const char *given,
    const char *cwd, char *ret, size_t size);
int record_text(const char *dir, const char *name, char *text);
int record_line(const char *dir, bool first, json_t *object);
json_t *record_hashes(const char *dir, json_t *names);

/* record_head makes the first line of control.jsonl; it takes `outputs` and `lapses`. */
json_t *record_head(const struct waveform *waveform, const char *text, uint64_t slots,
    json_t *outputs, json_t *lapses);

/* record_missed: under skip, how much instances missed by a report. */
uint64_t record_missed(const json_t *report);

#endif
