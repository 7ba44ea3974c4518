/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/new_text.h - what `aloe new component` writes. @NAME@, @BIN@ and @INCLUDE@ are replaced. */
#ifndef TOOLS_ALOE_NEW_TEXT_H
#define TOOLS_ALOE_NEW_TEXT_H

struct new_file {
	const char *name; /* "@NAME@.c" */
	const char *text;
};

extern const struct new_file new_files_c[]; /* ends with a NULL name */
extern const struct new_file new_files_cpp[];

#endif
