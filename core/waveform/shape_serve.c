/* SPDX-License-Identifier: BSD-3-Clause
 * The host's side: the only part of core/waveform that opens components. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

struct part_shape { /* an instance */
	const char *name;
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
	json_int_t number[5];

	for (size_t k = 0; k < 5; k++) {
		if (!json_is_integer(json_array_get(item, k)))
			return diag_error(
			    &serve->diag, request_name, 0, "links: five numbers are needed");
		number[k] = json_integer_value(json_array_get(item, k));
		if (number[k] < 0 || number[k] > WF_ITEMS_MAX)
			return diag_error(
			    &serve->diag, request_name, 0, "links: a number out of range");
	}
	if ((size_t)number[0] >= graph->n_instances || (size_t)number[2] >= graph->n_instances ||
	    (size_t)number[1] >= serve->parts[number[0]].n_out ||
	    (size_t)number[3] >= serve->parts[number[2]].n_in)
		return diag_error(&serve->diag, request_name, 0, "links: no such instance or port");
	serve->graph.links[serve->graph.n_links++] = (struct wf_link){(int)number[0],
	    (int)number[1], (int)number[2], (int)number[3], 0, (uint32_t)number[4], 0};
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

static int request_read(struct serve *serve, const char *request, json_t **ret_instances)
{
	uint64_t schema;
	json_t *list;

	serve->root = json_read(request_name, request, strlen(request), &serve->diag);
	if (!serve->root ||
	    json_want_uint(serve->root, "schema", INT32_MAX, request_name, &serve->diag, &schema) <
	        0)
		return -EINVAL;
	if (schema != SHAPE_SCHEMA)
		return diag_error(&serve->diag, request_name, 0,
		    "found schema %u; schema %d is "
		    "needed",
		    (unsigned)schema, SHAPE_SCHEMA);
	if (json_want_uint(serve->root, "slot_ns", UINT32_MAX * 10ULL, request_name, &serve->diag,
	        &serve->slot_ns) < 0 ||
	    (json_object_get(serve->root, "slot_samples") &&
	        json_want_uint(serve->root, "slot_samples", UINT32_MAX, request_name, &serve->diag,
	            &serve->slot_samples) < 0) ||
	    json_want_array(
	        serve->root, "instances", WF_INSTANCES_MAX, request_name, &serve->diag, &list) < 0)
		return -EINVAL;
	serve->parts = calloc(json_array_size(list) + 1, sizeof(*serve->parts));
	if (!serve->parts)
		return -ENOMEM;
	serve->graph.n_instances = json_array_size(list);
	for (size_t i = 0; i < serve->graph.n_instances; i++) {
		struct part_shape *part = &serve->parts[i];
		const json_t *object = json_array_get(list, i);

		if (json_want_text(object, "name", request_name, &serve->diag, &part->name) < 0 ||
		    formats_read(serve, object, "in", part->in, &part->n_in) < 0 ||
		    formats_read(serve, object, "out", part->out, &part->n_out) < 0)
			return -EINVAL;
	}
	*ret_instances = list;
	return links_read(serve);
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

static void params_write(struct serve *serve, size_t i, const json_t *object)
{
	struct part_shape *part = &serve->parts[i];
	const json_t *values = json_object_get(object, "params");
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
static bool same_tables(
    const struct part_shape *part, const struct component_file *file, const json_t *object)
{
	const char *wanted = json_string_value(json_object_get(object, "digest"));
	const struct aloe_component *component = file->entry->component;
	size_t n[2] = {0, 0};
	char digest[20];

	snprintf(digest, sizeof(digest), "%016" PRIx64, file->digest);
	for (uint32_t i = 0; i < component->ports.len; i++)
		n[component->ports.items[i].output]++;
	return wanted && strcmp(wanted, digest) == 0 && n[0] == part->n_in && n[1] == part->n_out;
}

static void part_open(struct serve *serve, size_t i, const json_t *object)
{
	struct part_shape *part = &serve->parts[i];
	const char *path = json_string_value(json_object_get(object, "path"));
	const struct component_file *file;
	struct diag diag;

	diag_init(&diag);
	file = component_files_open(&serve->files, path ? path : "", &diag);
	if (!file) {
		part_fail(serve, i, diag.len ? diag.lines[0] : "cannot be opened");
	} else if (!same_tables(part, file, object)) {
		char text[512];

		snprintf(
		    text, sizeof(text), "%.400s and its .desc file differ; build both again", path);
		part_fail(serve, i, text);
	} else {
		part->component = file->entry->component;
		params_write(serve, i, object);
	}
	diag_fini(&diag);
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
	json_t *instances = NULL;
	int error = request_read(serve, request, &instances);

	if (error)
		return error;
	for (size_t i = 0; i < serve->graph.n_instances; i++) {
		serve->progress(serve->context, "open", serve->parts[i].name);
		part_open(serve, i, json_array_get(instances, i));
	}
	for (size_t i = 0; i < serve->graph.n_instances; i++)
		if (!serve->parts[i].failed && serve->parts[i].component->check)
			part_call(serve, i, "check", serve->parts[i].component->check);
	return shape_all(serve);
}

/* ---- answer ------------------------------------------------------------------------ */

static json_t *max_json(const struct aloe_format *formats, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_integer(formats[i].max));
	return list;
}

/* Takes notes and errors over. */
static char *answer_text(struct serve *serve)
{
	json_t *max = json_array();
	char *text = NULL;

	for (size_t i = 0; serve->parts && i < serve->graph.n_instances; i++)
		json_array_append_new(max,
		    json_pack("{s:o, s:o, s:I}", "in",
		        max_json(serve->parts[i].in, serve->parts[i].n_in), "out",
		        max_json(serve->parts[i].out, serve->parts[i].n_out), "tail",
		        (json_int_t)serve->parts[i].tail));
	for (size_t i = 0; i < serve->diag.len; i++)
		json_array_append_new(serve->errors, json_pack("[i, s]", -1, serve->diag.lines[i]));
	json_t *answer = json_pack("{s:i, s:o, s:o, s:o}", "schema", SHAPE_SCHEMA, "max", max,
	    "notes", serve->notes, "errors", serve->errors);
	if (answer)
		text = json_dumps(answer, JSON_COMPACT);
	json_decref(answer);
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
