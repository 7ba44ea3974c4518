/* SPDX-License-Identifier: BSD-3-Clause
 *
 * spread.c - one instance in several places: replicas = 3. Place j of r works on the indices k with
 * k % r = j. Each place is a row of its own, so that mapping, lags and gates know nothing else; all
 * places write the one ring of the first. Of a copy the rows of further places stand behind its
 * other instances, so that whole copies still lie one behind the other.
 *
 * Only places that meet have a link: a message of one is read by the other, or its memory is
 * written again by the one after the other has read there. Message k lies at k % depth of a ring,
 * and a depth is a power of two that is larger than the reader's places; so, of r and q places with
 * 2^n as the largest power of two that divides both, i and j meet if i + delay and j are the same
 * modulo 2^n. Neighbours in 2, 4, 8 .. places thus are so many chains, which exchange nothing. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/waveform/parse.h"

/* ---- the key ------------------------------------------------------------------------ */

static bool raw_is_number(const struct wf_raw *raw)
{
	return raw->setting ? config_setting_is_number(raw->setting)
	                    : isdigit((unsigned char)raw->word[0]) != 0;
}

/* A whole number, or a word that `what` names. true: the word, in *ret_word; false: the number was
 * taken, or what is wrong was said. */
static bool word_want(struct wf_parse *parse, const char *name, const struct wf_raw *raw,
    const char *const *words, const char *what, int min, int max, uint32_t *ret, int *ret_word)
{
	const char *text;
	double number;

	if (raw_is_number(raw)) {
		if (wf_want_int(raw, name, min, max, "", parse->diag, &number) == 0)
			*ret = (uint32_t)number;
		return false;
	}
	if (wf_want_text(raw, name, parse->diag, &text) < 0)
		return false;
	for (*ret_word = 0; words[*ret_word]; ++*ret_word)
		if (strcmp(text, words[*ret_word]) == 0)
			return true;
	diag_error(parse->diag, raw->where, raw->line,
	    "%s = \"%.80s\"; a whole number %d .. %d, %s, is needed", name, text, min, max, what);
	return false;
}

void wf_replicas_set(struct wf_parse *parse, struct wf_instance *instance, const struct wf_raw *raw)
{
	static const char *const words[] = {"auto", NULL};
	char name[160];
	int word;

	snprintf(name, sizeof(name), "%s.replicas", instance->name);
	if (word_want(parse, name, raw, words, "or \"auto\"", 1, WF_REPLICAS_MAX,
	        &instance->replicas, &word))
		instance->replicas = 0;
}

void wf_side_set(struct wf_parse *parse, const struct wf_raw *raw)
{
	static const char *const words[] = {"auto", "off", NULL};
	static const uint32_t sides[] = {WF_SIDE_AUTO, WF_SIDE_OFF};
	int word;

	if (word_want(parse, "side_by_side", raw, words, "\"auto\" or \"off\"", 2, ALOE_MANY_MAX,
	        &parse->waveform->side, &word))
		parse->waveform->side = sides[word];
}

static bool has_live_array(const struct component_type *type)
{
	for (size_t i = 0; i < type->n_params; i++)
		if (type->params[i].kind == ALOE_KIND_REALS && (type->params[i].flags & ALOE_LIVE))
			return true;
	return false;
}

/* A component that stands for others has a parameter that says whether they keep anything. */
static bool says_it_keeps(const struct wf_instance *instance)
{
	for (size_t i = 0; i < instance->type->n_params; i++)
		if (instance->type->params[i].kind == ALOE_KIND_BOOL &&
		    strcmp(instance->type->params[i].name, "stateless") == 0)
			return instance->values[i].number == 0;
	return false;
}

/* Why the instance must be in one place; NULL: it need not. */
static const char *place_why(const struct waveform *waveform, const struct wf_instance *instance)
{
	const struct component_type *type = instance->type;

	if (type->fills || type->drains)
		return "it reads or writes files or sockets, one record after another";
	if (!type->stateless || type->tail > 0)
		return "its component keeps something from one index to the next: its descriptor "
		       "does not say .stateless = 1";
	if (says_it_keeps(instance))
		return "its parameter `stateless` is not true";
	if (has_live_array(type))
		return "it has an array that can be set while the waveform runs";
	if (instance->period > 1)
		return "it has a period";
	if (instance->beside)
		return "it is beside another instance";
	if (waveform->clock == WF_CLOCK_RADIO)
		return "a radio is the clock, whose slots nothing may slip";
	if (waveform->late == WF_LATE_SKIP)
		return "late = \"skip\" leaves no time beyond the slot; late = \"slip\" does";
	if (waveform->overrun == WF_OVERRUN_CONCEAL || waveform->overrun == WF_OVERRUN_MODE)
		return "overrun = \"conceal\" and \"mode\" act within the slot; \"count\", "
		       "\"flag\" and \"stop\" are possible";
	return NULL;
}

void wf_replicas_check(struct wf_parse *parse)
{
	for (size_t i = 0; i < parse->waveform->n_instances; i++) {
		const struct wf_instance *instance = &parse->waveform->instances[i];
		const char *why = instance->type && instance->replicas != 1
		    ? place_why(parse->waveform, instance)
		    : NULL;

		if (why)
			diag_error(parse->diag, parse->file, instance->line,
			    "%s (%s) cannot have replicas: %s", instance->name,
			    instance->type->name, why);
	}
}

/* ---- rows ------------------------------------------------------------------------ */

static uint32_t replicas_of(const struct wf_instance *instance)
{
	return instance->replicas > 1 ? instance->replicas : 1;
}

/* The largest power of two that divides both. */
static uint32_t turns_of(uint32_t r, uint32_t q)
{
	return (r | q) & -(r | q);
}

static bool is_spread(const struct waveform *waveform)
{
	for (size_t i = 0; i < waveform->n_instances; i++)
		if (waveform->instances[i].places > 1)
			return true;
	return false;
}

static uint32_t copies_of(const struct waveform *waveform)
{
	return waveform->copies > 1 ? waveform->copies : 1;
}

struct wf_size waveform_spread_size(const struct waveform *waveform)
{
	struct wf_size size = {0};

	for (size_t i = 0; i < waveform->n_instances; i++)
		size.n_instances += replicas_of(&waveform->instances[i]);
	for (size_t l = 0; l < waveform->n_links; l++) {
		const uint32_t r = replicas_of(&waveform->instances[waveform->links[l].from]),
		               q = replicas_of(&waveform->instances[waveform->links[l].to]);

		size.n_links += (size_t)r * q / turns_of(r, q);
	}
	return size;
}

/* The rows of one copy, whose first old and new numbers are `from` and `to`. */
static void instances_write(
    const struct waveform *waveform, size_t from, size_t to, struct wf_instance *rows)
{
	const size_t n = waveform_originals(waveform);
	size_t rest = to + n;

	for (size_t i = 0; i < n; i++) {
		struct wf_instance *first = &rows[to + i];
		const uint32_t r = replicas_of(&waveform->instances[from + i]);

		*first = waveform->instances[from + i];
		first->places = r;
		first->named = (int)(to + i);
		first->rest = r > 1 ? (int)rest : 0;
		for (uint32_t j = 1; j < r; j++) {
			rows[rest] = *first;
			rows[rest++].place = j;
		}
	}
}

/* The link of an input or output is the first of all. */
static void link_note(struct wf_instance *rows, const struct wf_link *link, int number)
{
	struct wf_port *in = &rows[link->to].in[link->to_port],
	               *out = &rows[link->from].out[link->from_port];

	if (in->link < 0)
		in->link = number;
	if (out->link < 0)
		out->link = number;
}

static void links_forget(struct wf_instance *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (uint32_t p = 0; p < rows[i].n_in; p++)
			rows[i].in[p].link = -1;
		for (uint32_t p = 0; p < rows[i].n_out; p++)
			rows[i].out[p].link = -1;
	}
}

/* shift: what the copy's instances have been moved by. Returns how many rows were written. */
static size_t link_write(struct wf_instance *rows, const struct wf_link *old, int shift,
    struct wf_link *links, size_t number)
{
	const int from = old->from + shift, to = old->to + shift;
	const uint32_t r = replicas_of(&rows[from]), q = replicas_of(&rows[to]),
	               turns = turns_of(r, q);
	size_t n = 0;

	for (uint32_t i = 0; i < r; i++)
		for (uint32_t j = (i + old->delay) % turns; j < q; j += turns) {
			struct wf_link *link = &links[number + n];

			*link = *old;
			link->from = waveform_place(rows, from, i);
			link->to = waveform_place(rows, to, j);
			link->further = n > 0;
			link_note(rows, link, (int)(number + n++));
		}
	return n;
}

void waveform_spread_rows(
    const struct waveform *waveform, struct wf_instance *instances, struct wf_link *links)
{
	const struct wf_size size = waveform_spread_size(waveform);
	const uint32_t copies = copies_of(waveform);
	const size_t n = waveform_originals(waveform), n_links = waveform_original_links(waveform),
	             each = size.n_instances / copies;
	size_t number = 0;

	for (uint32_t c = 0; c < copies; c++)
		instances_write(waveform, c * n, c * each, instances);
	links_forget(instances, size.n_instances);
	for (size_t l = 0; l < waveform->n_links; l++)
		number += link_write(instances, &waveform->links[l],
		    (int)(l / (n_links ? n_links : 1) * (each - n)), links, number);
}

/* What a further place points to becomes its own. */
static int row_own(struct wf_instance *row)
{
	const struct wf_instance first = *row;
	const char *original = first.original ? first.original : first.name;

	row->values = NULL;
	row->node = NULL;
	row->original = strdup(original);
	if (asprintf(&row->name, "%s/%u", first.name, row->place + 1) < 0)
		row->name = NULL;
	if (!row->original || !row->name || (first.node && !(row->node = strdup(first.node))))
		return -ENOMEM;
	return wf_values_copy(&first, row);
}

int waveform_spread(struct waveform *waveform)
{
	const struct wf_size size = waveform_spread_size(waveform);
	struct wf_instance *instances;
	struct wf_link *links;
	int rc = 0;

	if (size.n_instances == waveform->n_instances || is_spread(waveform))
		return 0;
	instances = calloc(size.n_instances, sizeof(*instances));
	links = calloc(size.n_links + 1, sizeof(*links));
	if (!instances || !links) {
		free(instances);
		free(links);
		return -ENOMEM;
	}
	waveform_spread_rows(waveform, instances, links);
	free(waveform->instances);
	free(waveform->links);
	waveform->instances = instances;
	waveform->links = links;
	waveform->n_instances = size.n_instances;
	waveform->n_links = size.n_links;
	/* all of them, so that each row has what it points to for itself */
	for (size_t i = 0; i < size.n_instances; i++)
		if (instances[i].place > 0)
			rc = row_own(&instances[i]) ? -ENOMEM : rc;
	return rc;
}
