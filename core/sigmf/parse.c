/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/json/json.h"
#include "core/sigmf/sigmf.h"

enum { AT = 288, ERRORS_MAX = 20 /* of a list: the rest would be the same */ };

struct owner { /* what the texts and arrays of a parsed recording lie in */
	json_t *root;
	struct sigmf_meta meta;
};

/* ---- values: what is not stated leaves *ret as it is ------------------------------------- */

static int whole_read(
    const json_t *object, const char *key, const char *at, struct diag *diag, uint64_t *ret)
{
	return json_object_get(object, key) ? json_want_uint(object, key, INT64_MAX, at, diag, ret)
	                                    : 0;
}

static int real_read(
    const json_t *object, const char *key, const char *at, struct diag *diag, double *ret)
{
	return json_object_get(object, key) ? json_want_real(object, key, NAN, at, diag, ret) : 0;
}

static int text_read(
    const json_t *object, const char *key, const char *at, struct diag *diag, const char **ret)
{
	return json_object_get(object, key) ? json_want_text(object, key, at, diag, ret) : 0;
}

/* hex_read takes exactly `digits` hexadecimal digits. */
static int hex_read(const json_t *object, const char *key, size_t digits, const char *at,
    struct diag *diag, const char **ret)
{
	const char *text = NULL;

	if (text_read(object, key, at, diag, &text) < 0 || !text)
		return text ? -EINVAL : 0;
	if (strlen(text) != digits || strspn(text, "0123456789abcdefABCDEF") != digits)
		return diag_error(
		    diag, at, 0, "%s: hexadecimal digits are needed, %zu of them", key, digits);
	*ret = text;
	return 0;
}

/* name_read takes the name of a file in the folder of the recording, which leads nowhere else. */
static int name_read(
    const json_t *object, const char *key, const char *at, struct diag *diag, const char **ret)
{
	const char *text = NULL;

	if (text_read(object, key, at, diag, &text) < 0)
		return -EINVAL;
	if (!text)
		return 0;
	if (!text[0] || strchr(text, '/') || !strcmp(text, ".") || !strcmp(text, ".."))
		return diag_error(diag, at, 0,
		    "%s: found \"%.100s\"; the name of a file in the same folder is needed", key,
		    text);
	*ret = text;
	return 0;
}

/* ---- global -------------------------------------------------------------------------------- */

static int datatype_refuse(const char *text, const char *at, struct diag *diag)
{
	const char *names[SIGMF_DATATYPES];
	const size_t len = strlen(text);
	char more[160];

	for (unsigned i = 0; i < SIGMF_DATATYPES; i++) {
		names[i] = sigmf_formats[i].name;
		if (len + 3 == strlen(names[i]) && !strncmp(names[i], text, len))
			return diag_error(diag, at, 0,
			    "core:datatype: \"%s\" states no byte order; \"%s\" is needed", text,
			    names[i]);
	}
	if (len > 3 && !strcmp(text + len - 3, "_be"))
		return diag_error(diag, at, 0,
		    "core:datatype: \"%.20s\" has the high byte first, which is not read; convert "
		    "the recording to _le",
		    text);
	return diag_error(diag, at, 0, "core:datatype: \"%.20s\" is not read%s", text,
	    diag_suggest(text, names, SIGMF_DATATYPES, more, sizeof(more)));
}

static int datatype_read(
    const json_t *object, const char *at, struct diag *diag, enum sigmf_datatype *ret)
{
	const char *text;

	if (json_want_text(object, "core:datatype", at, diag, &text) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < SIGMF_DATATYPES; i++)
		if (!strcmp(sigmf_formats[i].name, text))
			return *ret = (enum sigmf_datatype)i, 0;
	return datatype_refuse(text, at, diag);
}

/* version_read takes X.Y.Z with X at most 1: `what` is a version of. */
static int version_read(
    const json_t *object, const char *key, const char *what, const char *at, struct diag *diag)
{
	const char *text;
	unsigned part[3];
	char end;

	if (json_want_text(object, key, at, diag, &text) < 0)
		return -EINVAL;
	if (strspn(text, "0123456789.") != strlen(text) || strlen(text) > 20 ||
	    sscanf(text, "%6u.%6u.%6u%c", &part[0], &part[1], &part[2], &end) != 3)
		return diag_error(diag, at, 0,
		    "%s: found \"%.20s\"; X.Y.Z is needed, as " SIGMF_VERSION, key, text);
	if (part[0] > 1)
		return diag_error(diag, at, 0,
		    "%s: the recording is of %s %s, and this program knows %s 1", key, what, text,
		    what);
	return 0;
}

static int extension_read(const json_t *extension, const char *at, struct diag *diag)
{
	const char *name;
	bool optional;

	if (!json_is_object(extension))
		return diag_error(
		    diag, at, 0, "core:extensions: objects {name, version, optional} are needed");
	if (json_want_text(extension, "name", at, diag, &name) < 0)
		return -EINVAL;
	if (!strcmp(name, "aloe"))
		return version_read(extension, "version", "extension aloe", at, diag);
	if (json_want_bool(extension, "optional", at, diag, &optional) < 0)
		return -EINVAL;
	if (!optional)
		return diag_error(diag, at, 0,
		    "core:extensions: the recording needs the extension \"%.40s\", which ALOE does "
		    "not know",
		    name);
	return 0;
}

static int extensions_read(const json_t *object, const char *at, struct diag *diag)
{
	json_t *list, *extension;
	size_t i;
	int rc = 0;

	if (!json_object_get(object, "core:extensions"))
		return 0;
	if (json_want_array(object, "core:extensions", 64, at, diag, &list) < 0)
		return -EINVAL;
	json_array_foreach(list, i, extension) rc |= extension_read(extension, at, diag);
	return rc;
}

static int rate_read(const json_t *object, const char *at, struct diag *diag, double *ret)
{
	double rate = NAN;

	if (real_read(object, "core:sample_rate", at, diag, &rate) < 0)
		return -EINVAL;
	if (!(isnan(rate) || (rate > 0 && rate <= 1e12)))
		return diag_error(diag, at, 0, "core:sample_rate: %g is outside (0, 1e12]", rate);
	*ret = rate;
	return 0;
}

static int aloe_read(
    const json_t *object, const char *at, struct diag *diag, struct sigmf_global *ret)
{
	int rc = whole_read(object, "aloe:slot_ns", at, diag, &ret->slot_ns);

	rc |= whole_read(object, "aloe:items", at, diag, &ret->items);
	rc |= whole_read(object, "aloe:samples", at, diag, &ret->samples);
	rc |= text_read(object, "aloe:waveform", at, diag, &ret->waveform);
	rc |= text_read(object, "aloe:port", at, diag, &ret->port);
	rc |= hex_read(object, "aloe:plan_sha256", 64, at, diag, &ret->plan_sha256);
	rc |= name_read(object, "aloe:log", at, diag, &ret->log);
	return rc | hex_read(object, "aloe:log_sha256", 64, at, diag, &ret->log_sha256);
}

static int global_read(
    const json_t *object, const char *at, struct diag *diag, struct sigmf_global *ret)
{
	int rc = datatype_read(object, at, diag, &ret->datatype);

	rc |= version_read(object, "core:version", "SigMF", at, diag);
	rc |= rate_read(object, at, diag, &ret->sample_rate_hz);
	rc |= hex_read(object, "core:sha512", 128, at, diag, &ret->sha512);
	rc |= text_read(object, "core:description", at, diag, &ret->description);
	rc |= text_read(object, "core:recorder", at, diag, &ret->recorder);
	rc |= text_read(object, "core:hw", at, diag, &ret->hw);
	rc |= text_read(object, "core:author", at, diag, &ret->author);
	rc |= name_read(object, "core:dataset", at, diag, &ret->dataset);
	ret->num_channels = 1;
	rc |= whole_read(object, "core:num_channels", at, diag, &ret->num_channels);
	ret->offset = 0;
	rc |= whole_read(object, "core:offset", at, diag, &ret->offset);
	rc |= whole_read(object, "core:trailing_bytes", at, diag, &ret->trailing_bytes);
	if (json_object_get(object, "core:metadata_only"))
		rc |= json_want_bool(object, "core:metadata_only", at, diag, &ret->metadata_only);
	rc |= extensions_read(object, at, diag);
	return rc | aloe_read(object, at, diag, ret);
}

/* ---- captures and annotations ------------------------------------------------------------- */

/* time_check takes 2026-11-26T15:28:56.123456789Z with any number of digits behind the point. */
static int time_check(const char *text, const char *at, struct diag *diag)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd";
	const char *rest = text;

	for (const char *f = form; *f; f++, rest++)
		if (*f == 'd' ? *rest < '0' || *rest > '9' : *rest != *f)
			break;
	if ((size_t)(rest - text) == sizeof(form) - 1) {
		if (*rest == '.')
			rest += 1 + strspn(rest + 1, "0123456789");
		if (!strcmp(rest, "Z"))
			return 0;
	}
	return diag_error(diag, at, 0,
	    "core:datetime: found \"%.40s\"; UTC as 2026-11-26T15:28:56.5Z is needed", text);
}

static int capture_read(
    const json_t *object, const char *at, struct diag *diag, struct sigmf_capture *ret)
{
	int rc;

	*ret = sigmf_no_capture;
	rc = json_want_uint(object, "core:sample_start", INT64_MAX, at, diag, &ret->sample_start);
	rc |= whole_read(object, "core:global_index", at, diag, &ret->global_index);
	rc |= real_read(object, "core:frequency", at, diag, &ret->frequency_hz);
	rc |= text_read(object, "core:datetime", at, diag, &ret->datetime);
	rc |= whole_read(object, "core:header_bytes", at, diag, &ret->header_bytes);
	rc |= whole_read(object, "aloe:slot", at, diag, &ret->slot);
	rc |= whole_read(object, "aloe:tick", at, diag, &ret->tick);
	return rc | (ret->datetime ? time_check(ret->datetime, at, diag) : 0);
}

/* capture_place finds where a segment begins in the original stream and in the data file.
 * `before`: the segment before it, NULL for the first. Sums stay below 2^64: each part is below
 * 2^63, and a place that is too large for any file ends the sum. */
static int capture_place(const struct sigmf_global *global, const struct sigmf_capture *before,
    const char *at, struct diag *diag, struct sigmf_capture *capture)
{
	const uint64_t from = before ? before->sample_start : global->offset;
	const uint64_t samples = capture->sample_start - from;
	const uint64_t follows = before ? before->index + samples : capture->sample_start;
	const uint64_t bytes = sigmf_formats[global->datatype].bytes;
	const uint64_t header = capture->header_bytes == SIGMF_NONE ? 0 : capture->header_bytes;
	const uint64_t begin = before ? before->at : 0;

	if (capture->sample_start < from)
		return diag_error(diag, at, 0,
		    before ? "core:sample_start: found %llu after %llu; segments must be in order"
		           : "core:sample_start: %llu is before core:offset, %llu",
		    (unsigned long long)capture->sample_start, (unsigned long long)from);
	capture->index = capture->global_index == SIGMF_NONE ? follows : capture->global_index;
	if (capture->index < (before ? follows : samples))
		return diag_error(diag, at, 0,
		    "core:global_index: %llu is before the end of the last segment, %llu",
		    (unsigned long long)capture->index,
		    (unsigned long long)(before ? follows : samples));
	if (capture->index > INT64_MAX || samples > INT64_MAX / bytes ||
	    header > INT64_MAX - samples * bytes || begin > INT64_MAX - samples * bytes - header)
		return diag_error(diag, at, 0, "the segment lies beyond 2^63 samples or bytes");
	capture->at = begin + samples * bytes + header;
	return 0;
}

static int captures_read(
    const json_t *list, const char *file, struct diag *diag, struct sigmf_meta *meta)
{
	const size_t from = diag->errors;
	int rc = 0;

	for (size_t i = 0; i < meta->n_captures && diag->errors - from < ERRORS_MAX; i++) {
		struct sigmf_capture *capture = &meta->captures[i];
		char at[AT];
		int bad;

		snprintf(at, sizeof(at), "%.240s: captures[%zu]", file, i);
		bad = capture_read(json_array_get(list, i), at, diag, capture);
		if (rc == 0 && bad == 0)
			bad = capture_place(
			    &meta->global, i > 0 ? capture - 1 : NULL, at, diag, capture);
		rc |= bad;
	}
	return rc;
}

static int annotation_read(
    const json_t *object, const char *at, struct diag *diag, struct sigmf_annotation *ret)
{
	int rc;

	*ret = sigmf_no_annotation;
	rc = json_want_uint(object, "core:sample_start", INT64_MAX, at, diag, &ret->sample_start);
	rc |= whole_read(object, "core:sample_count", at, diag, &ret->sample_count);
	rc |= real_read(object, "core:freq_lower_edge", at, diag, &ret->freq_lower_hz);
	rc |= real_read(object, "core:freq_upper_edge", at, diag, &ret->freq_upper_hz);
	rc |= text_read(object, "core:label", at, diag, &ret->label);
	rc |= text_read(object, "core:comment", at, diag, &ret->comment);
	rc |= whole_read(object, "aloe:slot", at, diag, &ret->slot);
	rc |= whole_read(object, "aloe:slots", at, diag, &ret->slots);
	if (rc == 0 && isnan(ret->freq_lower_hz) != isnan(ret->freq_upper_hz))
		rc = diag_error(diag, at, 0,
		    "core:freq_lower_edge and core:freq_upper_edge: only one of the two is stated");
	return rc;
}

static int annotations_read(
    const json_t *list, const char *file, struct diag *diag, struct sigmf_meta *meta)
{
	const size_t from = diag->errors;
	uint64_t before = meta->global.offset;
	int rc = 0;

	for (size_t i = 0; i < meta->n_annotations && diag->errors - from < ERRORS_MAX; i++) {
		struct sigmf_annotation *annotation = &meta->annotations[i];
		char at[AT];

		snprintf(at, sizeof(at), "%.240s: annotations[%zu]", file, i);
		if (annotation_read(json_array_get(list, i), at, diag, annotation) < 0) {
			rc = -EINVAL;
			continue;
		}
		if (annotation->sample_start < before)
			rc = diag_error(diag, at, 0,
			    "core:sample_start: found %llu after %llu; annotations must be "
			    "in order",
			    (unsigned long long)annotation->sample_start,
			    (unsigned long long)before);
		before = annotation->sample_start;
	}
	return rc;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int top_check(const json_t *root, const char *file, struct diag *diag)
{
	const char *key;
	json_t *value;
	int rc = 0;

	json_object_foreach((json_t *)(uintptr_t)root, key, value) if (strcmp(key, "global") != 0 &&
	    strcmp(key, "captures") != 0 && strcmp(key, "annotations") != 0) rc =
	    diag_error(diag, file, 0,
	        "\"%.40s\" is no part of a recording; there are global, captures and "
	        "annotations",
	        key);
	if (!json_is_object(json_object_get(root, "global")))
		rc = diag_error(diag, file, 0, "global: an object is needed");
	return rc;
}

static int lists_take(const json_t *root, const char *file, struct diag *diag,
    struct sigmf_meta *meta, json_t **ret_captures, json_t **ret_annotations)
{
	int rc = json_want_array(root, "captures", SIGMF_CAPTURES_MAX, file, diag, ret_captures);

	rc |= json_want_array(root, "annotations", SIGMF_CAPTURES_MAX, file, diag, ret_annotations);
	if (rc < 0)
		return -EINVAL;
	meta->n_captures = json_array_size(*ret_captures);
	meta->n_annotations = json_array_size(*ret_annotations);
	meta->captures = calloc(meta->n_captures + 1, sizeof(*meta->captures));
	meta->annotations = calloc(meta->n_annotations + 1, sizeof(*meta->annotations));
	return meta->captures && meta->annotations ? 0 : -ENOMEM;
}

static int root_read(
    const json_t *root, const char *file, struct diag *diag, struct sigmf_meta *meta)
{
	json_t *captures = NULL, *annotations = NULL;
	char at[AT];
	int rc = top_check(root, file, diag);

	if (rc == 0)
		rc = lists_take(root, file, diag, meta, &captures, &annotations);
	if (rc < 0)
		return rc;
	snprintf(at, sizeof(at), "%.240s: global", file);
	meta->global = sigmf_no_global;
	rc = global_read(json_object_get(root, "global"), at, diag, &meta->global);
	if (rc < 0)
		return -EINVAL;
	rc = captures_read(captures, file, diag, meta);
	rc |= annotations_read(annotations, file, diag, meta);
	return rc < 0 ? -EINVAL : 0;
}

int sigmf_parse(
    const char *file, const char *text, size_t len, struct diag *diag, struct sigmf_meta **ret)
{
	struct owner *owner;
	json_t *root;
	int rc;

	if (len > SIGMF_BYTES_MAX)
		return diag_error(
		    diag, file, 0, "the text is longer than %d bytes", SIGMF_BYTES_MAX);
	root = json_read(file, text, len, diag);
	if (!root)
		return -EINVAL;
	owner = calloc(1, sizeof(*owner));
	if (!owner) {
		json_decref(root);
		return -ENOMEM;
	}
	owner->root = root;
	owner->meta.owner = owner;
	rc = root_read(root, file, diag, &owner->meta);
	if (rc < 0)
		sigmf_free(&owner->meta);
	else
		*ret = &owner->meta;
	return rc;
}

void sigmf_free(struct sigmf_meta *meta)
{
	struct owner *owner = meta ? meta->owner : NULL;

	if (!owner)
		return;
	json_decref(owner->root);
	free(owner->meta.captures);
	free(owner->meta.annotations);
	free(owner);
}
