/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/waveform/waveform.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/waveform/parse.h"
#include "core/waveform/scan.h"

void waveform_free(struct waveform *waveform)
{
	if (!waveform)
		return;
	for (size_t i = 0; i < waveform->n_instances; i++) {
		struct wf_instance *instance = &waveform->instances[i];

		for (size_t k = 0; instance->values && k < instance->type->n_params; k++) {
			free(instance->values[k].text);
			free(instance->values[k].reals);
		}
		free(instance->values);
		free(instance->name);
		free(instance->original);
	}
	free(waveform->instances);
	free(waveform->links);
	free(waveform->lanes);
	wf_radios_free(waveform->radios);
	free(waveform->name);
	free(waveform->file);
	free(waveform);
}

int wf_enough(const struct wf_parse *parse)
{
	return parse->diag->errors - parse->errors_before >= WF_ERRORS_MAX ? -E2BIG : 0;
}

/* libconfig names the line and a reason of its own; the line itself says more. */
void wf_say_syntax(const struct wf_parse *parse, const config_t *config, const char *text)
{
	const char *line = text;
	char shown[64];

	for (int i = 1; i < config_error_line(config) && line; i++)
		line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
	line = line ? line + strspn(line, " \t\r") : "";
	snprintf(shown, sizeof(shown), "%.*s", (int)strcspn(line, "\r\n"), line);
	diag_error(parse->diag, parse->file, config_error_line(config),
	    "%s in or before \"%s\"; key = value; or key: { ... }; is needed",
	    config_error_text(config) ? config_error_text(config) : "syntax error", shown);
}

static uint32_t copies_of(const struct wf_parse *parse)
{
	return parse->overrides && parse->overrides->copies > 1 ? parse->overrides->copies : 1;
}

static int parse_text(struct wf_parse *parse, const char *text)
{
	config_t config;
	int error = 0;

	config_init(&config);
	if (config_read_string(&config, text) != CONFIG_TRUE)
		wf_say_syntax(parse, &config, text);
	else if ((error = wf_read_waveform(parse, config_root_setting(&config))) == 0)
		error = wf_check(parse);
	if (error == 0 && parse->diag->errors == parse->errors_before)
		error = wf_copies(parse, copies_of(parse));
	config_destroy(&config);
	if (error == -E2BIG)
		diag_error(parse->diag, parse->file, 0, "%zu errors; the rest was not looked at",
		    parse->diag->errors - parse->errors_before);
	return error;
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

static int read_radios(struct wf_parse *parse)
{
	struct waveform *waveform = parse->waveform;
	const char *file = parse->overrides->radio;
	const int error =
	    wf_radios_parse(file, parse->overrides->radio_text, parse->diag, &waveform->radios);

	if (error != 0 || waveform->clock != WF_CLOCK_RADIO)
		return error == -ENOMEM ? error : 0;
	if (!waveform->radios)
		diag_error(
		    parse->diag, file, 0, "no radio, radio: { type = \"x310\"; ... }; is needed");
	for (size_t i = 0; waveform->radios && i < waveform->radios->n; i++) {
		const struct wf_radio *radio = &waveform->radios->item[i];
		const double divide =
		    waveform->rate_hz > 0 ? radio->clock_rate / waveform->rate_hz : 1;

		if (divide < 1 || divide != (double)(uint32_t)divide)
			diag_error(parse->diag, file, radio->line,
			    "a radio of clock_rate %.10g cannot have the rate %.10g of %s: a whole part of it is "
			    "needed",
			    radio->clock_rate, waveform->rate_hz,
			    waveform->name ? waveform->name : parse->file);
		else if (radio->rate > 0 && radio->rate != waveform->rate_hz)
			diag_error(parse->diag, file, radio->line,
			    "the radio was initialised with the rate %.10g, %s has %.10g: they have to be the same",
			    radio->rate, waveform->name ? waveform->name : parse->file,
			    waveform->rate_hz);
	}
	return 0;
}

int waveform_parse(const char *file, const char *text, size_t len, const struct registry *registry,
    const struct wf_overrides *overrides, struct diag *diag, struct waveform **ret)
{
	struct wf_parse parse = {file, registry, overrides, diag, diag->errors,
	    calloc(1, sizeof(*parse.waveform)), false};
	const size_t lines_before = diag->len;
	char *clean = NULL;
	int error = -ENOMEM;

	if (parse.waveform && (parse.waveform->file = strdup(file)))
		error = wf_scan(file, text, len, diag, &clean);
	if (error == 0)
		error = parse_text(&parse, clean);
	free(clean);
	if (error == 0 && overrides && overrides->radio)
		error = read_radios(&parse);
	if (error == 0 && diag->errors == parse.errors_before) {
		*ret = parse.waveform;
		return 0;
	}
	waveform_free(parse.waveform);
	if (error == -ENOMEM)
		diag_error(diag, file, 0, "no memory");
	wf_sort_lines(&parse, lines_before);
	return -EINVAL;
}
