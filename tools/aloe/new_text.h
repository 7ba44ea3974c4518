/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/new_text.h - what `aloe new component` writes. @NAME@, @BIN@, @INCLUDE@, and
 * @SOURCE@, @CC@, @FLAGS@ and @STD@ of the language are replaced. */
#ifndef TOOLS_ALOE_NEW_TEXT_H
#define TOOLS_ALOE_NEW_TEXT_H

struct new_file {
	const char *name; /* "@NAME@.c" */
	const char *text; /* NULL: the source in the language asked for */
};

extern const struct new_file new_files[]; /* ends with a NULL name */
extern const char new_source_c[], new_source_cpp[];

#endif
