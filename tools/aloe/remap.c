/* SPDX-License-Identifier: BSD-3-Clause
 *
 * remap: a waveform that is loaded goes to other lanes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/aloe/client.h"
#include "tools/aloe/commands.h"

/* INST=LANE is --set INST.pin=LANE to who maps it. */
static int pin_put(const struct cli_args *args, const char *pin, struct wire_msg *msg)
{
	const char *equals = strchr(pin, '=');
	char *end = NULL, *set;

	if (!equals || equals == pin || equals[1] < '0' || equals[1] > '9' ||
	    (strtoul(equals + 1, &end, 10), *end))
		return cli_fail(
		    args, "--pin %s: INSTANCE=LANE is needed; lanes are numbered from 0", pin);
	if (asprintf(&set, "%.*s.pin%s", (int)(equals - pin), pin, equals) < 0)
		return CLI_FAILED;
	wire_put_text(msg, WIRE_TAG_SET, set);
	free(set);
	return 0;
}

static int request_make(struct client *client, const struct cli_args *args, struct wire_msg *msg)
{
	int status = 0;

	client_request(client, WIRE_REMAP, WIRE_SWMAN, msg);
	wire_put_text(msg, WIRE_TAG_WAVEFORM, args->args[0]);
	wire_put_text(msg, WIRE_TAG_LANES, cli_get(args, "lanes"));
	for (size_t i = 0; status == 0 && cli_nth(args, "pin", i); i++)
		status = pin_put(args, cli_nth(args, "pin", i), msg);
	return status;
}

static void answer_print(const struct wire_view *view, const char *waveform)
{
	char *state = wire_get_text(view, WIRE_TAG_STATE, 0),
	     *text = wire_get_text(view, WIRE_TAG_TEXT, 0);
	uint64_t slot = 0;

	wire_get_u64(view, WIRE_TAG_SLOT, &slot);
	if (state && strcmp(state, "RUN") == 0)
		printf("%s has run on its new lanes since slot %" PRIu64 "\n", waveform, slot);
	else
		printf("%s is on its new lanes in state %s\n", waveform, state ? state : "?");
	if (text)
		fputs(text, stdout);
	free(state);
	free(text);
}

int aloe_remap(const struct cli_args *args)
{
	struct client client;
	struct wire_view view;
	struct wire_msg msg;
	int status = client_open(&client, args);

	if (status)
		return status;
	status = request_make(&client, args, &msg);
	if (status)
		wire_fini(&msg);
	else
		status = client_call(&client, &msg, &view);
	if (status == 0)
		answer_print(&view, args->args[0]);
	client_close(&client);
	return status;
}
