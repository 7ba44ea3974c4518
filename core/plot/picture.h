/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/plot/picture.h - pictures, drawn by a program of others that reads what to draw from its
 * standard input and writes the picture to its standard output; and files that are written whole.
 *
 * `who` is the program that speaks in messages. */
#ifndef CORE_PLOT_PICTURE_H
#define CORE_PLOT_PICTURE_H

#include <stddef.h>

struct picture_tool {
	const char *program; /* found in PATH */
	const char *package; /* "Graphviz", as people call it */
	const char *debian;  /* the package of Debian */
	const char *instead; /* what needs no such program: a sentence's end; or NULL */
};

/* picture_possible tells before anything is measured whether the program is there: CLI_OK, or
 * CLI_USAGE after saying what to install. */
int picture_possible(const char *who, const struct picture_tool *tool);

/* picture_make runs the program with these arguments (argv[0] included, NULL at the end) and writes
 * what it draws to `path`, whole or not at all; "-" is standard output. The exit status, CLI_USAGE
 * where there is no such program; what went wrong has been said. */
int picture_make(const char *who, const struct picture_tool *tool, const char *const argv[],
    const char *text, size_t len, const char *path);

/* picture_writable tells before anything is measured whether picture_write can write there: 0 or
 * -errno. Nothing is changed. */
int picture_writable(const char *path);

/* picture_write writes a text or a picture to `path`, or to standard output ("-"). A file is
 * replaced whole, also one that a link names, there or not yet; a device or a FIFO is written to.
 * The exit status. */
int picture_write(const char *who, const char *path, const char *bytes, size_t len);

#endif
