/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/waveform/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/waveform/parse.h"

static const char *const clocks[] = {"timer", "virtual", "step", "radio"};
static const char *const lates[] = {"slip", "skip"};
static const char *const isolations[] = {"waveform", "component", "none"};
static const char *const overruns[] = {"count", "flag", "conceal", "mode", "stop"};
static const char *const admits[] = {"fits", "strict", "always"};
static const char *const node_losses[] = {"hold", "stop", "restart"};

const char *wf_output_name(const struct wf_instance *instance, int port)
{
	return wf_port_of(instance->type, true, port)->name;
}

const char *wf_input_name(const struct wf_instance *instance, int port)
{
	return wf_port_of(instance->type, false, port)->name;
}

/* ---- values ------------------------------------------------------------------------ */

static void text_print(FILE *out, const char *text)
{
	fputc('"', out);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (*c < 0x20 || *c == 0x7f)
			fprintf(out, "\\x%02x", *c);
		else
			fputc(*c, out);
	fputc('"', out);
}

/* The shortest that is read back as the same number. */
static void number_print(FILE *out, double number, bool is_float)
{
	char text[40];

	for (int digits = is_float ? 6 : 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (is_float ? strtof(text, NULL) == (float)number : strtod(text, NULL) == number)
			break;
	}
	fputs(text, out);
	if (!strpbrk(text, ".en"))
		fputs(".0", out);
}

static void reals_print(FILE *out, const struct wf_value *value)
{
	fputc('[', out);
	for (uint32_t i = 0; i < value->n_reals; i++) {
		if (i)
			fputs(i % 8 ? ", " : ",\n\t\t", out);
		number_print(out, (double)value->reals[i], true);
	}
	fputc(']', out);
}

static void value_print(FILE *out, const struct aloe_param *param, const struct wf_value *value)
{
	switch (param->kind) {
	case ALOE_KIND_TEXT:
	case ALOE_KIND_PATH:
		text_print(out, value->text ? value->text : "");
		break;
	case ALOE_KIND_ENUM:
		text_print(out, param->names[(int)value->number]);
		break;
	case ALOE_KIND_BOOL:
		fputs(value->number != 0 ? "true" : "false", out);
		break;
	case ALOE_KIND_INT:
		fprintf(out, "%.0f", value->number);
		break;
	case ALOE_KIND_REALS:
		reals_print(out, value);
		break;
	default:
		number_print(out, value->number, false);
	}
}

/* ---- instances ------------------------------------------------------------------------ */

int wf_sink_path(
    const char *dir, const struct wf_instance *instance, size_t param, char *ret, size_t size)
{
	const int n = snprintf(
	    ret, size, "%s/%s.%s", dir, instance->name, instance->type->params[param].name);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* The seed of a copy is its own, whoever gave the first. */
static bool is_counted(const struct wf_instance *instance, const struct aloe_param *param)
{
	return instance->original && param->kind == ALOE_KIND_INT &&
	    strcmp(param->name, "seed") == 0;
}

static void params_print(
    FILE *out, const struct wf_instance *instance, const struct wf_print *print)
{
	for (size_t i = 0; i < instance->type->n_params; i++) {
		const struct aloe_param *param = &instance->type->params[i];
		char path[4096];

		if (!instance->values[i].set && !is_counted(instance, param))
			continue;
		fprintf(out, " %s = ", param->name);
		if (print->sinks_in && instance->type->drains && param->kind == ALOE_KIND_PATH &&
		    wf_sink_path(print->sinks_in, instance, i, path, sizeof(path)) == 0)
			text_print(out, path);
		else
			value_print(out, param, &instance->values[i]);
		fputc(';', out);
	}
}

static bool has_node(const struct wf_instance *instance, const struct wf_print *print)
{
	if (!instance->node || !print->anywhere)
		return instance->node;
	return print->on_nodes && !(print->sinks_in && instance->type->drains);
}

static void instance_print(FILE *out, const struct waveform *waveform,
    const struct wf_instance *instance, const struct wf_print *print)
{
	fprintf(out, "\t%s: { component = ", instance->name);
	text_print(out, instance->type->name);
	fputc(';', out);
	params_print(out, instance, print);
	if (instance->pin >= 0 && !print->anywhere)
		fprintf(out, " pin = %d;", instance->pin);
	if (has_node(instance, print)) {
		fputs(" node = ", out);
		text_print(out, instance->node);
		fputc(';', out);
	}
	if (instance->isolation != waveform->isolation && !print->anywhere)
		fprintf(out, " isolation = \"%s\";", isolations[instance->isolation]);
	if (instance->beside && !print->anywhere)
		fputs(" beside = true;", out);
	if (instance->replicas == 0 && (print->in_places || !print->anywhere))
		fputs(" replicas = \"auto\";", out);
	else if (instance->replicas > 1 && (print->in_places || !print->anywhere))
		fprintf(out, " replicas = %u;", instance->replicas);
	if (instance->period > 1)
		fprintf(out, " period = %u; phase = %u;", instance->period, instance->phase);
	if (instance->budget_us > 0) {
		fputs(" budget_us = ", out);
		number_print(out, instance->budget_us, false);
		fputc(';', out);
	}
	fputs(" };\n", out);
}

/* ---- links ------------------------------------------------------------------------ */

static const struct wf_graft *graft_find(
    const struct wf_print *print, int instance, int port, bool replaces)
{
	for (size_t i = 0; i < print->n_grafts; i++)
		if (print->grafts[i].instance == instance && print->grafts[i].port == port &&
		    print->grafts[i].replaces == replaces)
			return &print->grafts[i];
	return NULL;
}

static bool is_out(const struct wf_print *print, int instance)
{
	return print->left_out && print->left_out[instance];
}

/* Where a message comes from: the instance, or what a graft has put in its place. NULL: from
 * nowhere. */
static const char *writer_of(const struct waveform *waveform, const struct wf_print *print,
    int instance, int port, const char **ret_port)
{
	const struct wf_graft *graft = graft_find(print, instance, port, true);

	*ret_port = graft ? "out" : wf_output_name(&waveform->instances[instance], port);
	if (graft)
		return graft->name;
	return is_out(print, instance) ? NULL : waveform->instances[instance].name;
}

static void link_print(FILE *out, const struct waveform *waveform, const struct wf_link *link,
    const struct wf_print *print, bool *comma)
{
	const int reader = waveform_named(waveform, link->to);
	const struct wf_instance *to = &waveform->instances[reader];
	const char *port, *from = writer_of(waveform, print, link->from, link->from_port, &port);

	if (!from || is_out(print, reader) || link->further)
		return;
	fprintf(out, "%s\n\t{ path = \"%s.%s -> %s.%s\";", *comma ? "," : "", from, port, to->name,
	    wf_input_name(to, link->to_port));
	if (link->delay)
		fprintf(out, " delay = %u;", link->delay);
	if (link->items)
		fprintf(out, " items = %u;", link->items);
	fputs(" }", out);
	*comma = true;
}

static void links_print(FILE *out, const struct waveform *waveform, const struct wf_print *print)
{
	bool comma = false;

	fputs("links = (", out);
	for (size_t i = 0; i < waveform->n_links; i++)
		link_print(out, waveform, &waveform->links[i], print, &comma);
	for (size_t i = 0; i < print->n_grafts; i++) {
		const struct wf_graft *graft = &print->grafts[i];
		const char *port, *from;

		if (graft->replaces)
			continue;
		from = writer_of(waveform, print, graft->instance, graft->port, &port);
		if (!from)
			continue;
		fprintf(out, "%s\n\t\"%s.%s -> %s.in\"", comma ? "," : "", from, port, graft->name);
		comma = true;
	}
	fputs("\n);\n", out);
}

/* ---- the whole ------------------------------------------------------------------------ */

static void slot_print(FILE *out, const struct waveform *waveform)
{
	if (waveform->slot_samples) {
		fprintf(out, "slot_samples = %u;\n", waveform->slot_samples);
		fputs("rate = ", out);
		number_print(out, waveform->rate_hz, false);
		fputs(";\n", out);
	} else {
		fprintf(out, "slot_ns = %llu;\n", (unsigned long long)waveform->slot_ns);
	}
}

/* Where it runs, and in which processes. */
static void place_print(FILE *out, const struct waveform *waveform)
{
	fprintf(out, "isolation = \"%s\";\n", isolations[waveform->isolation]);
	if (waveform->scheduler == WF_SCHEDULER_RR)
		fputs("scheduler = \"rr\";\n", out);
	if (waveform->side == WF_SIDE_OFF)
		fputs("side_by_side = \"off\";\n", out);
	else if (waveform->side != WF_SIDE_AUTO)
		fprintf(out, "side_by_side = %u;\n", waveform->side);
	if (waveform->pipelined)
		fputs("pipelined = true;\n", out);
	if (waveform->on_node_loss != WF_NODE_LOSS_HOLD)
		fprintf(out, "on_node_loss = \"%s\";\n", node_losses[waveform->on_node_loss]);
	if (waveform->on_node_loss == WF_NODE_LOSS_RESTART)
		fprintf(out, "lease_ms = %u;\n", waveform->lease_ms);
	for (size_t i = 0; i < waveform->n_lanes; i++)
		fprintf(out, "%s%d%s", i ? ", " : "lanes = [", waveform->lanes[i],
		    i + 1 == waveform->n_lanes ? "];\n" : "");
}

/* What overrun = "mode" sets, of the instances that are printed; false: nothing. */
static bool modes_print(FILE *out, const struct waveform *waveform, const struct wf_print *print)
{
	bool any = false;

	for (size_t i = 0; i < waveform->n_instances; i++) {
		const struct wf_instance *instance = &waveform->instances[i];

		for (size_t k = 0; !is_out(print, (int)i) && k < instance->type->n_params; k++) {
			const struct wf_value value = {.number = instance->values[k].mode};

			if (!instance->values[k].has_mode)
				continue;
			fprintf(out, "%s\"%s.%s=", any ? ", " : "on_overrun = (", instance->name,
			    instance->type->params[k].name);
			if (instance->type->params[k].kind == ALOE_KIND_ENUM)
				fputs(instance->type->params[k].names[(int)value.number], out);
			else
				value_print(out, &instance->type->params[k], &value);
			fputc('"', out);
			any = true;
		}
	}
	fputs(any ? ");\n" : "", out);
	return any;
}

static void keys_print(FILE *out, const struct waveform *waveform, const struct wf_print *print)
{
	enum wf_overrun overrun = waveform->overrun;

	fprintf(out, "name = \"%s\";\n", waveform->name);
	slot_print(out, waveform);
	fprintf(out, "clock = \"%s\";\nlate = \"%s\";\n",
	    print->clock ? print->clock : clocks[waveform->clock],
	    print->clock ? "slip" : lates[waveform->late]);
	if (!modes_print(out, waveform, print) && overrun == WF_OVERRUN_MODE)
		overrun = WF_OVERRUN_COUNT; /* whom it concerned has been left out */
	fprintf(out, "overrun = \"%s\";\nadmit = \"%s\";\n", overruns[overrun],
	    admits[waveform->admit]);
	if (waveform->margin > 0) {
		fputs("margin = ", out);
		number_print(out, waveform->margin, false);
		fputs(";\n", out);
	}
	if (!print->anywhere)
		place_print(out, waveform);
}

char *waveform_print(const struct waveform *waveform, const struct wf_print *print)
{
	static const struct wf_print plain;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	print = print ? print : &plain;
	keys_print(out, waveform, print);
	fputs("instances: {\n", out);
	for (size_t i = 0; i < waveform->n_instances; i++)
		if (!is_out(print, (int)i) && waveform->instances[i].place == 0)
			instance_print(out, waveform, &waveform->instances[i], print);
	for (size_t i = 0; i < print->n_grafts; i++)
		fprintf(out, "\t%s: { component = \"%s\"; %s%s };\n", print->grafts[i].name,
		    print->grafts[i].component, print->grafts[i].params,
		    print->grafts[i].beside ? " beside = true;" : "");
	fputs("};\n", out);
	links_print(out, waveform, print);
	if (ferror(out) | fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

void wf_graft_name(const struct waveform *waveform, const char *prefix, struct wf_graft *graft)
{
	const struct wf_instance *instance = &waveform->instances[graft->instance];
	const char *port = wf_output_name(instance, graft->port);
	unsigned n = 0;

	if (strlen(prefix) + strlen(instance->name) + strlen(port) + 2 < sizeof(graft->name))
		snprintf(
		    graft->name, sizeof(graft->name), "%s_%s_%s", prefix, instance->name, port);
	else
		snprintf(graft->name, sizeof(graft->name), "%s_%d_%d", prefix, graft->instance,
		    graft->port);
	while (wf_find_instance(waveform, graft->name, strlen(graft->name)) >= 0)
		snprintf(graft->name, sizeof(graft->name), "%s%u_%d_%d", prefix, ++n,
		    graft->instance, graft->port);
}
