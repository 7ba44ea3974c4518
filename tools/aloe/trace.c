/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe trace: what ran last, as a file; or from now on around each miss. */
#include "tools/aloe/trace.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "tools/aloe/commands.h"

#define SECOND_NS 1000000000ull
#define LAST_MAX_S 3600

/* ---- words ------------------------------------------------------------------------ */

/* A number and its unit: 0, or -EINVAL. */
static int time_parse(const char *text, uint64_t *ret_ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};
	char *end;
	const double number = strtod(text, &end);

	if (!(text[0] >= '0' && text[0] <= '9') || strpbrk(text, "xX") != NULL)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].unit) == 0 && number * units[i].ns >= 1e3 &&
		    number * units[i].ns <= LAST_MAX_S * 1e9) {
			*ret_ns = (uint64_t)llround(number * units[i].ns);
			return 0;
		}
	return -EINVAL;
}

static int last_get(const struct cli_args *args, uint64_t *ret_ns)
{
	const char *last = cli_has(args, "last") ? cli_get(args, "last") : NULL;

	if (last == NULL || time_parse(last, ret_ns) == 0)
		return CLI_OK;
	return cli_fail(args,
	    "--last %s: a time is a number and its unit, such as 2s, 500ms or 100us, from 1us to "
	    "%ds",
	    last, LAST_MAX_S);
}

/* ---- around misses ------------------------------------------------------------------------ */

/* The folder as aloe-exec sees it, whose working directory is another. */
static int folder_get(const struct cli_args *args, char *ret, size_t size)
{
	const char *folder = cli_get(args, "on-miss");
	char here[PATH_MAX];
	int rc;

	if (folder[0] == 0)
		return cli_fail(args, "--on-miss needs the name of a folder");
	if (folder[0] == '/')
		rc = path_print(ret, size, "%s", folder);
	else if (getcwd(here, sizeof(here)) == NULL)
		rc = -errno;
	else
		rc = path_print(ret, size, "%s/%s", here, folder);
	if (rc == 0)
		return CLI_OK;
	fprintf(stderr, "aloe: --on-miss %s: %s\n", folder, strerror(-rc));
	return CLI_USAGE;
}

static int miss_ask(
    struct client *client, const char *waveform, const char *folder, uint64_t last_ns)
{
	struct wire_view view;
	struct wire_msg msg;

	client_request(client, WIRE_TRACE, WIRE_SWMAN, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, waveform);
	wire_put_text(&msg, WIRE_TAG_FILE, folder);
	wire_put_u64(&msg, WIRE_TAG_COUNT, last_ns);
	return client_call(client, &msg, &view);
}

int trace_on_miss(struct client *client, const struct cli_args *args, const char *waveform)
{
	char folder[2 * PATH_MAX];
	int status;

	if (!cli_has(args, "on-miss"))
		return CLI_OK;
	status = folder_get(args, folder, sizeof(folder));
	return status == CLI_OK ? miss_ask(client, waveform, folder, SECOND_NS) : status;
}

static int miss_begin(struct client *client, const struct cli_args *args, uint64_t last_ns)
{
	char folder[2 * PATH_MAX];
	int status = folder_get(args, folder, sizeof(folder));

	if (status == CLI_OK)
		status = miss_ask(client, args->args[0], folder, last_ns);
	if (status == CLI_OK)
		printf("a trace is written around each miss of %s from now on, into %s\n",
		    args->args[0], folder);
	return status;
}

/* ---- a file ------------------------------------------------------------------------ */

static int bytes_write(const char *path, const void *bytes, size_t len)
{
	const bool out = strcmp(path, "-") == 0;
	FILE *file = out ? stdout : fopen(path, "we");
	bool whole = file != NULL && fwrite(bytes, 1, len, file) == len;

	whole = file != NULL && (out ? fflush(file) : fclose(file)) == 0 && whole;
	if (whole)
		return CLI_OK;
	fprintf(stderr, "aloe: %s: cannot be written: %s\n", path, strerror(errno));
	return CLI_USAGE;
}

static int file_take(const struct wire_view *view, const char *path)
{
	char *text = wire_get_text(view, WIRE_TAG_TEXT, 0);
	const void *bytes = NULL;
	size_t len = 0;
	int status;

	if (wire_get_bytes(view, WIRE_TAG_BYTES, 0, &bytes, &len) != 0) {
		fprintf(stderr, "aloe: the node's answer has no trace\n");
		free(text);
		return CLI_FAILED;
	}
	status = bytes_write(path, bytes, len);
	if (status == CLI_OK && text != NULL)
		fprintf(stderr, "%s", text);
	free(text);
	return status;
}

static int file_make(struct client *client, const struct cli_args *args, uint64_t last_ns)
{
	struct wire_view view;
	struct wire_msg msg;
	int status;

	client_request(client, WIRE_TRACE, WIRE_SWMAN, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, args->args[0]);
	wire_put_u64(&msg, WIRE_TAG_COUNT, last_ns);
	if (cli_has(args, "json"))
		wire_put_text(&msg, WIRE_TAG_VALUE, "json");
	status = client_call(client, &msg, &view);
	return status == CLI_OK ? file_take(&view, args->args[1]) : status;
}

int aloe_trace(const struct cli_args *args)
{
	const bool on_miss = cli_has(args, "on-miss");
	uint64_t last_ns = on_miss ? SECOND_NS : 2 * SECOND_NS;
	struct client client;
	int status = last_get(args, &last_ns);

	if (status != CLI_OK)
		return status;
	if (on_miss == (args->n_args == 2))
		return cli_fail(args, "%s",
		    on_miss ? "a FILE or --on-miss, not both: with --on-miss the files have names "
		              "of their own"
		            : "a FILE is needed, or --on-miss DIR");
	if (on_miss && cli_has(args, "json"))
		return cli_fail(args, "--json is not for --on-miss, whose files are for Perfetto");
	status = client_open(&client, args);
	if (status != CLI_OK)
		return status;
	status = on_miss ? miss_begin(&client, args, last_ns) : file_make(&client, args, last_ns);
	client_close(&client);
	return status;
}
