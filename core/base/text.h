/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/text.h - numbers in sentences, and names.
 *
 *	printf("%zu link%s\n", n, plural(n));                             1 link, 2 links, 0 links
 *
 * Every count in a sentence of core and tools that can be 1 has its noun from plural; tests/house
 * finds the counts that have not.
 */
#ifndef ALOE_BASE_TEXT_H
#define ALOE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { NUMBER_TEXT = 32 };

const char *plural(double n);

/* number_text writes a whole number up to 2^53 with all its digits (9007199254740991), any other
 * with `digits` of them, into `text` of NUMBER_TEXT bytes, which it returns. */
const char *number_text(double value, int digits, char text[NUMBER_TEXT]);

/* text_whole takes away the part of a character at the end of a text in UTF-8 that did not fit
 * where snprintf has written it. */
void text_whole(char *text);

/* text_is_key: a key of 32 bytes in Z85 (ZeroMQ RFC 32), which is 40 characters. */
enum { TEXT_KEY_CHARS = 40 };
bool text_is_key(const char *text);

/* text_is_name: a letter, then letters, digits and _, at most 63. */
bool text_is_name(const char *name);

/* text_is_waveform: letters, digits, - and _, at most 63, the first of them no -. */
#define TEXT_WAVEFORM_RULE "1 to 63 letters, digits, - and _ are allowed"
bool text_is_waveform(const char *name);

/* text_is_node tells whether a node can have that name: letters, digits, - _ and ., at most 63, the
 * first of them a letter or a digit. text_node_name writes a machine's name as such a one: without
 * what is behind its first dot, other characters as -. */
enum { NODE_NAME = 64 };
#define TEXT_NODE_RULE "a node's name is 1 to 63 letters, digits, - _ . and begins with no - _ ."
bool text_is_node(const char *name);
void text_node_name(const char *host, char ret[NODE_NAME]);

/* text_cut writes of `len` bytes of a line at most `cols` characters, each of which takes one place
 * on a terminal that reads UTF-8; for any other, control characters among them, it writes `?`.
 * Returns how many. */
size_t text_cut(const char *line, size_t len, size_t cols, FILE *out);

#endif
