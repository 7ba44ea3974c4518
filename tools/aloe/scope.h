/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/scope.h - what `aloe scope` looks at, once (scope.c) or again and again
 * (scope_live.c); seen.c is what both have. */
#ifndef TOOLS_ALOE_SCOPE_H
#define TOOLS_ALOE_SCOPE_H

#include "core/cli/cli.h"
#include "core/scope/scope.h"

struct seen {
	const struct cli_args *args;
	const char *name;
	struct scope_signal signal;
	struct scope_options options;
	uint64_t samples, skip;
	uint64_t lost;
	bool zeros; /* for lost samples; else lost messages are left out */
};

extern const char *const scope_views[]; /* their names; NULL at the end */

/* scope_signal makes the signal from items; scope_frequencies: what the user says of its
 * frequencies is true. The exit status, after saying why. */
int scope_signal(struct seen *seen, uint32_t type, const void *items, size_t len);
int scope_frequencies(struct seen *seen);
void scope_title(
    const struct seen *seen, const struct scope_figure *figure, char *ret, size_t size);

/* scope_live draws the output until the user wants an end. The exit status. */
int scope_live(struct seen *seen);
void scope_words(FILE *out); /* its keys, for help and manual */

#endif
