/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What happens to a waveform while it is recorded: a line each in control.jsonl of the recording
 * (core/recording/control.h). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "daemons/swman/swman.h"

/* The folder of the recording, as the LOAD has it; NULL: none. The caller frees it. */
static char *record_folder(const struct swman_run *run)
{
	struct wire_view load;

	return run->load && wire_decode(run->load, run->load_len, &load) == 0
	    ? wire_get_text(&load, WIRE_TAG_RECORD, 0)
	    : NULL;
}

static int line_append(const char *folder, const char *line)
{
	char path[PATH_MAX];
	const size_t len = strlen(line);
	int rc = path_print(path, sizeof(path), "%s/control.jsonl", folder), fd;

	if (rc < 0)
		return rc;
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, line, len) != (ssize_t)len)
		rc = errno ? -errno : -ENOSPC;
	close(fd);
	return rc;
}

static json_t *sets_of(const struct wire_view *event)
{
	json_t *sets = json_object();
	char *name, *value;

	for (unsigned n = 0; (name = wire_get_text(event, WIRE_TAG_NAME, n)); n++) {
		value = wire_get_text(event, WIRE_TAG_VALUE, n);
		json_object_set_new(sets, name, json_string(value ? value : ""));
		free(name);
		free(value);
	}
	return sets;
}

static json_t *line_make(const char *state, const struct wire_view *event)
{
	json_t *line = json_object();
	uint64_t index = 0;

	if (strcmp(state, "SET") == 0)
		json_object_set_new(line, "set", sets_of(event));
	else
		json_object_set_new(line, "state", json_string(state));
	if (wire_get_u64(event, WIRE_TAG_INDEX, &index) == 0)
		json_object_set_new(line, "index", json_integer((json_int_t)index));
	return line;
}

/* A line that lacks makes another recording of it: then there is to be none, and the client, who
 * adds the last line, finds no file. */
static void record_break(struct swman *swman, const char *folder, int rc)
{
	char path[PATH_MAX];

	if (path_print(path, sizeof(path), "%s/control.jsonl", folder) == 0)
		(void)unlink(path);
	log_warning(&swman->daemon.log,
	    "%s: control.jsonl cannot be written: %s; the recording ends here, and the waveform "
	    "goes on",
	    folder, strerror(-rc));
}

static int object_append(const char *folder, const json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT), *line = NULL;
	int rc = -ENOMEM;

	if (text && asprintf(&line, "%s\n", text) >= 0) {
		rc = line_append(folder, line);
		free(line);
	}
	free(text);
	return rc;
}

/* ---- changes, for a recording that begins later ---- */

static json_int_t index_of(const json_t *set)
{
	return json_integer_value(json_object_get(set, "index"));
}

/* What a later change gives another value from the same index on, or before, does not hold any
 * more: so there are no more values than parameters, and those that wait for their index. */
static void sets_keep(json_t *sets, json_t *set)
{
	for (size_t i = json_array_size(sets); i-- > 0;) {
		json_t *names = json_object_get(json_array_get(sets, i), "set");
		const char *name;
		json_t *value;

		if (index_of(json_array_get(sets, i)) > index_of(set))
			continue;
		json_object_foreach(json_object_get(set, "set"), name, value)
		{
			json_object_del(names, name);
		}
		if (json_object_size(names) == 0)
			json_array_remove(sets, i);
	}
	json_array_append(sets, set);
}

void swman_record_event(struct swman *swman, struct swman_run *run, const struct wire_view *event)
{
	char *folder = run->unrecorded ? NULL : record_folder(run);
	char *state = wire_get_text(event, WIRE_TAG_STATE, 0);
	json_t *object = state ? line_make(state, event) : NULL;
	int rc = folder && object ? object_append(folder, object) : 0;

	if (rc < 0) {
		run->unrecorded = true;
		record_break(swman, folder, rc);
	}
	rc = run->record && object ? object_append(run->record, object) : 0;
	if (rc < 0) {
		record_break(swman, run->record, rc);
		free(run->record);
		run->record = NULL;
	}
	if (run->sets && object && strcmp(state, "SET") == 0)
		sets_keep(run->sets, object);
	json_decref(object);
	free(state);
	free(folder);
}

/* ---- a recording that begins while the waveform runs ---- */

int swman_record_begin(struct swman_run *run, char **folder)
{
	json_t *set;
	size_t n;
	int rc = 0;

	json_array_foreach(run->sets, n, set)
	{
		rc = rc < 0 ? rc : object_append(*folder, set);
	}
	if (rc < 0)
		return rc;
	free(run->record);
	run->record = *folder;
	*folder = NULL;
	return 0;
}

int swman_record_end(struct swman_run *run, const char *folder)
{
	if (!run->record || strcmp(run->record, folder) != 0)
		return -ENOENT;
	free(run->record);
	run->record = NULL;
	return 0;
}
