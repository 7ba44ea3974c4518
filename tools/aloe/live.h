/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/live.h - a report that changes before the user's eyes: a table drawn again and again
 * on a terminal, a line every two seconds anywhere else.
 */
#ifndef TOOLS_ALOE_LIVE_H
#define TOOLS_ALOE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cli/term.h"
#include "core/report/view.h"

struct live_view {
	struct term term;
	struct report_view view;
	int64_t line_ms; /* when the last line was written */
	char *word;      /* of the daemons, a line that is not complete */
	size_t word_len;
};

void live_init(struct live_view *live);
/* live_tables draws the table of an array of reports, on a terminal; live_show that of one, or
 * elsewhere a line now and then. */
void live_tables(struct live_view *live, const json_t *reports);
void live_show(struct live_view *live, const json_t *report);
/* live_leave leaves the table as it is, and gives the terminal back: lines come from now on. */
void live_leave(struct live_view *live);
/* live_words reads what the daemons have said on `fd`, which does not wait, and writes it on
 * standard error line by line, above the table: true when it wrote, and the table is gone. */
bool live_words(struct live_view *live, int fd);
void live_fini(struct live_view *live); /* writes what is left of a line */

#endif
