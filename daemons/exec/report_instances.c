/* SPDX-License-Identifier: BSD-3-Clause
 *
 * report_instances.c - what the instances took and counted. Of copies, and of an instance in
 * several places, the report shows each instance of the file once: times over the calls of all
 * copies and places, counts summed, and which copy was worst; and beside it one line for each
 * copy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/calibrate.h"
#include "daemons/exec/report.h"
#include "daemons/exec/set.h"
#include "daemons/exec/value.h"

#include <aloe/component.h>

static uint32_t originals_count(const struct exec_wave *wave)
{
	return (uint32_t)(wave->view.head->instances.count / wave->view.head->copies);
}

/* The parts of an instance of the file: each place of each copy, copy by copy. */
static uint32_t parts_count(const struct exec_wave *wave, uint32_t original)
{
	return wave->view.head->copies * wave->view.instances[original].places;
}

static uint32_t part_number(const struct exec_wave *wave, uint32_t original, uint32_t part)
{
	const struct image_instance *rows = wave->view.instances;
	const uint32_t places = rows[original].places;
	const struct image_instance *first =
	    &rows[part / places * originals_count(wave) + original];

	return (uint32_t)(image_place(&wave->view, first, part % places) - rows);
}

static struct image_instance_state *state_of(
    const struct exec_wave *wave, uint32_t original, uint32_t part)
{
	return image_instance_state(&wave->view, part_number(wave, original, part));
}

json_t *report_cells(const struct hist *hist)
{
	const struct cell_range range = hist_range(hist);
	json_t *array = json_array();

	for (uint32_t c = range.first; c < range.end; c++) {
		const uint64_t count = hist_cells_get(&hist->cells, c);

		if (count > 0)
			json_array_append_new(array,
			    json_pack("[I, I]", (json_int_t)hist_cell_low(c), (json_int_t)count));
	}
	return array;
}

/* The sum of one counter over all copies and places. */
static uint64_t counter_sum(const struct exec_wave *wave, uint32_t original, size_t offset)
{
	uint64_t total = 0;

	for (uint32_t c = 0; c < parts_count(wave, original); c++)
		total +=
		    get((const _Atomic uint64_t *)((const uint8_t *)state_of(wave, original, c) +
		        offset));
	return total;
}
#define SUM(wave, original, field)                                                                 \
	counter_sum(wave, original, offsetof(struct image_instance_state, field))

static json_t *ports_json(const struct exec_wave *wave, uint32_t number, bool outputs)
{
	const struct image_view *view = &wave->view;
	const struct image_instance *row = &view->instances[number];
	const uint64_t count = SUM(wave, number, port_count);
	json_t *array = json_array();

	for (uint32_t p = 0; p < (outputs ? row->n_outputs : row->n_inputs); p++) {
		const uint32_t name = outputs ? view->outputs[row->outputs + p].name
		                              : view->inputs[row->inputs + p].name;
		const uint64_t ns = counter_sum(wave, number,
		    offsetof(struct image_instance_state, port_ns) +
		        (p + (outputs ? ALOE_PORTS_MAX : 0)) * sizeof(uint64_t));
		json_t *o = json_object();

		put_text(o, "port", image_text(view, name));
		put_real(o, "us", count > 0 ? us((double)ns / (double)count) : 0);
		json_array_append_new(array, o);
	}
	return array;
}

/* Counts are summed, other figures are means over the parts. */
static double variable_value(
    const struct exec_wave *wave, uint32_t original, uint32_t v, uint32_t part)
{
	const struct image_instance *row = &wave->view.instances[original];
	const uint64_t bits = get(&state_of(wave, original, part)->vars[v]);
	double real;

	memcpy(&real, &bits, sizeof(real));
	return wave->view.vars[row->vars + v].real ? real : (double)bits;
}

/* A component's own number may be any; JSON has none beyond 2^63 - 1 that is whole. */
static void variable_put(json_t *o, const char *name, bool real, double mean, uint64_t total)
{
	if (real)
		put_real(o, name, mean);
	else if (total > INT64_MAX)
		put_real(o, name, (double)total);
	else
		json_object_set_new(o, name, json_integer((json_int_t)total));
}

static json_t *variables_json(const struct exec_wave *wave, uint32_t number)
{
	const struct image_view *view = &wave->view;
	const struct image_instance *row = &view->instances[number];
	const uint32_t parts = parts_count(wave, number);
	json_t *o = json_object();

	for (uint32_t v = 0; v < row->n_vars; v++) {
		const struct image_var *var = &view->vars[row->vars + v];
		uint64_t total = 0;
		double mean = 0;

		for (uint32_t c = 0; c < parts; c++) {
			total += get(&state_of(wave, number, c)->vars[v]);
			mean += variable_value(wave, number, v, c) / parts;
		}
		variable_put(o, image_text(view, var->name), var->real != 0, mean, total);
	}
	return o;
}

static uint32_t var_named(const struct exec_wave *wave, uint32_t number, const char *name)
{
	const struct image_instance *row = &wave->view.instances[number];

	for (uint32_t v = 0; v < row->n_vars; v++)
		if (strcmp(image_text(&wave->view, wave->view.vars[row->vars + v].name), name) == 0)
			return v;
	return IMAGE_NONE;
}

/* What all places of a copy have counted. */
static double errors_of(const struct exec_wave *wave, uint32_t number, uint32_t v, uint32_t copy)
{
	const uint32_t places = wave->view.instances[number].places;
	double sum = 0;

	for (uint32_t j = 0; j < places; j++)
		sum += variable_value(wave, number, v, copy * places + j);
	return sum;
}

/* Of an instance that counts errors: the copy with most of them; blocks first, then bits. NULL:
 * none has any. */
static json_t *worst_json(const struct exec_wave *wave, uint32_t number)
{
	const uint32_t block = var_named(wave, number, "block_errors"),
	               bit = var_named(wave, number, "bit_errors");
	double most = 0, blocks = 0;
	uint32_t copy = 0;
	json_t *o;

	for (uint32_t c = 0; block != IMAGE_NONE && c < wave->view.head->copies; c++) {
		const double errors = errors_of(wave, number, block, c);
		const double bits = bit != IMAGE_NONE ? errors_of(wave, number, bit, c) : 0;

		if (errors * 1e12 + bits <= most)
			continue;
		most = errors * 1e12 + bits;
		blocks = errors;
		copy = c + 1;
	}
	if (copy == 0)
		return NULL;
	o = json_object();
	put_u64(o, "copy", copy);
	put_real(o, "block_errors", blocks);
	if (bit != IMAGE_NONE)
		put_real(o, "bit_errors", errors_of(wave, number, bit, copy - 1));
	return o;
}

/* As core/map/length.h says. */
static uint64_t length_bytes(const struct image_view *view, const struct image_instance *row)
{
	const struct image_input *in = &view->inputs[row->inputs];
	const struct image_output *out = &view->outputs[row->outputs];
	uint64_t bytes = 0;

	for (uint32_t p = 0; p < row->n_inputs; p++)
		if (in[p].buffer != IMAGE_NONE)
			bytes += (uint64_t)in[p].max * aloe_item_bytes(in[p].type);
	for (uint32_t p = 0; p < row->n_outputs; p++)
		if (out[p].buffer != IMAGE_NONE)
			bytes += (uint64_t)out[p].max * aloe_item_bytes(out[p].type);
	return bytes;
}

static json_t *paths_json(const struct exec_wave *wave, uint32_t number)
{
	const struct image_instance *row = &wave->view.instances[number];
	json_t *o = json_object();

	for (uint32_t p = 0; p < row->n_params; p++) {
		const struct image_param *param = &wave->view.params[row->params + p];

		if (param->kind == ALOE_KIND_PATH)
			put_text(o, image_text(&wave->view, param->name),
			    image_text(&wave->view, param->text));
	}
	return o;
}

/* Numbers that were set since the load, or the last upgrade of the instance, as SET takes them. */
static void sets_put(const struct exec_wave *wave, uint32_t number, json_t *to)
{
	const struct image_instance *row = &wave->view.instances[number];
	json_t *o = json_object();

	for (uint32_t p = 0; p < row->n_params && wave->state != WAVE_LOADED; p++) {
		const struct image_param *param = &wave->view.params[row->params + p];
		const double now = set_number(wave, number, p);
		char text[SET_TEXT];

		if (!(param->flags & ALOE_LIVE) || param->kind == ALOE_KIND_TEXT ||
		    param->kind == ALOE_KIND_PATH || param->kind == ALOE_KIND_REALS ||
		    now == param->number || now != now)
			continue;
		value_print(&wave->view, param, now, text, sizeof(text));
		put_text(o, image_text(&wave->view, param->name), text);
	}
	if (json_object_size(o) > 0)
		json_object_set(to, "set", o);
	json_decref(o);
}

static uint32_t lane_of(const struct exec_wave *wave, uint32_t number, uint32_t part)
{
	const struct image_view *view = &wave->view;

	return view->segments[view->instances[part_number(wave, number, part)].segment].lane;
}

static void lane_put(const struct exec_wave *wave, uint32_t number, json_t *o)
{
	const uint32_t lane = lane_of(wave, number, 0);

	for (uint32_t c = 1; c < parts_count(wave, number); c++)
		if (lane_of(wave, number, c) != lane) {
			json_object_set_new(o, "lane", json_null()); /* on several */
			return;
		}
	put_u64(o, "lane", lane);
}

/* The lane of each place, of the first copy. */
static void places_put(const struct exec_wave *wave, uint32_t number, json_t *o)
{
	const uint32_t places = wave->view.instances[number].places;
	json_t *lanes = json_array();

	for (uint32_t j = 0; j < places; j++)
		json_array_append_new(lanes, json_integer((json_int_t)lane_of(wave, number, j)));
	if (places > 1)
		json_object_set(o, "places", lanes);
	json_decref(lanes);
}

static void times_put(const struct exec_wave *wave, const struct hist *time, json_t *o)
{
	static const struct {
		const char *key;
		double q;
	} quantiles[] = {{"p50_us", 0.5}, {"p99_us", 0.99}, {"p999_us", 0.999},
	    {"p9999_us", 0.9999}, {"p99999_us", 0.99999}};
	const double rate = node_mmac(wave->exec);
	const bool sound = image_hist_sound(time);
	const double mean = sound ? hist_mean(time) : NAN,
	             most = sound ? (double)hist_max(time) : NAN;

	put_real(o, "mean_us", us(mean));
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		put_real(o, quantiles[i].key,
		    sound ? us((double)hist_quantile(time, quantiles[i].q)) : NAN);
	put_real(o, "max_us", us(most));
	put_real(o, "kmac", calibrate_kmac(mean, rate));
	put_real(o, "kmac_max", calibrate_kmac(most, rate));
	put_real(o, "share", wave->view.head->copies * mean / (double)wave->view.head->slot_ns);
	json_object_set_new(o, "histogram_ns", sound ? report_cells(time) : json_array());
}

static void copies_put(const struct exec_wave *wave, uint32_t number, json_t *o)
{
	const uint32_t copies = wave->view.head->copies;
	json_t *bad = worst_json(wave, number);

	if (copies < 2) {
		json_decref(bad);
		return;
	}
	if (bad != NULL)
		json_object_set_new(o, "worst", bad);
	json_object_set_new(
	    o, "paths_last", paths_json(wave, (copies - 1) * originals_count(wave) + number));
}

static json_t *instance_json(
    const struct exec_wave *wave, uint32_t number, uint32_t place, struct hist *time)
{
	const struct image_view *view = &wave->view;
	const struct image_instance *row = &view->instances[number];
	json_t *o = json_object();

	memset(time, 0, sizeof(*time));
	for (uint32_t c = 0; c < parts_count(wave, number); c++)
		image_time_merge(view, part_number(wave, number, c), time);
	put_text(o, "name", image_text(view, row->original));
	put_text(o, "component", image_text(view, row->component));
	lane_put(wave, number, o);
	places_put(wave, number, o);
	put_u64(o, "order", place);
	put_u64(o, "lag", row->lag);
	put_u64(o, "calls", hist_count(time) + SUM(wave, number, untimed));
	put_u64(o, "timed", hist_count(time));
	times_put(wave, time, o);
	put_text(o, "build", image_text(view, row->build));
	put_u64(o, "bytes", length_bytes(view, row));
	sets_put(wave, number, o);
	if (row->upgrade != 0) {
		const uint64_t since = get(&state_of(wave, number, 0)->upgraded);

		put_u64(o, "upgrade", row->upgrade);
		put_u64(o, "upgraded_at", since > 0 ? since - 1 : 0);
	}
	put_u64(o, "overruns", SUM(wave, number, overruns));
	put_real(o, "budget_us", us((double)row->budget_ns));
	json_object_set_new(
	    o, "left_us", report_budget_margin(time, row->budget_ns, SUM(wave, number, overruns)));
	json_object_set_new(o, "budget_given", json_boolean((row->io & IMAGE_BUDGET_GIVEN) != 0));
	put_u64(o, "concealed", SUM(wave, number, concealed));
	put_u64(o, "absent_in", SUM(wave, number, absent));
	put_u64(o, "io_lost", SUM(wave, number, io_lost));
	json_object_set_new(o, "sink", json_boolean((row->io & IMAGE_DRAINS) != 0));
	json_object_set_new(o, "variables", variables_json(wave, number));
	json_object_set_new(o, "paths", paths_json(wave, number));
	copies_put(wave, number, o);
	json_object_set_new(o, "in", ports_json(wave, number, false));
	json_object_set_new(o, "out", ports_json(wave, number, true));
	return o;
}

json_t *report_instances(const struct exec_wave *wave)
{
	struct hist *time = calloc(1, sizeof(*time));
	uint32_t *places = report_places(wave);
	json_t *array = json_array();

	for (uint32_t i = 0; time != NULL && places != NULL && i < originals_count(wave); i++)
		if (wave->view.instances[i].place == 0)
			json_array_append_new(array, instance_json(wave, i, places[i], time));
	free(places);
	free(time);
	return array;
}

/* What its instances that count errors have counted. */
static void errors_put(const struct exec_wave *wave, uint32_t copy, json_t *o)
{
	static const char *const names[] = {"blocks", "block_errors", "bits", "bit_errors"};
	uint64_t counted[4] = {0};
	bool any = false;

	for (uint32_t i = 0; i < originals_count(wave); i++) {
		if (wave->view.instances[i].place > 0 ||
		    var_named(wave, i, "block_errors") == IMAGE_NONE)
			continue;
		any = true;
		for (int n = 0; n < 4; n++) {
			const uint32_t v = var_named(wave, i, names[n]);

			counted[n] += v != IMAGE_NONE ? (uint64_t)errors_of(wave, i, v, copy) : 0;
		}
	}
	for (int n = 0; any && n < 4; n++)
		put_u64(o, names[n], counted[n]);
}

/* The longest call of an instance, in whichever of its places. */
static double place_slowest(const struct image_view *view, const struct image_instance *first)
{
	double most = 0;

	for (uint32_t j = 0; j < first->places; j++) {
		const uint32_t number = (uint32_t)(image_place(view, first, j) - view->instances);
		const double largest = (double)hist_load(&image_time(view, number)->largest);

		most = largest > most ? largest : most;
	}
	return most;
}

static json_t *one_copy(const struct exec_wave *wave, uint32_t copy)
{
	const struct image_view *view = &wave->view;
	double mean = 0, most = 0;
	uint64_t overruns = 0;
	bool sound = true;
	json_t *o = json_object();

	for (uint32_t i = 0; i < originals_count(wave); i++) {
		const struct hist_head *time = image_time(view, copy * originals_count(wave) + i);
		const uint64_t calls = hist_load(&time->count);

		const struct image_instance *row =
		    &view->instances[copy * originals_count(wave) + i];

		sound = sound && image_time_sound(time);
		mean += calls > 0 ? (double)hist_load(&time->sum) / (double)calls / row->places : 0;
		most += row->place == 0 ? place_slowest(view, row) : 0;
		overruns +=
		    get(&image_instance_state(view, copy * originals_count(wave) + i)->overruns);
	}
	put_u64(o, "copy", copy + 1);
	put_u64(
	    o, "lane", view->segments[view->instances[copy * originals_count(wave)].segment].lane);
	put_real(o, "mean_us", sound ? us(mean) : NAN);
	/* of all its instances, were they slowest in one slot */
	put_real(o, "max_us", sound ? us(most) : NAN);
	put_u64(o, "overruns", overruns);
	errors_put(wave, copy, o);
	return o;
}

json_t *report_copies(const struct exec_wave *wave)
{
	json_t *array = json_array();

	for (uint32_t c = 0; c < wave->view.head->copies; c++)
		json_array_append_new(array, one_copy(wave, c));
	return array;
}
