/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/waveform/waveform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
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
		free(instance->node);
	}
	free(waveform->instances);
	free(waveform->links);
	free(waveform->lanes);
	wf_radios_free(waveform->radios);
	free(waveform->record);
	free(waveform->replay);
	free(waveform->name);
	free(waveform->file);
	free(waveform);
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
		wf_report_syntax(parse, &config);
	else if ((error = wf_read_waveform(parse, config_root_setting(&config))) == 0)
		error = wf_check(parse);
	if (error == 0 && parse->diag->errors == parse->errors_before)
		error = wf_copies(parse, copies_of(parse));
	config_destroy(&config);
	if (error == -E2BIG)
		diag_error(parse->diag, parse->file, 0,
		    "%zu error%s; the rest of the file was not checked",
		    parse->diag->errors - parse->errors_before,
		    plural(parse->diag->errors - parse->errors_before));
	return error;
}

/* A radio that can be as fast as it is asked to stays the clock under --clock virtual. */
static void use_fast(struct waveform *waveform)
{
	const struct wf_radios *radios = waveform->radios;

	waveform->late = WF_LATE_SLIP;
	if (radios && radios->driver[0]->fast)
		return;
	waveform->clock = WF_CLOCK_VIRTUAL;
	waveform->radio_fast = false;
}

static int read_radios(struct wf_parse *parse)
{
	struct waveform *waveform = parse->waveform;
	const char *file = parse->overrides->radio;
	const struct radio_use use = {.waveform = waveform->name ? waveform->name : parse->file,
	    .rate_hz = waveform->rate_hz,
	    .slot_samples = waveform->slot_samples,
	    .fast = waveform->radio_fast};
	const bool is_clock = waveform->clock == WF_CLOCK_RADIO;
	const int error = wf_radios_parse(file, parse->overrides->radio_text, parse->overrides->cwd,
	    is_clock ? &use : NULL, parse->diag, &waveform->radios);

	if (error == 0 && waveform->radio_fast)
		use_fast(waveform);
	if (error == 0 && waveform->clock == WF_CLOCK_RADIO && !waveform->radios)
		diag_error(parse->diag, file, 0,
		    "the file has no radio; radio: { type = \"x310\"; ... }; "
		    "is needed");
	return error == -ENOMEM ? error : 0;
}

static int folders_take(struct waveform *waveform, const struct wf_overrides *overrides)
{
	if (overrides->record && !(waveform->record = strdup(overrides->record)))
		return -ENOMEM;
	if (overrides->replay && !(waveform->replay = strdup(overrides->replay)))
		return -ENOMEM;
	return 0;
}

int waveform_parse(const char *file, const char *text, size_t len, const struct registry *registry,
    const struct wf_overrides *overrides, struct diag *diag, struct waveform **ret)
{
	struct wf_parse parse = {.file = file,
	    .text = text,
	    .text_len = len,
	    .registry = registry,
	    .overrides = overrides,
	    .diag = diag,
	    .errors_before = diag->errors,
	    .waveform = calloc(1, sizeof(*parse.waveform))};
	const size_t lines_before = diag->len;
	char *clean = NULL;
	int error = -ENOMEM;

	if (parse.waveform && (parse.waveform->file = strdup(file)))
		error = wf_scan(file, text, len, true, diag, &clean);
	if (error == 0)
		error = parse_text(&parse, clean);
	free(clean);
	name_map_fini(&parse.names);
	if (error == 0 && overrides && overrides->radio)
		error = read_radios(&parse);
	if (error == 0 && overrides)
		error = folders_take(parse.waveform, overrides);
	if (error == 0 && diag->errors == parse.errors_before) {
		*ret = parse.waveform;
		return 0;
	}
	waveform_free(parse.waveform);
	if (error == -ENOMEM)
		diag_error(diag, file, 0, "no memory");
	wf_sort_lines(&parse, lines_before);
	diag_fold(diag, lines_before);
	return -EINVAL;
}
