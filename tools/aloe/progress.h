/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/progress.h - how far a measurement is, for whoever waits: on standard error, nothing
 * in the first two seconds; then, on a terminal, one line written again and again, elsewhere a line
 * every ten seconds.
 */
#ifndef TOOLS_ALOE_PROGRESS_H
#define TOOLS_ALOE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool off, tty, drawn;
	uint64_t began_ns, last_ns;
};

void progress_init(struct progress *progress, bool off);
/* progress_show may be called as often as one likes. The time since the beginning is put before the
 * text. */
__attribute__((format(printf, 2, 3))) void progress_show(
    struct progress *progress, const char *format, ...);
void progress_clear(struct progress *progress); /* takes the line away, for other output */

#endif
