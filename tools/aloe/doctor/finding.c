/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A finding as a judge fills it in. */
#include <stdarg.h>
#include <stdio.h>

#include "tools/aloe/doctor/doctor.h"

void finding_now(struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->now, sizeof(finding->now), format, args);
	va_end(args);
}

void finding_is(struct finding *finding, enum verdict verdict, const char *want, const char *how)
{
	finding->verdict = verdict;
	snprintf(finding->want, sizeof(finding->want), "%s", want);
	snprintf(finding->how, sizeof(finding->how), "%s", how);
}

void finding_change(
    struct finding *finding, const char *kind, const char *path, const char *from, const char *to)
{
	json_array_append_new(finding->changes,
	    json_pack("{s:s, s:s, s:s, s:s}", "kind", kind, "path", path, "from", from, "to", to));
}

void finding_fini(struct finding *finding)
{
	json_decref(finding->changes);
	finding->changes = NULL;
}
