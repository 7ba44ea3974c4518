/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/waveform/platform_kinds.h - the kinds of the cores of a node, for platform.c alone.
 */
#ifndef ALOE_WAVEFORM_PLATFORM_KINDS_H
#define ALOE_WAVEFORM_PLATFORM_KINDS_H

#include "core/waveform/parse.h"
#include "core/waveform/platform.h"

/* platform_kinds_read reads `kinds: { NAME = CORES; ... };` of a node, if it is there, after
 * `cores` and `lanes`, which it must agree with, and says how many cores there are. What is wrong
 * goes to the parse's diag. 0 or -ENOMEM. */
int platform_kinds_read(struct wf_parse *parse, const config_setting_t *group,
    struct platform_node *node, double *cores);
void platform_kinds_free(const struct platform_node *node);
/* platform_kind_of names the kind of a core of the node; NULL: none. */
const char *platform_kind_of(const struct platform_node *node, size_t core);

#endif
