/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool number(const char **text, long *ret)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	*ret = strtol(*text, &end, 10);
	*text = end;
	return *ret < CPU_SETSIZE;
}

static bool at_end(const char *text)
{
	return text[strspn(text, " \t\n")] == 0;
}

int cpulist_parse(const char *text, cpu_set_t *ret_cpus)
{
	cpu_set_t cpus;
	long first, last;

	CPU_ZERO(&cpus);
	for (bool more = !at_end(text); more; text += more) {
		if (!number(&text, &first))
			return -EINVAL;
		last = first;
		if (*text == '-' && (text++, !number(&text, &last)))
			return -EINVAL;
		for (long cpu = first; cpu <= last; cpu++)
			CPU_SET((size_t)cpu, &cpus);
		more = *text == ',';
	}
	if (!at_end(text))
		return -EINVAL;
	*ret_cpus = cpus;
	return 0;
}

int cpulist_print(const cpu_set_t *cpus, char *ret_text, size_t size)
{
	size_t len = 0;

	if (size == 0)
		return -ENAMETOOLONG;
	ret_text[0] = 0;
	for (int cpu = 0; cpu < CPU_SETSIZE && len < size; cpu++) {
		int last = cpu;

		if (!CPU_ISSET((size_t)cpu, cpus))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET((size_t)last + 1, cpus))
			last++;
		len += (size_t)snprintf(ret_text + len, size - len, last > cpu ? "%s%d-%d" : "%s%d",
		    len ? "," : "", cpu, last);
		cpu = last;
	}
	return len < size ? 0 : -ENAMETOOLONG;
}

int cpumask_parse(const char *text, cpu_set_t *ret_cpus)
{
	size_t len = strlen(text);
	cpu_set_t cpus;
	size_t cpu = 0;

	CPU_ZERO(&cpus);
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		len--;
	while (len-- > 0) {
		const char digit[2] = {text[len], 0};

		if (digit[0] == ',')
			continue;
		if (!isxdigit((unsigned char)digit[0]) || cpu + 4 > CPU_SETSIZE)
			return -EINVAL;
		for (long bits = strtol(digit, NULL, 16); bits != 0; bits &= bits - 1)
			CPU_SET(cpu + (size_t)__builtin_ctzl((unsigned long)bits), &cpus);
		cpu += 4;
	}
	*ret_cpus = cpus;
	return 0;
}

static unsigned word_of(const cpu_set_t *cpus, int word)
{
	unsigned bits = 0;

	for (int bit = 0; bit < 32; bit++)
		bits |= (unsigned)!!CPU_ISSET((size_t)(32 * word + bit), cpus) << bit;
	return bits;
}

int cpumask_print(const cpu_set_t *cpus, char *ret_text, size_t size)
{
	int word = CPU_SETSIZE / 32 - 1;
	size_t len;

	while (word > 0 && word_of(cpus, word) == 0)
		word--;
	len = (size_t)snprintf(ret_text, size, "%x", word_of(cpus, word));
	while (--word >= 0 && len < size)
		len += (size_t)snprintf(ret_text + len, size - len, ",%08x", word_of(cpus, word));
	return len < size ? 0 : -ENAMETOOLONG;
}
