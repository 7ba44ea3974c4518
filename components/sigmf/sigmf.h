/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/sigmf/sigmf.h - errors of core/sigmf, in the words of a component. [control]
 */
#ifndef ALOE_COMPONENTS_SIGMF_H
#define ALOE_COMPONENTS_SIGMF_H

#include <aloe/component.h>

#include "core/sigmf/sigmf.h"

/* diag_fail tells as many of the errors as there is room for, and how many there are besides; the
 * lines are freed. Returns what aloe_fail returns. */
static inline int diag_fail(struct diag *diag, struct aloe_setup *setup)
{
	char text[sizeof(setup->error)] = "no memory";
	size_t len = 0, told = 0;

	for (size_t i = 0; i < diag->len && len + 40 < sizeof(text); i++, told++)
		len += (size_t)snprintf(
		    text + len, sizeof(text) - len, "%s%s", i > 0 ? "; " : "", diag->lines[i]);
	if (told < diag->len && len < sizeof(text))
		snprintf(text + len, sizeof(text) - len, "; and %zu more", diag->len - told);
	diag_fini(diag);
	return aloe_fail(setup, "%s", text);
}

#endif
