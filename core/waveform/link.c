/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Paths. `a -> b.port -> c` names instances in the order of the data; each arrow is one link.
 *   - INSTANCE.PORT says which port; INSTANCE alone means its only one in that direction, or, where
 *     it has several, the only one that is not optional.
 *   - In the middle, INSTANCE.PORT may name an input or an output; the other side is found as
 *     above.
 *   - A group { path = "a -> b"; delay = N; items = N; } says more about one link; with neither,
 *     its path may be longer. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/waveform/parse.h"

struct stop {                    /* one element of a path */
	const char *name, *port; /* port NULL: not said */
	size_t name_len, port_len;
	int instance;
	bool doubt; /* taken for the nearest name that there is */
};

struct path {
	struct wf_parse *parse;
	int line;
	uint32_t delay, items;
	bool doubt; /* a port of this link is not understood, which was said */
};

int wf_find_instance(const struct waveform *waveform, const char *name, size_t len)
{
	for (size_t i = 0; i < waveform->n_instances; i++)
		if (strlen(waveform->instances[i].name) == len &&
		    memcmp(waveform->instances[i].name, name, len) == 0)
			return (int)i;
	return -1;
}

int wf_named(const struct wf_parse *parse, const char *name, size_t len)
{
	return (int)name_map_find(&parse->names, name, len);
}

/* ---- ports ------------------------------------------------------------------------ */

static int port_find(const struct component_type *type, bool output, const char *name, size_t len)
{
	const struct aloe_port *port;

	for (int i = 0; (port = wf_port_of(type, output, i)); i++)
		if (strlen(port->name) == len && memcmp(port->name, name, len) == 0)
			return i;
	return -1;
}

/* The names of the ports in one direction, or in both. Returns how many. */
static size_t port_names(
    const struct component_type *type, bool inputs, bool outputs, const char **ret_names)
{
	size_t n = 0;

	for (size_t i = 0; i < type->n_ports; i++)
		if (type->ports[i].output ? outputs : inputs)
			ret_names[n++] = type->ports[i].name;
	return n;
}

/* Says so, and goes on with the port that was probably meant, if it goes the right way. */
static int unknown_port(struct path *path, const struct wf_instance *instance,
    const struct stop *stop, bool output, bool quiet)
{
	const char *names[2 * ALOE_PORTS_MAX];
	const size_t n = port_names(instance->type, true, true, names);
	char word[80], text[512];

	snprintf(word, sizeof(word), "%.*s", (int)(stop->port_len < 60 ? stop->port_len : 60),
	    stop->port);
	const char *nearest = diag_nearest(word, names, n);
	const int port = nearest ? port_find(instance->type, output, nearest, strlen(nearest)) : -1;
	path->doubt = true;
	if (quiet)
		return port;
	diag_error(path->parse->diag, path->parse->file, path->line,
	    "unknown port \"%s\" of %s (%s)%s", word, instance->name, instance->type->name,
	    diag_suggest(word, names, n, text, sizeof(text)));
	return port;
}

/* The only port in a direction, or the only one that is not optional; -1 with an error if there is
 * none such. */
static int only_port(struct path *path, const struct wf_instance *instance, bool output)
{
	const struct component_type *type = instance->type;
	const char *names[2 * ALOE_PORTS_MAX], *kind = output ? "output" : "input";
	const size_t n = port_names(type, !output, output, names);
	size_t len = 0, required = 0;
	int chosen = 0;
	char text[512] = "";

	for (size_t i = 0; i < n; i++) {
		if (!(wf_port_of(type, output, (int)i)->flags & ALOE_OPTIONAL)) {
			required++;
			chosen = (int)i;
		}
		if (len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s.%s",
			    i ? ", " : "", instance->name, names[i]);
	}
	if (n == 1 || required == 1)
		return chosen;
	path->doubt = true;
	if (n == 0)
		diag_error(path->parse->diag, path->parse->file, path->line, "%s (%s) has no %s",
		    instance->name, type->name, kind);
	else
		diag_error(path->parse->diag, path->parse->file, path->line,
		    "%s (%s) has %zu %ss; name one of %s", instance->name, type->name, n, kind,
		    text);
	return -1;
}

/* The port that a link takes at one of its ends; -1 if that is not clear, which has been said then.
 * `end`: the path begins or ends here, so that a named port must go this way. */
static int port_choose(struct path *path, const struct stop *stop, bool output, bool end)
{
	const struct wf_instance *instance = &path->parse->waveform->instances[stop->instance];
	int port;

	if (!instance->type)
		return -1;
	if (!stop->port)
		return only_port(path, instance, output);
	port = port_find(instance->type, output, stop->port, stop->port_len);
	if (port >= 0)
		return port;
	const bool other_way = port_find(instance->type, !output, stop->port, stop->port_len) >= 0;
	if (other_way && !end)
		return only_port(path, instance, output);
	path->doubt = true;
	if (other_way)
		diag_error(path->parse->diag, path->parse->file, path->line,
		    "%s.%.*s is an %s; a path %s", instance->name, (int)stop->port_len, stop->port,
		    output ? "input" : "output",
		    output ? "begins with an output" : "ends with an input");
	else /* in the middle both sides ask: once is enough */
		return unknown_port(path, instance, stop, output, !output && !end);
	return -1;
}

/* ---- links ------------------------------------------------------------------------ */

static void input_connect(const struct path *path, const struct wf_link *link)
{
	struct waveform *waveform = path->parse->waveform;
	struct wf_instance *reader = &waveform->instances[link->to];
	struct wf_port *input = &reader->in[link->to_port];

	if (input->link < 0 || waveform->links[input->link].doubtful) {
		input->link = (int)waveform->n_links;
		return;
	}
	if (link->doubtful)
		return;
	const struct wf_link *other = &waveform->links[input->link];
	const char *port = wf_port_of(reader->type, false, link->to_port)->name;
	diag_error(path->parse->diag, path->parse->file, link->line,
	    "%s.%s has two writers, %s and, on line %d, %s; one writer is allowed", reader->name,
	    port, link->from < 0 ? "?" : waveform->instances[link->from].name, other->line,
	    other->from < 0 ? "?" : waveform->instances[other->from].name);
}

static int link_add(const struct path *path, const struct wf_link *link)
{
	struct waveform *waveform = path->parse->waveform;
	struct wf_link *links;

	if (waveform->n_links == WF_LINKS_MAX) {
		diag_error(path->parse->diag, path->parse->file, path->line,
		    "the waveform has "
		    "more than %d links",
		    WF_LINKS_MAX);
		return -E2BIG;
	}
	links = realloc(waveform->links, (waveform->n_links + 1) * sizeof(*links));
	if (!links)
		return -ENOMEM;
	waveform->links = links;
	if (link->to_port >= 0)
		input_connect(path, link);
	if (link->from_port >= 0 && waveform->instances[link->from].out[link->from_port].link < 0)
		waveform->instances[link->from].out[link->from_port].link = (int)waveform->n_links;
	links[waveform->n_links++] = *link;
	return 0;
}

/* An unknown name is said, and the instance that was probably meant is taken for it, so that what
 * follows makes sense. */
static void stop_find(const struct path *path, struct stop *stop)
{
	const struct waveform *waveform = path->parse->waveform;
	const char **names;
	char word[80], text[512] = "";

	stop->instance = wf_named(path->parse, stop->name, stop->name_len);
	if (stop->instance >= 0)
		return;
	stop->doubt = true;
	snprintf(word, sizeof(word), "%.*s", (int)(stop->name_len < 60 ? stop->name_len : 60),
	    stop->name);
	names = calloc(waveform->n_instances + 1, sizeof(*names));
	for (size_t i = 0; names && i < waveform->n_instances; i++)
		names[i] = waveform->instances[i].name;
	if (names) {
		const char *nearest = diag_nearest(word, names, waveform->n_instances);

		stop->instance = nearest ? wf_named(path->parse, nearest, strlen(nearest)) : -1;
		diag_suggest(word, names, waveform->n_instances, text, sizeof(text));
	}
	if (stop->instance < 0)
		path->parse->links_unread = true;
	diag_error(path->parse->diag, path->parse->file, path->line, "unknown instance \"%s\"%s",
	    word, text);
	free(names);
}

static int link_stops(struct path *path, const struct stop *stops, size_t n)
{
	int error = 0;

	for (size_t i = 1; !error && i < n; i++) {
		struct wf_link link = {stops[i - 1].instance, -1, stops[i].instance, -1,
		    path->delay, path->items, path->line, false};

		path->doubt = stops[i - 1].doubt || stops[i].doubt;
		if (link.from >= 0)
			link.from_port = port_choose(path, &stops[i - 1], true, i == 1);
		if (link.to >= 0)
			link.to_port = port_choose(path, &stops[i], false, i == n - 1);
		link.doubtful = path->doubt;
		error = link_add(path, &link);
		if (!error)
			error = wf_enough(path->parse);
	}
	return error;
}

/* ---- text ------------------------------------------------------------------------ */

static const char *space_skip(const char *c)
{
	while (isspace((unsigned char)*c))
		c++;
	return c;
}

static size_t word_len(const char *c)
{
	size_t len = 0;

	while (isalnum((unsigned char)c[len]) || c[len] == '_')
		len++;
	return len;
}

/* Reads INSTANCE or INSTANCE.PORT; returns what follows it, NULL if it is neither. */
static const char *stop_read(const char *c, struct stop *stop)
{
	*stop = (struct stop){.name = c, .name_len = word_len(c)};
	c += stop->name_len;
	if (*c == '.') {
		stop->port = c + 1;
		stop->port_len = word_len(stop->port);
		c = stop->port + stop->port_len;
	}
	return stop->name_len && (!stop->port || stop->port_len) ? space_skip(c) : NULL;
}

/* Stops of `text`, at most `max`; 0 and an error if it is no path. */
static size_t stops_read(const struct path *path, const char *text, struct stop *stops, size_t max)
{
	const char *c = space_skip(text);
	size_t n = 0;

	while (c && n < max) {
		c = stop_read(c, &stops[n++]);
		if (c && !*c && n > 1)
			return n;
		c = c && strncmp(c, "->", 2) == 0 ? space_skip(c + 2) : NULL;
	}
	path->parse->links_unread = true;
	diag_error(path->parse->diag, path->parse->file, path->line,
	    "path = \"%.60s\"; \"INSTANCE -> INSTANCE.PORT\" is needed", text);
	return 0;
}

static int path_read(struct path *path, const char *text)
{
	/* every stop but the first takes three characters or more */
	const size_t longest = strlen(text) / 2 + 1;
	const size_t max = longest < WF_LINKS_MAX ? longest : WF_LINKS_MAX;
	struct stop *stops = calloc(max, sizeof(*stops));
	int error = 0;

	if (!stops)
		return -ENOMEM;
	const size_t n = stops_read(path, text, stops, max);
	if (n > 2 && (path->delay || path->items)) {
		diag_error(path->parse->diag, path->parse->file, path->line,
		    "delay and items belong to a single link, and this path has %zu link%s: "
		    "\"%.60s\"",
		    n - 1, plural(n - 1), text);
		path->delay = path->items = 0;
	}
	for (size_t i = 0; !error && i < n; i++) {
		stop_find(path, &stops[i]);
		error = wf_enough(path->parse);
	}
	if (!error)
		error = link_stops(path, stops, n);
	free(stops);
	return error;
}

static void link_key_read(struct path *path, const config_setting_t *setting, const char **ret_text)
{
	static const char *const keys[] = {"path", "delay", "items"};
	const struct wf_raw raw = wf_raw_setting(path->parse, setting);
	const char *key = config_setting_name(setting);
	struct diag *diag = path->parse->diag;
	double number;
	char text[128];

	if (strcmp(key, "path") == 0) {
		(void)wf_want_text(&raw, key, diag, ret_text);
	} else if (strcmp(key, "delay") == 0) {
		if (wf_want_int(&raw, key, 0, WF_DELAY_MAX, "slots", diag, &number) == 0)
			path->delay = (uint32_t)number;
	} else if (strcmp(key, "items") == 0) {
		if (wf_want_int(&raw, key, 1, WF_ITEMS_MAX, "", diag, &number) == 0)
			path->items = (uint32_t)number;
	} else if (key[0] != '*') {
		diag_error(diag, raw.where, raw.line, "unknown key \"%.60s\" of a link%s", key,
		    diag_suggest(key, keys, 3, text, sizeof(text)));
	}
}

static int link_read(struct wf_parse *parse, const config_setting_t *setting)
{
	struct path path = {parse, (int)config_setting_source_line(setting), 0, 0, false};
	const char *text = NULL;

	if (config_setting_type(setting) == CONFIG_TYPE_STRING)
		return path_read(&path, config_setting_get_string(setting));
	if (!config_setting_is_group(setting)) {
		parse->links_unread = true;
		diag_error(parse->diag, parse->file, path.line,
		    "a link is a path in quotes or a group { path = \"...\"; delay = N; items = N; "
		    "}");
		return 0;
	}
	for (int i = 0; i < config_setting_length(setting) && !wf_enough(parse); i++)
		link_key_read(&path, config_setting_get_elem(setting, (unsigned)i), &text);
	if (text)
		return path_read(&path, text);
	parse->links_unread = true;
	if (!config_setting_get_member(setting, "path"))
		diag_error(parse->diag, parse->file, path.line,
		    "the link has no path; path = \"...\" is needed");
	return 0;
}

int wf_read_links(struct wf_parse *parse, const config_setting_t *setting)
{
	const bool is_list = config_setting_is_list(setting);
	const bool named = parse->waveform->n_instances > 0; /* else every name is unknown */
	int error = 0;

	parse->links_unread |= !is_list;
	if (!is_list)
		diag_error(parse->diag, parse->file, (int)config_setting_source_line(setting),
		    "links is not a list; links = ( \"a -> b\", ... ); is needed");
	for (int i = 0; !error && is_list && named && i < config_setting_length(setting); i++)
		if ((error = link_read(parse, config_setting_get_elem(setting, (unsigned)i))) == 0)
			error = wf_enough(parse);
	return error;
}
