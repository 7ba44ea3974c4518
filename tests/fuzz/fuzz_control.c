/* SPDX-License-Identifier: BSD-3-Clause
 * core/recording/control: a log of any bytes is refused with a reason, or has a head, and changes
 * in the order of their index. */
#include <errno.h>
#include <stdlib.h>

#include "core/recording/control.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void control_check(const struct recording_control *control)
{
	json_t *set;
	json_int_t before = 0;
	size_t n;

	insist(json_is_object(control->head));
	json_array_foreach(control->sets, n, set)
	{
		const json_int_t index = json_integer_value(json_object_get(set, "index"));

		insist(index >= before && json_is_object(json_object_get(set, "set")));
		before = index;
	}
	insist(!control->end || json_is_integer(json_object_get(control->end, "end")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording_control control;
	struct diag diag;
	int rc;

	diag_init(&diag);
	rc = control_parse("control", (const char *)data, size, &diag, &control);
	if (rc == 0)
		control_check(&control);
	else
		insist(rc == -ENOMEM || diag.errors > 0);
	control_fini(&control);
	diag_fini(&diag);
	return 0;
}
