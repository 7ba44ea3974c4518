/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe record WAVEFORM DIR: a recording that begins while the waveform runs, in a folder as of
 * `aloe run --record` (record.c) with the index at which it begins.
 *
 *	RECORD -> what was loaded, as one text
 *	TAP, RING -> every output that is recorded has a ring, and its next index is known
 *	RECORD with DIR -> swman writes to control.jsonl which changes hold, and those that come
 *	TAP from the first index on, again and again */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/recording/control.h"
#include "core/report/report.h"
#include "tools/aloe/client.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/describe.h"
#include "tools/aloe/record.h"
#include "tools/aloe/record_output.h"
#include "tools/aloe/sinks.h"
#include "tools/aloe/source.h"

enum {
	KEEP_TIMES = 5, /* of what a tap's ring keeps, so that a moment without CPU costs nothing */
	RING_BYTES = 64 << 20,
	WAIT_MS_MAX = 50,
	STILL_MS = 1000,
	BUSY_BYTES = 1 << 18
};
#define FLUSH_NS 500000000u

struct record_live {
	const struct cli_args *args;
	const char *name; /* of the waveform */
	struct client client;
	struct source source;
	struct sinks sinks;
	struct record_output *outputs;
	size_t n, n_kept; /* n_kept: they come first */
	struct wf_graft *kept;
	char dir[4096];
	uint64_t from, end, slots, keep;
	uint64_t missed; /* before it began */
	uint64_t flushed_ns, taken;
	unsigned still_ms; /* for so long nothing has come since Ctrl-C */
	size_t came;
	bool begun, stopping, gone, again;
};

/* ---- which outputs ---- */

static struct record_output *output_add(struct record_live *live, int i, int port)
{
	const struct wf_instance *instance = &live->source.waveform->instances[i];
	struct record_output *output = live->outputs;

	for (size_t k = 0; k < live->n; k++, output++)
		if (output->instance == i && output->port == port)
			return output;
	output->instance = i;
	output->port = port;
	output->until = UINT64_MAX;
	snprintf(output->name, sizeof(output->name), "%s.%s", instance->name,
	    wf_output_name(instance, port));
	live->n++;
	return output;
}

static int outputs_list(struct record_live *live)
{
	const struct waveform *waveform = live->source.waveform;

	live->outputs = calloc(waveform->n_links + 1, sizeof(*live->outputs));
	live->kept = calloc(waveform->n_links + 1, sizeof(*live->kept));
	if (!live->outputs || !live->kept || sinks_list(waveform, &live->sinks) < 0)
		return CLI_FAILED;
	for (size_t i = 0; i < waveform->n_instances; i++)
		for (uint32_t p = 0; p < waveform->instances[i].n_out; p++)
			if (record_is_outside(&waveform->instances[i]) &&
			    waveform->instances[i].out[p].link >= 0) {
				live->kept[live->n_kept++] =
				    (struct wf_graft){.instance = (int)i, .port = (int)p};
				output_add(live, (int)i, (int)p)->keeps = true;
			}
	for (size_t i = 0; i < live->sinks.n_grafts; i++)
		output_add(live, live->sinks.grafts[i].instance, live->sinks.grafts[i].port)
		    ->digests = true;
	return CLI_OK;
}

static json_t *outputs_names(const struct record_live *live, bool digests)
{
	json_t *names = json_array();

	for (size_t i = 0; i < live->n; i++)
		if (digests ? live->outputs[i].digests : live->outputs[i].keeps)
			json_array_append_new(names, json_string(live->outputs[i].name));
	return names;
}

/* ---- taps ---- */

static uint64_t keep_of(const struct record_live *live, const struct tap_reader *reader)
{
	const uint64_t usual = image_tap_keep(reader->slot_ns), bytes = tap_bytes_max(reader),
	               most = RING_BYTES / (bytes > 0 ? bytes : 1);
	uint64_t keep = KEEP_TIMES * usual < most ? KEEP_TIMES * usual : most;

	keep = keep < usual ? usual : keep > IMAGE_TAP_MAX ? IMAGE_TAP_MAX : keep;
	return live->keep > 0 ? live->keep : keep;
}

static int output_ring(struct record_live *live, struct record_output *output)
{
	struct tap_reader *reader = &output->reader;
	struct tap_bytes came;
	int status;
	uint64_t keep;

	reader->waveform = live->name;
	reader->name = output->name;
	status = tap_ask(&live->client, reader, &came);
	keep = status ? 0 : keep_of(live, reader);
	return status || reader->kept >= keep ? status
	                                      : tap_ring(&live->client, reader, keep, &came);
}

/* All have rings before the first index is chosen, so none loses it. */
static int from_choose(struct record_live *live)
{
	int status = CLI_OK;

	for (size_t i = 0; i < live->n && status == CLI_OK; i++)
		status = output_ring(live, &live->outputs[i]);
	for (size_t i = 0; i < live->n && status == CLI_OK; i++) {
		struct tap_reader *reader = &live->outputs[i].reader;
		struct tap_bytes came;

		status = tap_ask(&live->client, reader, &came);
		if (reader->cursor > live->from)
			live->from = reader->cursor;
	}
	for (size_t i = 0; i < live->n && live->slots > 0; i++)
		live->outputs[i].until = live->from + live->slots;
	return status;
}

static int frames_take(struct record_output *output, const uint8_t *bytes, size_t len)
{
	while (len > 0) {
		struct tap_frame frame;
		const ssize_t n = tap_frame_get(bytes, len, &frame);
		const bool gap = n > 0 && (frame.flags == TAP_GAP || frame.flags == TAP_BEFORE);
		int rc;

		if (n <= 0 ||
		    (!gap &&
		        (frame.len > tap_bytes_max(&output->reader) ||
		            frame.len % output->reader.item_bytes != 0)))
			return -EBADMSG;
		rc = record_output_take(output, &frame);
		if (rc < 0)
			return rc;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

static int output_read(struct record_live *live, struct record_output *output)
{
	struct tap_bytes came;
	int rc, status = tap_more(&live->client, &output->reader, &came);

	live->gone |= output->reader.gone;
	live->again |= output->reader.again;
	if (status != CLI_OK)
		return status == -EINTR ? CLI_OK : status;
	live->came += came.len;
	rc = frames_take(output, came.bytes, came.len);
	output->ended = output->reader.ended;
	if (rc == 0)
		return CLI_OK;
	fprintf(stderr, "aloe: %s/%s: the recording ends: %s\n", live->dir, output->name,
	    strerror(-rc));
	return CLI_FAILED;
}

/* ---- while it runs ---- */

static uint64_t next_least(const struct record_live *live)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < live->n; i++) {
		const struct record_output *output = &live->outputs[i];
		const uint64_t at = output->lost_at < output->next ? output->lost_at : output->next;

		next = at < next ? at : next;
	}
	return next;
}

/* What is left by a tool that is killed goes up to here. */
static int files_flush(struct record_live *live)
{
	const uint64_t taken = next_least(live);

	if (clock_ns() - live->flushed_ns < FLUSH_NS || taken <= live->from || taken == live->taken)
		return CLI_OK;
	for (size_t i = 0; i < live->n; i++) {
		const int rc = record_output_flush(&live->outputs[i]);

		if (rc == 0)
			continue;
		fprintf(stderr, "aloe: %s/%s: the recording ends: %s\n", live->dir,
		    live->outputs[i].name, strerror(-rc));
		return CLI_FAILED;
	}
	live->flushed_ns = clock_ns();
	live->taken = taken;
	return record_line(live->dir, false, json_pack("{s:I}", "taken", (json_int_t)taken));
}

/* Ctrl-C: all outputs go up to the index that the sinks have seen. */
static void stop_begin(struct record_live *live)
{
	uint64_t until = 0;

	live->stopping = true;
	for (size_t i = 0; i < live->n; i++)
		if (live->outputs[i].digests && live->outputs[i].next > until)
			until = live->outputs[i].next;
	for (size_t i = 0; i < live->n; i++)
		if (live->outputs[i].until > until)
			live->outputs[i].until = until;
}

static bool record_over(const struct record_live *live)
{
	bool done = true;

	for (size_t i = 0; i < live->n; i++) {
		if (live->outputs[i].lost > 0)
			return true;
		done &= record_output_done(&live->outputs[i]);
	}
	return done || live->gone || live->again || live->still_ms >= STILL_MS;
}

static int wait_ms(const struct record_live *live)
{
	int ms = WAIT_MS_MAX;

	for (size_t i = 0; i < live->n; i++)
		ms = tap_wait_ms(&live->outputs[i].reader, ms);
	return live->came >= BUSY_BYTES ? 0 : ms;
}

static int record_follow(struct record_live *live)
{
	int status = CLI_OK;

	while (status == CLI_OK && !record_over(live)) {
		live->came = 0;
		for (size_t i = 0; i < live->n && status == CLI_OK && !live->gone; i++)
			if (!record_output_done(&live->outputs[i]))
				status = output_read(live, &live->outputs[i]);
		if (status == CLI_OK)
			status = files_flush(live);
		if (live->client.interrupts > 0 && !live->stopping)
			stop_begin(live);
		if (status != CLI_OK || record_over(live))
			break;
		if (live->stopping)
			live->still_ms = live->came ? 0 : live->still_ms + (unsigned)wait_ms(live);
		(void)client_wait(&live->client, wait_ms(live));
	}
	return status;
}

/* ---- the beginning ---- */

static int text_take(struct record_live *live, char **ret_text)
{
	struct wire_view view;
	const int status = client_waveform(&live->client, WIRE_RECORD, live->name, &view);

	*ret_text = status ? NULL : wire_get_text(&view, WIRE_TAG_TEXT, 0);
	return status ? status : *ret_text ? CLI_OK : CLI_FAILED;
}

/* With a clock, and not over. */
static int waveform_check(struct record_live *live)
{
	int status;
	json_t *list = client_list(&live->client, &status), *entry;
	size_t n;

	json_array_foreach(list, n, entry)
	{
		const char *state = report_text(entry, "state");

		if (strcmp(report_text(entry, "name"), live->name) != 0)
			continue;
		if (strcmp(report_text(entry, "clock"), "virtual") == 0)
			status = cli_fail(live->args,
			    "%s has the virtual clock: its messages pass faster than "
			    "a tap can read them; record it from its beginning with "
			    "`aloe run FILE --record DIR`",
			    live->name);
		else if (strcmp(state, "STOP") == 0 || strcmp(state, "ABNSTOP") == 0)
			status = cli_fail(
			    live->args, "%s has ended; there is nothing to record", live->name);
	}
	json_decref(list);
	return status;
}

static int source_take(struct record_live *live, char *text)
{
	const struct cli_args plain = {
	    .program = live->args->program, .command = live->args->command};
	char path[4200], cwd[4096];
	int status;

	if (!getcwd(cwd, sizeof(cwd)))
		cwd[0] = 0;
	status =
	    record_folder(live->args, "", live->args->args[1], cwd, live->dir, sizeof(live->dir));
	if (status != CLI_OK) {
		free(text);
		return status;
	}
	status = record_text(live->dir, "waveform.conf", text);
	if (status == CLI_OK && path_print(path, sizeof(path), "%s/waveform.conf", live->dir) == 0)
		status = source_open(&live->source, &plain, path, false);
	return status;
}

static int files_open(struct record_live *live)
{
	json_t *head = record_head(live->source.waveform, live->source.text, live->slots,
	    outputs_names(live, false), json_object());

	json_object_set_new(head, "digests", outputs_names(live, true));
	json_object_set_new(head, "from", json_integer((json_int_t)live->from));
	for (size_t i = 0; i < live->n; i++) {
		const int rc = record_output_open(&live->outputs[i], live->dir, live->from);

		if (rc == 0)
			continue;
		fprintf(
		    stderr, "aloe: %s/%s: %s\n", live->dir, live->outputs[i].name, strerror(-rc));
		json_decref(head);
		return CLI_FAILED;
	}
	live->flushed_ns = clock_ns();
	return record_line(live->dir, true, head);
}

/* swman begins, or ends, to write what happens. */
static int events_order(struct record_live *live, bool end)
{
	struct wire_view view;
	struct wire_msg msg;

	client_request(&live->client, WIRE_RECORD, WIRE_SWMAN, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, live->name);
	wire_put_text(&msg, WIRE_TAG_RECORD, live->dir);
	if (end)
		wire_put_text(&msg, WIRE_TAG_STATE, "end");
	return client_call(&live->client, &msg, &view);
}

static int missed_ask(struct record_live *live, uint64_t *ret)
{
	struct wire_view view;
	int status;
	json_t *report;

	*ret = 0;
	if (!waveform_lapses(live->source.waveform))
		return CLI_OK;
	status = client_waveform(&live->client, WIRE_STATUS, live->name, &view);
	report = status ? NULL : client_json(&view);
	if (report)
		*ret = record_missed(report);
	json_decref(report);
	return status;
}

static int record_begin(struct record_live *live)
{
	char *text = NULL;
	int status = text_take(live, &text);

	if (status == CLI_OK)
		status = waveform_check(live);
	if (status != CLI_OK) {
		free(text);
		return status;
	}
	status = source_take(live, text);
	if (status == CLI_OK)
		status = outputs_list(live);
	if (status == CLI_OK)
		status = missed_ask(live, &live->missed);
	if (status == CLI_OK)
		status = from_choose(live);
	if (status == CLI_OK)
		status = files_open(live);
	if (status == CLI_OK)
		status = events_order(live, false);
	live->begun = status == CLI_OK;
	if (live->begun && !cli_has(live->args, "quiet"))
		fprintf(stderr, "recording %s from index %" PRIu64 " on%s\n", live->name,
		    live->from, live->slots ? "" : "; Ctrl-C ends the recording");
	return status;
}

/* ---- the end ---- */

static void losses_print(const struct record_live *live)
{
	for (size_t i = 0; i < live->n; i++)
		if (live->outputs[i].lost > 0)
			fprintf(stderr,
			    "aloe: %s: the tap of %s lost %" PRIu64 " message%s from index %" PRIu64
			    " on, because they passed faster than they could be read; "
			    "the recording ends before that index (--keep N gives the "
			    "taps longer rings)\n",
			    live->dir, live->outputs[i].name, live->outputs[i].lost,
			    plural((double)live->outputs[i].lost), live->outputs[i].lost_at);
	if (live->again)
		fprintf(stderr,
		    "aloe: the waveform was loaded anew under its name; the recording ends\n");
}

/* What a change has done that was told last is in the file. */
static int events_end(struct record_live *live)
{
	if (live->gone || live->again)
		return CLI_OK;
	return events_order(live, true);
}

static int last_line(struct record_live *live)
{
	uint64_t missed = live->missed;

	if (!live->gone && !live->again && missed_ask(live, &missed) != CLI_OK)
		return CLI_FAILED;
	missed = missed > live->missed ? missed - live->missed : 0;
	if (missed > 0)
		fprintf(stderr,
		    "aloe: slots skipped and messages missed inside the waveform: %" PRIu64
		    "; a recording of a waveform that runs has them not, so the replay differs "
		    "there (`aloe run --record` keeps them)\n",
		    missed);
	return record_line(live->dir, false,
	    json_pack("{s:I, s:I, s:o, s:o}", "missed", (json_int_t)missed, "end",
	        (json_int_t)live->end, "recorded",
	        record_hashes(live->dir, outputs_names(live, false)), "sinks", json_object()));
}

static int record_end(struct record_live *live)
{
	char path[4200];
	int status = CLI_OK;

	live->end = next_least(live);
	losses_print(live);
	for (size_t i = 0; i < live->n && status == CLI_OK; i++)
		status = record_output_close(&live->outputs[i]) < 0 ? CLI_FAILED : CLI_OK;
	if (status != CLI_OK)
		fprintf(stderr, "aloe: %s: the files cannot be written to their end\n", live->dir);
	if (status == CLI_OK && live->end <= live->from) {
		fprintf(stderr, "aloe: %s: not one index was recorded\n", live->dir);
		status = CLI_FAILED;
	}
	live->client.interrupts = 0;
	if (events_end(live) != CLI_OK) {
		/* a change may lack, and then it is a recording of something else */
		if (path_print(path, sizeof(path), "%s/control.jsonl", live->dir) == 0)
			(void)unlink(path);
		fprintf(stderr,
		    "aloe: %s: a change of a parameter may lack, so control.jsonl was removed and "
		    "there is no recording\n",
		    live->dir);
		return CLI_FAILED;
	}
	if (status == CLI_OK)
		status =
		    describe_outputs(live->dir, live->source.waveform, live->kept, live->n_kept);
	return status == CLI_OK ? last_line(live) : status;
}

static int record_all(struct record_live *live)
{
	int status = record_begin(live), followed;

	if (status != CLI_OK)
		return status;
	followed = record_follow(live);
	if (followed != CLI_OK) {
		(void)events_end(live);
		return followed;
	}
	status = record_end(live);
	if (status == CLI_OK && !cli_has(live->args, "quiet"))
		printf("recorded   %s: index %" PRIu64 " to %" PRIu64 " of %s\n", live->dir,
		    live->from, live->end - 1, live->name);
	for (size_t i = 0; i < live->n; i++)
		if (live->outputs[i].lost > 0)
			status = CLI_FAILED;
	return status;
}

int aloe_record(const struct cli_args *args)
{
	struct record_live *live = calloc(1, sizeof(*live));
	int status;

	if (!live)
		return CLI_FAILED;
	live->args = args;
	live->name = args->args[0];
	status = cli_whole(args, "slots", 1, CONTROL_INDEX_MAX, &live->slots) < 0 ||
	        cli_whole(args, "keep", 1, IMAGE_TAP_MAX, &live->keep) < 0
	    ? CLI_USAGE
	    : client_open(&live->client, args);
	if (status == CLI_OK) {
		status = client_signals(&live->client) < 0 ? CLI_FAILED : record_all(live);
		client_close(&live->client);
	}
	for (size_t i = 0; i < live->n; i++)
		if (live->outputs[i].data || live->outputs[i].digest)
			(void)record_output_close(&live->outputs[i]);
	sinks_fini(&live->sinks);
	source_close(&live->source);
	free(live->outputs);
	free(live->kept);
	free(live);
	return status;
}
