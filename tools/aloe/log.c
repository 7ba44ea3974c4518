/* SPDX-License-Identifier: BSD-3-Clause
 *
 * log: variables of an instance by index, into a text file. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "tools/aloe/client.h"
#include "tools/aloe/commands.h"

enum { FETCH_MS = 200, LOOK_EACH = 3 };

struct log_file {
	const char *path;
	FILE *out;
	uint64_t every, cursor; /* cursor 0: none yet */
	uint64_t lines, first, last, gaps, missing;
	bool again; /* the waveform was loaded anew under its name */
};

/* Once there is something to write: a wrong name costs no file. */
static int file_open(struct log_file *log)
{
	log->out = strcmp(log->path, "-") == 0 ? stdout : fopen(log->path, "we");
	if (log->out)
		return CLI_OK;
	fprintf(stderr, "aloe: %s: cannot be written: %s\n", log->path, strerror(errno));
	return CLI_FAILED;
}

/* ---- rows ---- */

static void head_write(struct log_file *log, const json_t *names)
{
	json_t *name;
	size_t n;

	fprintf(log->out, "index");
	json_array_foreach(names, n, name)
	{
		fprintf(log->out, ",%s", json_string_value(name));
	}
	fprintf(log->out, "\n");
}

static void value_write(FILE *out, const json_t *value)
{
	if (json_is_integer(value))
		fprintf(out, ",%lld", json_integer_value(value));
	else if (json_is_real(value))
		fprintf(out, ",%.17g", json_real_value(value));
	else
		fprintf(out, ",nan");
}

static void row_write(struct log_file *log, const json_t *row)
{
	const uint64_t index = (uint64_t)json_integer_value(json_array_get(row, 0)),
	               part = index / log->every, before = log->last / log->every;

	if (log->lines > 0 && index < log->last) {
		log->again = true;
		return;
	}
	/* of a log that was begun anew, because aloe-stats had died */
	if (log->lines > 0 && part == before)
		return;
	if (log->lines > 0 && part > before + 1) {
		log->gaps++;
		log->missing += part - before - 1;
	}
	if (log->lines == 0)
		log->first = index;
	log->last = index;
	log->lines++;
	fprintf(log->out, "%" PRIu64, index);
	for (size_t n = 1; n < json_array_size(row); n++)
		value_write(log->out, json_array_get(row, n));
	fprintf(log->out, "\n");
}

static int rows_take(struct log_file *log, const struct wire_view *view)
{
	json_t *answer = client_json(view), *row;
	size_t n;

	if (!answer)
		return CLI_FAILED;
	wire_get_u64(view, WIRE_TAG_CURSOR, &log->cursor);
	if (!log->out) {
		if (file_open(log)) {
			json_decref(answer);
			return CLI_FAILED;
		}
		head_write(log, json_object_get(answer, "names"));
	}
	json_array_foreach(json_object_get(answer, "rows"), n, row)
	{
		if (!log->again)
			row_write(log, row);
	}
	json_decref(answer);
	fflush(log->out);
	return CLI_OK;
}

/* ---- the node ---- */

static int rows_fetch(struct client *client, const struct cli_args *args, struct log_file *log)
{
	struct wire_view view;
	struct wire_msg msg;
	int status;

	client_request(client, WIRE_LOG, client_values(client), &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, args->args[0]);
	wire_put_text(&msg, WIRE_TAG_NAME, args->args[1]);
	wire_put_u64(&msg, WIRE_TAG_COUNT, log->every);
	if (log->cursor)
		wire_put_u64(&msg, WIRE_TAG_CURSOR, log->cursor);
	status = client_call(client, &msg, &view);
	return status ? status : rows_take(log, &view);
}

static int log_run(struct client *client, const struct cli_args *args, struct log_file *log)
{
	bool gone = false, over = false;
	int status = rows_fetch(client, args, log);

	for (unsigned n = 1; status == CLI_OK && !over && !log->again; n++) {
		if (client_wait(client, FETCH_MS) < 0)
			over = true;
		else if (n % LOOK_EACH == 0)
			status = client_over(client, args->args[0], &gone, &over);
		if (status == CLI_OK && !gone)
			status = rows_fetch(client, args, log);
	}
	return status == 130 ? CLI_OK : status;
}

static int file_close(struct log_file *log)
{
	const bool failed = ferror(log->out) != 0 || fflush(log->out) != 0;

	if (log->out != stdout)
		fclose(log->out);
	if (failed) {
		fprintf(stderr, "aloe: %s: could not be written\n", log->path);
		return CLI_FAILED;
	}
	if (log->again)
		fprintf(
		    stderr, "aloe: the waveform was loaded anew under its name; the log ends\n");
	fprintf(stderr, "%s: %" PRIu64 " line%s", log->path, log->lines, plural(log->lines));
	if (log->lines > 0)
		fprintf(stderr, ", index %" PRIu64 " to %" PRIu64, log->first, log->last);
	if (log->gaps > 0)
		fprintf(stderr, "; %" PRIu64 " gap%s, in which %" PRIu64 " line%s missing\n",
		    log->gaps, plural(log->gaps), log->missing,
		    log->missing == 1 ? " is" : "s are");
	else
		fprintf(stderr, "; no gaps\n");
	return CLI_OK;
}

int aloe_log(const struct cli_args *args)
{
	struct client client;
	struct log_file log;
	int status, closed;

	log = (struct log_file){.path = args->args[2], .every = 1};
	if (cli_whole(args, "every", 1, UINT32_MAX, &log.every) < 0)
		return CLI_USAGE;
	status = client_open(&client, args);
	if (status == 0) {
		status = client_signals(&client) < 0 ? CLI_FAILED : log_run(&client, args, &log);
		client_close(&client);
	}
	closed = log.out ? file_close(&log) : CLI_OK;
	return status ? status : closed;
}
