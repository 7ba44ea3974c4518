/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/platforms.h - the platform that --platform names.
 */
#ifndef TOOLS_ALOE_PLATFORMS_H
#define TOOLS_ALOE_PLATFORMS_H

#include "core/cli/cli.h"
#include "core/waveform/platform.h"

/* platform_find takes a path, or the name of a file where platform files lie: 0 with its path (room
 * for PATH_MAX), or -EINVAL after saying which there are. platform_take reads and checks that file:
 * 0, or -EINVAL with what is wrong in diag; end with platform_free. */
int platform_find(const struct cli_args *args, const char *name, char *ret_path);
int platform_take(const char *path, struct diag *diag, struct platform_model **ret);

#endif
