/* SPDX-License-Identifier: BSD-3-Clause
 *
 * check: everything that can be said of a file without touching anything. */
#include "core/base/text.h"
#include "core/report/report.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/source.h"

static void check_ok(const struct waveform *waveform)
{
	char slot[32];

	report_duration((double)waveform->slot_ns * 1e-9, slot, sizeof(slot));
	printf("%s: ok: waveform %s, %zu instance%s, %zu link%s, slot %s\n", waveform->file,
	    waveform->name, waveform->n_instances, plural(waveform->n_instances), waveform->n_links,
	    plural(waveform->n_links), slot);
}

int aloe_check(const struct cli_args *args)
{
	struct source source;
	const int status = source_open(&source, args, args->args[0], true);

	if (status == 0)
		check_ok(source.waveform);
	source_close(&source);
	return status;
}
