/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/class.h - a time measured on one machine, for another: pure functions.
 *
 * A machine is known by its rates: what an item of each class of work takes on one of its cores, at
 * the vector level that its kernels use (core/kernels/calibrate.h measures them). A component is
 * known by its mix: how many items of each class go together, as its descriptor states it ("bits 1,
 * copy 1"). The time of a call is a fixed part and a number n of such mixes:
 *
 * 	t = call + n x (sum over classes of mix_c x ns_c)
 *
 * Measured on one machine, t gives n; n and the other machine's rates give its t. No time of the
 * other machine enters. A component without a mix is converted by the scalar class alone: the
 * single metric of MAC-equivalents.
 */
#ifndef ALOE_MAP_CLASS_H
#define ALOE_MAP_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/calibrate.h"
#include "core/base/diag.h"
#include "core/json/json.h"

enum { CLASS_TEXT_MAX = 256 };

/* A kind of machine, and its rates. All zero: not known. */
struct class_rates {
	char cpu[CLASS_TEXT_MAX]; /* model, as the kernel names it */
	/* vector level; of the first CPU, "" if there is none; of ALOE */
	char simd[16], governor[32], version[32];
	double mmac_per_s;            /* the unit of account */
	double ns[CALIBRATE_CLASSES]; /* an item; all > 0 */
};

static inline bool class_rates_known(const struct class_rates *rates)
{
	return rates->mmac_per_s > 0;
}

/* class_rates_same: the same kind: CPU, level, governor and version. Rates differ a little each
 * time they are measured. */
bool class_rates_same(const struct class_rates *a, const struct class_rates *b);

/* class_rates_fingerprint is a number for a kind; the version is not in it. */
uint64_t class_rates_fingerprint(const struct class_rates *rates);

json_t *class_rates_json(const struct class_rates *rates); /* NULL without memory */
/* class_rates_read reads such an object. 0, or -EINVAL with what is wrong in diag and *ret
 * untouched. */
int class_rates_read(
    const json_t *object, const char *at, struct diag *diag, struct class_rates *ret);

/* class_mix reads a descriptor's mix: names of classes, each with a number > 0 after it, separated
 * by commas. NULL or "" is one of scalar. 0, or -EINVAL: something else. */
int class_mix(const char *text, double ret_mix[CALIBRATE_CLASSES]);

/* class_convert gives the ns of a call on `to` that takes `ns` on `from`; both known. */
double class_convert(const struct class_rates *from, const struct class_rates *to,
    const double mix[CALIBRATE_CLASSES], double ns);

#endif
