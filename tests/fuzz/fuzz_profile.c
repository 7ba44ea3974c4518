/* SPDX-License-Identifier: BSD-3-Clause
 * core/map/profile: a stored profile of any bytes is refused with a reason, or gives costs that a
 * plan can use and that are the same when saved and read again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/map/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void profile_check(const struct profile *profile)
{
	struct profile again = {0};
	char *text = plan_profile_save(profile);
	struct diag diag;

	diag_init(&diag);
	insist(text && plan_profile_load("again", text, strlen(text), &diag, &again) == 0);
	insist(again.len == profile->len && diag.errors == 0);
	insist(class_rates_known(&again.platform) == class_rates_known(&profile->platform));
	insist(class_rates_same(&again.platform, &profile->platform));
	for (size_t i = 0; i < again.len; i++) {
		const struct profile_entry *entry = &profile->entries[i];

		insist(
		    isfinite(entry->kmac_p50) && entry->kmac_p50 >= 0 && isfinite(entry->kmac_p99));
		insist(strcmp(entry->instance, again.entries[i].instance) == 0);
		insist(plan_profile_find(profile, entry->instance) == entry);
	}
	diag_fini(&diag);
	plan_profile_fini(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile profile = {0};
	struct diag diag;

	diag_init(&diag);
	if (plan_profile_load("fuzz.json", (const char *)data, size, &diag, &profile) == 0) {
		insist(diag.errors == 0);
		profile_check(&profile);
		plan_profile_fini(&profile);
	} else {
		insist(diag.errors > 0);
	}
	diag_fini(&diag);
	return 0;
}
