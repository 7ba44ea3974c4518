/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/host/describe.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/registry/registry.h"
#include "core/waveform/shape.h"

int host_describe(const char *path)
{
	const struct aloe_entry *entry;
	struct diag diag;
	void *handle;
	int code = 2;

	diag_init(&diag);
	if (component_open(path, &diag, &handle, &entry) == 0) {
		char *text = component_describe(entry);

		if (!text)
			diag_error(&diag, path, 0, "its tables cannot be described (no memory, or texts not UTF-8)");
		else if (fputs(text, stdout) < 0 || fflush(stdout) != 0)
			perror("aloe-host");
		else
			code = 0;
		free(text);
		component_close(handle);
	}
	diag_print(&diag, stderr);
	diag_fini(&diag);
	return code;
}

static void say_call(void *context, const char *call, const char *instance)
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
	else if (!(answer = waveform_shape_answer(request, say_call, stdout)))
		fputs("aloe-host: --shape: no memory\n", stderr);
	else if (fputs(answer, stdout) < 0 || fflush(stdout) != 0)
		perror("aloe-host: --shape");
	else
		code = 0;
	free(answer);
	free(request);
	return code;
}
