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
