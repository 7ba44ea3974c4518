/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/profile.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/json/json.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROFILE_SCHEMA = 1 };

#define BYTES_MAX (1ull << 53)

const struct profile_entry *plan_profile_find(const struct profile *profile, const char *instance)
{
	const int64_t i = profile ? name_map_find(&profile->names, instance, strlen(instance)) : -1;

	return i < 0 ? NULL : &profile->entries[i];
}

/* Room for twice as many when it is full. */
static int entries_grow(struct profile *profile)
{
	struct profile_entry *entries = profile->entries;

	/* full only at powers of two */
	if (entries && (profile->len & (profile->len - 1)))
		return 0;
	entries = realloc(entries, (profile->len ? profile->len * 2 : 1) * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	profile->entries = entries;
	return 0;
}

static int entry_add(struct profile *profile, const char *instance)
{
	struct profile_entry *entry;
	int rc = entries_grow(profile);

	if (rc < 0)
		return rc;
	entry = &profile->entries[profile->len];
	entry->instance = strdup(instance);
	if (!entry->instance)
		return -ENOMEM;
	rc = name_map_put(
	    &profile->names, entry->instance, strlen(instance), (uint32_t)profile->len);
	if (rc < 0) {
		free(entry->instance);
		return rc;
	}
	entry->build[0] = 0;
	profile->len++;
	return 0;
}

/* The numbers of the entries have changed. */
static int names_renew(struct profile *profile)
{
	int rc = 0;

	name_map_fini(&profile->names);
	for (size_t i = 0; rc == 0 && i < profile->len; i++) {
		const char *name = profile->entries[i].instance;

		rc = name_map_put(&profile->names, name, strlen(name), (uint32_t)i);
	}
	return rc;
}

int plan_profile_set(
    struct profile *profile, const char *instance, const struct length_point *point)
{
	struct profile_entry *entry = (struct profile_entry *)plan_profile_find(profile, instance);

	assert(instance != NULL);
	assert(profile != NULL);
	if (!entry) {
		const int rc = entry_add(profile, instance);

		if (rc < 0)
			return rc;
		entry = &profile->entries[profile->len - 1];
	}
	entry->points[0] = *point;
	entry->n_points = 1;
	return 0;
}

const struct length_point *plan_profile_at(const struct profile_entry *entry, uint64_t bytes)
{
	for (size_t i = 0; i < entry->n_points; i++)
		if (entry->points[i].bytes == bytes)
			return &entry->points[i];
	return NULL;
}

static void point_add(struct profile_entry *entry, const struct length_point *point)
{
	if (entry->n_points < LENGTH_POINTS_MAX && !plan_profile_at(entry, point->bytes))
		entry->points[entry->n_points++] = *point;
}

/* Whether a run that missed nothing has measured at this length; nobody knows of length 0 that it
 * is another one. */
static bool entry_is_clean(const struct profile_entry *entry, uint64_t bytes)
{
	for (size_t p = 0; p < entry->n_points; p++) {
		const struct length_point *point = &entry->points[p];

		if (!point->missed && (!bytes || !point->bytes || point->bytes == bytes))
			return true;
	}
	return false;
}

/* False: the entry has become the old one. */
static bool entry_join(struct profile_entry *entry, const struct profile_entry *old)
{
	const struct length_point fresh = entry->points[0];

	if (strcmp(entry->build, old->build) != 0)
		return true;
	if (fresh.missed && entry_is_clean(old, fresh.bytes)) {
		memcpy(entry->points, old->points, sizeof(entry->points));
		entry->n_points = old->n_points;
		return false;
	}
	for (size_t p = 0; entry->build[0] && fresh.bytes && p < old->n_points; p++)
		if (old->points[p].bytes && old->points[p].missed <= fresh.missed)
			point_add(entry, &old->points[p]);
	return true;
}

size_t plan_profile_join(struct profile *profile, const struct profile *before)
{
	size_t n = 0;

	profile->missed = 0;
	for (size_t i = 0; i < profile->len; i++) {
		struct profile_entry *entry = &profile->entries[i];
		const struct profile_entry *old = plan_profile_find(before, entry->instance);

		n += !old || entry_join(entry, old);
		if (entry->points[0].missed > profile->missed)
			profile->missed = entry->points[0].missed;
	}
	return n;
}

void plan_profile_set_build(struct profile *profile, const char *instance, const char *build)
{
	struct profile_entry *entry = (struct profile_entry *)plan_profile_find(profile, instance);

	if (entry)
		snprintf(entry->build, sizeof(entry->build), "%s", build);
}

int plan_profile_drop(struct profile *profile, const bool *drop)
{
	const size_t len = profile->len;

	profile->len = 0;
	for (size_t i = 0; i < len; i++)
		if (drop[i])
			free(profile->entries[i].instance);
		else
			profile->entries[profile->len++] = profile->entries[i];
	return names_renew(profile);
}

void plan_profile_fini(struct profile *profile)
{
	for (size_t i = 0; i < profile->len; i++)
		free(profile->entries[i].instance);
	free(profile->entries);
	name_map_fini(&profile->names);
	*profile = (struct profile){0};
}

/* ---- another machine ------------------------------------------------------------------------ */

static double kmac_convert(
    const struct class_rates *from, const struct class_rates *to, const double *mix, double kmac)
{
	return calibrate_kmac(
	    class_convert(from, to, mix, calibrate_ns(kmac, from->mmac_per_s)), to->mmac_per_s);
}

void plan_profile_convert(
    struct profile *profile, const struct waveform *waveform, const struct class_rates *to)
{
	const struct class_rates *from = &profile->platform;

	profile->elsewhere =
	    class_rates_known(from) && class_rates_fingerprint(from) != class_rates_fingerprint(to);
	if (!profile->elsewhere || !class_rates_known(to))
		return;
	for (size_t i = 0; i < waveform->n_instances; i++) {
		const struct wf_instance *instance = &waveform->instances[i];
		struct profile_entry *entry =
		    (struct profile_entry *)plan_profile_find(profile, instance->name);
		double mix[CALIBRATE_CLASSES];

		if (!entry)
			continue;
		if (class_mix(instance->type->mix, mix) < 0)
			class_mix(NULL, mix);
		for (size_t p = 0; p < entry->n_points; p++) {
			struct length_point *point = &entry->points[p];

			point->kmac_p50 = kmac_convert(from, to, mix, point->kmac_p50);
			point->kmac_p99 = kmac_convert(from, to, mix, point->kmac_p99);
		}
	}
	profile->converted = true;
}

void plan_profile_origin(const struct profile *profile, char *ret_text, size_t size)
{
	if (!profile || !profile->len)
		snprintf(ret_text, size, "none");
	else if (!class_rates_known(&profile->platform))
		snprintf(ret_text, size, "measured on an unknown machine");
	else if (!profile->elsewhere && profile->missed)
		snprintf(ret_text, size,
		    "measured on this kind of machine, in a run that missed %llu slot%s",
		    (unsigned long long)profile->missed, plural(profile->missed));
	else if (!profile->elsewhere)
		snprintf(ret_text, size, "measured on this kind of machine");
	else
		snprintf(ret_text, size, "measured on %s, %s, %s", profile->platform.cpu,
		    profile->platform.simd,
		    profile->converted ? "converted by classes of work"
		                       : "not converted: this machine is not calibrated");
}

uint64_t plan_profile_hash(uint64_t hash, const struct profile_entry *entry)
{
	assert(entry != NULL);
	if (!hash)
		hash = HASH_START;
	hash = hash_text(hash, entry->instance);
	for (size_t p = 0; p < entry->n_points; p++) {
		const struct length_point *point = &entry->points[p];

		hash = hash_bytes(hash, &point->bytes, sizeof(point->bytes));
		hash = hash_bytes(hash, &point->kmac_p50, sizeof(point->kmac_p50));
		hash = hash_bytes(hash, &point->kmac_p99, sizeof(point->kmac_p99));
	}
	return hash ? hash : 1;
}

/* `known`: the length must be there. missed: by the run, unless the cost has its own. */
static int point_load(const json_t *json, bool known, uint64_t missed, const char *at,
    struct diag *diag, struct length_point *ret)
{
	double p50, p99;

	*ret = (struct length_point){.missed = missed};
	if (!json_is_object(json))
		return diag_error(
		    diag, at, 0, "a cost must be an object {\"kmac_p50\": ..., \"kmac_p99\": ...}");
	if (json_want_real(json, "kmac_p50", -1, at, diag, &p50) ||
	    json_want_real(json, "kmac_p99", -1, at, diag, &p99))
		return -EINVAL;
	if (!(p50 >= 0 && p99 >= p50 && p99 <= LENGTH_KMAC_MAX))
		return diag_error(diag, at, 0,
		    "kmac_p50 = %g and kmac_p99 = %g do not satisfy 0 <= p50 <= p99 <= 1e12", p50,
		    p99);
	if (json_object_get(json, "missed") &&
	    json_want_uint(json, "missed", INT64_MAX, at, diag, &ret->missed))
		return -EINVAL;
	ret->kmac_p50 = p50;
	ret->kmac_p99 = p99;
	if (!known && !json_object_get(json, "bytes"))
		return 0;
	if (json_want_uint(json, "bytes", BYTES_MAX, at, diag, &ret->bytes))
		return -EINVAL;
	return ret->bytes ? 0 : diag_error(diag, at, 0, "bytes = 0 is no length");
}

/* What runs before have measured at other lengths. */
static int lengths_load(const json_t *json, uint64_t missed, const char *at, struct diag *diag,
    struct profile_entry *entry)
{
	struct length_point point;
	json_t *lengths, *one;
	char here[300];
	size_t i;

	if (!json_object_get(json, "lengths"))
		return 0;
	if (json_want_array(json, "lengths", LENGTH_POINTS_MAX - 1, at, diag, &lengths))
		return -EINVAL;
	json_array_foreach(lengths, i, one)
	{
		snprintf(here, sizeof(here), "%s.lengths[%zu]", at, i);
		if (point_load(one, true, missed, here, diag, &point))
			return -EINVAL;
		if (!entry->points[0].bytes || plan_profile_at(entry, point.bytes))
			return diag_error(diag, here, 0,
			    "bytes = %llu is there twice, or beside a cost whose length is not "
			    "known",
			    (unsigned long long)point.bytes);
		point_add(entry, &point);
	}
	return 0;
}

static int entry_load(const char *instance, const json_t *json, const char *file, struct diag *diag,
    struct profile *profile)
{
	struct length_point point;
	const char *build = NULL;
	char at[256];

	snprintf(at, sizeof(at), "%s: profile.%s", file, instance);
	if (point_load(json, false, profile->missed, at, diag, &point))
		return -EINVAL;
	if (json_want_text_or_null(json, "build", at, diag, &build))
		return -EINVAL;
	if (build &&
	    (strlen(build) != SHA256_TEXT - 1 ||
	        strspn(build, "0123456789abcdef") != SHA256_TEXT - 1))
		return diag_error(diag, at, 0,
		    "build: \"%.80s\" is not a SHA-256, which has 64 hexadecimal digits", build);
	if (plan_profile_set(profile, instance, &point) < 0)
		return -ENOMEM;
	plan_profile_set_build(profile, instance, build ? build : "");
	return lengths_load(json, profile->missed, at, diag,
	    (struct profile_entry *)plan_profile_find(profile, instance));
}

static int run_load(
    const json_t *root, const char *file, struct diag *diag, struct profile *profile)
{
	const char *clock = NULL;

	if (json_want_text_or_null(root, "clock", file, diag, &clock))
		return -EINVAL;
	if (clock && strlen(clock) >= sizeof(profile->clock))
		return diag_error(diag, file, 0, "clock: \"%.40s\" is not a clock", clock);
	snprintf(profile->clock, sizeof(profile->clock), "%s", clock ? clock : "");
	if (json_object_get(root, "missed") &&
	    json_want_uint(root, "missed", INT64_MAX, file, diag, &profile->missed))
		return -EINVAL;
	return 0;
}

static int by_instance(const void *a, const void *b)
{
	return strcmp(((const struct profile_entry *)a)->instance,
	    ((const struct profile_entry *)b)->instance);
}

static int root_load(const char *file, json_t *root, struct diag *diag, struct profile *profile)
{
	json_t *entries = json_object_get(root, "profile"),
	       *platform = json_object_get(root, "platform"), *value;
	char at[256];
	uint64_t schema;
	const char *key;
	int rc = 0;

	if (json_want_uint(root, "schema", UINT32_MAX, file, diag, &schema))
		return -EINVAL;
	if (schema != PROFILE_SCHEMA)
		return diag_error(diag, file, 0, "schema = %llu, but this program reads schema %d",
		    (unsigned long long)schema, PROFILE_SCHEMA);
	if (!json_is_object(entries))
		return diag_error(
		    diag, file, 0, "\"profile\" must be an object with one entry per instance");
	snprintf(at, sizeof(at), "%s: platform", file);
	if (platform && !json_is_null(platform))
		rc = class_rates_read(platform, at, diag, &profile->platform);
	rc = rc ? rc : run_load(root, file, diag, profile);
	json_object_foreach(entries, key, value)
	{
		const int bad = entry_load(key, value, file, diag, profile);

		rc = rc == -ENOMEM || !bad ? rc : bad;
	}
	if (profile->len)
		qsort(profile->entries, profile->len, sizeof(*profile->entries), by_instance);
	return rc ? rc : names_renew(profile);
}

int plan_profile_load(
    const char *file, const char *text, size_t len, struct diag *diag, struct profile *ret)
{
	json_t *root = json_read(file, text, len, diag);
	struct profile profile = {0};
	int rc;

	if (!root)
		return -errno;
	rc = root_load(file, root, diag, &profile);
	json_decref(root);
	if (rc)
		plan_profile_fini(&profile);
	else
		*ret = profile;
	return rc;
}

static json_t *point_json(const struct length_point *point, uint64_t missed)
{
	return json_pack("{s:f, s:f, s:o*, s:o*}", "kmac_p50", point->kmac_p50, "kmac_p99",
	    point->kmac_p99, "bytes", point->bytes ? json_integer((json_int_t)point->bytes) : NULL,
	    "missed", point->missed != missed ? json_integer((json_int_t)point->missed) : NULL);
}

static json_t *entry_json(const struct profile_entry *entry, uint64_t missed)
{
	json_t *json = point_json(&entry->points[0], missed), *lengths = json_array();
	int bad = 0;

	for (size_t p = 1; p < entry->n_points; p++)
		bad |= json_array_append_new(lengths, point_json(&entry->points[p], missed));
	if (entry->build[0])
		bad |= json_object_set_new(json, "build", json_string(entry->build));
	if (entry->n_points > 1)
		bad |= json_object_set(json, "lengths", lengths);
	json_decref(lengths);
	if (bad == 0)
		return json;
	json_decref(json);
	return NULL;
}

char *plan_profile_save(const struct profile *profile)
{
	json_t *entries = json_object(), *root;
	char *text, *line;

	for (size_t i = 0; i < profile->len; i++) {
		const struct profile_entry *entry = &profile->entries[i];

		if (json_object_set_new(
		        entries, entry->instance, entry_json(entry, profile->missed))) {
			json_decref(entries);
			return NULL;
		}
	}
	root = json_pack("{s:i, s:s*, s:I, s:o*, s:o}", "schema", PROFILE_SCHEMA, "clock",
	    profile->clock[0] ? profile->clock : NULL, "missed", (json_int_t)profile->missed,
	    "platform",
	    class_rates_known(&profile->platform) ? class_rates_json(&profile->platform) : NULL,
	    "profile", entries);
	text = root ? json_dumps(root, JSON_INDENT(2) | JSON_SORT_KEYS) : NULL;
	json_decref(root);
	if (!text)
		return NULL;
	line = malloc(strlen(text) + 2);
	if (line)
		snprintf(line, strlen(text) + 2, "%s\n", text);
	free(text);
	return line;
}
