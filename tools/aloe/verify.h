/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/verify.h - `aloe run FILE --verify`: whether a waveform gives the same bits however it
 * runs.
 */
#ifndef TOOLS_ALOE_VERIFY_H
#define TOOLS_ALOE_VERIFY_H

#include "core/cli/cli.h"

/* verify_run returns CLI_OK if the runs agree, CLI_FAILED if one differs or fails, CLI_USAGE if the
 * waveform is not understood or depends on something that only lives. */
int verify_run(const struct cli_args *args);

#endif
