/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/recording/control.h"

#include <errno.h>
#include <string.h>

struct control_line { /* of a line */
	const char *file;
	unsigned line;
	char at[256];
	struct diag *diag;
};

/* An object whose values are texts; `what` names it. */
static int texts_want(const json_t *object, const char *key, const struct control_line *place)
{
	const json_t *texts = json_object_get(object, key);
	const char *name;
	json_t *text;
	bool right = json_is_object(texts);

	json_object_foreach((json_t *)(uintptr_t)texts, name, text)
	{
		right &= json_is_string(text);
	}
	return right ? 0
	             : diag_error(place->diag, place->file, (int)place->line,
	                   "%s: an object whose values are texts is needed", key);
}

/* Names become names of files. */
static int lapses_want(const json_t *head, const struct control_line *place)
{
	const char *name;
	json_t *source;

	if (texts_want(head, "lapses", place) < 0)
		return -EINVAL;
	json_object_foreach(json_object_get(head, "lapses"), name, source)
	{
		if (strchr(name, '/') || strchr(json_string_value(source), '/'))
			return diag_error(place->diag, place->file, (int)place->line,
			    "lapses: names of instances are needed");
	}
	return 0;
}

static int outputs_want(const json_t *head, const char *key, const struct control_line *place)
{
	json_t *outputs = NULL, *output;
	size_t n;

	if (json_want_array(head, key, 1 << 20, place->at, place->diag, &outputs) < 0)
		return -EINVAL;
	json_array_foreach(outputs, n, output)
	{
		const char *text = json_string_value(output);

		if (!text || strchr(text, '/') || !strchr(text, '.') || text[0] == '.')
			return diag_error(place->diag, place->file, (int)place->line,
			    "%s[%zu]: INSTANCE.PORT is needed", key, n);
	}
	return 0;
}

static int head_take(
    json_t *object, const struct control_line *place, struct recording_control *control)
{
	uint64_t version = 0, slots;
	const char *text;

	if (json_want_uint(object, "recording", UINT32_MAX, place->at, place->diag, &version) < 0)
		return -EINVAL;
	if (version != CONTROL_VERSION)
		return diag_error(place->diag, place->file, (int)place->line,
		    "the recording has version %llu, and this ALOE reads version %d",
		    (unsigned long long)version, CONTROL_VERSION);
	if (json_want_text(object, "waveform", place->at, place->diag, &text) < 0 ||
	    json_want_text(object, "text_sha256", place->at, place->diag, &text) < 0 ||
	    json_want_uint(object, "slots", CONTROL_INDEX_MAX, place->at, place->diag, &slots) <
	        0 ||
	    texts_want(object, "components", place) < 0 || texts_want(object, "files", place) < 0 ||
	    (json_object_get(object, "lapses") && lapses_want(object, place) < 0) ||
	    outputs_want(object, "outputs", place) < 0 ||
	    (json_object_get(object, "digests") && outputs_want(object, "digests", place) < 0) ||
	    (json_object_get(object, "from") &&
	        json_want_uint(
	            object, "from", CONTROL_INDEX_MAX, place->at, place->diag, &control->from) < 0))
		return -EINVAL;
	control->head = json_incref(object);
	return 0;
}

/* They are told in the order in which they were taken, which need not be that of their indices. */
static int set_take(
    json_t *object, const struct control_line *place, struct recording_control *control)
{
	uint64_t index, other;
	size_t at = json_array_size(control->sets);

	if (texts_want(object, "set", place) < 0 ||
	    json_want_uint(object, "index", CONTROL_INDEX_MAX, place->at, place->diag, &index) < 0)
		return -EINVAL;
	for (; at > 0; at--) {
		other = (uint64_t)json_integer_value(
		    json_object_get(json_array_get(control->sets, at - 1), "index"));
		if (other <= index)
			break;
	}
	return json_array_insert(control->sets, at, object) < 0 ? -ENOMEM : 0;
}

static int end_take(
    json_t *object, const struct control_line *place, struct recording_control *control)
{
	uint64_t slots;

	if (json_want_uint(object, "end", CONTROL_INDEX_MAX, place->at, place->diag, &slots) < 0 ||
	    texts_want(object, "recorded", place) < 0 || texts_want(object, "sinks", place) < 0)
		return -EINVAL;
	control->end = json_incref(object);
	return 0;
}

static int object_take(
    json_t *object, const struct control_line *place, struct recording_control *control)
{
	uint64_t index = 0;

	if (!control->head)
		return head_take(object, place, control);
	if (control->end)
		return diag_error(place->diag, place->file, (int)place->line,
		    "the recording goes on behind its line `end`");
	if (json_object_get(object, "index") &&
	    json_want_uint(object, "index", CONTROL_INDEX_MAX, place->at, place->diag, &index) < 0)
		return -EINVAL;
	control->seen = index > control->seen ? index : control->seen;
	if (json_object_get(object, "taken"))
		return json_want_uint(
		    object, "taken", CONTROL_INDEX_MAX, place->at, place->diag, &control->taken);
	if (json_object_get(object, "set"))
		return set_take(object, place, control);
	return json_object_get(object, "end") ? end_take(object, place, control) : 0;
}

static int line_take(
    const char *line, size_t len, struct control_line *place, struct recording_control *control)
{
	json_t *object;
	int rc;

	snprintf(place->at, sizeof(place->at), "%.200s:%u", place->file, place->line);
	object = json_read(place->at, line, len, place->diag);
	if (!object)
		return -EINVAL;
	rc = object_take(object, place, control);
	json_decref(object);
	return rc;
}

int control_parse(const char *file, const char *text, size_t len, struct diag *diag,
    struct recording_control *ret)
{
	struct control_line place = {.file = file, .diag = diag};
	const char *at = text, *end = text + len, *stop;
	int rc = 0;

	*ret = (struct recording_control){.sets = json_array()};
	if (!ret->sets)
		return -ENOMEM;
	while (rc == 0 && at < end && (stop = memchr(at, '\n', (size_t)(end - at)))) {
		place.line++;
		rc = line_take(at, (size_t)(stop - at), &place, ret);
		at = stop + 1;
	}
	if (rc == 0 && !ret->head)
		rc = diag_error(diag, file, 1, "the recording has no first line");
	if (rc == 0 && ret->end && at != end)
		rc = diag_error(
		    diag, file, (int)place.line + 1, "the recording goes on behind its line `end`");
	return rc;
}

void control_fini(struct recording_control *control)
{
	json_decref(control->head);
	json_decref(control->sets);
	json_decref(control->end);
	*control = (struct recording_control){0};
}
