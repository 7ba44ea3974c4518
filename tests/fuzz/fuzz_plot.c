/* SPDX-License-Identifier: BSD-3-Clause
 * core/plot: a result that is to be drawn again may be any bytes. Its figure is refused with a
 * reason, or is the same figure after it was written and read once more. */
#include <stdlib.h>
#include <string.h>

#include "core/plot/plot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static char *script_of(const struct plot *plot)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	insist(out != NULL);
	plot_script(plot, out);
	insist(fclose(out) == 0);
	return text;
}

static void plot_check(struct plot *plot, struct diag *diag)
{
	json_t *json = plot_json(plot);
	struct plot again;
	char *text, *second;

	insist(json != NULL && plot_read(json, "again.json", diag, &again) == 0);
	text = script_of(plot);
	second = script_of(&again);
	insist(strcmp(text, second) == 0);
	free(text);
	free(second);
	plot_fini(&again);
	json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plot plot;
	struct diag diag;
	json_t *json;

	diag_init(&diag);
	json = json_read("result.json", (const char *)data, size, &diag);
	if (json) {
		const int rc = plot_read(json, "result.json", &diag, &plot);

		insist((rc == 0) == (diag.errors == 0));
		if (rc == 0) {
			plot_check(&plot, &diag);
			plot_fini(&plot);
		}
	}
	json_decref(json);
	diag_fini(&diag);
	return 0;
}
