/* SPDX-License-Identifier: BSD-3-Clause
 * components/io/wav.h: a file of any bytes is refused with a reason, or its format and its length
 * are what is promised. */
#include <stdlib.h>

#include "components/io/wav.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wav_format format = {0};
	char why[128] = "";
	const char *refused;
	FILE *file = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (!file)
		return 0;
	refused = wav_scan(file, size, &format, why, sizeof(why));
	if (refused) {
		insist(refused[0] != 0);
	} else {
		insist(format.channels >= 1 && format.channels <= 2);
		insist(format.rate_hz >= 8000 && format.rate_hz <= 192000);
		insist(format.data_bytes > 0 && format.data_bytes <= size);
	}
	fclose(file);
	return 0;
}
