/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/common/x310_vectors.h"

size_t x310_vector(const char *name, uint8_t *ret_bytes)
{
	FILE *file = fopen("tests/vectors/x310/chdr.txt", "r");
	char line[4096];
	size_t size = 0;

	assert_non_null(file);
	while (size == 0 && fgets(line, sizeof(line), file)) {
		const char *hex = line;
		unsigned byte;

		if (strncmp(line, name, strlen(name)) != 0 || line[strlen(name)] != ';')
			continue;
		for (int field = 0; field < 3; field++)
			hex = strchr(hex, ';') + 1;
		for (; *hex != ';'; hex += 2) {
			assert_true(size < X310_VECTOR_MAX && sscanf(hex, "%2x", &byte) == 1);
			ret_bytes[size++] = (uint8_t)byte;
		}
	}
	fclose(file);
	assert_true(size > 0);
	return size;
}
