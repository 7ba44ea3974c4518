/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/value.h - a parameter as the waveform's program describes it, for param_parse.
 *
 * This is the only check of a value that is set while a waveform runs: aloe-stats passes the text
 * on as the user wrote it.
 */
#ifndef ALOE_EXEC_VALUE_H
#define ALOE_EXEC_VALUE_H

#include "core/component/parse.h"
#include "core/image/image.h"

/* value_parse reads `text` for the parameter `param` of the program: as param_parse. */
int value_parse(const struct image_view *view, const struct image_param *param, const char *name,
    const char *text, struct param_value *ret, char *ret_why, size_t size);

/* value_print writes a number of the parameter as value_parse reads it. */
void value_print(const struct image_view *view, const struct image_param *param, double number,
    char *ret, size_t size);

#endif
