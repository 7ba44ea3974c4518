/* SPDX-License-Identifier: BSD-3-Clause
 * core/waveform: a file of any bytes is refused with at least one reason, or gives a waveform that
 * keeps every promise of waveform.h. A first line `# --set ...` is taken as an override as well. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/waveform/waveform.h"
#include "tests/common/types.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void port_check(
    const struct waveform *waveform, const struct wf_port *own, const struct aloe_port *port)
{
	insist(own->link >= -1 && own->link < (int)waveform->n_links);
	insist(own->link >= 0 || (port->flags & ALOE_OPTIONAL));
	insist(own->link < 0 || (aloe_item_bytes(own->type) > 0 && (own->type & port->types)));
}

static void value_check(const struct wf_value *value, const struct aloe_param *param)
{
	const bool number = param->kind == ALOE_KIND_REAL || param->kind == ALOE_KIND_INT;

	insist(value->set || !(param->flags & ALOE_REQUIRED));
	insist(!number || isnan(value->number) ||
	    (value->number >= param->min && value->number <= param->max));
	insist(!number || !isnan(value->number) || !value->set);
	if (param->kind == ALOE_KIND_TEXT || param->kind == ALOE_KIND_PATH)
		insist(value->text && strlen(value->text) < param->size);
	insist(value->n_reals <= param->items_max);
}

static void instance_check(const struct waveform *waveform, const struct wf_instance *instance)
{
	size_t in = 0, out = 0;

	insist(instance->name && instance->type && instance->period >= 1 &&
	    instance->phase < instance->period);
	for (size_t i = 0; i < instance->type->n_ports; i++) {
		const struct aloe_port *port = &instance->type->ports[i];

		port_check(
		    waveform, port->output ? &instance->out[out++] : &instance->in[in++], port);
	}
	insist(in == instance->n_in && out == instance->n_out);
	for (size_t i = 0; i < instance->type->n_params; i++)
		value_check(&instance->values[i], &instance->type->params[i]);
}

static void waveform_check(const struct waveform *waveform)
{
	insist(waveform->name && waveform->slot_ns > 0 && waveform->n_instances > 0);
	for (size_t i = 0; i < waveform->n_instances; i++)
		instance_check(waveform, &waveform->instances[i]);
	for (size_t i = 0; i < waveform->n_links; i++) {
		const struct wf_link *link = &waveform->links[i];

		insist(link->from >= 0 && link->from < (int)waveform->n_instances);
		insist(link->to >= 0 && link->to < (int)waveform->n_instances);
		const struct wf_instance *writer = &waveform->instances[link->from];
		const struct wf_instance *reader = &waveform->instances[link->to];
		insist(link->from_port >= 0 && link->from_port < (int)writer->n_out);
		insist(link->to_port >= 0 && link->to_port < (int)reader->n_in);
		insist(writer->out[link->from_port].type == reader->in[link->to_port].type);
		insist(reader->in[link->to_port].link == (int)i);
	}
}

/* Replicas become rows: each place names its first, which names all of them. */
static void spread_check(struct waveform *waveform)
{
	const struct wf_size size = waveform_spread_size(waveform);

	for (size_t i = 0; i < waveform->n_instances; i++)
		insist(waveform->instances[i].replicas <= 64);
	if (size.n_links > 20000) /* memory, and nothing new */
		return;
	insist(waveform_spread(waveform) == 0 && waveform->n_instances == size.n_instances &&
	    waveform->n_links == size.n_links);
	for (size_t i = 0; i < waveform->n_instances; i++) {
		const struct wf_instance *row = &waveform->instances[i];
		const int first = waveform_named(waveform, (int)i);

		insist(row->name && row->place < waveform_places(row));
		insist(row->place == 0
		        ? first == (int)i
		        : waveform->instances[first].rest + (int)row->place - 1 == (int)i);
		insist(row->places < 2 || waveform->instances[first].places == row->places);
	}
	for (size_t i = 0; i < waveform->n_links; i++)
		insist(waveform->links[i].from < (int)waveform->n_instances &&
		    waveform->links[i].to < (int)waveform->n_instances);
}

static const struct registry *the_registry(void)
{
	static struct registry *registry;

	if (!registry)
		registry = test_registry_open();
	insist(registry != NULL);
	return registry;
}

/* What follows "# --set " in the first line, to be freed; NULL if it does not begin so. */
static char *first_set(const uint8_t *data, size_t size)
{
	static const char mark[] = "# --set ";
	const size_t skip = strlen(mark);
	const uint8_t *end = memchr(data, '\n', size);

	if (!end || size < skip || memcmp(data, mark, skip) != 0)
		return NULL;
	return strndup((const char *)data + skip, (size_t)(end - data) - skip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *set = size ? first_set(data, size) : NULL;
	const char *const sets[] = {set};
	const struct wf_overrides overrides = {
	    .sets = sets, .n_sets = set ? 1 : 0, .cwd = "/there", .pipelined = -1};
	struct waveform *waveform = NULL;
	struct diag diag;
	char *json;
	int rc;

	diag_init(&diag);
	rc = waveform_parse(
	    "fuzz.conf", (const char *)data, size, the_registry(), &overrides, &diag, &waveform);
	insist((rc == 0) == (waveform != NULL) && (rc == 0) == (diag.errors == 0) && !diag.lost);
	if (waveform) {
		waveform_check(waveform);
		json = waveform_shape_json(waveform);
		insist(json != NULL);
		free(json);
		spread_check(waveform);
	}
	waveform_free(waveform);
	diag_fini(&diag);
	free(set);
	return 0;
}
