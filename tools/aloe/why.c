/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe why: why slots were late, from a node that is up or from a saved run. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/report/report.h"
#include "core/report/runs.h"
#include "core/report/store.h"
#include "tools/aloe/client.h"
#include "tools/aloe/commands.h"

struct why {
	const struct cli_args *args;
	const char *waveform; /* NULL: whichever */
	uint64_t slot;
	bool has_slot;
	json_t *report;
	json_t *answer;     /* to --json, and the record of the slot; NULL: the report */
	char dir[PATH_MAX]; /* of a saved run */
};

/* A number alone is a slot. */
static int why_args(struct why *why)
{
	const struct cli_args *args = why->args;
	const char *last = args->n_args > 0 ? args->args[args->n_args - 1] : "";
	char *end = NULL;

	if (last[0] >= '0' && last[0] <= '9') {
		errno = 0;
		why->slot = strtoull(last, &end, 10);
		why->has_slot = errno == 0 && !*end;
	}
	why->waveform = args->n_args > (why->has_slot ? 1 : 0) ? args->args[0] : NULL;
	if (args->n_args == 2 && !why->has_slot) {
		fprintf(stderr, "aloe: `%s` is no number of a slot\n", last);
		return CLI_USAGE;
	}
	return CLI_OK;
}

static int why_show(const struct why *why)
{
	if (cli_has(why->args, "json")) {
		const json_t *json =
		    why->answer ? why->answer : json_object_get(why->report, "causes");
		const int rc = json_dumpf(
		    json, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12));

		printf("\n");
		return rc < 0 ? CLI_FAILED : CLI_OK;
	}
	if (why->has_slot)
		report_miss(why->report, why->answer, stdout);
	else
		report_why(why->report, stdout);
	return CLI_OK;
}

/* ---- a node that is up ---- */

static bool list_has(const json_t *list, const char *waveform)
{
	return waveform ? report_find(list, "name", waveform) != NULL : json_array_size(list) > 0;
}

static int json_ask(struct client *client, enum wire_type type, const struct why *why, json_t **ret)
{
	struct wire_view view;
	struct wire_msg msg;
	int status;

	client_request(client, type, WIRE_SWMAN, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, why->waveform);
	if (type == WIRE_MISSES && why->has_slot)
		wire_put_u64(&msg, WIRE_TAG_SLOT, why->slot);
	status = client_call(client, &msg, &view);
	if (status == 0)
		*ret = client_json(&view);
	return status ? status : *ret ? CLI_OK : CLI_FAILED;
}

/* -ENOENT: the node does not have the waveform. */
static int node_tell(struct client *client, struct why *why)
{
	int status;
	json_t *list = client_list(client, &status);

	if (!list)
		return status;
	if (!list_has(list, why->waveform)) {
		json_decref(list);
		return -ENOENT;
	}
	if (!why->waveform && json_array_size(list) > 1) {
		fprintf(stderr,
		    "aloe: several waveforms are loaded; name one of them "
		    "(`aloe list --names`)\n");
		json_decref(list);
		return CLI_USAGE;
	}
	if (!why->waveform)
		why->waveform = report_text(json_array_get(list, 0), "name");
	status = json_ask(client, WIRE_STATUS, why, &why->report);
	if (status == CLI_OK && (why->has_slot || cli_has(why->args, "json")))
		status = json_ask(client, WIRE_MISSES, why, &why->answer);
	if (status == CLI_OK)
		status = why_show(why);
	json_decref(list);
	return status;
}

/* ---- a saved run ------------------------------------------------------------------------ */

static int run_find(struct why *why)
{
	const char *state = cli_get(why->args, "state");
	char home[PATH_MAX];
	int rc =
	    state ? path_print(home, sizeof(home), "%s", state) : dir_state(home, sizeof(home));

	if (rc == 0)
		rc = store_run_last(home, why->waveform, why->dir, sizeof(why->dir));
	if (rc == 0)
		return CLI_OK;
	if (why->waveform)
		fprintf(stderr,
		    "aloe: no waveform \"%s\" is loaded, and no run of it is saved in %s/runs\n",
		    why->waveform, home);
	else
		fprintf(
		    stderr, "aloe: no waveform is loaded, and no run is saved in %s/runs\n", home);
	return CLI_USAGE;
}

static int text_in(const struct why *why, const char *name, char **ret_text, size_t *ret_len)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", why->dir, name);
	return file_read(path, RUN_BYTES_MAX, ret_text, ret_len);
}

/* A line of misses.jsonl. A line that is cut, because exec was killed, is no record. */
static json_t *line_json(const char *line, size_t len)
{
	return json_loadb(line, len, 0, NULL);
}

static bool miss_has(const json_t *miss, uint64_t slot)
{
	const double first = report_number(miss, "slot");

	return (double)slot >= first && (double)slot < first + report_number(miss, "count");
}

/* The records of the run, all of them or those of the slot. */
static json_t *records_read(const struct why *why)
{
	json_t *array = json_array();
	char *text = NULL;
	size_t len = 0;

	if (text_in(why, "misses.jsonl", &text, &len) < 0)
		return array;
	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		json_t *miss = line_json(at, strcspn(at, "\n"));

		if (miss && (!why->has_slot || miss_has(miss, why->slot)))
			json_array_append(array, miss);
		json_decref(miss);
	}
	free(text);
	return array;
}

/* A slot that the run has no record of was on time only where no record is missing. */
static json_t *slot_without(const struct why *why)
{
	const bool whole = report_number(why->report, "misses_lost") +
	        report_number(why->report, "misses_unseen") +
	        report_number(why->report, "misses_unwritten") ==
	    0;

	return json_pack("{s:I, s:s, s:s, s:n}", "slot", (json_int_t)why->slot, "what",
	    whole ? "on time" : "no record", "why",
	    whole ? "" : "some records of late slots were not read or not written", "left_us");
}

/* The last one, and of every other lane that was late its last one, too. */
static json_t *slot_record(const json_t *records)
{
	const size_t n = json_array_size(records);
	json_t *miss = json_incref(json_array_get(records, n - 1)), *others = json_array();

	for (size_t i = n - 1; i-- > 0;) {
		json_t *other = json_array_get(records, i);
		const double lane = report_number(other, "lane");
		bool told = lane == report_number(miss, "lane");

		for (size_t o = 0; o < json_array_size(others); o++)
			told |= lane == report_number(json_array_get(others, o), "lane");
		if (!told)
			json_array_append(others, other);
	}
	json_object_set_new(miss, "others", others);
	json_object_set_new(miss, "calls", json_array());
	json_object_set_new(miss, "calls_missing",
	    json_string("the calls of late slots are kept only while the waveform is loaded"));
	return miss;
}

static int slot_read(struct why *why)
{
	const double first = report_number(why->report, "slot_first"),
	             last = report_number(why->report, "slot_last");
	json_t *records = records_read(why);
	const size_t n = json_array_size(records);

	if (!why->has_slot) {
		why->answer = records;
		return CLI_OK;
	}
	if (n == 0 && !((double)why->slot >= first && (double)why->slot <= last && last > 0)) {
		fprintf(stderr,
		    "aloe: slot %llu is not of the run in %s; slots %.0f to %.0f have run\n",
		    (unsigned long long)why->slot, why->dir, first, last);
		json_decref(records);
		return CLI_USAGE;
	}
	why->answer = n > 0 ? slot_record(records) : slot_without(why);
	json_decref(records);
	return why->answer ? CLI_OK : CLI_FAILED;
}

static int run_tell(struct why *why)
{
	struct diag diag;
	int status = run_find(why);

	if (status != CLI_OK)
		return status;
	diag_init(&diag);
	why->report = run_read(why->dir, &diag);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	status = why->report ? slot_read(why) : CLI_FAILED;
	return status == CLI_OK ? why_show(why) : status;
}

int aloe_why(const struct cli_args *args)
{
	struct why why = {.args = args};
	struct client client;
	int status = why_args(&why), rc = -ENOENT;

	if (status != CLI_OK)
		return status;
	if (client_find(&client, args) == 0) {
		rc = client_connect(&client) ? CLI_FAILED : node_tell(&client, &why);
		client_close(&client);
	}
	status = rc == -ENOENT ? run_tell(&why) : rc;
	json_decref(why.report);
	json_decref(why.answer);
	return status;
}
