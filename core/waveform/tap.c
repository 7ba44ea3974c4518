/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tap.c - outputs whose messages others may read while the waveform runs (core/tap/tap.h):
 * tap = true of an instance, --set INST.tap=64, --tap INST.PORT. */
#include <ctype.h>
#include <string.h>

#include "core/waveform/parse.h"

static bool raw_is_number(const struct wf_raw *raw)
{
	return raw->setting ? config_setting_is_number(raw->setting)
	                    : isdigit((unsigned char)raw->word[0]) != 0;
}

static void tap_want(
    struct wf_parse *parse, const char *name, const struct wf_raw *raw, uint32_t *ret)
{
	double number;
	bool on;

	if (raw_is_number(raw)) {
		if (wf_want_int(raw, name, 1, WF_TAP_MAX, "messages", parse->diag, &number) == 0)
			*ret = (uint32_t)number;
	} else if (wf_want_bool(raw, name, parse->diag, &on) == 0) {
		*ret = on ? WF_TAP_USUAL : 0;
	}
}

void wf_tap_set(struct wf_parse *parse, struct wf_instance *instance, const struct wf_raw *raw)
{
	char name[160];

	snprintf(name, sizeof(name), "%s.tap", instance->name);
	tap_want(parse, name, raw, &instance->tap);
}

static int output_find(const struct wf_instance *instance, const char *name, size_t len)
{
	for (uint32_t p = 0; p < instance->n_out; p++) {
		const char *have = wf_port_of(instance->type, true, (int)p)->name;

		if (strlen(have) == len && memcmp(have, name, len) == 0)
			return (int)p;
	}
	return -1;
}

static void unknown_output(struct wf_parse *parse, const struct wf_instance *instance,
    const char *port, size_t len, const struct wf_raw *raw)
{
	const char *names[ALOE_PORTS_MAX];
	char word[80], text[512] = "";

	for (uint32_t p = 0; p < instance->n_out; p++)
		names[p] = wf_port_of(instance->type, true, (int)p)->name;
	snprintf(word, sizeof(word), "%.*s", (int)(len < 60 ? len : 60), port);
	diag_suggest(word, names, instance->n_out, text, sizeof(text));
	diag_error(parse->diag, raw->where, raw->line, "%s has no output \"%s\"%s", instance->name,
	    word, instance->n_out > 0 ? text : "; the instance has no outputs");
}

bool wf_tap_port(const char *key)
{
	const size_t len = strlen(key);

	return len > 4 && strcmp(key + len - 4, ".tap") == 0;
}

void wf_tap_set_port(
    struct wf_parse *parse, struct wf_instance *instance, const char *key, const struct wf_raw *raw)
{
	const size_t len = strlen(key) - strlen(".tap");
	const int port = instance->type ? output_find(instance, key, len) : -1;
	char name[200];

	snprintf(name, sizeof(name), "%s.%s", instance->name, key);
	if (port >= 0)
		tap_want(parse, name, raw, &instance->out[port].tap);
	else if (instance->type)
		unknown_output(parse, instance, key, len, raw);
}

/* An output without a reader has no ring. */
static void taps_apply(struct wf_parse *parse, struct wf_instance *instance)
{
	bool any = false;

	for (uint32_t p = 0; p < instance->n_out; p++) {
		struct wf_port *port = &instance->out[p];

		if (port->link >= 0 && port->tap == 0)
			port->tap = instance->tap;
		any |= port->link >= 0;
		if (port->link < 0 && port->tap > 0)
			diag_error(parse->diag, parse->file, instance->line,
			    "%s.%s has a tap and no reader; only an output with a link can be "
			    "tapped",
			    instance->name, wf_port_of(instance->type, true, (int)p)->name);
	}
	if (instance->tap > 0 && !any)
		diag_error(parse->diag, parse->file, instance->line,
		    "%s.tap is set, but no output of the instance has a link; only an output with "
		    "a link can be tapped",
		    instance->name);
}

void wf_taps_check(struct wf_parse *parse)
{
	for (size_t i = 0; !parse->links_unread && i < parse->waveform->n_instances; i++)
		if (parse->waveform->instances[i].type)
			taps_apply(parse, &parse->waveform->instances[i]);
}
