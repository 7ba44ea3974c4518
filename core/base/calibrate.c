/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/calibrate.h"

#include <errno.h>
#include <string.h>

const char *calibrate_class_name(enum calibrate_class which)
{
	static const char *const names[CALIBRATE_CLASSES] = {
	    "call",
	    "scalar",
	    "arithmetic",
	    "copy",
	    "bits",
	    "register",
	    "shuffle8",
	    "shuffle16",
	    "transpose8",
	    "transpose16",
	    "gather8",
	    "gather16",
	    "weave",
	    "trellis",
	};

	return names[which];
}

int calibrate_class_find(const char *name, size_t len)
{
	for (int which = 0; which < CALIBRATE_CLASSES; which++) {
		const char *known = calibrate_class_name((enum calibrate_class)which);

		if (strlen(known) == len && memcmp(known, name, len) == 0)
			return which;
	}
	return -ENOENT;
}

double calibrate_kmac(double ns, double mmac_per_s)
{
	return ns * mmac_per_s / 1e6;
}

double calibrate_ns(double kmac, double mmac_per_s)
{
	return mmac_per_s > 0 ? kmac * 1e6 / mmac_per_s : 0;
}
