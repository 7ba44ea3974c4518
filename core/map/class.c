/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/class.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/text.h"

bool class_rates_same(const struct class_rates *a, const struct class_rates *b)
{
	return !strcmp(a->cpu, b->cpu) && !strcmp(a->simd, b->simd) &&
	    !strcmp(a->governor, b->governor) && !strcmp(a->version, b->version);
}

uint64_t class_rates_fingerprint(const struct class_rates *rates)
{
	return hash_text(
	    hash_text(hash_text(HASH_START, rates->cpu), rates->simd), rates->governor);
}

/* ---- as text ------------------------------------------------------------------------ */

json_t *class_rates_json(const struct class_rates *rates)
{
	json_t *ns = json_object();

	for (int which = 0; which < CALIBRATE_CLASSES; which++)
		json_object_set_new(ns, calibrate_class_name((enum calibrate_class)which),
		    json_real(rates->ns[which]));
	return json_pack("{s:s, s:s, s:s, s:s, s:f, s:o}", "cpu", rates->cpu, "simd", rates->simd,
	    "governor", rates->governor, "version", rates->version, "mmac_per_s", rates->mmac_per_s,
	    "classes_ns", ns);
}

static int text_read(const json_t *object, const char *key, const char *at, struct diag *diag,
    char *ret, size_t size)
{
	const char *text;
	int rc = json_want_text(object, key, at, diag, &text);

	if (rc == 0 && strlen(text) >= size)
		rc = diag_error(diag, at, 0, "%s has %zu character%s; at most %zu are allowed", key,
		    strlen(text), plural(strlen(text)), size - 1);
	if (rc == 0)
		snprintf(ret, size, "%s", text);
	return rc;
}

static int rate_read(
    const json_t *object, const char *key, const char *at, struct diag *diag, double *ret)
{
	double value;

	if (json_want_real(object, key, -1, at, diag, &value) < 0)
		return -EINVAL;
	if (!(value > 0 && value <= 1e9))
		return diag_error(
		    diag, at, 0, "%s = %g; a number above 0 and at most 1e9 is needed", key, value);
	*ret = value;
	return 0;
}

int class_rates_read(
    const json_t *object, const char *at, struct diag *diag, struct class_rates *ret)
{
	const json_t *classes = json_object_get(object, "classes_ns");
	struct class_rates rates = {0};

	if (!json_is_object(object) || !json_is_object(classes))
		return diag_error(diag, at, 0, "an object with an object \"classes_ns\" is needed");
	if (text_read(object, "cpu", at, diag, rates.cpu, sizeof(rates.cpu)) < 0 ||
	    text_read(object, "simd", at, diag, rates.simd, sizeof(rates.simd)) < 0 ||
	    text_read(object, "governor", at, diag, rates.governor, sizeof(rates.governor)) < 0 ||
	    text_read(object, "version", at, diag, rates.version, sizeof(rates.version)) < 0 ||
	    rate_read(object, "mmac_per_s", at, diag, &rates.mmac_per_s) < 0)
		return -EINVAL;
	for (int which = 0; which < CALIBRATE_CLASSES; which++)
		if (rate_read(classes, calibrate_class_name((enum calibrate_class)which), at, diag,
		        &rates.ns[which]) < 0)
			return -EINVAL;
	*ret = rates;
	return 0;
}

/* ---- conversion ------------------------------------------------------------------------ */

int class_mix(const char *text, double ret_mix[CALIBRATE_CLASSES])
{
	double mix[CALIBRATE_CLASSES] = {0};
	const char *at = text && *text ? text : "scalar 1";

	for (;;) {
		const size_t len = strcspn(at, " ");
		const int which = calibrate_class_find(at, len);
		char *end;

		if (which < 0 || which == CALIBRATE_CALL || at[len] != ' ')
			return -EINVAL;
		mix[which] = strtod(at + len + 1, &end);
		if (end == at + len + 1 || !(mix[which] > 0 && mix[which] <= 1e6))
			return -EINVAL;
		if (!*end)
			break;
		if (end[0] != ',' || end[1] != ' ')
			return -EINVAL;
		at = end + 2;
	}
	memcpy(ret_mix, mix, sizeof(mix));
	return 0;
}

static double mix_ns(const struct class_rates *rates, const double *mix)
{
	double sum = 0;

	for (int which = 0; which < CALIBRATE_CLASSES; which++)
		sum += mix[which] * rates->ns[which];
	return sum;
}

double class_convert(const struct class_rates *from, const struct class_rates *to,
    const double mix[CALIBRATE_CLASSES], double ns)
{
	const double call = fmin(ns, from->ns[CALIBRATE_CALL]);

	return call / from->ns[CALIBRATE_CALL] * to->ns[CALIBRATE_CALL] +
	    (ns - call) / mix_ns(from, mix) * mix_ns(to, mix);
}
