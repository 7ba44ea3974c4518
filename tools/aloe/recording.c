/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/digest.h"
#include "core/base/file.h"
#include "core/base/sha256.h"

enum { FILE_HASH_MAX = 1 << 30, CHUNK = 1 << 20 };

static const char *name_of(const struct recording *recording, size_t i)
{
	return json_string_value(
	    json_array_get(json_object_get(recording->control.head, "outputs"), i));
}

/* A file of the recording, whole; NULL after an error. */
static char *part_read(struct recording *recording, const char *name, size_t *ret_len)
{
	char path[4400], *text = NULL;
	int rc = path_print(path, sizeof(path), "%s/%s", recording->dir, name);

	if (rc == 0)
		rc = file_read(path, CONTROL_BYTES_MAX, &text, ret_len);
	if (rc < 0)
		diag_error(&recording->diag, path, 0, "cannot be read: %s", file_reason(rc));
	return rc < 0 ? NULL : text;
}

static void hash_check(struct recording *recording, const char *name, const char *text, size_t len,
    const char *expected)
{
	char hex[SHA256_TEXT];

	sha256_text(text, len, hex);
	if (expected && strcmp(hex, expected) != 0)
		diag_error(&recording->diag, NULL, 0,
		    "%s/%s was altered: its SHA-256 is %s, and it was recorded with %s",
		    recording->dir, name, hex, expected);
}

static int control_read(struct recording *recording)
{
	char path[4400], *text;
	size_t len;
	int rc = path_print(path, sizeof(path), "%s/control.jsonl", recording->dir);

	text = rc == 0 ? part_read(recording, "control.jsonl", &len) : NULL;
	if (!text)
		return -EINVAL;
	rc = control_parse(path, text, len, &recording->diag, &recording->control);
	free(text);
	return rc;
}

static void text_check(struct recording *recording)
{
	size_t len;
	char *text = part_read(recording, "waveform.conf", &len);

	if (text)
		hash_check(recording, "waveform.conf", text, len,
		    json_string_value(json_object_get(recording->control.head, "text_sha256")));
	free(text);
}

/* ---- messages ------------------------------------------------------------------------------ */

static int items_check(struct recording *recording, const char *path, const struct table_row *row,
    size_t one, FILE *data, uint8_t *bytes)
{
	uint64_t digest = 0;
	const uint64_t at = (uint64_t)ftell(data);

	for (uint64_t k = 0; one > 0 && k < row->count; k++) {
		if (fread(bytes, one, 1, data) != 1)
			return diag_error(&recording->diag, path, 0,
			    "ends at offset %" PRIu64 ", before the items of index %" PRIu64,
			    (uint64_t)ftell(data), row->index + k);
		digest = digest64(bytes, one, digest);
	}
	if (digest == row->digest)
		return 0;
	return diag_error(&recording->diag, path, 0,
	    "was altered: the bytes from offset %" PRIu64 " to %" PRIu64 " (index %" PRIu64
	    " to %" PRIu64 ") have another digest than when they were recorded",
	    at, (uint64_t)ftell(data) - 1, row->index, row->index + row->count - 1);
}

static void data_check(
    struct recording *recording, const char *name, const struct message_table *table)
{
	uint8_t *bytes = malloc((size_t)table->max * table->item_bytes);
	char path[4400];
	FILE *data = NULL;
	struct stat about;
	int rc = path_print(path, sizeof(path), "%s/%s.sigmf-data", recording->dir, name);

	if (rc == 0)
		data = fopen(path, "rbe");
	if (!data || !bytes) {
		diag_error(&recording->diag, path, 0, "cannot be read: %s", strerror(errno));
	} else {
		for (size_t i = 0; i < table->n_rows && rc == 0; i++)
			rc = items_check(recording, path, &table->rows[i],
			    (size_t)table->rows[i].len * table->item_bytes, data, bytes);
		if (rc == 0 && table->whole && fstat(fileno(data), &about) == 0 &&
		    (uint64_t)about.st_size != table->bytes)
			diag_error(&recording->diag, path, 0,
			    "has the length %" PRIu64 ", and was recorded with %" PRIu64,
			    (uint64_t)about.st_size, table->bytes);
	}
	if (data)
		fclose(data);
	free(bytes);
}

static void table_check(struct recording *recording, size_t i)
{
	const char *name = name_of(recording, i);
	struct message_table *table = &recording->tables[i];
	char file[4400], why[TABLE_WHY], *text;
	unsigned line;
	size_t len;
	int rc = path_print(file, sizeof(file), "%s.messages", name);

	text = rc == 0 ? part_read(recording, file, &len) : NULL;
	if (!text)
		return;
	hash_check(recording, file, text, len,
	    json_string_value(
	        json_object_get(json_object_get(recording->control.end, "recorded"), name)));
	rc = table_parse(text, len, table, &line, why);
	free(text);
	path_print(file, sizeof(file), "%s/%s.messages", recording->dir, name);
	if (rc < 0)
		diag_error(
		    &recording->diag, file, (int)line, "%s", rc == -ENOMEM ? "no memory" : why);
	else if (recording->control.end && !table->whole)
		diag_error(&recording->diag, file, (int)line + 1,
		    "was cut short: the line `end` is missing");
	else
		data_check(recording, name, table);
}

static int tables_check(struct recording *recording)
{
	recording->n_tables = json_array_size(json_object_get(recording->control.head, "outputs"));
	recording->tables = calloc(recording->n_tables + 1, sizeof(*recording->tables));
	if (!recording->tables)
		return -ENOMEM;
	for (size_t i = 0; i < recording->n_tables; i++)
		table_check(recording, i);
	return recording->diag.errors ? -EINVAL : 0;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void files_check(struct recording *recording)
{
	const char *path;
	json_t *was;

	json_object_foreach(json_object_get(recording->control.head, "files"), path, was)
	{
		char hex[SHA256_TEXT] = "";
		const int rc = sha256_file(path, FILE_HASH_MAX, hex);

		if (rc < 0)
			diag_error(
			    &recording->diag, path, 0, "cannot be read: %s", file_reason(rc));
		else if (strcmp(hex, json_string_value(was)) != 0)
			diag_error(&recording->diag, path, 0,
			    "is not as when the recording was made: its SHA-256 is %s, and it was "
			    "%s",
			    hex, json_string_value(was));
	}
}

/* What a crash has left: up to the last index that all outputs have. */
static int slots_find(struct recording *recording)
{
	const json_t *head = recording->control.head, *end = recording->control.end;
	uint64_t slots = (uint64_t)json_integer_value(json_object_get(head, "slots"));

	if (recording->live)
		slots = recording->control.taken;
	else if (end || recording->n_tables == 0)
		slots = recording->control.seen;
	if (end)
		slots = (uint64_t)json_integer_value(json_object_get(end, "end"));
	for (size_t i = 0; !end && i < recording->n_tables; i++)
		if ((i == 0 && !recording->live) || recording->tables[i].next < slots)
			slots = recording->tables[i].next;
	if (recording->exact < slots) {
		slots = recording->exact;
		recording->partly = true;
		if (slots == 0)
			return diag_error(&recording->diag, NULL, 0,
			    "%s: what %s missed is not known from index 0 on, so nothing can be "
			    "replayed",
			    recording->dir, recording->exact_why);
		diag_note(&recording->diag,
		    "%s: what %s missed is known before index %" PRIu64
		    " only, so it replays up to there, and there are no digests of sinks to "
		    "compare with",
		    recording->dir, recording->exact_why, slots);
	}
	recording->slots = slots;
	if (!end && recording->live)
		diag_note(&recording->diag, "%s was cut short; it replays up to index %" PRIu64,
		    recording->dir, slots ? slots - 1 : 0);
	else if (!end)
		diag_note(&recording->diag,
		    "%s was cut short; it replays up to index %" PRIu64
		    ", and there are no digests of sinks to compare with",
		    recording->dir, slots ? slots - 1 : 0);
	return slots > recording->control.from
	    ? 0
	    : diag_error(&recording->diag, NULL, 0,
	          "%s was cut short before a whole second had been recorded", recording->dir);
}

int recording_open(const char *dir, struct recording *ret)
{
	int rc;

	*ret = (struct recording){.dir = dir};
	diag_init(&ret->diag);
	rc = control_read(ret);
	if (rc == 0) {
		ret->live = json_object_get(ret->control.head, "from") != NULL;
		text_check(ret);
		files_check(ret);
		recording_lapses(ret);
		rc = tables_check(ret);
	}
	if (rc == 0)
		rc = slots_find(ret);
	diag_print(&ret->diag, stderr);
	if (rc == 0 && ret->diag.errors)
		rc = -EINVAL;
	return rc;
}

void recording_close(struct recording *recording)
{
	for (size_t i = 0; recording->tables && i < recording->n_tables; i++)
		table_fini(&recording->tables[i]);
	free(recording->tables);
	control_fini(&recording->control);
	diag_fini(&recording->diag);
}
