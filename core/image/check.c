/* SPDX-License-Identifier: BSD-3-Clause
 *
 * check.c - whether a program is sound: every table, offset, number and text inside its limits. */
#include "core/image/image.h"

#include <errno.h>

#include <aloe/component.h>

enum { IMAGE_ITEMS_MAX = 1 << 24 }; /* of one array */

static bool rows_fit(uint64_t offset, uint64_t count, uint64_t size, uint64_t align, uint64_t limit)
{
	return offset % align == 0 && offset <= limit &&
	    (size == 0 || count <= (limit - offset) / size);
}

static bool part_sound(const struct image_table *table, uint64_t first, uint64_t count)
{
	return first <= table->count && count <= table->count - first;
}

struct check {
	const uint8_t *bytes;
	const struct image_head *head;
};

static const void *rows_of(const struct check *c, const struct image_table *table)
{
	return c->bytes + table->offset;
}

static bool tables_sound(const struct image_head *h)
{
	const struct {
		const struct image_table *table;
		uint64_t size, max;
	} all[] = {
	    {&h->nodes, sizeof(struct image_node), IMAGE_NODES_MAX},
	    {&h->lanes, sizeof(struct image_lane), IMAGE_LANES_MAX},
	    {&h->hosts, sizeof(struct image_host), IMAGE_INSTANCES_MAX},
	    {&h->segments, sizeof(struct image_segment), IMAGE_INSTANCES_MAX},
	    {&h->order, 4, IMAGE_INSTANCES_MAX},
	    {&h->gates, sizeof(struct image_gate), 1 << 20},
	    {&h->instances, sizeof(struct image_instance), IMAGE_INSTANCES_MAX},
	    {&h->inputs, sizeof(struct image_input), 1 << 20},
	    {&h->outputs, sizeof(struct image_output), 1 << 20},
	    {&h->buffers, sizeof(struct image_buffer), 1 << 20},
	    {&h->params, sizeof(struct image_param), 1 << 20},
	    {&h->vars, sizeof(struct image_var), 1 << 20},
	    {&h->reals, sizeof(float), 1 << 24},
	    {&h->radios, sizeof(struct image_radio), IMAGE_RADIOS_MAX},
	    {&h->holds, sizeof(struct image_hold), IMAGE_INSTANCES_MAX},
	    {&h->text, 1, 1 << 26},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].table->count > all[i].max ||
		    !rows_fit(
		        all[i].table->offset, all[i].table->count, all[i].size, 8, h->static_bytes))
			return false;
	return true;
}

static bool lanes_sound(const struct check *c)
{
	const struct image_lane *lane = rows_of(c, &c->head->lanes);
	uint32_t on_node[IMAGE_NODES_MAX] = {0};

	for (uint64_t i = 0; i < c->head->lanes.count; i++)
		if ((lane[i].last != IMAGE_NONE && lane[i].last >= c->head->segments.count) ||
		    lane[i].node >= c->head->nodes.count ||
		    ++on_node[lane[i].node] > NODE_LANES_MAX ||
		    !rows_fit(lane[i].state, 1, sizeof(struct image_lane_state), 64,
		        c->head->total_bytes))
			return false;
	return true;
}

static bool hosts_sound(const struct check *c)
{
	const struct image_host *host = rows_of(c, &c->head->hosts);

	if (c->head->hosts.count != c->head->n_hosts)
		return false;
	for (uint64_t i = 0; i < c->head->hosts.count; i++)
		if (host[i].node >= c->head->nodes.count || host[i].bytes % IMAGE_PAGE != 0 ||
		    host[i].bytes < 2 * (uint64_t)IMAGE_WALL ||
		    !rows_fit(host[i].offset, host[i].bytes, 1, IMAGE_PAGE, c->head->total_bytes) ||
		    host[i].links < host[i].offset + 2 * (uint64_t)IMAGE_WALL ||
		    host[i].links > host[i].offset + host[i].bytes)
			return false;
	return true;
}

/* Whoever is side by side with others follows the one before it, is called when that one is, and
 * has such ports; the component is the host's to compare. */
static bool side_sound(
    const struct check *c, const struct image_instance *i, const struct image_instance *before)
{
	const struct image_input *in = rows_of(c, &c->head->inputs);
	const struct image_output *out = rows_of(c, &c->head->outputs);

	if (i->side == 0)
		return true;
	if (i->side > ALOE_MANY_MAX || i->period != 1 || i->places != 1 || (i->io & IMAGE_IO) != 0)
		return false;
	if (i->side == 1)
		return true;
	if (before == NULL || before->side != i->side - 1 || before->lag != i->lag ||
	    before->run_on != i->run_on || before->n_inputs != i->n_inputs ||
	    before->n_outputs != i->n_outputs)
		return false;
	for (uint32_t p = 0; p < i->n_inputs; p++)
		if (!part_sound(&c->head->inputs, i->inputs, i->n_inputs) ||
		    !part_sound(&c->head->inputs, before->inputs, i->n_inputs) ||
		    in[i->inputs + p].type != in[before->inputs + p].type ||
		    in[i->inputs + p].max != in[before->inputs + p].max)
			return false;
	for (uint32_t p = 0; p < i->n_outputs; p++)
		if (!part_sound(&c->head->outputs, i->outputs, i->n_outputs) ||
		    !part_sound(&c->head->outputs, before->outputs, i->n_outputs) ||
		    out[i->outputs + p].type != out[before->outputs + p].type ||
		    out[i->outputs + p].max != out[before->outputs + p].max)
			return false;
	return true;
}

static bool segment_sound(const struct check *c, const struct image_segment *s)
{
	const struct image_head *h = c->head;
	const struct image_segment *segments = rows_of(c, &h->segments);
	const struct image_instance *instances = rows_of(c, &h->instances);
	const struct image_gate *gates = rows_of(c, &h->gates);
	const struct image_lane *lanes = rows_of(c, &h->lanes);
	const struct image_host *hosts = rows_of(c, &h->hosts);
	const uint32_t *order = rows_of(c, &h->order);

	if (s->lane >= h->lanes.count || s->host >= h->hosts.count ||
	    lanes[s->lane].node != hosts[s->host].node || s->turn >= s->stride ||
	    (s->stride > 1 && s->n_instances == 0) || s->n_events - 1 >= IMAGE_EVENTS_MAX ||
	    !part_sound(&h->order, s->order, s->n_instances) ||
	    !part_sound(&h->gates, s->gates, s->n_gates) ||
	    !rows_fit(s->state, 1, sizeof(struct image_segment_state), 64, h->total_bytes) ||
	    !rows_fit(s->events, s->n_events, sizeof(struct image_event), 64, h->total_bytes))
		return false;
	for (uint32_t i = 0; i < s->n_gates; i++)
		if (gates[s->gates + i].segment >= h->segments.count)
			return false;
	for (uint32_t i = 0; i < s->n_instances; i++)
		if (order[s->order + i] >= h->instances.count ||
		    instances[order[s->order + i]].segment != (uint32_t)(s - segments) ||
		    instances[order[s->order + i]].places != s->stride ||
		    !side_sound(c, &instances[order[s->order + i]],
		        i > 0 ? &instances[order[s->order + i - 1]] : NULL))
			return false;
	return true;
}

/* Whoever is in several places has the steps of each of its segments. */
static bool place_sound(const struct check *c, const struct image_instance *i)
{
	const struct image_instance *rows = rows_of(c, &c->head->instances);
	const struct image_segment *segments = rows_of(c, &c->head->segments);
	const struct image_instance *first = &rows[i->named];

	return i->segment < c->head->segments.count && first->places == i->places &&
	    segments[i->segment].stride == i->places &&
	    segments[i->segment].turn == (i->lag + (uint64_t)i->place) % i->places &&
	    (i->place == 0 ? i->named : (uint64_t)first->rest + i->place - 1) ==
	    (uint64_t)(i - rows);
}

/* Copies are alike. */
static bool places_sound(const struct check *c, const struct image_instance *i)
{
	const struct image_instance *rows = rows_of(c, &c->head->instances);
	const uint64_t n = c->head->instances.count, number = (uint64_t)(i - rows);
	const struct image_instance *original = &rows[number % (n / c->head->copies)];

	if (i->places == 0 || i->place >= i->places || i->named >= n || i->rest >= n ||
	    i->places - 1 > n - i->rest || original->places != i->places ||
	    original->place != i->place)
		return false;
	return i->places == 1 ? i->named == number : i->period == 1 && place_sound(c, i);
}

static bool instance_sound(const struct check *c, const struct image_instance *i)
{
	const struct image_head *h = c->head;

	return i->segment < h->segments.count && i->n_inputs <= ALOE_PORTS_MAX &&
	    i->n_outputs <= ALOE_PORTS_MAX && i->period > 0 && i->phase < i->period &&
	    i->n_params <= IMAGE_PARAMS_MAX && i->n_vars <= IMAGE_VARS_MAX &&
	    i->sink <= h->instances.count && places_sound(c, i) &&
	    (i->places == 1 || h->late == IMAGE_SLIP) &&
	    part_sound(&h->inputs, i->inputs, i->n_inputs) &&
	    part_sound(&h->outputs, i->outputs, i->n_outputs) &&
	    part_sound(&h->params, i->params, i->n_params) &&
	    part_sound(&h->vars, i->vars, i->n_vars) &&
	    rows_fit(i->state, 1, sizeof(struct image_instance_state), 64, h->total_bytes) &&
	    rows_fit(i->time, 1, sizeof(struct hist_head), 64, h->total_bytes) &&
	    (i->latency == 0 ||
	        rows_fit(i->latency, 1, sizeof(struct image_latency), 64, h->total_bytes));
}

static bool shares_sound(const struct check *c, const struct image_buffer *b)
{
	const struct image_buffer *first = rows_of(c, &c->head->buffers), *other;

	if (b->shares == 0)
		return true;
	if (b->shares > (uint64_t)(b - first))
		return false;
	other = first + b->shares - 1;
	return other->type == b->type && other->max == b->max && other->depth == b->depth &&
	    other->data == b->data && other->tap == 0;
}

static bool buffer_sound(const struct check *c, const struct image_buffer *b)
{
	const struct image_head *h = c->head;
	const uint32_t item = aloe_item_bytes(b->type);

	return b->instance < h->instances.count && b->port < ALOE_PORTS_MAX && shares_sound(c, b) &&
	    (b->tap == 0 || (b->shares == 0 && b->tap < b->depth)) && item != 0 && b->depth >= 1 &&
	    b->depth <= 1 << 20 && (b->depth & (b->depth - 1)) == 0 &&
	    b->canary == image_canary(item, b->max) && b->stride >= b->canary + 16 &&
	    b->stride % 64 == 0 && b->stride <= 1ull << 32 &&
	    rows_fit(b->messages, b->depth, sizeof(struct image_message),
	        b->depth > 1 ? 64 : sizeof(struct image_message), h->total_bytes) &&
	    b->data >= 64 && rows_fit(b->data, b->depth, b->stride, 64, h->total_bytes);
}

/* A component that was told of `max` items of a type is never given more, nor others. */
static bool ports_sound(const struct check *c)
{
	const struct image_head *h = c->head;
	const struct image_buffer *buffers = rows_of(c, &h->buffers);
	const struct image_input *in = rows_of(c, &h->inputs);
	const struct image_output *out = rows_of(c, &h->outputs);

	for (uint64_t i = 0; i < h->inputs.count; i++)
		if (in[i].buffer != IMAGE_NONE &&
		    (in[i].buffer >= h->buffers.count || in[i].type != buffers[in[i].buffer].type ||
		        in[i].max < buffers[in[i].buffer].max))
			return false;
	for (uint64_t i = 0; i < h->outputs.count; i++)
		if (out[i].buffer != IMAGE_NONE &&
		    (out[i].buffer >= h->buffers.count ||
		        out[i].type != buffers[out[i].buffer].type ||
		        out[i].max != buffers[out[i].buffer].max))
			return false;
	return true;
}

static bool params_sound(const struct check *c)
{
	const struct image_head *h = c->head;
	const struct image_param *param = rows_of(c, &h->params);

	for (uint64_t i = 0; i < h->params.count; i++)
		if (param[i].n_names > h->text.count || /* each takes a byte at least */
		    (param[i].n_reals > 0 &&
		        !rows_fit(param[i].reals, param[i].n_reals, 4, 4, h->static_bytes)) ||
		    (param[i].array != 0 &&
		        (param[i].items_max > IMAGE_ITEMS_MAX ||
		            param[i].n_reals > param[i].items_max ||
		            !rows_fit(param[i].array, 1, image_array_bytes(&param[i]), 64,
		                h->total_bytes))))
			return false;
	return true;
}

static bool radios_sound(const struct check *c)
{
	const struct image_head *h = c->head;
	const struct image_radio *radio = rows_of(c, &h->radios);
	uint64_t channels = 0;

	if (h->clock == IMAGE_RADIO &&
	    (h->slot_samples == 0 || !(h->rate_hz > 0) || h->radios.count == 0))
		return false;
	for (uint64_t i = 0; i < h->radios.count; i++) {
		if (radio[i].n_channels == 0)
			return false;
		channels += radio[i].n_channels;
	}
	return channels <= IMAGE_RADIO_CHANNELS_MAX;
}

static bool holds_sound(const struct check *c)
{
	const struct image_hold *hold = rows_of(c, &c->head->holds);

	for (uint64_t i = 0; i < c->head->holds.count; i++)
		if (hold[i].phase >= hold[i].period || hold[i].holds == 0 ||
		    hold[i].holds > hold[i].period)
			return false;
	return true;
}

int image_check(const void *bytes, size_t len, const char **ret_why)
{
	const struct image_head *h = bytes;
	const struct check c = {bytes, h};

	*ret_why = "too short, or no image of this version";
	if (len < sizeof(*h) || h->magic != IMAGE_MAGIC || h->version != IMAGE_VERSION)
		return -EBADMSG;
	*ret_why = "sizes do not agree";
	if (h->static_bytes < sizeof(*h) || h->static_bytes > len || h->total_bytes == 0 ||
	    h->total_bytes > 1ull << 40)
		return -EBADMSG;
	*ret_why = "a number in the head makes no sense";
	if (h->slot_ns == 0 || h->slots == 0 || h->latency_slots == 0 ||
	    h->n_hosts > IMAGE_INSTANCES_MAX || h->clock > IMAGE_RADIO || h->late > IMAGE_SKIP ||
	    h->on_node_loss > IMAGE_LOSS_RESTART || h->round_robin > 1 ||
	    (h->on_node_loss == IMAGE_LOSS_RESTART && h->lease_ms == 0) || h->copies == 0 ||
	    h->instances.count % h->copies != 0)
		return -EBADMSG;
	*ret_why = "a table lies outside the program";
	if (!tables_sound(h) || !rows_fit(h->run, 1, sizeof(struct image_run), 64, h->total_bytes))
		return -EBADMSG;
	*ret_why = "text is not terminated";
	if (h->text.count == 0 || c.bytes[h->text.offset + h->text.count - 1] != 0)
		return -EBADMSG;
	*ret_why = "a table names something that is not there";
	for (uint64_t i = 0; i < h->segments.count; i++)
		if (!segment_sound(&c, (const struct image_segment *)rows_of(&c, &h->segments) + i))
			return -EBADMSG;
	for (uint64_t i = 0; i < h->instances.count; i++)
		if (!instance_sound(
		        &c, (const struct image_instance *)rows_of(&c, &h->instances) + i))
			return -EBADMSG;
	for (uint64_t i = 0; i < h->buffers.count; i++)
		if (!buffer_sound(&c, (const struct image_buffer *)rows_of(&c, &h->buffers) + i))
			return -EBADMSG;
	if (!lanes_sound(&c) || !hosts_sound(&c) || !ports_sound(&c) || !params_sound(&c) ||
	    !radios_sound(&c) || !holds_sound(&c))
		return -EBADMSG;
	*ret_why = NULL;
	return 0;
}
