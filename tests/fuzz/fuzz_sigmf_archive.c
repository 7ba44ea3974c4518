/* SPDX-License-Identifier: BSD-3-Clause
 * core/sigmf/archive: a tar file of any bytes is refused with a reason, or gives two places that
 * lie inside. */
#include <stdlib.h>
#include <string.h>

#include "core/sigmf/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
	const uint8_t *data;
	size_t size;
};

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static int bytes_read(void *arg, uint64_t at, void *ret_bytes, size_t len)
{
	const struct bytes *bytes = arg;

	insist(at <= bytes->size && len <= bytes->size - at);
	memcpy(ret_bytes, bytes->data + at, len);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = {data, size};
	const struct sigmf_archive archive = {bytes_read, &bytes, size, "fuzz.sigmf"};
	struct sigmf_place meta, samples;
	struct diag diag;

	diag_init(&diag);
	if (sigmf_archive_find(&archive, &diag, &meta, &samples) == 0) {
		insist(diag.errors == 0 && meta.name[0]);
		insist(meta.at <= size && meta.bytes <= size - meta.at);
		insist(
		    !samples.name[0] || (samples.at <= size && samples.bytes <= size - samples.at));
	} else {
		insist(diag.errors > 0);
	}
	diag_fini(&diag);
	return 0;
}
