/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *plural(double n)
{
	return n == 1 ? "" : "s";
}

const char *number_text(double value, int digits, char text[NUMBER_TEXT])
{
	if (value == trunc(value) && fabs(value) <= 9007199254740992.0)
		snprintf(text, NUMBER_TEXT, "%.0f", value);
	else
		snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
	return text;
}

/* Above the bytes that continue a character is the one that begins it and says how many it has. */
void text_whole(char *text)
{
	const size_t len = strlen(text);
	size_t at = len;
	unsigned char first;

	while (at > 0 && ((unsigned char)text[at - 1] & 0xc0) == 0x80)
		at--;
	if (at == 0)
		return;
	first = (unsigned char)text[--at];
	if (len - at < (first >= 0xf0 ? 4U : first >= 0xe0 ? 3U : first >= 0xc0 ? 2U : 1U))
		text[at] = 0;
}

/* Five characters are a number in base 85, which must fit 32 bits. */
bool text_is_key(const char *text)
{
	static const char digits[] =
	    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    ".-:+=^!/*?&<>()[]{}@%$#";
	uint64_t number = 0;

	if (strlen(text) != TEXT_KEY_CHARS)
		return false;
	for (size_t i = 0; i < TEXT_KEY_CHARS; i++) {
		const char *digit = strchr(digits, text[i]);

		if (!digit)
			return false;
		number = (i % 5 ? number * 85 : 0) + (uint64_t)(digit - digits);
		if (number > UINT32_MAX)
			return false;
	}
	return true;
}

bool text_is_name(const char *name)
{
	if (!isalpha((unsigned char)name[0]) || strlen(name) > 63)
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

bool text_is_waveform(const char *name)
{
	if (name[0] == 0 || name[0] == '-' || strlen(name) > 63)
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_' && *name != '-')
			return false;
	return true;
}

bool text_is_node(const char *name)
{
	if (!isalnum((unsigned char)name[0]) || strlen(name) >= NODE_NAME)
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("-_.", *name))
			return false;
	return true;
}

void text_node_name(const char *host, char ret[NODE_NAME])
{
	size_t n = 0;

	for (; host[n] && host[n] != '.' && n < NODE_NAME - 1; n++)
		ret[n] = host[n];
	ret[n] = 0;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)ret[i]) && (i == 0 || !strchr("-_", ret[i])))
			ret[i] = i == 0 ? 'n' : '-';
	if (n == 0)
		memcpy(ret, "node", 5);
}

size_t text_cut(const char *line, size_t len, size_t cols, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n < cols; n++) {
		const unsigned char c = (unsigned char)line[i];
		/* U+00A1 to U+02FF but for U+00AD, which some terminals do not show */
		const bool latin = c >= 0xc2 && c <= 0xcb && i + 1 < len &&
		    ((unsigned char)line[i + 1] & 0xc0) == 0x80 &&
		    !(c == 0xc2 && (unsigned char)line[i + 1] <= 0xa0) &&
		    !(c == 0xc2 && (unsigned char)line[i + 1] == 0xad);

		if (latin)
			fwrite(line + i, 1, 2, out);
		else
			fputc(c >= ' ' && c <= '~' ? c : '?', out);
		i++;
		while (i < len && ((unsigned char)line[i] & 0xc0) == 0x80)
			i++; /* the rest of a character of UTF-8 */
	}
	return n;
}
