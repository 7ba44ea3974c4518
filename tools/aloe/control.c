/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Commands to a node that is up: load, start, pause, step, stop, unload, set. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/component/parse.h"
#include "tools/aloe/cap.h"
#include "tools/aloe/client.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/source.h"
#include "tools/aloe/standard.h"
#include "tools/aloe/trace.h"

enum { FORCE_MS = 5000 };

#define SLOT_MAX (UINT64_MAX >> 16) /* what a baton can hold */
#define NOW UINT64_MAX

static void notes_print(const struct wire_view *view)
{
	char *notes = wire_get_text(view, WIRE_TAG_TEXT, 0);

	if (notes && notes[0])
		printf("%s%s", notes, notes[strlen(notes) - 1] == '\n' ? "" : "\n");
	free(notes);
}

static int load_send(
    struct client *client, const struct source *source, const struct cli_args *args)
{
	struct wire_view view;
	struct wire_msg msg;
	char *name;
	int status;

	client_request(client, WIRE_LOAD, WIRE_SWMAN, &msg);
	status = source_put(source, args, &msg);
	if (status) {
		wire_fini(&msg);
		return status;
	}
	status = client_call(client, &msg, &view);
	if (status)
		return status;
	notes_print(&view);
	name = wire_get_text(&view, WIRE_TAG_WAVEFORM, 0);
	printf("%s is loaded; `aloe start %s` starts the waveform\n", name ? name : "?",
	    name ? name : "?");
	status = trace_on_miss(client, args, name ? name : "?");
	free(name);
	return status;
}

int aloe_load(const struct cli_args *args)
{
	struct client client;
	struct source source = {0};
	int status = cap_check(args);

	if (status == 0)
		status = source_open(&source, args, args->args[0], false);
	if (status == 0)
		status = standard_refuse(&source);
	if (status == 0) {
		status = client_open(&client, args);
		if (status == 0) {
			status = load_send(&client, &source, args);
			client_close(&client);
		}
		if (status == 0)
			cap_begin(
			    args, (struct cap_user){.dir = client.dir}, source.waveform->slot_ns);
	}
	source_close(&source);
	return status;
}

/* order_put writes a command about the waveform args[0]. */
static void order_put(struct client *client, const struct cli_args *args, enum wire_type type,
    enum wire_peer dest, uint64_t count, struct wire_msg *msg)
{
	uint64_t at = NOW;

	cli_whole(args, "at", 0, SLOT_MAX, &at); /* looked at before */
	client_request(client, type, dest, msg);
	wire_put_text(msg, WIRE_TAG_WAVEFORM, args->args[0]);
	if (count)
		wire_put_u64(msg, WIRE_TAG_COUNT, count);
	if (cli_has(args, "force"))
		wire_put_u64(msg, WIRE_TAG_FORCE, 1);
	if (at != NOW)
		wire_put_u64(msg, WIRE_TAG_SLOT, at);
}

/* order_ask asks the manager, and by force exec itself where that one is too busy: what it does
 * then is not in a report. */
static int order_ask(struct client *client, const struct cli_args *args, enum wire_type type,
    uint64_t count, struct wire_view *view)
{
	const bool force = cli_has(args, "force");
	struct wire_msg msg;
	int rc;

	order_put(client, args, type, WIRE_SWMAN, count, &msg);
	rc = client_ask(client, &msg, force ? FORCE_MS : CLIENT_CALL_MS, view);
	if (force && rc == -ETIMEDOUT) {
		fprintf(stderr,
		    "aloe: aloe-swman has not answered for %d s; aloe-exec was asked directly, "
		    "and the report of the run may not be saved\n",
		    FORCE_MS / 1000);
		order_put(client, args, type, WIRE_EXEC, count, &msg);
		rc = client_ask(client, &msg, CLIENT_CALL_MS, view);
	}
	return client_judge(rc, view);
}

/* order_send sends one command and says what came of it. */
static int order_send(
    const struct cli_args *args, enum wire_type type, uint64_t count, const char *done)
{
	struct client client;
	struct wire_view view;
	uint64_t slot, at;
	int status =
	    cli_whole(args, "at", 0, SLOT_MAX, &at) < 0 ? CLI_USAGE : client_open(&client, args);

	if (status)
		return status;
	status = order_ask(&client, args, type, count, &view);
	if (status == 0) {
		printf("%s %s", args->args[0], done);
		if (type != WIRE_STOP && type != WIRE_UNLOAD &&
		    wire_get_u64(&view, WIRE_TAG_SLOT, &slot) == 0)
			printf(", from slot %" PRIu64, slot);
		printf("\n");
	}
	client_close(&client);
	return status;
}

int aloe_start(const struct cli_args *args)
{
	return order_send(args, WIRE_START, 0, "runs");
}

int aloe_pause(const struct cli_args *args)
{
	return order_send(args, WIRE_PAUSE, 0, "pauses");
}

int aloe_step(const struct cli_args *args)
{
	uint64_t count = 1;

	if (cli_whole(args, "count", 1, UINT32_MAX, &count) < 0)
		return CLI_USAGE;
	return order_send(args, WIRE_STEP, count, "steps");
}

int aloe_stop(const struct cli_args *args)
{
	return order_send(args, WIRE_STOP, 0, "is stopped");
}

int aloe_unload(const struct cli_args *args)
{
	return order_send(args, WIRE_UNLOAD, 0, "is unloaded");
}

/* One INSTANCE.PARAMETER=VALUE. The numbers of @FILE go as text: the node has other folders. */
static int set_put(const struct cli_args *args, const char *arg, struct wire_msg *msg)
{
	const char *equals = strchr(arg, '=');
	char *name, *text = NULL, why[PARAM_WHY_BYTES] = "out of memory";
	int error = -ENOMEM;

	if (!equals || equals == arg)
		return cli_fail(args, "`%s`: a parameter is set by INSTANCE.PARAMETER=VALUE", arg);
	name = strndup(arg, (size_t)(equals - arg));
	if (name)
		error = param_inline(name, equals + 1, &text, why, sizeof(why));
	if (error) {
		fprintf(stderr, "%s\n", why);
	} else {
		wire_put_text(msg, WIRE_TAG_NAME, name);
		wire_put_text(msg, WIRE_TAG_VALUE, text);
	}
	free(text);
	free(name);
	return error == -EINVAL ? CLI_USAGE : error ? CLI_FAILED : 0;
}

static int set_make(struct client *client, const struct cli_args *args, struct wire_msg *msg)
{
	uint64_t at = UINT64_MAX;
	int status = cli_whole(args, "at", 0, UINT64_MAX >> 1, &at) < 0 ? CLI_USAGE : 0;

	client_request(client, WIRE_SET, client_values(client), msg);
	wire_put_text(msg, WIRE_TAG_WAVEFORM, args->args[0]);
	for (int i = 1; status == 0 && i < args->n_args; i++)
		status = set_put(args, args->args[i], msg);
	if (at != UINT64_MAX)
		wire_put_u64(msg, WIRE_TAG_INDEX, at);
	return status;
}

static void set_print(const struct cli_args *args, uint64_t index)
{
	if (cli_has(args, "json")) {
		printf("{\"schema\": 1, \"index\": %" PRIu64 "}\n", index);
		return;
	}
	for (int i = 1; i < args->n_args; i++) {
		const int name = (int)strcspn(args->args[i], "=");

		printf("%.*s = %s from index %" PRIu64 "\n", name, args->args[i],
		    args->args[i] + name + 1, index);
	}
}

int aloe_set(const struct cli_args *args)
{
	struct client client;
	struct wire_view view;
	struct wire_msg msg;
	uint64_t index;
	int status = client_open(&client, args);

	if (status)
		return status;
	status = set_make(&client, args, &msg);
	if (status)
		wire_fini(&msg);
	else
		status = client_call(&client, &msg, &view);
	if (status == 0 && wire_get_u64(&view, WIRE_TAG_INDEX, &index) == 0)
		set_print(args, index);
	client_close(&client);
	return status;
}
