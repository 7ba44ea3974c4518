/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/host/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/registry/desc.h"
#include "core/registry/registry.h"
#include "core/waveform/shape.h"

/* A table that nobody could use is refused here, where its author sees it. */
static int describe(const char *path, const struct aloe_entry *entry, struct diag *diag)
{
	struct component_type *type = NULL;
	char *text = component_describe(entry);
	int error = 0;

	if (!text)
		error = diag_error(diag, path, 0,
		    "the tables of the component cannot be described, because a text is not UTF-8 "
		    "or there is no memory");
	else
		error = desc_parse(path, text, strlen(text), diag, &type);
	if (!error && (fputs(text, stdout) < 0 || fflush(stdout) != 0))
		error =
		    diag_error(diag, path, 0, "the description of the component cannot be written");
	component_type_free(type);
	free(text);
	return error;
}

int host_describe(const char *path)
{
	const struct aloe_entry *entry;
	struct diag diag;
	void *handle;
	int code = 2;

	diag_init(&diag);
	if (component_open(path, &diag, &handle, &entry) == 0) {
		if (describe(path, entry, &diag) == 0)
			code = 0;
		component_close(handle);
	}
	diag_print(&diag, stderr);
	diag_fini(&diag);
	return code;
}

static void call_print(void *context, const char *call, const char *instance)
{
	fprintf(context, "# %s of %s\n", call, instance);
	fflush(context);
}

int host_shape(void)
{
	char *request = NULL, *answer = NULL;
	size_t size = 0;
	int code = 1;

	if (getdelim(&request, &size, 0, stdin) < 0)
		fputs("aloe-host: --shape: nothing to read\n", stderr);
	else if (!(answer = waveform_shape_answer(request, call_print, stdout)))
		fputs("aloe-host: --shape: no memory\n", stderr);
	else if (fputs(answer, stdout) < 0 || fflush(stdout) != 0)
		perror("aloe-host: --shape");
	else
		code = 0;
	free(answer);
	free(request);
	return code;
}
