/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/view_keys.h - what the keys of the live table do. Pure: a key in, another view out. */
#ifndef TOOLS_ALOE_VIEW_KEYS_H
#define TOOLS_ALOE_VIEW_KEYS_H

#include <stdio.h>

#include "core/report/view.h"

/* view_key obeys a key (core/cli/term.h); false: it is the key that ends. */
bool view_key(struct report_view *view, int key);
/* view_keys_line writes what the table shows, and the keys, for the line below it; `q` says what
 * the key q does. */
enum { VIEW_KEYS_LINE = 256 };
void view_keys_line(const struct report_view *view, const char *q, char *ret_text, size_t size);
void view_keys_words(FILE *out); /* for the manual */

#endif
