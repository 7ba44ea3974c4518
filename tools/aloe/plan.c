/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plan: where and in what order a waveform would run, on this machine or on one that need not
 * exist, and why so. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/map/explain.h"
#include "core/report/report.h"
#include "core/report/store.h"
#include "tools/aloe/client.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/plan.h"
#include "tools/aloe/platforms.h"

enum { LIST_MS = 5000 };

/* What a plan for other instruction sets does not know. */
static void arch_note(struct plan_request *request)
{
	const char *here = component_arch_name(component_arch_here());
	const bool taken =
	    request->file->assume_builds || request->source->waveform->admit == WF_ADMIT_ALWAYS;

	for (size_t i = 0; i < request->file->n_nodes; i++) {
		const struct platform_node *node = &request->file->nodes[i];

		if (!node->arch || (here && strcmp(node->arch, here) == 0))
			continue;
		diag_note(&request->source->diag,
		    "node %s is %s and this machine is %s: the costs were measured on this "
		    "machine and are scaled by MMAC/s%s",
		    node->name, node->arch, here ? here : "another",
		    taken ? "; a build of every component for that node is assumed" : "");
		return;
	}
}

/* What a node that runs here has loaded: NULL if there is none, or if it does not answer, which is
 * told. */
static json_t *loaded_ask(struct plan_request *request)
{
	struct client client;
	struct wire_view view;
	struct wire_msg msg;
	json_t *list = NULL;
	int rc = client_find(&client, request->args);

	if (rc == -ENOENT || (rc == 0 && client_connect(&client)))
		return NULL;
	if (rc == 0) {
		client_request(&client, WIRE_LIST, WIRE_SWMAN, &msg);
		rc = client_ask(&client, &msg, LIST_MS, &view);
		list = rc == 0 && view.type == WIRE_OK ? client_json(&view) : NULL;
		client_close(&client);
	}
	if (!list)
		diag_note(&request->source->diag,
		    "the running node does not say what is loaded; the plan assumes an empty "
		    "machine");
	return list;
}

/* This machine, with what the node that runs here has left of it. */
static void beside_open(struct plan_request *request)
{
	json_t *list = loaded_ask(request), *loaded;
	char names[512] = "";
	size_t i, at = 0;

	local_beside(list, request->source->waveform, &request->local);
	json_array_foreach(list, i, loaded)
	{
		if (at < sizeof(names))
			at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s",
			    i ? ", " : "", report_text(loaded, "name"));
	}
	if (names[0])
		diag_note(&request->source->diag,
		    "the plan counts what the running node has loaded (%s); --platform local "
		    "plans for an empty machine",
		    names);
	json_decref(list);
}

/* From which node the waveform is loaded. */
static int home_take(struct plan_request *request)
{
	const char *name = cli_get(request->args, "node");
	struct platform_model *file = request->file;
	char all[512] = "";
	size_t len = 0;

	if (!name)
		return 0;
	if (!file)
		return diag_error(&request->source->diag, NULL, 0,
		    "--node %s: only a platform file has nodes; give --platform FILE", name);
	for (uint32_t n = 0; n < file->n_nodes; n++) {
		if (strcmp(file->nodes[n].name, name) == 0)
			file->home = n + 1;
		if (len < sizeof(all))
			len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", n ? ", " : "",
			    file->nodes[n].name);
	}
	if (file->home)
		return 0;
	return diag_error(&request->source->diag, NULL, 0,
	    "--node %s: no node \"%s\", there are %s", name, name, all);
}

static int platform_open(struct plan_request *request)
{
	const char *name = cli_get(request->args, "platform");
	char path[PATH_MAX];
	int rc;

	local_platform(request->state, &request->local);
	request->platform = &request->local.model;
	if (!name)
		beside_open(request);
	if (!name || strcmp(name, "local") == 0)
		return home_take(request);
	rc = platform_find(request->args, name, path);
	if (rc < 0)
		return rc;
	rc = platform_take(path, &request->source->diag, &request->file);
	request->platform = request->file;
	if (rc == 0)
		arch_note(request);
	return rc ? rc : home_take(request);
}

/* ---- the plan ------------------------------------------------------------------------ */

static int options_take(struct plan_request *request)
{
	const char *mapper = cli_get(request->args, "mapper");

	request->options = PLAN_OPTIONS;
	if (cli_real(request->args, "q", 0, 1, &request->options.q) < 0)
		return -EINVAL;
	if (mapper && mapper_find(mapper, &request->options.mapper) < 0)
		return diag_error(
		    &request->source->diag, NULL, 0, "--mapper %s is unknown", mapper);
	return 0;
}

static int why_make(struct plan_request *request)
{
	const char *name = cli_get(request->args, "why");
	const struct waveform *wf = request->source->waveform;
	const char **names;
	const char *nearest;
	int rc;

	if (!name)
		return 0;
	rc = plan_why(wf, request->platform, &request->profile, &request->options, request->plan,
	    name, &request->why);
	if (rc != -ENOENT)
		return rc;
	names = calloc(wf->n_instances, sizeof(*names));
	for (size_t i = 0; names && i < wf->n_instances; i++)
		names[i] = wf->instances[i].name;
	nearest = names ? diag_nearest(name, names, wf->n_instances) : NULL;
	cli_fail(request->args, "--why %s: the waveform has no such instance%s%s%s", name,
	    nearest ? ", did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
	free(names);
	return -EINVAL;
}

static int plan_show(struct plan_request *request)
{
	const struct waveform *wf = request->source->waveform;
	char *text;
	int rc = plan_whatif(wf, request->platform, &request->profile, &request->options,
	    request->plan, &request->whatif);

	if (rc == 0)
		rc = why_make(request);
	if (rc < 0)
		return rc;
	text = cli_has(request->args, "json")
	    ? plan_explain_json(wf, request->plan, &request->whatif, request->why)
	    : plan_explain_print(wf, request->plan, &request->whatif, request->why);
	if (text)
		printf("%s%s", text, text[0] && text[strlen(text) - 1] == '\n' ? "" : "\n");
	free(text);
	return text ? 0 : -ENOMEM;
}

static int request_make(struct plan_request *request, int (*show)(struct plan_request *request))
{
	struct waveform *wf = request->source->waveform;
	struct diag *diag = &request->source->diag;
	int rc = options_take(request);

	if (rc == 0)
		rc = platform_open(request);
	if (rc == 0)
		rc = store_profile_read(request->state, wf, diag, &request->profile);
	if (rc == 0)
		rc = plan_spread(wf, request->platform, &request->profile, diag);
	if (rc == 0)
		rc = plan_make_with(wf, request->platform, &request->profile, &request->options,
		    diag, &request->plan);
	return rc ? rc : show(request);
}

int plan_with(
    const struct cli_args *args, struct source *source, int (*show)(struct plan_request *request))
{
	const char *given = cli_get(args, "state");
	struct plan_request *request = calloc(1, sizeof(*request));
	int rc = request ? 0 : -ENOMEM, status;

	if (rc == 0) {
		request->args = args;
		request->source = source;
		rc = given ? path_print(request->state, sizeof(request->state), "%s", given)
		           : dir_state(request->state, sizeof(request->state));
	}
	if (rc == 0)
		rc = request_make(request, show);
	if (rc < 0 && rc != -EINVAL)
		fprintf(stderr, "aloe: %s\n", strerror(-rc));
	diag_print(&source->diag, stderr);
	if (request) {
		plan_profile_fini(&request->profile);
		plan_why_free(request->why);
		plan_free(request->plan);
		platform_free(request->file);
	}
	status = rc < 0 ? CLI_USAGE : request->status;
	free(request);
	return status;
}

int aloe_plan(const struct cli_args *args)
{
	struct source source;
	int status = source_open(&source, args, args->args[0], true);

	if (status == 0)
		status = plan_with(args, &source, plan_show);
	source_close(&source);
	return status;
}
