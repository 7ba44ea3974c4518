/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "tools/bench/response.h"

/* ---- one part as JSON ------------------------------------------------------------------------ */

enum { STALL_FIELDS_ONCE = 7 }; /* of an earlier version */

static json_t *stall_json(const struct response_stall *stall)
{
	uint64_t field[RESPONSE_STALL_FIELDS];
	json_t *json = json_array();

	memcpy(field, stall, sizeof(field));
	for (size_t f = 0; f < RESPONSE_STALL_FIELDS; f++)
		json_array_append_new(json, json_integer((json_int_t)field[f]));
	return json;
}

static json_t *list_json(const struct response_list *list)
{
	json_t *json = json_array();

	for (uint64_t i = 0; i < list->n; i++)
		json_array_append_new(json, stall_json(&list->late[i]));
	return json;
}

static json_t *part_json(const struct response_result *part)
{
	json_t *cells = json_array();

	for (uint32_t cell = 0; cell < HIST_CELLS; cell++) {
		const uint64_t n = hist_cells_get(&part->ns.cells, cell);

		if (n > 0)
			json_array_append_new(
			    cells, json_pack("[I, I]", (json_int_t)cell, (json_int_t)n));
	}
	return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:f, s:f, s:o}", "subframes",
	    (json_int_t)part->subframes, "failed", (json_int_t)part->failed, "judged",
	    (json_int_t)part->judged, "proven", (json_int_t)part->proven, "stalls",
	    list_json(&part->stalls), "unproven", list_json(&part->unproven), "loops_ns",
	    part->loops_ns, "all_ns", part->all_ns, "cells", cells);
}

static bool cells_read(const json_t *cells, uint64_t most, struct hist *ret)
{
	json_t *pair;
	size_t i;

	json_array_foreach(cells, i, pair)
	{
		const json_int_t cell = json_integer_value(json_array_get(pair, 0)),
		                 n = json_integer_value(json_array_get(pair, 1));

		if (cell < 0 || cell >= HIST_CELLS || n < 0 || (uint64_t)n > most)
			return false;
		most -= (uint64_t)n;
		for (json_int_t k = 0; k < n; k++)
			hist_add(ret, hist_cell_low((uint32_t)cell));
	}
	return true;
}

static bool stall_read(const json_t *json, uint64_t subframes, struct response_stall *ret)
{
	uint64_t field[RESPONSE_STALL_FIELDS] = {0};
	const size_t n = json_array_size(json);

	if (n != STALL_FIELDS_ONCE && n != RESPONSE_STALL_FIELDS)
		return false;
	for (size_t f = 0; f < n; f++) {
		const json_int_t value = json_integer_value(json_array_get(json, f));

		if (value < 0)
			return false;
		field[f] = (uint64_t)value;
	}
	memcpy(ret, field, sizeof(field));
	return ret->subframe < subframes;
}

/* A file of an earlier version may have none. */
static bool list_read(
    const json_t *json, uint64_t subframes, uint64_t most, struct response_list *ret)
{
	json_t *stall;
	size_t i;

	if (json_array_size(json) > RESPONSE_STALLS || json_array_size(json) > most)
		return false;
	json_array_foreach(json, i, stall)
	{
		if (!stall_read(stall, subframes, &ret->late[ret->n++]))
			return false;
	}
	return true;
}

/* A file of an earlier version has none of it: nothing is judged. */
static bool verdict_read(const json_t *json, struct response_result *ret)
{
	const json_t *stalls = json_object_get(json, "stalls");
	json_int_t judged = 0, proven = 0;

	if (!stalls)
		return true;
	if (json_unpack((json_t *)json, "{s:I, s:I}", "judged", &judged, "proven", &proven) < 0 ||
	    judged < 0 || (uint64_t)judged > ret->failed || proven < 0 || proven > judged)
		return false;
	ret->judged = (uint64_t)judged;
	ret->proven = (uint64_t)proven;
	return list_read(stalls, ret->subframes, ret->proven, &ret->stalls) &&
	    list_read(json_object_get(json, "unproven"), ret->subframes, ret->judged - ret->proven,
	        &ret->unproven);
}

static bool part_read(const json_t *json, uint64_t subframes, struct response_result *ret)
{
	json_int_t all, failed;
	json_t *cells;

	*ret = (struct response_result){.subframes = subframes};
	if (json_unpack((json_t *)json, "{s:I, s:I, s:F, s:F, s:o}", "subframes", &all, "failed",
	        &failed, "loops_ns", &ret->loops_ns, "all_ns", &ret->all_ns, "cells", &cells) < 0)
		return false;
	ret->failed = (uint64_t)failed;
	return all == (json_int_t)subframes && failed >= 0 && failed <= all &&
	    cells_read(cells, subframes, &ret->ns) && verdict_read(json, ret);
}

/* ---- the file ------------------------------------------------------------------------ */

static bool core_read(const json_t *json, struct response_core *ret)
{
	const json_t *slowed = json_object_get(json, "slowed");

	ret->rounds = (uint64_t)json_integer_value(json_object_get(json, "rounds_per_ms"));
	ret->slowed = json_number_value(slowed);
	return json_integer_value(json_object_get(json, "rounds_per_ms")) > 0 &&
	    json_is_number(slowed) && ret->slowed >= 0 && ret->slowed <= RESPONSE_SLOWED_MOST;
}

static const char *is_wrong(const json_t *json, const char *cpu, struct response_core *ret_core)
{
	const char *of = json_string_value(json_object_get(json, "cpu"));

	if (!json_is_object(json_object_get(json, "parts")) || !of || !core_read(json, ret_core))
		return "this file is not of aloe bench response";
	return strcmp(of, cpu) == 0 ? NULL : "its figures are of another CPU";
}

const char *response_kept_open(struct response_kept *kept, const char *file, const char *cpu)
{
	*kept = (struct response_kept){.file = file};
	kept->json = file && access(file, F_OK) == 0 ? json_load_file(file, 0, NULL) : NULL;
	if (kept->json || (file && access(file, F_OK) == 0))
		return is_wrong(kept->json, cpu, &kept->core);
	response_core_measure(&kept->core);
	kept->json = json_pack("{s:s, s:I, s:f, s:{}}", "cpu", cpu, "rounds_per_ms",
	    (json_int_t)kept->core.rounds, "slowed", kept->core.slowed, "parts");
	return NULL;
}

void response_kept_close(struct response_kept *kept)
{
	json_decref(kept->json);
}

bool response_kept_get(const struct response_kept *kept, const char *key, uint64_t subframes,
    struct response_result *ret)
{
	const json_t *json = json_object_get(json_object_get(kept->json, "parts"), key);

	return json && part_read(json, subframes, ret);
}

int response_kept_put(
    struct response_kept *kept, const char *key, const struct response_result *part)
{
	char *text;
	int rc;

	if (!kept->file)
		return 0;
	json_object_set_new(json_object_get(kept->json, "parts"), key, part_json(part));
	text = json_dumps(kept->json, JSON_INDENT(1));
	rc = text ? file_write(kept->file, text, strlen(text)) : -ENOMEM;
	free(text);
	return rc;
}
