/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/nodes.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "core/report/report.h"
#include "tools/aloe/platforms.h"

int nodes_check(const struct cli_args *args)
{
	static const char *const own[] = {"verify", "cap", "shield", "state"};

	if (!cli_has(args, "platform"))
		return cli_has(args, "dir")
		    ? cli_fail(args,
		          "--dir names a node that is up, and is for --platform; without "
		          "--platform this command has a node of its own")
		    : CLI_OK;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (cli_has(args, own[i]))
			return cli_fail(args,
			    "--%s is for a node of this command's own, and --platform names nodes "
			    "that are up; leave one of them out",
			    own[i]);
	return CLI_OK;
}

static int platform_read(const struct cli_args *args, struct platform_model **ret)
{
	char path[PATH_MAX];
	struct diag diag;
	int rc = platform_find(args, cli_get(args, "platform"), path);

	*ret = NULL;
	if (rc < 0)
		return rc;
	diag_init(&diag);
	rc = platform_take(path, &diag, ret);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	return rc;
}

/* The nodes that a node knows are those of the platform file that it was started with. */
static bool is_platform(const json_t *list, const struct platform_model *model)
{
	if (json_array_size(list) != model->n_nodes)
		return false;
	for (size_t n = 0; n < model->n_nodes; n++) {
		const json_t *node = json_array_get(list, n);
		const char *address = model->nodes[n].address;

		if (strcmp(report_text(node, "name"), model->nodes[n].name) != 0 ||
		    strcmp(report_text(node, "address"), address ? address : "") != 0)
			return false;
	}
	return true;
}

static int platform_ask(struct client *client, const struct platform_model *model)
{
	struct wire_view view;
	struct wire_msg msg;
	json_t *list;
	int status;

	client_request(client, WIRE_NODES, WIRE_FRONTEND, &msg);
	status = client_call(client, &msg, &view);
	list = status == 0 ? client_json(&view) : NULL;
	if (!list)
		return status ? status : CLI_FAILED;
	if (!is_platform(list, model)) {
		fprintf(stderr,
		    "aloe: --platform: the node in %s is %s, and no node of %s; `aloe up "
		    "--platform` starts nodes of a platform, and --dir names the runtime directory "
		    "of a node\n",
		    client->dir, json_array_size(list) ? "a node of another platform" : "alone",
		    model->name);
		status = CLI_USAGE;
	}
	json_decref(list);
	return status;
}

int nodes_open(struct client *client, const struct cli_args *args)
{
	const int signal_fd = client->signal_fd;
	struct platform_model *model;
	int status = platform_read(args, &model) < 0 ? CLI_USAGE : CLI_OK;

	if (status == CLI_OK)
		status = client_open(client, args);
	client->signal_fd = signal_fd;
	if (status == CLI_OK)
		status = platform_ask(client, model);
	platform_free(model);
	return status;
}

int nodes_unload(struct client *client, const char *waveform, bool force)
{
	struct wire_view view;
	struct wire_msg msg;
	int status;

	client_request(client, WIRE_UNLOAD, WIRE_SWMAN, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, waveform);
	if (force)
		wire_put_u64(&msg, WIRE_TAG_FORCE, 1);
	status = client_call(client, &msg, &view);
	if (status)
		fprintf(stderr,
		    "aloe: %s may still be loaded; `aloe list` shows the waveform, and `aloe "
		    "unload %s --force` removes the waveform\n",
		    waveform, waveform);
	return status;
}

static bool has_node(const struct platform_model *model, const char *name)
{
	for (size_t n = 0; n < model->n_nodes; n++)
		if (strcmp(model->nodes[n].name, name) == 0)
			return true;
	return false;
}

int nodes_have(const struct cli_args *args, const struct waveform *waveform)
{
	struct platform_model *model;
	int rc = platform_read(args, &model);
	bool all = true;

	for (size_t i = 0; rc == 0 && i < waveform->n_instances; i++)
		all = all &&
		    (!waveform->instances[i].node || has_node(model, waveform->instances[i].node));
	platform_free(model);
	return rc < 0 ? rc : all;
}
