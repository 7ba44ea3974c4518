/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/describe.h - the .sigmf-meta of what was recorded, made when the recording is over.
 */
#ifndef TOOLS_ALOE_DESCRIBE_H
#define TOOLS_ALOE_DESCRIBE_H

#include "core/waveform/print.h"

/* describe_outputs writes DIR/INSTANCE.PORT.sigmf-meta for each output that has samples: a segment
 * where messages are missing before it, an annotation for each run of ABSENT messages. CLI_OK, or
 * CLI_FAILED after saying why. */
int describe_outputs(
    const char *dir, const struct waveform *waveform, const struct wf_graft *outputs, size_t n);

#endif
