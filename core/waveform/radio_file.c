/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/waveform/radio_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/waveform/parse.h"
#include "core/waveform/scan.h"

enum { DRIVERS_MAX = 16 };

struct reader {
	struct wf_parse parse;
	struct wf_radios *radios;
	const struct radio_use *use;
	const config_setting_t *group;
	const struct radio_driver *driver;
};

static size_t drivers_list(const char *ret_types[DRIVERS_MAX + 1])
{
	size_t n = 0;

	for (; n < DRIVERS_MAX && radio_drivers[n]; n++)
		ret_types[n] = radio_drivers[n]->type;
	ret_types[n] = NULL;
	return n;
}

/* ---- one value ------------------------------------------------------------------------ */

static bool is_text(const struct radio_key *key)
{
	return key->kind == RADIO_TEXT || key->kind == RADIO_PATH;
}

static int text_read(const struct reader *reader, const struct wf_raw *raw,
    const struct radio_key *key, const char **ret)
{
	const char *text = "";

	if (raw->setting)
		(void)wf_want_text(raw, key->name, reader->parse.diag, &text);
	*ret = key->kind == RADIO_PATH ? wf_path(&reader->parse, text) : strdup(text);
	return *ret ? 0 : -ENOMEM;
}

static int numbers_read(const struct reader *reader, const struct wf_raw *raw,
    const struct radio_key *key, struct radio_numbers *ret)
{
	const bool whole = key->kind == RADIO_INTS;
	struct diag *diag = reader->parse.diag;
	double *list = NULL, one = key->value;
	size_t len = 0;
	int error;

	if (!config_setting_is_list(raw->setting)) {
		error = whole
		    ? wf_want_int(raw, key->name, key->min, key->max, key->unit, diag, &one)
		    : wf_want_real(raw, key->name, key->min, key->max, key->unit, diag, &one);
		*ret = (struct radio_numbers){.item = {one}, .n = error == 0};
		return 0;
	}
	error = wf_want_numbers(
	    raw, key->name, whole, key->min, key->max, RADIO_NUMBERS_MAX, diag, &list, &len);
	*ret = (struct radio_numbers){.n = (uint32_t)len, .is_list = true};
	for (size_t i = 0; error == 0 && i < len; i++)
		ret->item[i] = list[i];
	free(list);
	return error == -ENOMEM ? error : 0;
}

static int value_read(
    const struct reader *reader, const struct wf_raw *raw, const struct radio_key *key, void *at)
{
	struct diag *diag = reader->parse.diag;
	double number = key->value;

	switch (key->kind) {
	case RADIO_TEXT:
	case RADIO_PATH:
		return text_read(reader, raw, key, at);
	case RADIO_CHOICE:
		(void)wf_want_choice(raw, key->name, key->words, diag, at);
		break;
	case RADIO_BOOL:
		(void)wf_want_bool(raw, key->name, diag, at);
		break;
	case RADIO_INT:
		(void)wf_want_int(raw, key->name, key->min, key->max, key->unit, diag, &number);
		*(int64_t *)at = (int64_t)number;
		break;
	case RADIO_REAL:
		(void)wf_want_real(raw, key->name, key->min, key->max, key->unit, diag, at);
		break;
	case RADIO_INTS:
	case RADIO_REALS:
		return numbers_read(reader, raw, key, at);
	}
	return 0;
}

static void default_set(const struct radio_key *key, void *at)
{
	if (key->kind == RADIO_CHOICE)
		*(int *)at = (int)key->value;
	else if (key->kind == RADIO_BOOL)
		*(bool *)at = key->value != 0;
	else if (key->kind == RADIO_INT)
		*(int64_t *)at = (int64_t)key->value;
	else if (key->kind == RADIO_REAL)
		*(double *)at = key->value;
}

static int key_read(const struct reader *reader, const struct radio_check *check,
    const struct radio_key *key, void *settings, int *ret_line)
{
	const config_setting_t *setting = config_setting_get_member(reader->group, key->name);
	void *at = (uint8_t *)settings + key->offset;
	struct wf_raw raw = {0};

	default_set(key, at);
	if (setting)
		raw = wf_raw_setting(&reader->parse, setting);
	else if (key->needed)
		radio_missing(check, key->name, key->needed);
	*ret_line = raw.line;
	return setting || is_text(key) ? value_read(reader, &raw, key, at) : 0;
}

/* ---- one radio ------------------------------------------------------------------------ */

static bool has_key(const struct radio_driver *driver, const char *key)
{
	for (uint32_t k = 0; k < driver->n_keys; k++)
		if (strcmp(driver->keys[k].name, key) == 0)
			return true;
	return false;
}

static void keys_check(struct reader *reader)
{
	const char *names[RADIO_KEYS_MAX + 1] = {"type"};
	size_t n = 1;

	for (uint32_t k = 0; k < reader->driver->n_keys; k++)
		names[n++] = reader->driver->keys[k].name;
	for (int i = 0; i < config_setting_length(reader->group) && wf_enough(&reader->parse) == 0;
	     i++) {
		const config_setting_t *setting =
		    config_setting_get_elem(reader->group, (unsigned)i);
		const char *key = config_setting_name(setting);
		char text[512];

		if (strncmp(key, SCAN_TWICE, strlen(SCAN_TWICE)) != 0 && strcmp(key, "type") != 0 &&
		    !has_key(reader->driver, key))
			diag_error(reader->parse.diag, reader->parse.file,
			    (int)config_setting_source_line(setting),
			    "unknown key \"%.60s\" of a radio%s", key,
			    diag_suggest(key, names, n, text, sizeof(text)));
	}
}

/* The driver that knows most of the keys, so that they are checked although the type is wrong;
 * NULL: no driver knows any. */
static const struct radio_driver *likely_driver(const struct reader *reader)
{
	const struct radio_driver *best = NULL;
	int most = 0;

	for (const struct radio_driver *const *driver = radio_drivers; *driver; driver++) {
		int n = 0;

		for (int i = 0; i < config_setting_length(reader->group); i++)
			n += has_key(*driver,
			    config_setting_name(
			        config_setting_get_elem(reader->group, (unsigned)i)));
		best = n > most ? *driver : best;
		most = n > most ? n : most;
	}
	return best;
}

static const struct radio_driver *driver_find(const struct reader *reader, int line)
{
	const config_setting_t *setting = config_setting_get_member(reader->group, "type");
	const char *types[DRIVERS_MAX + 1];
	char needed[256] = "type = ";
	int choice = -1;

	(void)drivers_list(types);
	if (setting) {
		const struct wf_raw raw = wf_raw_setting(&reader->parse, setting);

		(void)wf_want_choice(&raw, "type", types, reader->parse.diag, &choice);
		return choice < 0 ? likely_driver(reader) : radio_drivers[choice];
	}
	for (size_t i = 0; types[i]; i++)
		snprintf(needed + strlen(needed), sizeof(needed) - strlen(needed), "%s\"%s\"",
		    i ? " or " : "", types[i]);
	diag_error(reader->parse.diag, reader->parse.file, line,
	    "radio: type is missing; %s is needed", needed);
	return likely_driver(reader);
}

static int radio_read(struct reader *reader)
{
	struct wf_radios *radios = reader->radios;
	const uint32_t nth = radios->n;
	struct diag *diag = reader->parse.diag;
	int lines[RADIO_KEYS_MAX] = {0}, error = 0;
	struct radio_check check = {.diag = diag,
	    .file = reader->parse.file,
	    .line = (int)config_setting_source_line(reader->group),
	    .lines = lines};

	check.driver = reader->driver = driver_find(reader, check.line);
	if (!reader->driver)
		return 0;
	radios->settings[nth] = calloc(1, reader->driver->settings_size);
	if (!radios->settings[nth])
		return -ENOMEM;
	radios->driver[nth] = reader->driver;
	radios->n++;
	keys_check(reader);
	for (uint32_t k = 0; error == 0 && k < reader->driver->n_keys; k++)
		error = key_read(
		    reader, &check, &reader->driver->keys[k], radios->settings[nth], &lines[k]);
	if (error != 0)
		return error;
	if (nth > 0 && radios->driver[0] != reader->driver)
		diag_error(
		    diag, check.file, check.line, "radio: all radios must have the same type");
	else if (nth > 0)
		check.first = radios->settings[0];
	check.use = diag->errors == reader->parse.errors_before ? reader->use : NULL;
	reader->driver->check(radios->settings[nth], &check);
	return 0;
}

/* ---- the whole ------------------------------------------------------------------------ */

static int list_read(struct reader *reader, const config_setting_t *setting)
{
	const bool list = config_setting_is_list(setting);
	const int n = list ? config_setting_length(setting) : 1;
	int rc = 0;

	if ((!list && !config_setting_is_group(setting)) || n < 1 || n > RADIO_DEVICES_MAX) {
		diag_error(reader->parse.diag, reader->parse.file,
		    (int)config_setting_source_line(setting),
		    "radio is neither a group nor a list of at most %d groups; radio: { type = "
		    "\"x310\"; ... }; or radio = ( { ... }, { ... } ); is needed",
		    RADIO_DEVICES_MAX);
		return 0;
	}
	for (int i = 0; i < n && rc == 0; i++) {
		reader->group = list ? config_setting_get_elem(setting, (unsigned)i) : setting;
		if (config_setting_is_group(reader->group))
			rc = radio_read(reader);
		else
			diag_error(reader->parse.diag, reader->parse.file,
			    (int)config_setting_source_line(setting),
			    "a radio is { type = \"x310\"; ... }");
	}
	return rc;
}

static int file_parse(struct reader *reader, const char *text)
{
	const config_setting_t *setting;
	config_t config;
	int rc = 0;

	config_init(&config);
	if (config_read_string(&config, text) != CONFIG_TRUE)
		wf_report_syntax(&reader->parse, &config);
	else if ((setting = config_setting_get_member(config_root_setting(&config), "radio")) !=
	    NULL)
		rc = list_read(reader, setting);
	config_destroy(&config);
	return rc;
}

int wf_radios_parse(const char *file, const char *text, const char *cwd,
    const struct radio_use *use, struct diag *diag, struct wf_radios **ret)
{
	struct wf_radios *radios = calloc(1, sizeof(*radios));
	const struct wf_overrides overrides = {.cwd = cwd};
	struct reader reader = {.parse = {.file = file,
	                            .text = text,
	                            .text_len = strlen(text),
	                            .overrides = &overrides,
	                            .diag = diag,
	                            .errors_before = diag->errors},
	    .radios = radios,
	    .use = use};
	const size_t lines_before = diag->len;
	char *clean = NULL;
	int rc = radios && (radios->file = strdup(file)) && (radios->text = strdup(text)) &&
	        (!cwd || (radios->cwd = strdup(cwd)))
	    ? wf_scan(file, text, strlen(text), false, diag, &clean)
	    : -ENOMEM;

	if (rc == 0)
		rc = file_parse(&reader, clean);
	free(clean);
	if (rc == 0 && diag->errors == reader.parse.errors_before) {
		*ret = radios->n ? radios : NULL;
		if (!radios->n)
			wf_radios_free(radios);
		return 0;
	}
	wf_radios_free(radios);
	wf_sort_lines(&reader.parse, lines_before);
	if (rc == -ENOMEM)
		diag_error(diag, file, 0, "no memory");
	return rc == -ENOMEM ? rc : -EINVAL;
}

static void settings_free(const struct radio_driver *driver, void *settings)
{
	const struct radio_key *key = driver->keys, *const end = key + driver->n_keys;

	for (; key < end; key++)
		if (is_text(key))
			free(*(char **)((uint8_t *)settings + key->offset));
	free(settings);
}

void wf_radios_free(struct wf_radios *radios)
{
	if (!radios)
		return;
	for (uint32_t i = 0; i < radios->n; i++)
		settings_free(radios->driver[i], radios->settings[i]);
	free(radios->file);
	free(radios->text);
	free(radios->cwd);
	free(radios);
}
