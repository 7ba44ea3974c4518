/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/bus/bus.h"
#include "core/report/report.h"
#include "core/report/store.h"
#include "tools/execinfo/execinfo.h"

enum { CALL_MS = 10000, REPORT_BYTES_MAX = 64 << 20, POLL_MS = 50, STILL_MS = 3000 };

void source_fini(struct profile_source *source)
{
	json_decref(source->report);
	free(source->events);
}

/* ---- a saved run ------------------------------------------------------------------------ */

static int saved_find(const struct cli_args *args, const char *run, char *ret_path, size_t size)
{
	const char *state = cli_get(args, "state"), *waveform = args->n_args ? args->args[0] : NULL;
	char home[PATH_MAX], dir[PATH_MAX];
	int rc =
	    state ? path_print(home, sizeof(home), "%s", state) : dir_state(home, sizeof(home));

	if (rc < 0)
		return rc;
	if (strcmp(run, "last") != 0)
		return path_print(ret_path, size, "%s/report.json", run);
	rc = store_run_last(home, waveform, dir, sizeof(dir));
	return rc < 0 ? rc : path_print(ret_path, size, "%s/report.json", dir);
}

int source_saved(const struct cli_args *args, const char *run, struct profile_source *source)
{
	char path[PATH_MAX], *text = NULL;
	struct diag diag;
	size_t len = 0;
	int rc = saved_find(args, run, path, sizeof(path));

	if (rc == 0)
		rc = file_read(path, REPORT_BYTES_MAX, &text, &len);
	if (rc < 0) {
		fprintf(stderr, "execinfo: %s: %s\n", strcmp(run, "last") ? run : "last run",
		    rc == -ENOENT ? "no run has been saved" : file_reason(rc));
		return CLI_FAILED;
	}
	path_print(source->origin, sizeof(source->origin), "%s", path);
	diag_init(&diag);
	source->report = report_read(path, text, len, &diag);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	free(text);
	return source->report ? CLI_OK : CLI_FAILED;
}

/* ---- a node that is up ---- */

static int daemon_ask(struct bus *bus, enum wire_type type, const char *waveform, uint64_t cursor,
    struct wire_view *ret_view)
{
	struct wire_msg msg;
	char *text;
	int rc;

	wire_init(&msg, type, WIRE_CLIENT, WIRE_SWMAN, bus_seq(bus));
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, waveform);
	if (type == WIRE_SAMPLES)
		wire_put_u64(&msg, WIRE_TAG_CURSOR, cursor);
	rc = bus_call(bus, &msg, CALL_MS, ret_view);
	if (rc < 0) {
		fprintf(stderr, "execinfo: the node does not answer: %s\n", strerror(-rc));
		return CLI_FAILED;
	}
	if (ret_view->type == WIRE_OK)
		return CLI_OK;
	text = wire_get_text(ret_view, WIRE_TAG_TEXT, 0);
	fprintf(stderr, "execinfo: %s\n",
	    text ? text : "the node refused the request and gave no reason");
	free(text);
	return CLI_FAILED;
}

static json_t *json_of(const struct wire_view *view)
{
	const void *text;
	size_t len;
	json_t *json = NULL;

	if (wire_get_bytes(view, WIRE_TAG_JSON, 0, &text, &len) == 0)
		json = json_loadb(text, len, 0, NULL);
	if (!json)
		fprintf(stderr, "execinfo: the node's answer is not valid JSON\n");
	return json;
}

/* only_one finds the name of the one waveform that is loaded; the caller frees it. */
static char *only_one(struct bus *bus)
{
	struct wire_view view;
	json_t *list;
	char *name = NULL;

	if (daemon_ask(bus, WIRE_LIST, NULL, 0, &view))
		return NULL;
	list = json_of(&view);
	if (json_array_size(list) == 1)
		name = strdup(report_text(json_array_get(list, 0), "name"));
	else if (list)
		fprintf(stderr,
		    "execinfo: more than one waveform is loaded (%zu); name one of them\n",
		    json_array_size(list));
	json_decref(list);
	return name;
}

static int events_add(struct profile_source *source, const struct wire_view *view, uint64_t *cursor)
{
	const void *bytes = NULL;
	struct image_event *more;
	uint64_t lost = 0;
	size_t len = 0, n;

	wire_get_u64(view, WIRE_TAG_CURSOR, cursor);
	wire_get_u64(view, WIRE_TAG_LOST, &lost);
	wire_get_bytes(view, WIRE_TAG_BYTES, 0, &bytes, &len);
	n = len / sizeof(*more);
	source->lost += lost;
	more = n ? realloc(source->events, (source->n_events + n) * sizeof(*more)) : source->events;
	if (n && !more)
		return -ENOMEM;
	source->events = more;
	if (n)
		memcpy(more + source->n_events, bytes, n * sizeof(*more));
	source->n_events += n;
	return (int)(n != 0);
}

/* The slowest instance decides: until each that is called has as many samples as wanted, or nothing
 * comes any more. */
static int samples_collect(struct bus *bus, const char *waveform, struct profile_source *source)
{
	const size_t instances = json_array_size(json_object_get(source->report, "instances"));
	uint64_t cursor = 0, still_since = clock_ns();
	struct wire_view view;
	int rc;

	while (source->n_events < source->wanted * instances) {
		if (daemon_ask(bus, WIRE_SAMPLES, waveform, cursor, &view))
			return CLI_FAILED;
		rc = events_add(source, &view, &cursor);
		if (rc < 0)
			return CLI_FAILED;
		if (rc > 0)
			still_since = clock_ns();
		else if (clock_ns() - still_since > STILL_MS * 1000000ull)
			break;
		poll(NULL, 0, POLL_MS);
	}
	if (source->lost)
		fprintf(
		    stderr, "execinfo: some samples were overwritten before they could be read\n");
	return CLI_OK;
}

static int samples_ask(struct bus *bus, const struct cli_args *args, struct profile_source *source)
{
	char *name = args->n_args ? strdup(args->args[0]) : only_one(bus);
	struct wire_view view;
	int status = name ? daemon_ask(bus, WIRE_STATUS, name, 0, &view) : CLI_FAILED;

	if (status == CLI_OK) {
		source->report = json_of(&view);
		status = source->report ? CLI_OK : CLI_FAILED;
	}
	if (status == CLI_OK && source->wanted) {
		status = samples_collect(bus, name, source);
		if (status == CLI_OK)
			status = samples_apply(source);
	}
	free(name);
	return status;
}

int source_live(const struct cli_args *args, struct profile_source *source)
{
	const char *given = cli_get(args, "dir");
	char dir[PATH_MAX];
	struct bus *bus;
	int status,
	    rc = given ? path_print(dir, sizeof(dir), "%s", given) : dir_runtime(dir, sizeof(dir));

	rc = rc < 0 ? rc : bus_probe(dir);
	if (rc < 0) {
		if (!source->wanted && source_saved(args, "last", source) == CLI_OK)
			return CLI_OK;
		fprintf(
		    stderr, "execinfo: no node is running in %s; `aloe up` starts a node\n", dir);
		return CLI_FAILED;
	}
	bus = bus_connect(dir, WIRE_CLIENT);
	if (!bus) {
		fprintf(stderr, "execinfo: %s: %s\n", dir, strerror(errno));
		return CLI_FAILED;
	}
	status = samples_ask(bus, args, source);
	bus_close(bus);
	return status;
}
