/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/kinds.h - which of many things are alike: those of which the same bytes are written.
 *
 *	kinds_init(&kinds, 4, name_write, names)           "a", "b", "a", "a"
 *	kinds.n                                            2
 *	kinds.of                                           0, 1, 0, 0
 *	kinds.first                                        0, 1
 */
#ifndef ALOE_BASE_KINDS_H
#define ALOE_BASE_KINDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct kinds {
	size_t n, n_things; /* n: of those that differ */
	uint32_t *of;       /* by thing */
	uint32_t *first;    /* n: the first thing of each, which never falls */
};

/* kinds_init lets `write` tell all that counts of each thing. 0 or -ENOMEM; end with kinds_fini in
 * any case. */
int kinds_init(struct kinds *kinds, size_t n_things,
    void (*write)(FILE *out, const void *things, size_t thing), const void *things);
void kinds_fini(struct kinds *kinds);

#endif
