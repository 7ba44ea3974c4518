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

		insist(entry->n_points >= 1 && entry->n_points <= LENGTH_POINTS_MAX);
		insist(again.entries[i].n_points == entry->n_points);
		for (size_t p = 0; p < entry->n_points; p++)
			insist(entry->points[p].missed == again.entries[i].points[p].missed &&
			    isfinite(entry->points[p].kmac_p50) && entry->points[p].kmac_p50 >= 0 &&
			    isfinite(entry->points[p].kmac_p99) &&
			    plan_profile_at(entry, entry->points[p].bytes) == &entry->points[p]);
		for (uint64_t bytes = 1; bytes < 1ull << 40; bytes *= 1024) {
			const struct length_cost cost =
			    length_cost(entry->points, entry->n_points, bytes);

			insist(isfinite(cost.kmac_p50) && cost.kmac_p50 >= 0);
			insist(cost.kmac_p99 >= cost.kmac_p50 && isfinite(cost.kmac_p99));
			insist(isnan(cost.fixed) || (cost.fixed >= 0 && cost.fixed <= 1));
		}
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
