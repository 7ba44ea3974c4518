/* SPDX-License-Identifier: BSD-3-Clause
 *
 * check and plan: everything that can be said without touching anything. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/report/local.h"
#include "core/report/report.h"
#include "core/report/store.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/source.h"

static void check_ok(const struct waveform *waveform)
{
	char slot[32];

	report_duration((double)waveform->slot_ns * 1e-9, slot, sizeof(slot));
	printf("%s: ok: waveform %s, %zu instances, %zu links, slot %s\n", waveform->file, waveform->name,
	       waveform->n_instances, waveform->n_links, slot);
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

static int plan_show(const struct cli_args *args, const struct source *source, const struct plan *plan)
{
	char *text = cli_has(args, "json") ? plan_json(source->waveform, plan) : plan_print(source->waveform, plan);

	if (text)
		printf("%s%s", text, text[0] && text[strlen(text) - 1] == '\n' ? "" : "\n");
	free(text);
	return text ? CLI_OK : CLI_FAILED;
}

static int plan_of(const struct cli_args *args, struct source *source)
{
	const char *given = cli_get(args, "state");
	struct local_platform platform;
	struct profile profile = {0};
	struct plan *plan = NULL;
	char state[PATH_MAX];
	int rc = given ? path_print(state, sizeof(state), "%s", given) : dir_state(state, sizeof(state));

	if (rc == 0)
		rc = store_profile_read(state, source->waveform, &source->diag, &profile);
	if (rc == 0) {
		local_platform(state, &platform);
		rc = plan_make(source->waveform, &platform.model, &profile, &source->diag, &plan);
	}
	plan_profile_fini(&profile);
	if (rc == 0)
		rc = plan_show(args, source, plan);
	else if (rc != -EINVAL)
		fprintf(stderr, "aloe: %s\n", strerror(-rc));
	diag_print(&source->diag, stderr);
	plan_free(plan);
	return rc < 0 ? CLI_USAGE : rc;
}

int aloe_plan(const struct cli_args *args)
{
	const char *platform = cli_get(args, "platform");
	struct source source;
	int status;

	if (platform && strcmp(platform, "local") != 0)
		return cli_fail(args, "--platform %s: only `local`, this machine, is known", platform);
	status = source_open(&source, args, args->args[0], true);
	if (status == 0)
		status = plan_of(args, &source);
	source_close(&source);
	return status;
}
