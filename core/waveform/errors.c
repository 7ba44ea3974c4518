/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What all parts of the parser use to report errors. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/waveform/parse.h"

int wf_enough(const struct wf_parse *parse)
{
	return parse->diag->errors - parse->errors_before >= WF_ERRORS_MAX ? -E2BIG : 0;
}

/* line_show copies the start of a line of the file, which the scan has found to be UTF-8. */
static void line_show(const struct wf_parse *parse, int number, char *ret, size_t size)
{
	const char *at = parse->text, *const end = at + parse->text_len, *stop;

	if (parse->text_len >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	for (int i = 1; i < number && at < end; i++) {
		stop = memchr(at, '\n', (size_t)(end - at));
		at = stop ? stop + 1 : end;
	}
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
		at++;
	for (stop = at; stop < end && *stop != '\r' && *stop != '\n';)
		stop++;
	snprintf(ret, size, "%.*s", (int)(stop - at), at);
	text_whole(ret);
}

/* libconfig names the line and a reason of its own; the line itself says more. */
void wf_report_syntax(const struct wf_parse *parse, const config_t *config)
{
	char shown[64];

	line_show(parse, config_error_line(config), shown, sizeof(shown));
	diag_error(parse->diag, parse->file, config_error_line(config),
	    "%s in or before \"%s\"; key = value; or key: { ... }; is needed",
	    config_error_text(config) ? config_error_text(config) : "syntax error", shown);
}

/* The line that a message names; those that name none come first (--set) or last. */
static long line_of(const struct wf_parse *parse, const char *message)
{
	const size_t len = strlen(parse->file);

	if (strncmp(message, "--", 2) == 0)
		return 0;
	return strncmp(message, parse->file, len) == 0 && message[len] == ':' &&
	        message[len + 1] != ' '
	    ? strtol(message + len + 1, NULL, 10)
	    : LONG_MAX;
}

/* What is found early in the parse need not stand early in the file. */
void wf_sort_lines(const struct wf_parse *parse, size_t from)
{
	char **lines = parse->diag->lines;

	for (size_t i = from + 1; i < parse->diag->len; i++) {
		char *line = lines[i];
		const long number = line_of(parse, line);
		size_t k = i;

		for (; k > from && line_of(parse, lines[k - 1]) > number; k--)
			lines[k] = lines[k - 1];
		lines[k] = line;
	}
}

const struct aloe_port *wf_port_of(const struct component_type *type, bool output, int port)
{
	for (size_t i = 0; i < type->n_ports; i++)
		if (type->ports[i].output == output && port-- == 0)
			return &type->ports[i];
	return NULL;
}

void wf_unknown_instance(struct wf_parse *parse, const char *name, const struct wf_raw *raw)
{
	const struct waveform *waveform = parse->waveform;
	const char **names = calloc(waveform->n_instances + 1, sizeof(*names));
	char text[512] = "";

	for (size_t i = 0; names && i < waveform->n_instances; i++)
		names[i] = waveform->instances[i].name;
	if (names)
		diag_suggest(name, names, waveform->n_instances, text, sizeof(text));
	diag_error(parse->diag, raw->where, raw->line, "unknown instance \"%.60s\"%s", name, text);
	free(names);
}
