/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/trace.h - traces around misses, for whoever loads a waveform.
 */
#ifndef TOOLS_ALOE_TRACE_H
#define TOOLS_ALOE_TRACE_H

#include "tools/aloe/client.h"

/* trace_on_miss does what --on-miss in `args` asks for, if it does. The exit status. */
int trace_on_miss(struct client *client, const struct cli_args *args, const char *waveform);

#endif
