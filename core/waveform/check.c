/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/waveform/parse.h"

/* ---- connections ------------------------------------------------------------------------ */

/* Whether a link at this side of the instance was not understood: it may be the one that is
 * missed. */
static bool has_hole(
    const struct waveform *waveform, const struct wf_instance *instance, bool output)
{
	for (size_t k = 0; k < waveform->n_links; k++) {
		const struct wf_link *link = &waveform->links[k];
		const int at = output ? link->from : link->to,
		          port = output ? link->from_port : link->to_port;

		if (at >= 0 && &waveform->instances[at] == instance && (port < 0 || link->doubtful))
			return true;
	}
	return false;
}

static void ports_check(struct wf_parse *parse, const struct wf_instance *instance)
{
	int in = 0, out = 0;

	for (size_t i = 0; i < instance->type->n_ports; i++) {
		const struct aloe_port *port = &instance->type->ports[i];
		const struct wf_port *own =
		    port->output ? &instance->out[out++] : &instance->in[in++];

		if (own->link < 0 && !(port->flags & ALOE_OPTIONAL) &&
		    !has_hole(parse->waveform, instance, port->output))
			diag_error(parse->diag, parse->file, instance->line,
			    "%s \"%s\" of instance \"%s\" (%s) is not connected; a link %s is "
			    "needed",
			    port->output ? "output" : "input", port->name, instance->name,
			    instance->type->name,
			    port->output ? "from this output" : "to this input");
	}
}

/* Who is beside another one is so in the order of the file, too. */
static void beside_check(struct wf_parse *parse, size_t i)
{
	const struct wf_instance *instance = &parse->waveform->instances[i];
	const int of = instance->beside ? waveform_beside(parse->waveform, i) : -1;

	if (of >= 0 && parse->waveform->instances[of].replicas != 1)
		diag_error(parse->diag, parse->file, instance->line,
		    "%s.beside: %s has replicas, and an instance is beside one place only; leave "
		    "out one of the two keys",
		    instance->name, parse->waveform->instances[of].name);
	if (instance->beside && of < 0)
		diag_error(parse->diag, parse->file, instance->line,
		    "%s.beside: the instance reads nothing, or its first input comes from an "
		    "instance behind it in the file; a link from one before it is needed",
		    instance->name);
}

/* ---- cycles ------------------------------------------------------------------------ */

static void cycle_report(
    struct wf_parse *parse, const int *links, size_t n, const char *what, const char *remedy)
{
	const struct waveform *waveform = parse->waveform;
	char text[512];
	size_t len = 0;

	/* wf_cycle walks against the data */
	for (size_t i = n; i-- > 0 && len < sizeof(text);)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s -> ",
		    waveform->instances[waveform->links[links[i]].from].name);
	if (len >= sizeof(text))
		strcpy(text + sizeof(text) - 8, "... -> ");
	diag_error(parse->diag, parse->file, waveform->links[links[0]].line, "%s: %s%s; %s", what,
	    text, waveform->instances[waveform->links[links[n - 1]].from].name, remedy);
}

/* Each cycle is said once: a link of it is then taken out by `cut`, for this check, on a copy of
 * the links. */
static int cycles_check(struct wf_parse *parse, bool (*counts)(const struct wf_link *),
    const char *what, const char *remedy)
{
	struct waveform copy = *parse->waveform;
	int *links = calloc(copy.n_instances + 1, sizeof(*links));
	ssize_t n = -ENOMEM;
	int error = 0;

	copy.links = malloc((copy.n_links + 1) * sizeof(*copy.links));
	if (links && copy.links) {
		if (copy.n_links)
			memcpy(
			    copy.links, parse->waveform->links, copy.n_links * sizeof(*copy.links));
		while (!error && (n = wf_cycle(&copy, counts, links)) > 0) {
			cycle_report(parse, links, (size_t)n, what, remedy);
			copy.links[links[0]].from = -1;
			error = wf_enough(parse);
		}
	}
	free(links);
	free(copy.links);
	return n < 0 ? (int)n : error;
}

/* ---- item types ------------------------------------------------------------------------ */

/* What each port may still be, narrowed link by link until nothing changes. Ports of an instance
 * that share one type always have the same set. */
struct types {
	uint32_t *sets; /* by instance: ALOE_PORTS_MAX inputs, then as many outputs */
	bool *bad;      /* by link: nothing fits, said */
};

static uint32_t *set_of(const struct types *types, int instance, bool output, int port)
{
	return &types->sets[(instance * 2 + output) * ALOE_PORTS_MAX + port];
}

static bool is_one(uint32_t set)
{
	return set && !(set & (set - 1));
}

static bool port_shares(const struct aloe_port *port)
{
	return !is_one(port->types) && !port->type_param;
}

static uint32_t type_by_param(const struct wf_instance *instance, const struct aloe_port *port)
{
	for (size_t i = 0; i < instance->type->n_params; i++) {
		const struct aloe_param *param = &instance->type->params[i];

		if (strcmp(param->name, port->type_param) == 0)
			return instance->values[i].wrong ? port->types
			                                 : port->types &
			        item_type_from_name(param->names[(int)instance->values[i].number]);
	}
	return 0;
}

/* Ports without a type of their own get what all of them can be. */
static void narrow_instance(const struct waveform *waveform, const struct types *types, int i)
{
	const struct component_type *type = waveform->instances[i].type;
	uint32_t common = ALOE_ANY;

	for (int pass = 0; type && pass < 2; pass++) {
		int n[2] = {0, 0};

		for (size_t k = 0; k < type->n_ports; k++) {
			uint32_t *set =
			    set_of(types, i, type->ports[k].output, n[type->ports[k].output]++);

			if (!port_shares(&type->ports[k]))
				continue;
			if (pass == 0)
				common &= *set;
			else if (common)
				*set = common;
		}
	}
}

static void types_start(const struct waveform *waveform, const struct types *types)
{
	for (size_t i = 0; i < waveform->n_instances; i++) {
		const struct wf_instance *instance = &waveform->instances[i];
		int n[2] = {0, 0};

		for (size_t k = 0; instance->type && k < instance->type->n_ports; k++) {
			const struct aloe_port *port = &instance->type->ports[k];

			*set_of(types, (int)i, port->output, n[port->output]++) =
			    port->type_param ? type_by_param(instance, port) : port->types;
		}
		narrow_instance(waveform, types, (int)i);
	}
}

static const char *set_text(uint32_t set, char *text, size_t size)
{
	size_t len = 0;

	text[0] = 0;
	for (uint32_t bit = 1; bit <= ALOE_ANY && len < size; bit <<= 1)
		if (set & bit)
			len += (size_t)snprintf(
			    text + len, size - len, "%s%s", len ? " or " : "", item_type_name(bit));
	return text;
}

static void mismatch_report(
    struct wf_parse *parse, const struct wf_link *link, uint32_t from, uint32_t to)
{
	const struct wf_instance *writer = &parse->waveform->instances[link->from];
	const struct wf_instance *reader = &parse->waveform->instances[link->to];
	char made[80], taken[80];

	diag_error(parse->diag, parse->file, link->line,
	    "types differ: %s.%s makes %s, but %s.%s takes %s", writer->name,
	    wf_port_of(writer->type, true, link->from_port)->name,
	    set_text(from, made, sizeof(made)), reader->name,
	    wf_port_of(reader->type, false, link->to_port)->name,
	    set_text(to, taken, sizeof(taken)));
}

static bool narrow_link(struct wf_parse *parse, const struct types *types, size_t k)
{
	const struct wf_link *link = &parse->waveform->links[k];

	if (link->from_port < 0 || link->to_port < 0 || link->doubtful || types->bad[k])
		return false;
	uint32_t *from = set_of(types, link->from, true, link->from_port);
	uint32_t *to = set_of(types, link->to, false, link->to_port);
	const uint32_t both = *from & *to;

	if (!both) {
		types->bad[k] = true;
		mismatch_report(parse, link, *from, *to);
		return false;
	}
	if (*from == both && *to == both)
		return false;
	*from = *to = both;
	narrow_instance(parse->waveform, types, link->from);
	narrow_instance(parse->waveform, types, link->to);
	return true;
}

/* A port that is connected must have come down to one type, unless that was just complained of
 * nearby. */
static void type_take(struct wf_parse *parse, struct wf_instance *instance,
    const struct aloe_port *port, struct wf_port *own, uint32_t set, bool *said)
{
	char text[80];

	if (is_one(set)) {
		own->type = set;
		return;
	}
	if (own->link < 0 || *said)
		return;
	*said = true;
	diag_error(parse->diag, parse->file, instance->line,
	    "the item type of %s.%s is open (%s), and no linked port decides the type; link the "
	    "port to a port of one type",
	    instance->name, port->name, set_text(set, text, sizeof(text)));
}

static void types_take(struct wf_parse *parse, const struct types *types)
{
	for (size_t i = 0; i < parse->waveform->n_instances; i++) {
		struct wf_instance *instance = &parse->waveform->instances[i];
		int n[2] = {0, 0};
		bool said = false;

		for (size_t k = 0; instance->type && k < instance->type->n_ports; k++) {
			const struct aloe_port *port = &instance->type->ports[k];
			const int number = n[port->output]++;

			type_take(parse, instance, port,
			    port->output ? &instance->out[number] : &instance->in[number],
			    *set_of(types, (int)i, port->output, number), &said);
		}
	}
}

/* Holes and mismatches leave ports open that are not to blame. */
static bool has_holes(const struct waveform *waveform, const struct types *types)
{
	for (size_t i = 0; i < waveform->n_instances; i++)
		if (!waveform->instances[i].type || waveform->instances[i].wrong)
			return true;
	for (size_t k = 0; k < waveform->n_links; k++)
		if (waveform->links[k].from_port < 0 || waveform->links[k].to_port < 0 ||
		    waveform->links[k].doubtful || types->bad[k])
			return true;
	return false;
}

static int types_check(struct wf_parse *parse)
{
	const struct waveform *waveform = parse->waveform;
	const struct types types = {
	    calloc(waveform->n_instances * 2 * ALOE_PORTS_MAX + 1, sizeof(*types.sets)),
	    calloc(waveform->n_links + 1, sizeof(*types.bad)),
	};
	bool changed = types.sets && types.bad;

	if (changed)
		types_start(waveform, &types);
	while (changed) {
		changed = false;
		for (size_t k = 0; k < waveform->n_links; k++)
			changed |= narrow_link(parse, &types, k);
	}
	if (types.sets && types.bad && !has_holes(waveform, &types))
		types_take(parse, &types);
	const bool lost = !types.sets || !types.bad;
	free(types.sets);
	free(types.bad);
	return lost ? -ENOMEM : 0;
}

int wf_check(struct wf_parse *parse)
{
	const struct waveform *waveform = parse->waveform;
	int error = 0;

	for (size_t i = 0; !error && i < waveform->n_instances; i++) {
		if (waveform->instances[i].type && !parse->links_unread)
			ports_check(parse, &waveform->instances[i]);
		if (!parse->links_unread)
			beside_check(parse, i);
		error = wf_enough(parse);
	}
	if (!error)
		wf_replicas_check(parse);
	if (!error)
		error = cycles_check(parse, wf_link_has_no_delay, "cycle without delay",
		    "one of its links needs delay = 1 or more");
	if (!error)
		error = cycles_check(parse, wf_link_has_no_items, "cycle without size",
		    "one of its links needs items = N, the most items in a message");
	return error ? error : types_check(parse);
}
