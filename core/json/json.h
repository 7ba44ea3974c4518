/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/json/json.h - the door to jansson, and getters that tell the user what is wrong.
 *
 * `at` names the object in messages ("gain.desc: params[2]"). Each getter returns 0, or -EINVAL
 * with a line like `gain.desc: params[2].offset: found a text, a whole number 0 .. 65535 is needed`
 * in diag and *ret untouched.
 */
#ifndef ALOE_JSON_H
#define ALOE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/diag.h"

/* json_read parses one object, at most 64 levels deep, no key twice. NULL, and an error in diag, if
 * it is not one; errno tells EINVAL from ENOMEM, as far as jansson does. */
json_t *json_read(const char *file, const char *text, size_t len, struct diag *diag);

int json_want_text(const json_t *object, const char *key, const char *at, struct diag *diag,
    const char **ret_text);
/* Like json_want_text; null or absent gives NULL. */
int json_want_text_or_null(const json_t *object, const char *key, const char *at, struct diag *diag,
    const char **ret_text);
int json_want_bool(
    const json_t *object, const char *key, const char *at, struct diag *diag, bool *ret);
int json_want_uint(const json_t *object, const char *key, uint64_t max, const char *at,
    struct diag *diag, uint64_t *ret);
/* null gives `none`: JSON has neither NaN nor infinity. */
int json_want_real(const json_t *object, const char *key, double none, const char *at,
    struct diag *diag, double *ret);
int json_want_array(const json_t *object, const char *key, size_t len_max, const char *at,
    struct diag *diag, json_t **ret);

/* json_timed gives how many calls of an instance its times are of, as reports have it: all of its
 * calls, where the report does not tell those that were timed apart. 0 where neither is a
 * number. */
double json_timed(const json_t *instance);

/* json_real_or_null is the counterpart of json_want_real: null for NaN and the infinities. */
json_t *json_real_or_null(double value);

#endif
