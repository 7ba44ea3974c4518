/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/stats/names.c - instance, instance.variable, instance.parameter. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/diag.h"
#include "daemons/stats/stats.h"

enum { ERROR_BYTES = 1000 };

/* ` (did you mean "x"?)`, or nothing. */
static void suggestion_write(
    const char *word, const char *const *names, size_t n, char *ret_text, size_t size)
{
	const char *nearest = diag_nearest(word, names, n);

	ret_text[0] = 0;
	if (nearest)
		snprintf(ret_text, size, " (did you mean \"%s\"?)", nearest);
}

void stats_wave_missing(
    const struct stats *stats, const char *name, char *ret_error, size_t error_bytes)
{
	int len = snprintf(ret_error, error_bytes, "no waveform \"%s\" is loaded", name);
	const char *between = "; loaded: ";

	for (const struct stats_wave *wave = stats->first;
	     wave && len > 0 && (size_t)len < error_bytes; wave = wave->next) {
		len += snprintf(
		    ret_error + len, error_bytes - (size_t)len, "%s%s", between, wave->name);
		between = ", ";
	}
}

void stats_asked(struct stats *stats, const struct wire_view *request, const char *what,
    void (*named)(struct stats *stats, const struct wire_view *request,
        const struct stats_wave *wave, const char *name),
    void (*all)(
        struct stats *stats, const struct wire_view *request, const struct stats_wave *wave))
{
	char *waveform = wire_get_text(request, WIRE_TAG_WAVEFORM, 0),
	     *name = wire_get_text(request, WIRE_TAG_NAME, 0);
	const struct stats_wave *wave = waveform ? stats_wave_find(stats, waveform) : NULL;
	char error[ERROR_BYTES];

	if (!waveform) {
		daemon_fail(&stats->daemon, request, 2, "%s needs the name of a waveform", what);
	} else if (!wave) {
		stats_wave_missing(stats, waveform, error, sizeof(error));
		daemon_fail(&stats->daemon, request, 2, "%s", error);
	} else if (name) {
		named(stats, request, wave, name);
	} else {
		all(stats, request, wave);
	}
	free(waveform);
	free(name);
}

static int instance_missing(const struct stats_wave *wave, const char *name, size_t len,
    char *ret_error, size_t error_bytes)
{
	const struct image_view *view = &wave->view;
	const char **names = calloc(view->head->instances.count + 1, sizeof(*names));
	char word[64], hint[100] = "";
	size_t n = 0;

	snprintf(word, sizeof(word), "%.*s", (int)(len < 63 ? len : 63), name);
	for (size_t i = 0; names && i < view->head->instances.count; i++)
		if (view->instances[i].place == 0)
			names[n++] = image_text(view, view->instances[i].name);
	if (names)
		suggestion_write(word, names, n, hint, sizeof(hint));
	free(names);
	snprintf(ret_error, error_bytes, "waveform \"%s\" has no instance \"%s\"%s", wave->name,
	    word, hint);
	return -ENOENT;
}

static int item_missing(const struct image_view *view, uint32_t instance, const char *item,
    char *ret_error, size_t error_bytes)
{
	const struct image_instance *row = &view->instances[instance];
	const char *names[IMAGE_VARS_MAX + IMAGE_PARAMS_MAX];
	char hint[100];
	size_t n = 0;

	for (uint32_t i = 0; i < row->n_vars; i++)
		names[n++] = image_text(view, view->vars[row->vars + i].name);
	for (uint32_t i = 0; i < row->n_params; i++)
		names[n++] = image_text(view, view->params[row->params + i].name);
	suggestion_write(item, names, n, hint, sizeof(hint));
	snprintf(ret_error, error_bytes,
	    "instance \"%s\" (%s) has no variable or parameter \"%.60s\"%s",
	    image_text(view, row->name), image_text(view, row->component), item, hint);
	return -ENOENT;
}

/* What it writes is in the image of its own node. */
static int elsewhere_say(
    const struct image_view *view, uint32_t instance, char *ret_error, size_t error_bytes)
{
	const struct image_instance *row = &view->instances[instance];
	const char *node = image_text(view, view->nodes[image_node_of(view, row->segment)].name);

	snprintf(ret_error, error_bytes,
	    "instance \"%s\" is on node \"%s\"; name it with --node %s",
	    image_text(view, row->name), node, node);
	return -EREMOTE;
}

void stats_name_fail(struct stats *stats, const struct wire_view *request,
    const struct stats_wave *wave, const struct stats_name *name, const char *error)
{
	const struct image_view *view = &wave->view;
	struct wire_msg msg;

	bus_reply(stats->daemon.bus, request, WIRE_FAIL, &msg);
	wire_put_u64(&msg, WIRE_TAG_CODE, 2);
	wire_put_text(&msg, WIRE_TAG_TEXT, error);
	if (name->instance != IMAGE_NONE &&
	    !image_runs(view, view->instances[name->instance].segment))
		wire_put_text(&msg, WIRE_TAG_NODE,
		    image_text(view,
		        view->nodes[image_node_of(view, view->instances[name->instance].segment)]
		            .name));
	bus_send(stats->daemon.bus, &msg);
}

static uint32_t var_find(
    const struct image_view *view, const struct image_instance *row, const char *name)
{
	for (uint32_t i = 0; i < row->n_vars; i++) {
		if (strcmp(image_text(view, view->vars[row->vars + i].name), name) == 0)
			return i;
	}
	return IMAGE_NONE;
}

static uint32_t param_find(
    const struct image_view *view, const struct image_instance *row, const char *name)
{
	for (uint32_t i = 0; i < row->n_params; i++) {
		if (strcmp(image_text(view, view->params[row->params + i].name), name) == 0)
			return i;
	}
	return IMAGE_NONE;
}

int stats_name_find(const struct stats_wave *wave, const char *text, struct stats_name *ret,
    char *ret_error, size_t error_bytes)
{
	const struct image_view *view = &wave->view;
	const char *dot = strchr(text, '.');
	const size_t len = dot ? (size_t)(dot - text) : strlen(text);
	struct stats_name name = {.instance = image_find_instance(view, text, len), .whole = !dot};

	name.var = name.param = IMAGE_NONE;
	*ret = name;
	if (name.instance == IMAGE_NONE)
		return instance_missing(wave, text, len, ret_error, error_bytes);
	if (!image_runs(view, view->instances[name.instance].segment))
		return elsewhere_say(view, name.instance, ret_error, error_bytes);
	if (dot) {
		name.var = var_find(view, &view->instances[name.instance], dot + 1);
		name.param = param_find(view, &view->instances[name.instance], dot + 1);
		if (name.var == IMAGE_NONE && name.param == IMAGE_NONE)
			return item_missing(view, name.instance, dot + 1, ret_error, error_bytes);
	}
	*ret = name;
	return 0;
}
