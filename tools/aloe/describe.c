/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/describe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/sha512.h"
#include "core/cli/cli.h"
#include "core/recording/control.h"
#include "core/recording/table.h"
#include "core/sigmf/sigmf.h"

enum { CHUNK = 1 << 20 };

struct described {
	const char *dir, *port;
	const struct waveform *waveform;
	struct message_table table;
	struct sigmf_capture *captures;
	struct sigmf_annotation *annotations;
	size_t n_captures, n_annotations;
	bool regular; /* index and sample go together: all messages are full but for the last */
};

static int data_hash(const char *path, char ret_hex[SHA512_TEXT])
{
	FILE *file = fopen(path, "rbe");
	uint8_t *bytes = malloc(CHUNK);
	struct sha512 hash;
	size_t len;
	int rc = !file ? -errno : !bytes ? -ENOMEM : 0;

	sha512_init(&hash);
	while (rc == 0 && (len = fread(bytes, 1, CHUNK, file)) > 0)
		sha512_add(&hash, bytes, len);
	if (rc == 0 && ferror(file))
		rc = -EIO;
	sha512_text(&hash, ret_hex);
	if (file)
		fclose(file);
	free(bytes);
	return rc;
}

static int table_read(struct described *d, const char *path)
{
	char *text, why[TABLE_WHY];
	unsigned line;
	size_t len;
	int rc = file_read(path, CONTROL_BYTES_MAX, &text, &len);

	if (rc < 0)
		return rc;
	rc = table_parse(text, len, &d->table, &line, why);
	free(text);
	return rc;
}

static bool is_regular(const struct message_table *table)
{
	for (size_t i = 0; i < table->n_rows; i++)
		if (table->rows[i].state == ALOE_VALID && table->rows[i].len != table->max &&
		    i + 1 < table->n_rows)
			return false;
	return true;
}

static void capture_add(struct described *d, const struct table_row *row, uint64_t sample)
{
	struct sigmf_capture *capture = &d->captures[d->n_captures];

	if (d->n_captures == SIGMF_CAPTURES_MAX)
		return;
	*capture = sigmf_no_capture;
	capture->sample_start = sample;
	capture->slot = row->index;
	if (d->regular)
		capture->global_index = row->index * d->table.max;
	d->n_captures++;
}

static void annotation_add(struct described *d, const struct table_row *row, uint64_t sample)
{
	struct sigmf_annotation *annotation = &d->annotations[d->n_annotations];

	if (d->n_annotations == SIGMF_CAPTURES_MAX)
		return;
	*annotation = sigmf_no_annotation;
	annotation->sample_start = sample;
	annotation->label = "ABSENT";
	annotation->slot = row->index;
	annotation->slots = row->count;
	d->n_annotations++;
}

static int rows_describe(struct described *d)
{
	uint64_t sample = 0, next = UINT64_MAX;

	d->captures = calloc(d->table.n_rows + 1, sizeof(*d->captures));
	d->annotations = calloc(d->table.n_rows + 1, sizeof(*d->annotations));
	if (!d->captures || !d->annotations)
		return -ENOMEM;
	d->regular = is_regular(&d->table);
	for (size_t i = 0; i < d->table.n_rows; i++) {
		const struct table_row *row = &d->table.rows[i];

		if (row->state == ALOE_ABSENT)
			annotation_add(d, row, sample);
		if (row->state != ALOE_VALID)
			continue;
		if (row->index != next)
			capture_add(d, row, sample);
		sample += row->count * row->len;
		next = row->index + row->count;
	}
	return 0;
}

static double rate_of(const struct described *d)
{
	return d->waveform->rate_hz > 0 ? d->waveform->rate_hz
	                                : (double)d->table.max * 1e9 / (double)d->waveform->slot_ns;
}

static int meta_write(const struct described *d, const char *path, const char *sha512)
{
	struct sigmf_meta meta = {.global = sigmf_no_global,
	    .captures = d->captures,
	    .n_captures = d->n_captures,
	    .annotations = d->annotations,
	    .n_annotations = d->n_annotations};
	struct sigmf_global *global = &meta.global;
	size_t len;
	char *text;
	int rc = sigmf_datatype_for(item_type_from_name(d->table.type), &global->datatype);

	global->sample_rate_hz = rate_of(d);
	global->sha512 = sha512;
	global->recorder = "ALOE " ALOE_VERSION;
	global->num_channels = global->offset = SIGMF_NONE;
	global->trailing_bytes = SIGMF_NONE;
	global->slot_ns = d->waveform->slot_ns;
	global->items = d->table.max;
	global->samples = d->table.bytes / d->table.item_bytes;
	global->waveform = d->waveform->name;
	global->port = d->port;
	global->log = "control.jsonl";
	text = rc == 0 ? sigmf_print(&meta, &len) : NULL;
	if (rc == 0)
		rc = text ? file_write(path, text, len) : -ENOMEM;
	free(text);
	return rc;
}

static int output_describe(struct described *d)
{
	char path[4400], sha512[SHA512_TEXT];
	int rc = path_print(path, sizeof(path), "%s/%s.messages", d->dir, d->port);

	if (rc == 0)
		rc = table_read(d, path);
	if (rc < 0 || d->table.bytes == 0)
		return rc;
	rc = path_print(path, sizeof(path), "%s/%s.sigmf-data", d->dir, d->port);
	if (rc == 0)
		rc = data_hash(path, sha512);
	if (rc == 0)
		rc = rows_describe(d);
	if (rc == 0)
		rc = path_print(path, sizeof(path), "%s/%s.sigmf-meta", d->dir, d->port);
	return rc == 0 ? meta_write(d, path, sha512) : rc;
}

int describe_outputs(
    const char *dir, const struct waveform *waveform, const struct wf_graft *outputs, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		const struct wf_instance *instance = &waveform->instances[outputs[i].instance];
		struct described d = {.dir = dir, .waveform = waveform};
		char port[160];

		snprintf(port, sizeof(port), "%s.%s", instance->name,
		    wf_output_name(instance, outputs[i].port));
		d.port = port;
		rc = output_describe(&d);
		if (rc < 0)
			fprintf(stderr, "aloe: %s/%s.sigmf-meta: %s\n", dir, port, strerror(-rc));
		table_fini(&d.table);
		free(d.captures);
		free(d.annotations);
	}
	return rc < 0 ? CLI_FAILED : CLI_OK;
}
