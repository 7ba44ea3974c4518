/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reasons as text for people and as JSON. */
#include "core/base/text.h"
#include "core/map/explain.h"
#include "core/map/plan_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- for people ------------------------------------------------------------------------ */

static void cost_print(FILE *out, double cost)
{
	if (cost < INFINITY)
		fprintf(out, " %8.4f", cost);
	else
		fprintf(out, " %8s", "-");
}

static void candidates_print(FILE *out, const struct plan_choice *choice)
{
	fprintf(out, "\n  %-10s %7s %8s %7s %7s %9s   (q = %g)\n", "mapper", "at", "cost",
	    "fullest", "latency", "crossings", choice->q);
	for (size_t i = 0; i < choice->n_candidates; i++) {
		const struct plan_candidate *row = &choice->candidates[i];

		fprintf(out, "  %-10s %5.1f %%", row->name, 100 * row->share);
		if (!row->found) {
			fprintf(out, " %8s  %s\n", "-",
			    row->proven ? "no mapping exists (proven)" : "no mapping found");
			continue;
		}
		cost_print(out, row->cost);
		fprintf(out, " %5.1f %% %7u %9u%s\n", 100 * row->peak, row->latency_slots,
		    row->crossings,
		    strcmp(row->name, choice->best.name) == 0 ? "    <- chosen" : "");
	}
}

static void lanes_print(FILE *out, const struct plan *plan)
{
	fprintf(out, "\n  %-6s %10s %10s %10s %10s %10s %10s\n", "lane", "of us", "overhead",
	    "before", "instances", "left", "tail");
	for (size_t l = 0; l < plan->n_lanes; l++) {
		const struct plan_lane *lane = &plan->lanes[l];

		if (!lane->n_instances || lane->mmac_per_s <= 0)
			continue;
		fprintf(out, "  %-6zu %10.1f %10.1f %10.1f %10.1f %10.1f %10.1f%s\n", l,
		    lane->limit_ns / 1e3, lane->base_ns / 1e3, lane->taken_ns / 1e3,
		    lane->need_ns / 1e3, (lane->limit_ns - plan_lane_ns(lane)) / 1e3,
		    lane->reserve_ns / 1e3,
		    plan_lane_ns(lane) + lane->reserve_ns > lane->limit_ns
		        ? "    a slot with the tail is missed"
		        : "");
		if (lane->carry_ns > 0)
			fprintf(out,
			    "  %-6s of the overhead %.1f us for messages to and from other nodes\n",
			    "", lane->carry_ns / 1e3);
	}
}

static void whatif_print(
    FILE *out, const struct waveform *wf, const struct plan *plan, const struct plan_whatif *whatif)
{
	const char *first = wf->instances[whatif->first].name;
	const double slot_ns = (double)wf->slot_ns;

	fprintf(out, "\nwhat if%s\n",
	    whatif->guessed ? " (estimates: the costs of some instances were never measured)" : "");
	fprintf(out, "  shortest slot      %.1f us with this mapping, now %g us\n",
	    whatif->slot_ns / 1e3, slot_ns / 1e3);
	if (whatif->stream_ns > 0)
		fprintf(out, "  as a stream        %.1f us, if the messages shrink with the slot\n",
		    whatif->stream_ns / 1e3);
	if (whatif->scale < INFINITY)
		fprintf(out, "  largest messages   %.2f x the present size\n", whatif->scale);
	if (whatif->over && whatif->enough_ns > 0)
		fprintf(out,
		    "  speed up first     %s, from %.1f to %.1f us (%.2f x), so that its lane "
		    "fits\n",
		    first, whatif->first_ns / 1e3, whatif->enough_ns / 1e3,
		    whatif->first_ns / whatif->enough_ns);
	else if (whatif->over)
		fprintf(out,
		    "  speed up first     %s (%.1f us), and other instances of its "
		    "lane\n",
		    first, whatif->first_ns / 1e3);
	else if (whatif->enough_ns <= 0)
		fprintf(out,
		    "  speed up first     %s (%.1f us): without its cost slots of %.1f us would "
		    "be possible\n",
		    first, whatif->first_ns / 1e3, whatif->then_ns / 1e3);
	else
		fprintf(out,
		    "  speed up first     %s, from %.1f to %.1f us, which makes slots of %.1f us "
		    "possible\n",
		    first, whatif->first_ns / 1e3, whatif->enough_ns / 1e3, whatif->then_ns / 1e3);
	if (whatif->cores)
		fprintf(out,
		    "  cores needed       %zu core%s like the core of lane 0 (%g "
		    "MMAC/s)\n",
		    whatif->cores, plural(whatif->cores), plan->lanes[0].mmac_per_s);
	else
		fprintf(out,
		    "  cores needed       no number of cores like the core of lane 0 "
		    "suffices\n");
}

static void bound_print(FILE *out, const struct plan_bounds *bounds, const char *name,
    const struct plan_bound *bound, const char *note)
{
	fprintf(out, "  %-18s %.2f us on", name, bound->period_ns / 1e3);
	for (int kind = 0; kind < STAGES_KINDS && bounds->kinds[kind]; kind++)
		fprintf(
		    out, "%s %u %s", kind ? " and" : "", bound->used[kind], bounds->kinds[kind]);
	fprintf(out, ", latency %u slot%s%s\n", bound->slots, plural(bound->slots), note);
}

/* What this plan holds stands beside them. */
static void bounds_print(FILE *out, const struct plan_whatif *whatif)
{
	const struct plan_bounds *bounds = &whatif->bounds;

	if (!bounds->known)
		return;
	fprintf(out, "\nbounds of the slot, by the times of calls alone, for a chain on");
	for (int kind = 0; kind < STAGES_KINDS && bounds->kinds[kind]; kind++)
		fprintf(
		    out, "%s %u %s", kind ? " and" : "", bounds->cores[kind], bounds->kinds[kind]);
	fprintf(out, "\n  %-18s %.2f us\n", "this plan", whatif->slot_ns / 1e3);
	bound_print(out, bounds, "without replicas", &bounds->alone, "");
	bound_print(out, bounds, "with replicas", &bounds->replicas,
	    "; only a bound: an instance is in several places where the file says replicas");
}

static void why_print(FILE *out, const struct plan *plan, const struct plan_why *why)
{
	fprintf(out, "\nwhy is %s on its lane?\n", why->instance);
	for (size_t i = 0; i < why->n_along && i < 8; i++)
		fprintf(out, "%s%s", i ? ", " : "  together with it moves ", why->along[i]);
	if (why->n_along)
		fprintf(out, why->n_along > 8 ? ", and %zu more\n" : "\n", why->n_along - 8);
	fprintf(out, "  %-6s %5s %8s %8s %7s %9s\n", "lane", "CPU", "cost", "load", "latency",
	    "crossings");
	for (size_t i = 0; i < why->n_places; i++) {
		const struct plan_place *place = &why->places[i];

		fprintf(out, "  %-6u %5d", place->lane, plan->cpus[place->lane]);
		cost_print(out, place->cost);
		if (place->load < INFINITY)
			fprintf(out, " %6.1f %%", 100 * place->load);
		else
			fprintf(out, " %8s", "-");
		fprintf(out, " %7u %9u   %s%s%s\n", place->latency_slots, place->crossings,
		    place->here ? "here" : "", place->here && place->breaks[0] ? ": " : "",
		    place->breaks);
	}
}

char *plan_explain_print(const struct waveform *wf, const struct plan *plan,
    const struct plan_whatif *whatif, const struct plan_why *why)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	plan_print_to(out, wf, plan);
	candidates_print(out, &plan->choice);
	if (whatif->known) {
		lanes_print(out, plan);
		whatif_print(out, wf, plan, whatif);
		bounds_print(out, whatif);
	} else {
		fprintf(out,
		    "\nThe capacity of the lanes is unknown until `aloe run` has measured it. "
		    "Until then the plan refuses nothing and answers no what-if.\n");
	}
	if (why)
		why_print(out, plan, why);
	if (!ferror(out) && !fclose(out))
		return text;
	free(text);
	return NULL;
}

/* ---- JSON ------------------------------------------------------------------------ */

static json_t *candidate_json(const struct plan_candidate *row)
{
	if (!row->found)
		return json_pack("{s:s, s:f, s:b, s:b}", "name", row->name, "share", row->share,
		    "found", 0, "proven", row->proven);
	return json_pack("{s:s, s:f, s:b, s:o, s:f, s:I, s:I}", "name", row->name, "share",
	    row->share, "found", 1, "cost", json_real_or_null(row->cost), "peak", row->peak,
	    "latency_slots", (json_int_t)row->latency_slots, "crossings",
	    (json_int_t)row->crossings);
}

static json_t *choice_json(const struct plan_choice *choice)
{
	static const char *const modes[] = {
	    [PLAN_TIERS] = "tiers", [PLAN_SPREAD] = "spread", [PLAN_OVER] = "over"};
	json_t *rows = json_array();

	for (size_t i = 0; i < choice->n_candidates; i++)
		json_array_append_new(rows, candidate_json(&choice->candidates[i]));
	return json_pack("{s:s, s:f, s:o, s:o}", "mode", modes[choice->mode], "q", choice->q,
	    "best", candidate_json(&choice->best), "mappers", rows);
}

static json_t *whatif_json(const struct waveform *wf, const struct plan_whatif *whatif)
{
	if (!whatif->known)
		return json_null();
	return json_pack("{s:I, s:f, s:o, s:o, s:{s:s, s:f, s:f, s:f}, s:o}", "guessed",
	    (json_int_t)whatif->guessed, "slot_us", whatif->slot_ns / 1e3, "stream_us",
	    json_real_or_null(whatif->stream_ns > 0 ? whatif->stream_ns / 1e3 : NAN), "scale",
	    json_real_or_null(whatif->scale), "speed_up", "instance",
	    wf->instances[whatif->first].name, "from_us", whatif->first_ns / 1e3, "to_us",
	    whatif->enough_ns / 1e3, "slot_us", whatif->then_ns / 1e3, "cores",
	    whatif->cores ? json_integer((json_int_t)whatif->cores) : json_null());
}

static json_t *bound_json(const struct plan_bounds *bounds, const struct plan_bound *bound)
{
	json_t *used = json_object();

	for (int kind = 0; kind < STAGES_KINDS && bounds->kinds[kind]; kind++)
		json_object_set_new(used, bounds->kinds[kind], json_integer(bound->used[kind]));
	return json_pack("{s:f, s:o, s:I}", "period_us", bound->period_ns / 1e3, "cores", used,
	    "latency_slots", (json_int_t)bound->slots);
}

static json_t *bounds_json(const struct plan_whatif *whatif)
{
	const struct plan_bounds *bounds = &whatif->bounds;

	if (!bounds->known || !whatif->known)
		return json_null();
	return json_pack("{s:f, s:o, s:o}", "plan_us", whatif->slot_ns / 1e3, "without_replicas",
	    bound_json(bounds, &bounds->alone), "with_replicas",
	    bound_json(bounds, &bounds->replicas));
}

static json_t *why_json(const struct plan_why *why)
{
	json_t *places = json_array(), *along = json_array();

	for (size_t i = 0; i < why->n_along; i++)
		json_array_append_new(along, json_string(why->along[i]));
	for (size_t i = 0; i < why->n_places; i++) {
		const struct plan_place *place = &why->places[i];

		json_array_append_new(places,
		    json_pack("{s:I, s:b, s:o, s:o, s:I, s:I, s:o}", "lane",
		        (json_int_t)place->lane, "here", place->here, "cost",
		        json_real_or_null(place->cost), "load", json_real_or_null(place->load),
		        "latency_slots", (json_int_t)place->latency_slots, "crossings",
		        (json_int_t)place->crossings, "breaks",
		        place->breaks[0] ? json_string(place->breaks) : json_null()));
	}
	return json_pack(
	    "{s:s, s:o, s:o}", "instance", why->instance, "along", along, "places", places);
}

char *plan_explain_json(const struct waveform *wf, const struct plan *plan,
    const struct plan_whatif *whatif, const struct plan_why *why)
{
	json_t *root = plan_json_root(wf, plan);
	char *text = NULL;

	if (root && json_object_set_new(root, "choice", choice_json(&plan->choice)) == 0 &&
	    json_object_set_new(root, "what_if", whatif_json(wf, whatif)) == 0 &&
	    json_object_set_new(root, "bounds", bounds_json(whatif)) == 0 &&
	    (!why || json_object_set_new(root, "why", why_json(why)) == 0))
		text = json_dumps(root, JSON_INDENT(2));
	json_decref(root);
	return text;
}
