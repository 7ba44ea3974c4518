/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/live.h - a report that changes before the user's eyes: a table drawn again and again on a terminal, a line
 * every two seconds anywhere else.
 */
#ifndef TOOLS_ALOE_LIVE_H
#define TOOLS_ALOE_LIVE_H

#include "core/json/json.h"

struct live {
	bool tty;
	unsigned lines;  /* drawn, to go back over */
	int64_t line_ms; /* when the last line was written */
};

void live_init(struct live *live);
void live_show(struct live *live, const json_t *report);
void live_clear(struct live *live); /* takes the table away, for other output */

#endif
