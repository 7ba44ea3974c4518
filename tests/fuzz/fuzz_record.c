/* SPDX-License-Identifier: BSD-3-Clause
 * tools/aloe/doctor/record: what was changed on the machine, written down, of any bytes, is refused
 * with a reason, or each change has the texts that putting it back needs. Nothing is put back here:
 * the machine that it stands for has no files. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tests/fuzz/folder.h"
#include "tools/aloe/doctor/doctor.h"
#include "tools/aloe/doctor/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct machine machine = {.root = folder()};
	struct record record;
	struct diag diag;
	json_t *change;
	size_t n;
	int rc;

	folder_put("doctor.json", data, size);
	diag_init(&diag);
	rc = record_open(&record, &machine, folder(), "doctor", false, &diag);
	insist((rc == 0) == (diag.errors == 0));
	json_array_foreach(record.changes, n, change)
	{
		insist(rc != 0 || json_is_string(json_object_get(change, "path")));
		insist(rc != 0 || json_is_string(json_object_get(change, "to")));
	}
	record_close(&record);
	diag_fini(&diag);
	unlink(folder_file("doctor.json"));
	return 0;
}
