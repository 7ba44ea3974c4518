/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is looked at, whether once or again and again. */
#include <errno.h>
#include <string.h>

#include "tools/aloe/scope.h"

const char *const scope_views[] = {
    "time", "spectrum", "waterfall", "constellation", "eye", "histogram", "bits", NULL};

int scope_frequencies(struct seen *seen)
{
	if (cli_real(seen->args, "rate", 1e-6, 1e12, &seen->signal.rate_hz) < 0 ||
	    cli_real(seen->args, "centre", -1e12, 1e12, &seen->signal.centre_hz) < 0)
		return CLI_USAGE;
	return CLI_OK;
}

int scope_signal(struct seen *seen, uint32_t type, const void *items, size_t len)
{
	const int rc = scope_take(type, items, len, &seen->signal);

	if (rc == -ENODATA)
		fprintf(stderr, "aloe: %s: no sample came, so there is nothing to look at\n",
		    seen->name);
	else if (rc < 0)
		fprintf(stderr, "aloe: %s: %s\n", seen->name, strerror(-rc));
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

void scope_title(const struct seen *seen, const struct scope_figure *figure, char *ret, size_t size)
{
	const char *slash = strrchr(seen->name, '/');
	int len = snprintf(ret, size, "%s %s: %s", slash ? slash + 1 : seen->name,
	    scope_views[seen->options.view], figure->title);

	if (seen->lost > 0 && len > 0 && (size_t)len < size)
		snprintf(ret + len, size - (size_t)len, "; %llu %s%s lost, %s",
		    (unsigned long long)seen->lost, seen->zeros ? "sample" : "message",
		    seen->lost == 1 ? " is" : "s are", seen->zeros ? "as zeros" : "left out");
}
