/* SPDX-License-Identifier: BSD-3-Clause
 * The host's side: the only part of core/waveform that opens components. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/kinds.h"
#include "core/base/text.h"
#include "core/component/param.h"
#include "core/component/parse.h"
#include "core/json/json.h"
#include "core/waveform/neighbours.h"
#include "core/waveform/parse.h"
#include "core/waveform/shape.h"

struct chunk { /* memory that a component took by aloe_alloc */
	struct chunk *next;
	_Alignas(64) uint8_t bytes[];
};

struct kind_shape { /* what instances have in common */
	const json_t *object;
	const struct aloe_component *component; /* NULL: not opened, and why not */
	char *why;
	bool tried;
	struct aloe_format in[ALOE_PORTS_MAX], out[ALOE_PORTS_MAX];
	size_t n_in, n_out;
};

struct part_shape { /* an instance */
	const char *name;
	struct kind_shape *kind;
	const struct aloe_component *component;
	void *state;
	float **reals; /* by parameter */
	struct aloe_format in[ALOE_PORTS_MAX], out[ALOE_PORTS_MAX];
	size_t n_in, n_out;
	uint32_t tail;
	bool failed; /* or hangs on one that did */
};

struct serve {
	struct diag diag; /* what is wrong with the request itself */
	json_t *root, *notes, *errors;
	struct kind_shape *kinds;
	size_t n_kinds;
	struct part_shape *parts;
	struct component_files files;
	struct waveform graph; /* links, and how many instances: all that wf_order needs */
	struct neighbours writers;
	uint64_t slot_ns, slot_samples;
	void (*progress)(void *context, const char *call, const char *instance);
	void *context;
};

static const char request_name[] = "request";

static void *chunk_alloc(struct aloe_setup *setup, size_t size)
{
	struct chunk *chunk = NULL;

	if (size > SIZE_MAX / 2 || posix_memalign((void **)&chunk, 64, sizeof(*chunk) + size) != 0)
		return NULL;
	memset(chunk->bytes, 0, size);
	chunk->next = setup->arena;
	setup->arena = chunk;
	return chunk->bytes;
}

static void chunk_free_all(struct chunk *chunk)
{
	while (chunk) {
		struct chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
}

/* A component's text may be anything. */
static void line_add(json_t *list, size_t i, const char *text)
{
	json_t *string = json_string(text);

	json_array_append_new(list,
	    json_pack(
	        "[I, o]", (json_int_t)i, string ? string : json_string("(its text is not UTF-8)")));
}

static void part_fail(struct serve *serve, size_t i, const char *text)
{
	serve->parts[i].failed = true;
	line_add(serve->errors, i, text);
}

/* ---- request ------------------------------------------------------------------------ */

static int formats_read(struct serve *serve, const json_t *object, const char *key,
    struct aloe_format *formats, size_t *ret_n)
{
	json_t *list, *item;
	size_t i;

	if (json_want_array(object, key, ALOE_PORTS_MAX, request_name, &serve->diag, &list) < 0)
		return -EINVAL;
	json_array_foreach(list, i, item)
	{
		formats[i].type =
		    json_is_string(item) ? item_type_from_name(json_string_value(item)) : 0;
		if (!formats[i].type && !json_is_null(item))
			return diag_error(
			    &serve->diag, request_name, 0, "%s[%zu]: no item type", key, i);
	}
	*ret_n = i;
	return 0;
}

static int link_read(struct serve *serve, const json_t *item)
{
	const struct waveform *graph = &serve->graph;
	json_int_t number[5] = {0};

	if (json_array_size(item) < 2 || json_array_size(item) > 5)
		return diag_error(
		    &serve->diag, request_name, 0, "links: two to five numbers are needed");
	for (size_t k = 0; k < json_array_size(item); k++) {
		if (!json_is_integer(json_array_get(item, k)))
			return diag_error(
			    &serve->diag, request_name, 0, "links: whole numbers are needed");
		number[k] = json_integer_value(json_array_get(item, k));
		if (number[k] < 0 || number[k] > WF_ITEMS_MAX)
			return diag_error(
			    &serve->diag, request_name, 0, "links: a number out of range");
	}
	if ((size_t)number[0] >= graph->n_instances || (size_t)number[1] >= graph->n_instances ||
	    (size_t)number[2] >= serve->parts[number[0]].n_out ||
	    (size_t)number[3] >= serve->parts[number[1]].n_in)
		return diag_error(&serve->diag, request_name, 0, "links: no such instance or port");
	serve->graph.links[serve->graph.n_links++] = (struct wf_link){.from = (int)number[0],
	    .from_port = (int)number[2],
	    .to = (int)number[1],
	    .to_port = (int)number[3],
	    .items = (uint32_t)number[4]};
	return 0;
}

static int links_read(struct serve *serve)
{
	json_t *list, *item;
	size_t i;
	int error = 0;

	if (json_want_array(serve->root, "links", WF_LINKS_MAX, request_name, &serve->diag, &list) <
	    0)
		return -EINVAL;
	serve->graph.links = calloc(json_array_size(list) + 1, sizeof(*serve->graph.links));
	if (!serve->graph.links)
		return -ENOMEM;
	json_array_foreach(list, i, item)
	{
		if (!error)
			error = link_read(serve, item);
	}
	return error;
}

static int head_read(struct serve *serve)
{
	uint64_t schema;

	if (json_want_uint(serve->root, "schema", INT32_MAX, request_name, &serve->diag, &schema) <
	    0)
		return -EINVAL;
	if (schema != SHAPE_SCHEMA)
		return diag_error(&serve->diag, request_name, 0,
		    "found schema %u; schema %d is "
		    "needed",
		    (unsigned)schema, SHAPE_SCHEMA);
	if (json_want_uint(serve->root, "slot_ns", UINT32_MAX * 10ULL, request_name, &serve->diag,
	        &serve->slot_ns) < 0)
		return -EINVAL;
	return json_object_get(serve->root, "slot_samples")
	    ? json_want_uint(serve->root, "slot_samples", UINT32_MAX, request_name, &serve->diag,
	          &serve->slot_samples)
	    : 0;
}

static int kinds_read(struct serve *serve)
{
	json_t *list, *object;
	size_t i;

	if (json_want_array(
	        serve->root, "kinds", WF_INSTANCES_MAX, request_name, &serve->diag, &list) < 0)
		return -EINVAL;
	serve->kinds = calloc(json_array_size(list) + 1, sizeof(*serve->kinds));
	if (!serve->kinds)
		return -ENOMEM;
	serve->n_kinds = json_array_size(list);
	json_array_foreach(list, i, object)
	{
		struct kind_shape *kind = &serve->kinds[i];

		kind->object = object;
		if (formats_read(serve, object, "in", kind->in, &kind->n_in) < 0 ||
		    formats_read(serve, object, "out", kind->out, &kind->n_out) < 0)
			return -EINVAL;
	}
	return 0;
}

static int part_read(struct serve *serve, size_t i, const json_t *name, const json_t *of)
{
	const json_int_t number = json_is_integer(of) ? json_integer_value(of) : -1;
	struct part_shape *part = &serve->parts[i];

	if (!json_is_string(name) || number < 0 || (size_t)number >= serve->n_kinds)
		return diag_error(&serve->diag, request_name, 0,
		    "instances[%zu]: a name and the number of a kind are needed", i);
	part->name = json_string_value(name);
	part->kind = &serve->kinds[number];
	part->n_in = part->kind->n_in;
	part->n_out = part->kind->n_out;
	memcpy(part->in, part->kind->in, part->n_in * sizeof(*part->in));
	memcpy(part->out, part->kind->out, part->n_out * sizeof(*part->out));
	return 0;
}

static int parts_read(struct serve *serve)
{
	json_t *names, *of;
	int error = 0;

	if (json_want_array(serve->root, "instances", WF_INSTANCES_MAX, request_name, &serve->diag,
	        &names) < 0 ||
	    json_want_array(serve->root, "of", WF_INSTANCES_MAX, request_name, &serve->diag, &of) <
	        0)
		return -EINVAL;
	serve->parts = calloc(json_array_size(names) + 1, sizeof(*serve->parts));
	if (!serve->parts)
		return -ENOMEM;
	serve->graph.n_instances = json_array_size(names);
	for (size_t i = 0; i < serve->graph.n_instances && !error; i++)
		error = part_read(serve, i, json_array_get(names, i), json_array_get(of, i));
	return error;
}

static int request_read(struct serve *serve, const char *request)
{
	int error;

	serve->root = json_read(request_name, request, strlen(request), &serve->diag);
	if (!serve->root)
		return -EINVAL;
	error = head_read(serve);
	if (!error)
		error = kinds_read(serve);
	if (!error)
		error = parts_read(serve);
	return error ? error : links_read(serve);
}

/* ---- components ------------------------------------------------------------------------ */

static int reals_write(
    struct part_shape *part, const struct aloe_param *param, size_t i, const json_t *list)
{
	const size_t len = json_array_size(list);
	float *data = len <= PARAM_ITEMS_MAX ? calloc(len + 1, sizeof(*data)) : NULL;

	if (!data)
		return -ENOMEM;
	for (size_t k = 0; k < len; k++)
		data[k] = (float)json_number_value(json_array_get(list, k));
	part->reals[i] = data;
	return param_set_reals(param, part->state, data, (uint32_t)len);
}

static int param_write(struct part_shape *part, size_t i, const json_t *value)
{
	const struct aloe_param *param = &part->component->params.items[i];

	if (json_is_string(value))
		return param_set_text(param, part->state, json_string_value(value));
	if (json_is_array(value))
		return reals_write(part, param, i, value);
	if (json_is_number(value))
		return param_set_number(param, part->state, json_number_value(value));
	return json_is_null(value) ? 0 : -EINVAL;
}

static void params_write(struct serve *serve, size_t i)
{
	struct part_shape *part = &serve->parts[i];
	const json_t *values = json_object_get(part->kind->object, "params");
	const uint32_t n = part->component->params.len;

	part->state = calloc(1, part->component->state_size + 64u);
	part->reals = calloc(n + 1u, sizeof(*part->reals));
	if (!part->state || !part->reals) {
		part_fail(serve, i, "no memory for its state");
		return;
	}
	param_defaults(part->component, part->state);
	for (uint32_t k = 0; k < n; k++) {
		char text[128];

		if (param_write(part, k, json_array_get(values, k)) == 0)
			continue;
		snprintf(text, sizeof(text), "parameter \"%.60s\" cannot be written",
		    part->component->params.items[k].name);
		part_fail(serve, i, text);
	}
}

/* The tables that the request was made from must be those of the file. */
static bool same_tables(const struct kind_shape *kind, const struct component_file *file)
{
	const char *wanted = json_string_value(json_object_get(kind->object, "digest"));
	const struct aloe_component *component = file->entry->component;
	size_t n[2] = {0, 0};
	char digest[20];

	snprintf(digest, sizeof(digest), "%016" PRIx64, file->digest);
	for (uint32_t i = 0; i < component->ports.len; i++)
		n[component->ports.items[i].output]++;
	return wanted && strcmp(wanted, digest) == 0 && n[0] == kind->n_in && n[1] == kind->n_out;
}

static void kind_open(struct serve *serve, struct kind_shape *kind)
{
	const char *path = json_string_value(json_object_get(kind->object, "path"));
	const struct component_file *file;
	struct diag diag;
	char text[512];

	diag_init(&diag);
	file = component_files_open(&serve->files, path ? path : "", &diag);
	if (!file) {
		kind->why = strdup(diag.len ? diag.lines[0] : "cannot be opened");
	} else if (!same_tables(kind, file)) {
		snprintf(
		    text, sizeof(text), "%.400s and its .desc file differ; build both again", path);
		kind->why = strdup(text);
	} else {
		kind->component = file->entry->component;
	}
	diag_fini(&diag);
}

/* Once for a kind; what came of it is said of each of its instances. */
static void part_open(struct serve *serve, size_t i)
{
	struct part_shape *part = &serve->parts[i];
	struct kind_shape *kind = part->kind;

	if (!kind->tried) {
		serve->progress(serve->context, "open", part->name);
		kind_open(serve, kind);
	}
	kind->tried = true;
	part->component = kind->component;
	if (part->component)
		params_write(serve, i);
	else
		part_fail(serve, i, kind->why ? kind->why : "cannot be opened");
}

static void part_call(
    struct serve *serve, size_t i, const char *what, int (*function)(void *, struct aloe_setup *))
{
	struct part_shape *part = &serve->parts[i];
	struct aloe_setup setup = {
	    .instance = part->name,
	    .slot_ns = serve->slot_ns,
	    .slot_samples = (uint32_t)serve->slot_samples,
	    .in = part->in,
	    .out = part->out,
	    .alloc = chunk_alloc,
	    .tail = part->component->tail,
	};

	serve->progress(serve->context, what, part->name);
	if (function(part->state, &setup) < 0) {
		setup.error[sizeof(setup.error) - 1] = 0;
		part_fail(serve, i, setup.error[0] ? setup.error : "the component gave no reason");
	}
	setup.note[sizeof(setup.note) - 1] = 0;
	if (setup.note[0])
		line_add(serve->notes, i, setup.note);
	part->tail = setup.tail;
	chunk_free_all(setup.arena);
}

/* ---- sizes ------------------------------------------------------------------------ */

/* Inputs of `i` from its writers, which come before it, or from `items`; true if one of them has
 * failed. */
static bool inputs_gather(struct serve *serve, size_t i)
{
	struct part_shape *part = &serve->parts[i];
	bool failed = false;

	for (int k = serve->writers.first[i]; k >= 0; k = serve->writers.next[k]) {
		const struct wf_link *link = &serve->graph.links[k];

		part->in[link->to_port].max =
		    link->items ? link->items : serve->parts[link->from].out[link->from_port].max;
		failed |= !link->items && serve->parts[link->from].failed;
	}
	return failed;
}

static void outputs_check(struct serve *serve, size_t i)
{
	struct part_shape *part = &serve->parts[i];
	uint32_t port = 0;
	char text[192];

	for (uint32_t k = 0; k < part->component->ports.len; k++) {
		if (!part->component->ports.items[k].output)
			continue;
		const struct aloe_format *format = &part->out[port++];
		if (!format->type || (format->max > 0 && format->max <= WF_ITEMS_MAX))
			continue;
		snprintf(text, sizeof(text),
		    "output \"%.60s\" has %u item%s in a message; 1 .. %d are allowed",
		    part->component->ports.items[k].name, format->max, plural(format->max),
		    WF_ITEMS_MAX);
		part_fail(serve, i, text);
	}
}

static void tail_check(struct serve *serve, size_t i)
{
	const struct part_shape *part = &serve->parts[i];
	char text[160];

	if (part->tail <= part->component->tail)
		return;
	snprintf(text, sizeof(text),
	    "shape states tail = %u, but the component's descriptor states tail = %u at most",
	    part->tail, part->component->tail);
	part_fail(serve, i, text);
}

static void part_shape(struct serve *serve, size_t i)
{
	struct part_shape *part = &serve->parts[i];
	uint32_t largest = 0, types[ALOE_PORTS_MAX] = {0};

	if (inputs_gather(serve, i) || part->failed) {
		part->failed = true;
		return;
	}
	for (size_t k = 0; k < part->n_in; k++)
		largest = part->in[k].max > largest ? part->in[k].max : largest;
	for (size_t k = 0; k < part->n_out; k++) {
		part->out[k].max = part->out[k].type ? largest : 0;
		types[k] = part->out[k].type;
	}
	part->tail = part->component->tail;
	if (part->component->shape)
		part_call(serve, i, "shape", part->component->shape);
	for (size_t k = 0; k < part->n_out; k++) {
		part->out[k].type = types[k];
		part->out[k].max = types[k] ? part->out[k].max : 0;
	}
	if (!part->failed) {
		outputs_check(serve, i);
		tail_check(serve, i);
	}
}

/* A link whose file states `items` must hold what its writer makes. */
static void items_check(struct serve *serve)
{
	char text[192];

	for (size_t k = 0; k < serve->graph.n_links; k++) {
		const struct wf_link *link = &serve->graph.links[k];
		const struct part_shape *writer = &serve->parts[link->from];
		const uint32_t max = writer->out[link->from_port].max;

		if (!link->items || writer->failed || max <= link->items)
			continue;
		snprintf(text, sizeof(text),
		    "makes up to %u item%s for \"%.60s\", but the link has items = %u", max,
		    plural(max), serve->parts[link->to].name, link->items);
		part_fail(serve, (size_t)link->from, text);
	}
}

static int shape_all(struct serve *serve)
{
	int *order = calloc(serve->graph.n_instances + 1, sizeof(*order));
	ssize_t n = -ENOMEM;

	if (order && neighbours_init(&serve->writers, &serve->graph, false, NULL, NULL) == 0)
		n = wf_order(&serve->graph, wf_link_has_no_items, order);
	for (ssize_t i = 0; i < n; i++)
		part_shape(serve, (size_t)order[i]);
	neighbours_fini(&serve->writers);
	free(order);
	if (n >= 0 && (size_t)n < serve->graph.n_instances)
		return diag_error(&serve->diag, request_name, 0, "links: a cycle without items");
	if (n >= 0)
		items_check(serve);
	return n < 0 ? (int)n : 0;
}

static int serve_all(struct serve *serve, const char *request)
{
	int error = request_read(serve, request);

	if (error)
		return error;
	for (size_t i = 0; i < serve->graph.n_instances; i++)
		part_open(serve, i);
	for (size_t i = 0; i < serve->graph.n_instances; i++)
		if (!serve->parts[i].failed && serve->parts[i].component->check)
			part_call(serve, i, "check", serve->parts[i].component->check);
	return shape_all(serve);
}

/* ---- answer ------------------------------------------------------------------------ */

static void max_write(FILE *out, const struct aloe_format *formats, size_t n)
{
	fwrite(&n, sizeof(n), 1, out);
	for (size_t i = 0; i < n; i++)
		fwrite(&formats[i].max, sizeof(formats[i].max), 1, out);
}

/* All that sizes_json says. */
static void sizes_write(FILE *out, const void *parts, size_t i)
{
	const struct part_shape *part = (const struct part_shape *)parts + i;

	max_write(out, part->in, part->n_in);
	max_write(out, part->out, part->n_out);
	fwrite(&part->tail, sizeof(part->tail), 1, out);
}

static json_t *max_json(const struct aloe_format *formats, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_integer(formats[i].max));
	return list;
}

static json_t *sizes_json(const struct part_shape *part)
{
	return json_pack("{s:o, s:o, s:I}", "in", max_json(part->in, part->n_in), "out",
	    max_json(part->out, part->n_out), "tail", (json_int_t)part->tail);
}

/* Takes notes and errors over. */
static json_t *answer_json(struct serve *serve, const struct kinds *kinds)
{
	json_t *sizes = json_array(), *max = json_array();

	for (size_t i = 0; serve->parts && i < kinds->n; i++)
		json_array_append_new(sizes, sizes_json(&serve->parts[kinds->first[i]]));
	for (size_t i = 0; i < kinds->n_things; i++)
		json_array_append_new(max, json_integer(kinds->of[i]));
	for (size_t i = 0; i < serve->diag.len; i++)
		json_array_append_new(serve->errors, json_pack("[i, s]", -1, serve->diag.lines[i]));
	return json_pack("{s:i, s:o, s:o, s:o, s:o}", "schema", SHAPE_SCHEMA, "sizes", sizes, "max",
	    max, "notes", serve->notes, "errors", serve->errors);
}

/* Ends notes and errors. */
static char *answer_text(struct serve *serve)
{
	struct kinds kinds;
	const size_t n = serve->parts ? serve->graph.n_instances : 0;
	char *text = NULL;

	if (kinds_init(&kinds, n, sizes_write, serve->parts) == 0) {
		json_t *answer = answer_json(serve, &kinds);

		if (answer)
			text = json_dumps(answer, JSON_COMPACT);
		json_decref(answer);
	} else {
		json_decref(serve->notes);
		json_decref(serve->errors);
	}
	kinds_fini(&kinds);
	return text;
}

static void serve_fini(struct serve *serve)
{
	for (size_t i = 0; serve->parts && i < serve->graph.n_instances; i++) {
		struct part_shape *part = &serve->parts[i];

		for (uint32_t k = 0; part->reals && k < part->component->params.len; k++)
			free(part->reals[k]);
		free(part->reals);
		free(part->state);
	}
	component_files_close(&serve->files);
	for (size_t i = 0; i < serve->n_kinds; i++)
		free(serve->kinds[i].why);
	free(serve->kinds);
	free(serve->parts);
	free(serve->graph.links);
	json_decref(serve->root);
	diag_fini(&serve->diag);
}

static void no_progress(void *context, const char *what, const char *instance)
{
	(void)context, (void)what, (void)instance;
}

char *waveform_shape_answer(const char *request,
    void (*progress)(void *context, const char *call, const char *instance), void *context)
{
	struct serve serve = {.progress = progress ? progress : no_progress, .context = context};
	char *text = NULL;

	diag_init(&serve.diag);
	serve.notes = json_array();
	serve.errors = json_array();
	if (serve_all(&serve, request) != -ENOMEM) {
		text = answer_text(&serve);
	} else {
		json_decref(serve.notes);
		json_decref(serve.errors);
	}
	serve_fini(&serve);
	return text;
}
