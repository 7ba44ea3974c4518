/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/report/type.h - what a component says of itself, as people read it: `aloe help TYPE`,
 * `execinfo --describe TYPE`.
 */
#ifndef ALOE_REPORT_TYPE_H
#define ALOE_REPORT_TYPE_H

#include <stdio.h>

#include "core/registry/registry.h"

void type_print(const struct component_type *type, FILE *out);
/* type_unknown prints that there is no such component, with the nearest that there is. */
void type_unknown(const struct registry *registry, const char *name, FILE *out);

#endif
