/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/picture.h - pictures, drawn by a program of others that reads what to draw from its
 * standard input and writes the picture to its standard output. */
#ifndef TOOLS_ALOE_PICTURE_H
#define TOOLS_ALOE_PICTURE_H

#include <stddef.h>

struct picture_tool {
	const char *program; /* found in PATH */
	const char *package; /* "Graphviz", as people call it */
	const char *debian;  /* the package of Debian */
	const char *instead; /* what needs no such program: a sentence's end; or NULL */
};

/* picture_make runs the program with these arguments (argv[0] included, NULL at the end) and writes
 * what it draws to `path`, whole or not at all; "-" is standard output. The exit status; what went
 * wrong has been said. */
int picture_make(const struct picture_tool *tool, const char *const argv[], const char *text,
    size_t len, const char *path);

/* picture_write writes a text or a picture to `path`, or to standard output ("-"). The exit
 * status. */
int picture_write(const char *path, const char *bytes, size_t len);

#endif
