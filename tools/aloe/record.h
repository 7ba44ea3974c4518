/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/record.h - `aloe run FILE --record DIR`: a run that can be replayed.
 */
#ifndef TOOLS_ALOE_RECORD_H
#define TOOLS_ALOE_RECORD_H

#include "core/cli/cli.h"
#include "core/waveform/print.h"

/* record_run returns the exit status. */
int record_run(const struct cli_args *args);

/* record_is_outside tells whether what an instance sends comes from outside of the waveform: from a
 * file or socket, or from a radio. record_is_radio: it needs a radio. */
bool record_is_outside(const struct wf_instance *instance);
bool record_is_radio(const struct wf_instance *instance);

#endif
