/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench draw: the picture of a result that --json has printed, without measuring again. */
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/plot/plot.h"
#include "tools/bench/commands.h"

enum { RESULT_BYTES_MAX = 64 << 20 };

/* 0, or -EINVAL with the reasons in diag. */
static int plot_open(const char *file, struct diag *diag, struct plot *ret)
{
	char *text = NULL;
	size_t len = 0;
	json_t *result = NULL;
	int rc = file_read(file, RESULT_BYTES_MAX, &text, &len);

	if (rc < 0)
		return diag_error(diag, file, 0, "cannot be read: %s", file_reason(rc));
	result = json_read(file, text, len, diag);
	free(text);
	if (!result)
		return -1;
	if (json_object_get(result, "bench") && !json_object_get(result, "plot"))
		rc = diag_error(diag, file, 0,
		    "this result of aloe bench has no \"plot\": the benchmark has nothing to draw, "
		    "or is of an older ALOE");
	else
		rc = plot_read(json_object_get(result, "plot"), file, diag, ret);
	json_decref(result);
	return rc;
}

int bench_draw(const struct cli_args *args)
{
	const char *file = cli_get(args, "plot");
	struct plot plot;
	struct diag diag;
	int status = CLI_USAGE;

	for (size_t i = 0; i < args->n_given; i++)
		if (strcmp(args->given[i].option->name, "plot") != 0)
			return cli_fail(args, "--%s: only --plot goes with this command",
			    args->given[i].option->name);
	if (!file)
		return cli_fail(args, "--plot FILE.svg, FILE.png or FILE.gp is needed");
	if (plot_possible(args, "plot") != CLI_OK)
		return CLI_USAGE;
	diag_init(&diag);
	if (plot_open(args->args[0], &diag, &plot) == 0) {
		status = plot_draw(&plot, args->program->name, file);
		plot_fini(&plot);
	}
	diag_print(&diag, stderr);
	diag_fini(&diag);
	return status;
}
