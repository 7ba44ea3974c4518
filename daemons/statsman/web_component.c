/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dashboard's server: the tables of a component, as the first .desc of the search path has
 * them. In threads of core/http. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/registry/desc.h"
#include "daemons/statsman/web.h"

/* The text, if its tables make sense. */
static char *desc_read(const char *dir, const char *name, size_t *ret_len)
{
	struct component_type *type = NULL;
	struct diag diag = {0};
	char path[4096], *text = NULL;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s.desc", dir, name) >= sizeof(path) ||
	    file_read(path, DESC_BYTES_MAX, &text, ret_len) != 0)
		return NULL;
	if (desc_parse(path, text, *ret_len, &diag, &type) != 0) {
		free(text);
		text = NULL;
	} else {
		component_type_free(type);
	}
	diag_fini(&diag);
	return text;
}

char *web_component_text(const char *name, size_t *ret_len)
{
	char *dirs = registry_dirs(), *rest = dirs, *text = NULL;
	const char *dir;

	while (!text && (dir = strsep(&rest, ":")) != NULL)
		text = desc_read(dir, name, ret_len);
	free(dirs);
	return text;
}
