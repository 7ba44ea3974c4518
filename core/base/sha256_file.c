/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/sha256.h"

#include <stdlib.h>

#include "core/base/file.h"

int sha256_file(const char *path, size_t max, char ret_hex[SHA256_TEXT])
{
	char *bytes;
	size_t len;
	const int rc = file_read(path, max, &bytes, &len);

	if (rc == 0) {
		sha256_text(bytes, len, ret_hex);
		free(bytes);
	}
	return rc;
}
