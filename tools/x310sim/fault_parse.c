/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Faults as one describes them (cable.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/x310sim/device.h"
#include "tools/x310sim/cable.h"

enum { PART = 256, US_MAX = 10000000 };

const char *const fault_names[FAULT_KINDS] = {"loss", "reorder", "duplicate", "delay", "stall"};

void fault_options_init(struct fault_options *options)
{
	*options = (struct fault_options){.seed = 1};
}

static int wrong(char *ret_why, const char *part, const char *allowed)
{
	snprintf(ret_why, FAULT_WHY, "%.60s: %s", part, allowed);
	return -EINVAL;
}

/* A whole number at *text, which goes on behind it. */
static bool whole(const char **text, uint64_t *ret)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*ret = strtoull(*text, &end, 10);
	*text = end;
	return errno == 0;
}

/* Behind the @: N/EVERY or N+N+... */
static bool read_numbers(const char *text, struct fault_rule *rule)
{
	uint64_t number;

	do {
		if (rule->n_numbers == FAULT_NUMBERS || !whole(&text, &number))
			return false;
		if (*text == '/') {
			text++;
			rule->from = number;
			return whole(&text, &rule->every) && rule->every > 0 && *text == 0;
		}
		rule->numbers[rule->n_numbers++] = number;
	} while (*text++ == '+');
	return text[-1] == 0;
}

static bool read_when(const char *text, struct fault_rule *rule)
{
	char *end;

	if (*text == '@')
		return read_numbers(text + 1, rule);
	rule->chance = strtod(text, &end);
	return end != text && *end == 0 && rule->chance >= 0 && rule->chance <= 1;
}

static int read_rule(const char *part, enum fault_kind kind, char *value,
    struct fault_options *options, char *ret_why)
{
	const bool lasts = kind == FAULT_DELAY || kind == FAULT_STALL;
	struct fault_rule rule = {.chance = 0};
	char *us = strchr(value, ':'), *end;
	double time_us;

	if (lasts != (us != NULL))
		return wrong(
		    ret_why, part, lasts ? "needs :MICROSECONDS" : "takes no :MICROSECONDS");
	if (us) {
		*us++ = 0;
		time_us = strtod(us, &end);
		if (end == us || *end != 0 || !(time_us >= 0 && time_us <= US_MAX))
			return wrong(ret_why, part, "0 .. 10000000 microseconds are allowed");
		rule.ticks = (uint64_t)(time_us * ((double)DEVICE_TICKS_PER_S / 1e6));
	}
	if (!read_when(value, &rule))
		return wrong(ret_why, part,
		    "a probability 0 .. 1, @N+N+... (at most 32 packets) or @FROM/EVERY is needed");
	options->rules[kind] = rule;
	return 0;
}

static int read_of(
    const char *part, const char *value, struct fault_options *options, char *ret_why)
{
	static const char *const names[] = {"data", "control", "all"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i]) != 0)
			continue;
		options->of = (enum fault_of)i;
		return 0;
	}
	return wrong(ret_why, part, "data, control or all is needed");
}

static int read_part(const char *part, struct fault_options *options, char *ret_why)
{
	char text[PART];
	const char *seed;
	char *value;

	snprintf(text, sizeof(text), "%s", part);
	value = strchr(text, '=');
	if (value == NULL || strlen(part) >= PART)
		return wrong(ret_why, part, "KIND=WHEN[:MICROSECONDS] is needed");
	*value++ = 0;
	for (unsigned kind = 0; kind < FAULT_KINDS; kind++)
		if (strcmp(text, fault_names[kind]) == 0)
			return read_rule(part, (enum fault_kind)kind, value, options, ret_why);
	if (strcmp(text, "of") == 0)
		return read_of(part, value, options, ret_why);
	seed = value;
	if (strcmp(text, "seed") == 0)
		return whole(&seed, &options->seed) && *seed == 0
		    ? 0
		    : wrong(ret_why, part, "a whole number is needed");
	return wrong(ret_why, part, "loss, reorder, duplicate, delay, stall, seed or of is needed");
}

int fault_parse(const char *text, struct fault_options *options, char *ret_why)
{
	struct fault_options read = *options;
	char *copy = strdup(text), *rest = copy, *part;
	int rc = copy == NULL ? -ENOMEM : 0;

	while (rc == 0 && (part = strsep(&rest, ",")) != NULL)
		rc = read_part(part, &read, ret_why);
	free(copy);
	if (rc == 0)
		*options = read;
	return rc;
}
