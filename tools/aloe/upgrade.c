/* SPDX-License-Identifier: BSD-3-Clause
 *
 * upgrade: an instance of a waveform that runs gets another build. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/aloe/client.h"
#include "tools/aloe/commands.h"

/* Which of the four was asked for: NULL, "status", "commit" or "rollback". False: more than one. */
static bool state_choose(const struct cli_args *args, const char **ret)
{
	static const char *const states[] = {"status", "commit", "rollback"};
	int n = cli_get(args, "component") != NULL;

	*ret = NULL;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (cli_has(args, states[i])) {
			*ret = states[i];
			n++;
		}
	return n == 1;
}

static int options_check(const struct cli_args *args, const char *state)
{
	if (state && cli_get(args, "shadow"))
		return cli_fail(args, "--%s takes no --shadow", state);
	if (state && strcmp(state, "rollback") != 0 && cli_nth(args, "set", 0))
		return cli_fail(args, "--%s takes no --set", state);
	if (cli_get(args, "within") && !cli_get(args, "shadow"))
		return cli_fail(args, "--within needs --shadow N");
	if (cli_get(args, "at") && (cli_get(args, "shadow") || (state && !strcmp(state, "status"))))
		return cli_fail(args, "--at is for the index at which a build takes over");
	return 0;
}

static int component_put(const struct cli_args *args, struct wire_msg *msg)
{
	const char *component = cli_get(args, "component");
	char path[PATH_MAX];

	if (!component)
		return 0;
	if (!strchr(component, '/')) {
		wire_put_text(msg, WIRE_TAG_FILE, component);
		return 0;
	}
	if (!realpath(component, path))
		return cli_fail(args, "--component %s: %s", component, strerror(errno));
	wire_put_text(msg, WIRE_TAG_FILE, path);
	return 0;
}

static int numbers_put(const struct cli_args *args, struct wire_msg *msg)
{
	enum { SHADOW_MAX = 1 << 18 };
	uint64_t at = 0, n = 0;
	double within = 0;

	if (cli_whole(args, "at", 0, UINT64_MAX >> 1, &at) < 0 ||
	    cli_whole(args, "shadow", 1, SHADOW_MAX, &n) < 0 ||
	    cli_real(args, "within", 0, 999, &within) < 0)
		return CLI_USAGE;
	if (cli_get(args, "at"))
		wire_put_u64(msg, WIRE_TAG_INDEX, at);
	if (cli_get(args, "shadow"))
		wire_put_u64(msg, WIRE_TAG_SLOTS, n);
	wire_put_text(msg, WIRE_TAG_VALUE, cli_get(args, "within"));
	return 0;
}

static int request_make(
    struct client *client, const struct cli_args *args, const char *state, struct wire_msg *msg)
{
	int status;

	client_request(client, WIRE_UPGRADE, WIRE_SWMAN, msg);
	wire_put_text(msg, WIRE_TAG_WAVEFORM, args->args[0]);
	wire_put_text(msg, WIRE_TAG_NAME, args->args[1]);
	wire_put_text(msg, WIRE_TAG_STATE, state);
	for (size_t i = 0; cli_nth(args, "set", i); i++)
		wire_put_text(msg, WIRE_TAG_SET, cli_nth(args, "set", i));
	status = component_put(args, msg);
	return status ? status : numbers_put(args, msg);
}

static void answer_print(const struct cli_args *args, const struct wire_view *view)
{
	char *text = wire_get_text(view, WIRE_TAG_TEXT, 0);
	uint64_t index;

	if (cli_get(args, "shadow") && wire_get_u64(view, WIRE_TAG_INDEX, &index) == 0)
		printf("%s.%s: the shadow run has begun with index %" PRIu64
		       "; it has a process of its own and takes no time of a lane\n",
		    args->args[0], args->args[1], index);
	else if (wire_get_u64(view, WIRE_TAG_INDEX, &index) == 0)
		printf("%s.%s: the new build took over at index %" PRIu64 "\n", args->args[0],
		    args->args[1], index);
	else if (cli_has(args, "rollback"))
		printf("%s.%s: ", args->args[0], args->args[1]);
	if (text)
		puts(text);
	free(text);
}

int aloe_upgrade(const struct cli_args *args)
{
	struct client client;
	struct wire_view view;
	struct wire_msg msg;
	const char *state;
	int status;

	if (!state_choose(args, &state))
		return cli_fail(
		    args, "one of --component, --status, --commit and --rollback is needed");
	status = options_check(args, state);
	if (status)
		return status;
	status = client_open(&client, args);
	if (status)
		return status;
	status = request_make(&client, args, state, &msg);
	if (status)
		wire_fini(&msg);
	else
		status = client_call(&client, &msg, &view);
	if (status == 0)
		answer_print(args, &view);
	client_close(&client);
	return status;
}
