/* SPDX-License-Identifier: BSD-3-Clause
 * A plan as text for people and as JSON. */
#include "core/map/plan_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

struct lane_sum {
	size_t instances;
	double kmac;
	uint64_t budget_ns;
	bool budgets; /* known for all of its instances */
};

static struct lane_sum lane_sum(const struct plan *plan, size_t lane)
{
	struct lane_sum sum = {.budgets = true};

	for (size_t i = 0; i < plan->n_instances; i++) {
		if (plan->instances[i].lane != lane)
			continue;
		sum.instances++;
		sum.kmac += plan->instances[i].kmac;
		sum.budget_ns += plan->instances[i].budget_ns;
		sum.budgets &= plan->instances[i].budget_ns > 0;
	}
	return sum;
}

static size_t lanes_used(const struct plan *plan)
{
	size_t used = 0;

	for (size_t lane = 0; lane < plan->n_lanes; lane++)
		used += lane_sum(plan, lane).instances > 0;
	return used;
}

const char *plan_port_name(const struct wf_instance *instance, int output, int port)
{
	for (size_t i = 0; i < instance->type->n_ports; i++)
		if (instance->type->ports[i].output == output && port-- == 0)
			return instance->type->ports[i].name;
	return "?";
}

const struct plan_buffer *plan_buffer_of(
    const struct waveform *wf, const struct plan *plan, const struct wf_link *link)
{
	const uint32_t from = (uint32_t)waveform_named(wf, link->from),
	               port = (uint32_t)link->from_port;
	size_t low = 0, high = plan->n_buffers;

	while (low < high) { /* the first that is not before it */
		const size_t middle = low + (high - low) / 2;
		const struct plan_buffer *buffer = &plan->buffers[middle];

		if (buffer->instance < from || (buffer->instance == from && buffer->port < port))
			low = middle + 1;
		else
			high = middle;
	}
	return low < plan->n_buffers && plan->buffers[low].instance == from &&
	        plan->buffers[low].port == port
	    ? &plan->buffers[low]
	    : NULL;
}

/* ---- for people ---- */

static const char *mode_text(const struct plan *plan, char *text, size_t size)
{
	const struct plan_candidate *best = &plan->choice.best;

	if (plan->choice.mode == PLAN_TIERS)
		snprintf(text, size,
		    "chosen by mapper %s, at %.0f %% of the capacity; largest load %.1f %%",
		    best->name, 100 * best->share, 100 * best->peak);
	else if (plan->choice.mode == PLAN_OVER)
		snprintf(text, size,
		    "NO MAPPING FITS; the mapping of %s exceeds the capacity least, with a largest "
		    "load of %.1f %%",
		    best->name, 100 * best->peak);
	else if (plan->choice.n_candidates == 1 && best->cost < INFINITY &&
	    strcmp(best->name, "one lane") != 0)
		snprintf(
		    text, size, "chosen by mapper %s alone, as evenly as possible", best->name);
	else
		snprintf(text, size,
		    "chosen by mapper %s, as evenly as possible without a link back to an earlier "
		    "lane",
		    best->name);
	return text;
}

/* Which copies one call serves, and what that takes: places of their own for what the others of a
 * group read and write meanwhile. */
static void side_print(
    FILE *out, const struct waveform *wf, const struct plan *plan, size_t original)
{
	const size_t apart = waveform_originals(wf);
	const struct wf_instance *it = &wf->instances[original];
	size_t copies = 0, groups = 0, bytes = 0;

	for (uint32_t p = 0; p < it->n_in; p++)
		bytes += (size_t)it->in[p].max * aloe_item_bytes(it->in[p].type);
	for (uint32_t p = 0; p < it->n_out; p++)
		bytes += (size_t)it->out[p].max * aloe_item_bytes(it->out[p].type);
	for (size_t i = original; i < wf->n_instances; i += apart) {
		copies += plan->instances[i].side > 0;
		groups += plan->instances[i].side == 1;
	}
	if (groups > 0)
		fprintf(out,
		    "side by side: %s of %zu copies in %zu group%s, one call for each; up to %zu "
		    "kB more for their messages\n",
		    it->original ? it->original : it->name, copies, groups, plural(groups),
		    ((copies - groups) * bytes + 999) / 1000);
}

/* Whose costs are not as measured, and how they were made. */
static void lengths_print(FILE *out, const struct waveform *wf, const struct plan *plan,
    enum length_source source, const char *how)
{
	char names[200] = "";
	size_t len = 0, n = 0;

	for (size_t i = 0; i < waveform_originals(wf); i++) {
		const struct wf_instance *it = &wf->instances[i];

		if (plan->instances[i].length != source || it->place > 0)
			continue;
		if (len < sizeof(names))
			len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
			    n ? ", " : "", it->original ? it->original : it->name);
		n++;
	}
	if (n)
		fprintf(out, "lengths: %zu %s: %s%s\n", n, how, names,
		    len < sizeof(names) ? "" : "...");
}

static void head_print(FILE *out, const struct waveform *wf, const struct plan *plan)
{
	const size_t used = lanes_used(plan);
	char text[256], us[NUMBER_TEXT];

	fprintf(out, "%s: %zu instance%s on %zu lane%s, slots of %s us%s\n", wf->name,
	    plan->n_instances, plural(plan->n_instances), used, plural(used),
	    number_text((double)wf->slot_ns / 1e3, 6, us), wf->pipelined ? ", pipelined" : "");
	fprintf(out, "latency: %" PRIu32 " slot%s, %s us\n", plan->latency_slots,
	    plural(plan->latency_slots),
	    number_text((double)plan->latency_slots * (double)wf->slot_ns / 1e3, 6, us));
	if (plan->n_stated)
		fprintf(out, "costs: %zu instance%s with the stated time for the kind of core\n",
		    plan->n_stated, plural(plan->n_stated));
	if (plan->hash)
		fprintf(out, "costs: measured, profile %016" PRIx64 "\n", plan->hash);
	else if (plan->n_stated < plan->n_instances)
		fprintf(out, "costs: the components' own figures (nothing was measured yet)\n");
	lengths_print(
	    out, wf, plan, LENGTH_FITTED, "fitted from runs at two or more other lengths");
	lengths_print(
	    out, wf, plan, LENGTH_SCALED, "in proportion to the one length that was measured");
	lengths_print(out, wf, plan, LENGTH_UNKNOWN, "as measured, at a length that is not known");
	fprintf(out, "lanes: %s\n", mode_text(plan, text, sizeof(text)));
	for (size_t i = 0; i < waveform_originals(wf); i++)
		if (wf->instances[i].places > 1 && wf->instances[i].place == 0)
			fprintf(out,
			    "replicas: %s is in %" PRIu32 " place%s, and a call may take as "
			    "many slots\n",
			    wf->instances[i].original ? wf->instances[i].original
			                              : wf->instances[i].name,
			    wf->instances[i].places, plural(wf->instances[i].places));
	for (size_t i = 0; i < waveform_originals(wf); i++)
		side_print(out, wf, plan, i);
	fprintf(out, "words: `man aloe-words` explains the words of this plan\n");
}

static void us_print(FILE *out, bool known, uint64_t ns)
{
	if (known)
		fprintf(out, " %10.1f", (double)ns / 1e3);
	else
		fprintf(out, " %10s", "-");
}

static void instance_print(FILE *out, const struct waveform *wf, const struct plan *plan,
    uint32_t i, uint32_t host, int width)
{
	const struct plan_instance *instance = &plan->instances[i];

	fprintf(out, "  %-*s  %-*s %4" PRIu32 " %10.1f", width, wf->instances[i].name, width,
	    wf->instances[i].type->name, instance->lag, instance->kmac);
	us_print(out, instance->budget_ns > 0, instance->budget_ns);
	us_print(out, plan->lanes[instance->lane].n_guessed == 0, instance->start_ns);
	if (host < plan->n_shared)
		fprintf(out, "  shared\n");
	else
		fprintf(out, "  %6" PRIu32 "\n", host);
}

static int name_width(const struct waveform *wf)
{
	size_t width = 9;

	for (size_t i = 0; i < wf->n_instances; i++) {
		width =
		    strlen(wf->instances[i].name) > width ? strlen(wf->instances[i].name) : width;
		width = strlen(wf->instances[i].type->name) > width
		    ? strlen(wf->instances[i].type->name)
		    : width;
	}
	return width < 40 ? (int)width : 40;
}

/* Of copies the first on a lane stands for all. */
static bool is_shown(
    const struct waveform *wf, const struct plan *plan, size_t lane, uint32_t number)
{
	const size_t n = waveform_originals(wf);

	for (size_t i = n > 0 ? number % n : number; i < number; i += n)
		if (plan->instances[i].lane == lane)
			return false;
	return true;
}

/* The guard period cannot be kept free in a slot, as it is as long as one: it is told instead. */
static void shared_print(FILE *out, const struct waveform *wf, const struct plan_lane *lane)
{
	const double slot_ms = (double)wf->slot_ns / 1e6;

	if (lane->taken_ns > 0)
		fprintf(out,
		    "\n  shared with waveforms that were admitted with %.1f us; a hang of one of "
		    "their hosts costs this lane up to %.1f ms once",
		    lane->taken_ns / 1e3, slot_ms + fmax(slot_ms, 1) + 0.2);
}

static void lane_print(FILE *out, const struct waveform *wf, const struct plan *plan, size_t lane)
{
	const struct lane_sum sum = lane_sum(plan, lane);
	const int width = name_width(wf);

	if (!sum.instances)
		return;
	fprintf(out, "\nlane %zu (%s%sCPU %d): %.1f kMAC", lane, plan->lanes[lane].node,
	    plan->lanes[lane].node[0] ? " " : "", plan->cpus[lane], sum.kmac);
	if (plan->lanes[lane].mmac_per_s > 0)
		fprintf(out, ", %.1f %% taken",
		    100 * plan_lane_ns(&plan->lanes[lane]) / fmax(1, plan->lanes[lane].limit_ns));
	if (sum.budgets)
		fprintf(out, ", budgets %.1f us, %.1f %% of the slot", (double)sum.budget_ns / 1e3,
		    100 * (double)sum.budget_ns / (double)wf->slot_ns);
	shared_print(out, wf, &plan->lanes[lane]);
	fprintf(out, "\n  %-*s  %-*s %4s %10s %10s %10s    host\n", width, "instance", width,
	    "component", "lag", "kMAC", "budget us", "start us");
	for (size_t s = 0; s < plan->n_segments; s++)
		for (size_t i = 0;
		     plan->segments[s].lane == lane && i < plan->segments[s].n_instances; i++)
			if (is_shown(wf, plan, lane, plan->segments[s].instances[i]))
				instance_print(out, wf, plan, plan->segments[s].instances[i],
				    plan->segments[s].host, width);
	if (wf->copies > 1 && waveform_originals(wf) > 0)
		fprintf(out, "  ... and the same for each copy on this lane (%zu)\n",
		    (sum.instances + waveform_originals(wf) - 1) / waveform_originals(wf));
}

static void link_print(
    FILE *out, const struct waveform *wf, const struct plan *plan, size_t i, int width)
{
	const struct wf_link *link = &wf->links[i];
	const struct wf_instance *from = &wf->instances[link->from], *to = &wf->instances[link->to];
	const struct plan_buffer *buffer = plan_buffer_of(wf, plan, link);
	const char *type = item_type_name(buffer->type);
	char path[256];

	snprintf(path, sizeof(path), "%s.%s -> %s.%s", from->name,
	    plan_port_name(from, 1, link->from_port), to->name,
	    plan_port_name(to, 0, link->to_port));
	fprintf(out, "  %-*s %5" PRIu32 " %8" PRIu32 " %9" PRIu32, width, path, link->delay,
	    plan->links[i].distance, buffer->depth);
	if (buffer->max)
		fprintf(out, "  %" PRIu32 " %s", buffer->max, type ? type : "?");
	fprintf(out, "\n");
}

static void links_print(FILE *out, const struct waveform *wf, const struct plan *plan)
{
	const int width = 3 * name_width(wf) < 60 ? 3 * name_width(wf) : 60;

	if (!plan->n_links)
		return;
	fprintf(
	    out, "\n  %-*s %5s %8s %9s  message\n", width, "link", "delay", "distance", "buffered");
	for (size_t i = 0; i < waveform_original_links(wf); i++)
		link_print(out, wf, plan, i, width);
}

void plan_print_to(FILE *out, const struct waveform *wf, const struct plan *plan)
{
	head_print(out, wf, plan);
	for (size_t lane = 0; lane < plan->n_lanes; lane++)
		lane_print(out, wf, plan, lane);
	links_print(out, wf, plan);
}

char *plan_print(const struct waveform *wf, const struct plan *plan)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	plan_print_to(out, wf, plan);
	if (!ferror(out) && !fclose(out))
		return text;
	free(text);
	return NULL;
}

/* ---- JSON ---- */

static json_t *us_or_null(uint64_t ns)
{
	return ns ? json_real((double)ns / 1e3) : json_null();
}

static json_t *instance_json(const struct waveform *wf, const struct plan *plan, uint32_t i)
{
	const struct plan_instance *instance = &plan->instances[i];

	return json_pack("{s:s, s:s, s:s?, s:I, s:I, s:f, s:b, s:I, s:s?, s:o, s:o, s:o}", "name",
	    wf->instances[i].name, "component", wf->instances[i].type->name, "node",
	    wf->instances[i].node, "lag", (json_int_t)instance->lag, "run_on",
	    (json_int_t)instance->run_on, "kmac", instance->kmac, "guessed", instance->guessed,
	    "bytes", (json_int_t)instance->bytes, "length", length_source_name(instance->length),
	    "budget_us", us_or_null(instance->budget_ns), "admitted_us",
	    us_or_null(instance->admitted_ns), "start_us", us_or_null(instance->start_ns));
}

static json_t *segment_json(
    const struct waveform *wf, const struct plan *plan, const struct plan_segment *segment)
{
	json_t *instances = json_array();

	for (size_t i = 0; i < segment->n_instances; i++)
		json_array_append_new(instances, instance_json(wf, plan, segment->instances[i]));
	return json_pack("{s:I, s:b, s:o}", "host", (json_int_t)segment->host, "shared",
	    segment->host < plan->n_shared, "instances", instances);
}

static json_t *lane_json(const struct waveform *wf, const struct plan *plan, size_t lane)
{
	const struct plan_lane *row = &plan->lanes[lane];
	const struct lane_sum sum = lane_sum(plan, lane);
	json_t *segments = json_array();

	for (size_t s = 0; s < plan->n_segments; s++)
		if (plan->segments[s].lane == lane)
			json_array_append_new(segments, segment_json(wf, plan, &plan->segments[s]));
	return json_pack(
	    "{s:I, s:s, s:i, s:f, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:o}", "lane",
	    (json_int_t)lane, "node", row->node, "cpu", plan->cpus[lane], "kmac", sum.kmac,
	    "budget_us",
	    sum.instances && sum.budgets ? json_real((double)sum.budget_ns / 1e3) : json_null(),
	    "mmac_per_s", row->mmac_per_s, "limit_us", row->limit_ns / 1e3, "base_us",
	    row->base_ns / 1e3, "carry_us", row->carry_ns / 1e3, "taken_us", row->taken_ns / 1e3,
	    "need_us", row->need_ns / 1e3, "typical_us", row->typical_ns / 1e3, "reserve_us",
	    row->reserve_ns / 1e3, "guessed", (json_int_t)row->n_guessed, "segments", segments);
}

static json_t *link_json(const struct waveform *wf, const struct plan *plan, size_t i)
{
	const struct wf_link *link = &wf->links[i];
	const struct wf_instance *from = &wf->instances[link->from], *to = &wf->instances[link->to];
	const struct plan_buffer *buffer = plan_buffer_of(wf, plan, link);
	const char *type = item_type_name(buffer->type);

	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:o, s:I}", "from", from->name,
	    "from_port", plan_port_name(from, 1, link->from_port), "to", to->name, "to_port",
	    plan_port_name(to, 0, link->to_port), "delay", (json_int_t)link->delay, "distance",
	    (json_int_t)plan->links[i].distance, "depth", (json_int_t)buffer->depth, "type",
	    type ? json_string(type) : json_null(), "items", (json_int_t)buffer->max);
}

/* The hash is text: a JSON number holds 53 bits. */
static json_t *root_json(
    const struct waveform *wf, const struct plan *plan, json_t *lanes, json_t *links)
{
	char hash[17];

	snprintf(hash, sizeof(hash), "%016" PRIx64, plan->hash);
	return json_pack("{s:i, s:s, s:I, s:b, s:I, s:f, s:o, s:I, s:o, s:o}", "schema", 1,
	    "waveform", wf->name, "slot_ns", (json_int_t)wf->slot_ns, "pipelined", wf->pipelined,
	    "latency_slots", (json_int_t)plan->latency_slots, "latency_us",
	    (double)plan->latency_slots * (double)wf->slot_ns / 1e3, "profile",
	    plan->hash ? json_string(hash) : json_null(), "hosts", (json_int_t)plan->n_hosts,
	    "lanes", lanes, "links", links);
}

json_t *plan_json_root(const struct waveform *wf, const struct plan *plan)
{
	json_t *lanes = json_array(), *links = json_array();

	for (size_t lane = 0; lane < plan->n_lanes; lane++)
		json_array_append_new(lanes, lane_json(wf, plan, lane));
	for (size_t i = 0; i < plan->n_links; i++)
		json_array_append_new(links, link_json(wf, plan, i));
	return root_json(wf, plan, lanes, links);
}
