/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "core/waveform/waveform.h"
#include "tools/aloe/replay.h"

enum { STEPS_MAX = 1000 };

static bool is_replayed(const struct replay_sets *self, const char *name)
{
	const size_t len = strcspn(name, ".");

	for (size_t i = 0; i < self->waveform->n_instances; i++)
		if (strlen(self->waveform->instances[i].name) == len &&
		    memcmp(self->waveform->instances[i].name, name, len) == 0)
			return !self->left_out[i];
	return false;
}

/* How many parameters of the change are to be set here. */
static unsigned set_put(const struct replay_sets *self, const json_t *set, struct wire_msg *msg)
{
	const char *name;
	json_t *value;
	unsigned n = 0;

	json_object_foreach(json_object_get(set, "set"), name, value)
	{
		if (!is_replayed(self, name))
			continue;
		wire_put_text(msg, WIRE_TAG_NAME, name);
		wire_put_text(msg, WIRE_TAG_VALUE, json_string_value(value));
		n++;
	}
	return n;
}

static uint64_t index_of(const json_t *set)
{
	return (uint64_t)json_integer_value(json_object_get(set, "index"));
}

static int set_send(
    const struct replay_sets *self, struct client *client, const char *waveform, const json_t *set)
{
	struct wire_view view;
	struct wire_msg msg;

	client_request(client, WIRE_SET, WIRE_STATSMAN, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, waveform);
	wire_put_u64(&msg, WIRE_TAG_INDEX, index_of(set));
	if (set_put(self, set, &msg) > 0)
		return client_judge(client_ask(client, &msg, CLIENT_CALL_MS, &view), &view);
	wire_fini(&msg);
	return CLI_OK;
}

static int steps_run(struct client *client, const char *waveform, uint64_t count)
{
	struct wire_view view;
	struct wire_msg msg;

	client_request(client, WIRE_STEP, WIRE_SWMAN, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, waveform);
	wire_put_u64(&msg, WIRE_TAG_COUNT, count);
	return client_judge(client_ask(client, &msg, CLIENT_CALL_MS, &view), &view);
}

/* The waveform runs up to the index of a change that is still to be sent: no instance is at an
 * index beyond the steps that have run. */
static int run_up_to(struct client *client, const char *waveform, uint64_t index, uint64_t *steps)
{
	int status = CLI_OK;

	while (status == CLI_OK && *steps < index) {
		const uint64_t left = index - *steps, count = left < STEPS_MAX ? left : STEPS_MAX;

		status = steps_run(client, waveform, count);
		*steps += count;
	}
	return status;
}

int replay_sets_send(void *self_, struct client *client, const char *waveform)
{
	const struct replay_sets *self = self_;
	const size_t n = json_array_size(self->sets);
	uint64_t steps = 0;
	unsigned waiting = 0;
	int status = CLI_OK;

	for (size_t i = 0; i < n && status == CLI_OK; i++) {
		const json_t *set = json_array_get(self->sets, i);
		const uint64_t index = index_of(set);

		if (index >= self->slots)
			break;
		if (waiting == REPLAY_SETS_MAX && index > steps) {
			status = run_up_to(client, waveform, index, &steps);
			waiting = 0;
		}
		if (status == CLI_OK)
			status = set_send(self, client, waveform, set);
		waiting++;
	}
	return status;
}
