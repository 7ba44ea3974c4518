/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/json/json.h"
#include "core/sigmf/sigmf.h"

/* What is not stated is no key; each returns 0, or -1 if there is no memory. */
static int text_put(json_t *object, const char *key, const char *text)
{
	return text ? json_object_set_new(object, key, json_string(text)) : 0;
}

static int whole_put(json_t *object, const char *key, uint64_t number)
{
	return number <= INT64_MAX
	    ? json_object_set_new(object, key, json_integer((json_int_t)number))
	    : 0;
}

/* A number that is whole is written without a point, as the examples of the specification are. */
static int real_put(json_t *object, const char *key, double number)
{
	if (!isfinite(number))
		return 0;
	if (number == rint(number) && fabs(number) <= 0x1p53)
		return json_object_set_new(object, key, json_integer((json_int_t)number));
	return json_object_set_new(object, key, json_real(number));
}

static json_t *extensions_print(void)
{
	return json_pack(
	    "[{s:s, s:s, s:b}]", "name", "aloe", "version", SIGMF_ALOE_VERSION, "optional", 1);
}

static json_t *global_print(const struct sigmf_global *g)
{
	json_t *object = json_object();
	int rc = object ? 0 : -1;

	rc |= text_put(object, "core:datatype", sigmf_formats[g->datatype].name);
	rc |= text_put(object, "core:version", SIGMF_VERSION);
	rc |= real_put(object, "core:sample_rate", g->sample_rate_hz);
	rc |= text_put(object, "core:sha512", g->sha512);
	rc |= text_put(object, "core:description", g->description);
	rc |= text_put(object, "core:recorder", g->recorder);
	rc |= text_put(object, "core:hw", g->hw);
	rc |= text_put(object, "core:author", g->author);
	rc |= text_put(object, "core:dataset", g->dataset);
	rc |= whole_put(object, "core:num_channels", g->num_channels);
	rc |= whole_put(object, "core:offset", g->offset);
	rc |= whole_put(object, "core:trailing_bytes", g->trailing_bytes);
	if (g->metadata_only)
		rc |= json_object_set_new(object, "core:metadata_only", json_true());
	rc |= json_object_set_new(object, "core:extensions", extensions_print());
	rc |= whole_put(object, "aloe:slot_ns", g->slot_ns);
	rc |= whole_put(object, "aloe:items", g->items);
	rc |= whole_put(object, "aloe:samples", g->samples);
	rc |= text_put(object, "aloe:waveform", g->waveform);
	rc |= text_put(object, "aloe:port", g->port);
	rc |= text_put(object, "aloe:plan_sha256", g->plan_sha256);
	rc |= text_put(object, "aloe:log", g->log);
	rc |= text_put(object, "aloe:log_sha256", g->log_sha256);
	if (rc == 0)
		return object;
	json_decref(object);
	return NULL;
}

static int capture_print(json_t *list, const struct sigmf_capture *c)
{
	json_t *object = json_object();
	int rc = object ? 0 : -1;

	rc |= whole_put(object, "core:sample_start", c->sample_start);
	rc |= whole_put(object, "core:global_index", c->global_index);
	rc |= real_put(object, "core:frequency", c->frequency_hz);
	rc |= text_put(object, "core:datetime", c->datetime);
	rc |= whole_put(object, "core:header_bytes", c->header_bytes);
	rc |= whole_put(object, "aloe:slot", c->slot);
	rc |= whole_put(object, "aloe:tick", c->tick);
	return json_array_append_new(list, object) | rc;
}

static int annotation_print(json_t *list, const struct sigmf_annotation *a)
{
	json_t *object = json_object();
	int rc = object ? 0 : -1;

	rc |= whole_put(object, "core:sample_start", a->sample_start);
	rc |= whole_put(object, "core:sample_count", a->sample_count);
	rc |= real_put(object, "core:freq_lower_edge", a->freq_lower_hz);
	rc |= real_put(object, "core:freq_upper_edge", a->freq_upper_hz);
	rc |= text_put(object, "core:label", a->label);
	rc |= text_put(object, "core:comment", a->comment);
	rc |= whole_put(object, "aloe:slot", a->slot);
	rc |= whole_put(object, "aloe:slots", a->slots);
	return json_array_append_new(list, object) | rc;
}

char *sigmf_print(const struct sigmf_meta *meta, size_t *ret_len)
{
	json_t *root = json_object(), *captures = json_array(), *annotations = json_array();
	char *text = NULL;
	int rc = 0;

	for (size_t i = 0; i < meta->n_captures; i++)
		rc |= capture_print(captures, &meta->captures[i]);
	for (size_t i = 0; i < meta->n_annotations; i++)
		rc |= annotation_print(annotations, &meta->annotations[i]);
	rc |= json_object_set_new(root, "global", global_print(&meta->global));
	rc |= json_object_set_new(root, "captures", captures);
	rc |= json_object_set_new(root, "annotations", annotations);
	if (rc == 0)
		text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	json_decref(root);
	if (text)
		*ret_len = strlen(text);
	return text;
}
