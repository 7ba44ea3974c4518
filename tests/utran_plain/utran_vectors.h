/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_vectors - read the files of tests/vectors/utran, from the repository's root.
 */
#ifndef TESTS_UTRAN_PLAIN_UTRAN_VECTORS_H
#define TESTS_UTRAN_PLAIN_UTRAN_VECTORS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VECTORS_LINE_MAX = 20000 };

static inline FILE *vectors_open(const char *name)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "tests/vectors/utran/%s", name);
	file = fopen(path, "r");
	if (!file) {
		fprintf(stderr, "%s: not there; tests run from the repository's root\n", path);
		abort();
	}
	return file;
}

/* vectors_line reads the next line that is no comment, without its end; NULL at the end of the
 * file. */
static inline char *vectors_line(FILE *file, char *line)
{
	while (fgets(line, VECTORS_LINE_MAX, file)) {
		line[strcspn(line, "\n")] = 0;
		if (line[0] && line[0] != '#')
			return line;
	}
	return NULL;
}

/* vectors_bits turns "0110" into bits, one per byte; how many. */
static inline int vectors_bits(const char *text, uint8_t *bits)
{
	int n = 0;

	for (; text[n] == '0' || text[n] == '1'; n++)
		bits[n] = (uint8_t)(text[n] - '0');
	return n;
}

#endif
