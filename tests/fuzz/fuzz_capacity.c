/* SPDX-License-Identifier: BSD-3-Clause
 * core/map/class: the rates of a machine, as a kept file or another node gives them, are refused
 * with a reason, or are numbers that a cost can be converted by, and the same when written and read
 * again. */
#include <math.h>
#include <stdlib.h>

#include "core/map/class.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void rates_check(const struct class_rates *rates, struct diag *diag)
{
	struct class_rates again = {0};
	json_t *object = class_rates_json(rates);

	for (int i = 0; i < CALIBRATE_CLASSES; i++)
		insist(isfinite(rates->ns[i]) && rates->ns[i] > 0);
	insist(object != NULL && class_rates_read(object, "again", diag, &again) == 0);
	insist(class_rates_known(&again) && class_rates_same(rates, &again));
	insist(class_rates_fingerprint(rates) == class_rates_fingerprint(&again));
	json_decref(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct class_rates rates = {0};
	struct diag diag;
	json_t *object;

	diag_init(&diag);
	object = json_read("capacity.json", (const char *)data, size, &diag);
	if (object != NULL) {
		const size_t before = diag.errors;

		if (class_rates_read(object, "capacity.json", &diag, &rates) != 0)
			insist(diag.errors > before);
		else if (class_rates_known(&rates))
			rates_check(&rates, &diag);
	} else {
		insist(diag.errors > 0);
	}
	json_decref(object);
	diag_fini(&diag);
	return 0;
}
