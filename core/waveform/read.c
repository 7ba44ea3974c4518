/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/component/param.h"
#include "core/waveform/parse.h"
#include "core/waveform/scan.h"

static const char *const clocks[] = {"timer", "virtual", "step", "radio", NULL};
static const char *const lates[] = {"slip", "skip", NULL};
static const char *const schedulers[] = {"fifo", "rr", NULL};
static const char *const isolations[] = {"waveform", "component", "none", NULL};
static const char *const overruns[] = {"count", "flag", "conceal", "mode", "stop", NULL};

static const char *const node_losses[] = {"hold", "stop", "restart", NULL};
static const char *const admits[] = {"fits", "strict", "always", NULL};

static const char *const waveform_keys[] = {"name", "slot_ns", "slot_samples", "rate", "clock",
    "late", "isolation", "scheduler", "pipelined", "overrun", "margin", "admit", "on_node_loss",
    "lease_ms", "on_overrun", "side_by_side", "lanes", "instances", "links"};
static const char *const instance_keys[] = {"component", "pin", "node", "isolation", "period",
    "phase", "budget_us", "tap", "beside", "replicas"};

enum {
	WAVEFORM_KEYS = sizeof(waveform_keys) / sizeof(waveform_keys[0]),
	INSTANCE_KEYS = sizeof(instance_keys) / sizeof(instance_keys[0])
};

static bool is_among(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static bool is_twice(const char *name)
{
	return strncmp(name, SCAN_TWICE, strlen(SCAN_TWICE)) == 0;
}

static bool is_more(const char *name)
{
	return strncmp(name, SCAN_MORE, strlen(SCAN_MORE)) == 0 &&
	    isdigit((unsigned char)name[strlen(SCAN_MORE)]);
}

/* ---- keys of the waveform ---- */

static int name_set(struct wf_parse *parse, const struct wf_raw *raw)
{
	const char *text;

	if (wf_want_text(raw, "name", parse->diag, &text) < 0)
		return 0;
	if (!text_is_waveform(text)) {
		diag_error(parse->diag, raw->where, raw->line,
		    "name = \"%.80s\"; " TEXT_WAVEFORM_RULE, text);
		return 0;
	}
	free(parse->waveform->name);
	parse->waveform->name = strdup(text);
	return parse->waveform->name ? 0 : -ENOMEM;
}

static int lanes_set(struct wf_parse *parse, const struct wf_raw *raw)
{
	struct waveform *waveform = parse->waveform;
	double *numbers;
	size_t n;
	const int error = wf_want_numbers(
	    raw, "lanes", true, 0, WF_CPU_MAX, WF_LANES_MAX, parse->diag, &numbers, &n);

	if (error)
		return error == -ENOMEM ? error : 0;
	free(waveform->lanes);
	waveform->n_lanes = n;
	waveform->lanes = calloc(n, sizeof(*waveform->lanes));
	for (size_t i = 0; waveform->lanes && i < n; i++)
		waveform->lanes[i] = (int)numbers[i];
	free(numbers);
	return waveform->lanes ? 0 : -ENOMEM;
}

/* What --clock virtual means beside a radio file depends on the radio (waveform.c). */
static void clock_set(struct wf_parse *parse, const struct wf_raw *raw, enum wf_clock clock)
{
	struct waveform *waveform = parse->waveform;

	if (!raw->setting && clock == WF_CLOCK_VIRTUAL && waveform->clock == WF_CLOCK_RADIO &&
	    parse->overrides->radio_text)
		waveform->radio_fast = true;
	else
		waveform->clock = clock;
}

static void node_loss_set(struct wf_parse *parse, const char *key, const struct wf_raw *raw)
{
	double number;
	int choice;

	if (strcmp(key, "lease_ms") == 0) {
		if (wf_want_int(raw, key, WF_LEASE_MS_MIN, WF_LEASE_MS_MAX, "ms", parse->diag,
		        &number) == 0)
			parse->waveform->lease_ms = (uint32_t)number;
	} else if (wf_want_choice(raw, key, node_losses, parse->diag, &choice) == 0) {
		parse->waveform->on_node_loss = (enum wf_node_loss)choice;
	}
}

static int waveform_key_set(struct wf_parse *parse, const char *key, const struct wf_raw *raw)
{
	struct waveform *waveform = parse->waveform;
	struct diag *diag = parse->diag;
	double number;
	int choice;

	if (strcmp(key, "name") == 0)
		return name_set(parse, raw);
	if (strcmp(key, "lanes") == 0)
		return lanes_set(parse, raw);
	if (strcmp(key, "slot_ns") == 0) {
		if (wf_want_int(raw, key, WF_SLOT_NS_MIN, WF_SLOT_NS_MAX, "ns", diag, &number) == 0)
			waveform->slot_ns = (uint64_t)number;
	} else if (strcmp(key, "slot_samples") == 0) {
		if (wf_want_int(raw, key, WF_SLOT_SAMPLES_MIN, WF_SLOT_SAMPLES_MAX, "samples", diag,
		        &number) == 0)
			waveform->slot_samples = (uint32_t)number;
	} else if (strcmp(key, "rate") == 0) {
		(void)wf_want_real(
		    raw, key, WF_RATE_MIN, WF_RATE_MAX, "samples/s", diag, &waveform->rate_hz);
	} else if (strcmp(key, "clock") == 0) {
		if (wf_want_choice(raw, key, clocks, diag, &choice) == 0)
			clock_set(parse, raw, (enum wf_clock)choice);
	} else if (strcmp(key, "late") == 0) {
		if (wf_want_choice(raw, key, lates, diag, &choice) == 0)
			waveform->late = (enum wf_late)choice;
		parse->late_given = true;
	} else if (strcmp(key, "isolation") == 0) {
		if (wf_want_choice(raw, key, isolations, diag, &choice) == 0)
			waveform->isolation = (enum wf_isolation)choice;
	} else if (strcmp(key, "scheduler") == 0) {
		if (wf_want_choice(raw, key, schedulers, diag, &choice) == 0)
			waveform->scheduler = (enum wf_scheduler)choice;
	} else if (strcmp(key, "overrun") == 0) {
		if (wf_want_choice(raw, key, overruns, diag, &choice) == 0)
			waveform->overrun = (enum wf_overrun)choice;
	} else if (strcmp(key, "pipelined") == 0) {
		(void)wf_want_bool(raw, key, diag, &waveform->pipelined);
	} else if (strcmp(key, "admit") == 0) {
		if (wf_want_choice(raw, key, admits, diag, &choice) == 0)
			waveform->admit = (enum wf_admit)choice;
	} else if (strcmp(key, "on_node_loss") == 0 || strcmp(key, "lease_ms") == 0) {
		node_loss_set(parse, key, raw);
	} else if (strcmp(key, "side_by_side") == 0) {
		wf_side_set(parse, raw);
	} else if (strcmp(key, "margin") == 0) {
		(void)wf_want_real(raw, key, 0, 0.9, "", diag, &waveform->margin);
	}
	return 0;
}

static void unknown_key(struct wf_parse *parse, const char *key, const struct wf_raw *raw)
{
	char text[512];

	diag_error(parse->diag, raw->where, raw->line, "unknown key \"%.60s\" of a waveform%s", key,
	    diag_suggest(key, waveform_keys, WAVEFORM_KEYS, text, sizeof(text)));
}

/* ---- parameters ------------------------------------------------------------------------ */

/* What was read replaces what the parameter had: its default, or an earlier --set. */
static int value_take(struct wf_value *value, struct param_value *parsed)
{
	float *reals = parsed->numbers ? param_floats(parsed) : NULL;
	const int error = parsed->numbers && !reals ? -ENOMEM : 0;

	if (reals) {
		free(value->reals);
		value->reals = reals;
		value->n_reals = parsed->n_numbers;
	} else if (parsed->text) {
		free(value->text);
		value->text = parsed->text;
		parsed->text = NULL;
	} else {
		value->number = parsed->number;
	}
	param_value_fini(parsed);
	return error;
}

static int param_set(
    struct wf_parse *parse, struct wf_instance *instance, size_t i, const struct wf_raw *raw)
{
	const struct aloe_param *param = &instance->type->params[i];
	struct wf_value *value = &instance->values[i];
	struct param_value parsed;
	char name[160];
	int error;

	snprintf(name, sizeof(name), "%s.%s", instance->name, param->name);
	value->set = true;
	value->wrong = false;
	value->line = raw->line;
	error = wf_want(raw, name, param, parse, parse->diag, &parsed);
	if (!error)
		return value_take(value, &parsed);
	if (error == -EINVAL && param->kind == ALOE_KIND_ENUM)
		value->wrong = instance->wrong = true;
	return error == -ENOMEM ? error : 0;
}

static int default_value(
    struct wf_parse *parse, const struct aloe_param *param, struct wf_value *value)
{
	const char *text = param->text ? param->text : "";

	value->number = param->def;
	if (param->kind == ALOE_KIND_ENUM)
		value->number = param->text ? param_enum_find(param, param->text) : 0;
	if (param->kind == ALOE_KIND_TEXT)
		value->text = strdup(text);
	else if (param->kind == ALOE_KIND_PATH)
		value->text = wf_path(parse, text);
	else
		return 0;
	return value->text ? 0 : -ENOMEM;
}

/* ---- keys of an instance ---- */

static void instance_key_set(
    struct wf_parse *parse, struct wf_instance *instance, const char *key, const struct wf_raw *raw)
{
	struct diag *diag = parse->diag;
	char name[160];
	double number;
	int choice;

	snprintf(name, sizeof(name), "%s.%s", instance->name, key);
	if (strcmp(key, "isolation") == 0) {
		if (wf_want_choice(raw, name, isolations, diag, &choice) == 0)
			instance->isolation = (enum wf_isolation)choice;
	} else if (strcmp(key, "tap") == 0) {
		wf_tap_set(parse, instance, raw);
	} else if (strcmp(key, "replicas") == 0) {
		wf_replicas_set(parse, instance, raw);
	} else if (strcmp(key, "beside") == 0) {
		(void)wf_want_bool(raw, name, diag, &instance->beside);
	} else if (strcmp(key, "budget_us") == 0) {
		(void)wf_want_real(raw, name, 0, 1e9, "us", diag, &instance->budget_us);
	} else if (strcmp(key, "pin") == 0) {
		if (wf_want_int(raw, name, 0, WF_LANES_MAX - 1, "", diag, &number) == 0)
			instance->pin = (int)number;
	} else if (strcmp(key, "period") == 0) {
		instance->period = 0; /* wrong, which is said */
		if (wf_want_int(raw, name, 1, WF_PERIOD_MAX, "slots", diag, &number) == 0)
			instance->period = (uint32_t)number;
	} else if (strcmp(key, "phase") == 0) {
		if (wf_want_int(raw, name, 0, WF_PERIOD_MAX - 1, "slots", diag, &number) == 0)
			instance->phase = (uint32_t)number;
	}
}

static void unknown_param(struct wf_parse *parse, const struct component_type *type,
    const char *key, const struct wf_raw *raw)
{
	const size_t n = type->n_params + INSTANCE_KEYS;
	const char **names = calloc(n, sizeof(*names));
	char text[512] = "";

	for (size_t i = 0; names && i < n; i++)
		names[i] =
		    i < type->n_params ? type->params[i].name : instance_keys[i - type->n_params];
	if (names)
		diag_suggest(key, names, n, text, sizeof(text));
	diag_error(parse->diag, raw->where, raw->line, "unknown parameter \"%.60s\" of %s%s", key,
	    type->name, text);
	free(names);
}

/* Which nodes there are says the platform, when the waveform is planned. */
static int node_set(struct wf_parse *parse, struct wf_instance *instance, const struct wf_raw *raw)
{
	char name[160];
	const char *text;

	snprintf(name, sizeof(name), "%s.node", instance->name);
	if (wf_want_text(raw, name, parse->diag, &text) < 0)
		return 0;
	if (!text_is_name(text)) {
		diag_error(parse->diag, raw->where, raw->line,
		    "%s = \"%.80s\" is not the name of a node; a name is a letter, then letters, "
		    "digits and _, at most 63 characters",
		    name, text);
		return 0;
	}
	free(instance->node);
	instance->node = strdup(text);
	return instance->node ? 0 : -ENOMEM;
}

static int instance_set(
    struct wf_parse *parse, struct wf_instance *instance, const char *key, const struct wf_raw *raw)
{
	if (strcmp(key, "node") == 0)
		return node_set(parse, instance, raw);
	if (wf_tap_port(key)) {
		wf_tap_set_port(parse, instance, key, raw);
		return 0;
	}
	if (is_among(key, instance_keys, INSTANCE_KEYS)) {
		instance_key_set(parse, instance, key, raw);
		return 0;
	}
	if (!instance->type)
		return 0;
	for (size_t i = 0; i < instance->type->n_params; i++)
		if (strcmp(instance->type->params[i].name, key) == 0)
			return param_set(parse, instance, i, raw);
	unknown_param(parse, instance->type, key, raw);
	return 0;
}

/* ---- instances ------------------------------------------------------------------------ */

#define OWN_COMPONENTS "ALOE_COMPONENTS=FOLDER adds a folder of your own components"

/* Components that have another name now. */
static const char *const renamed[][2] = {{"x310_rx", "radio_rx"}, {"x310_tx", "radio_tx"}};

static void unknown_component(
    struct wf_parse *parse, const char *component, const struct wf_raw *raw)
{
	const size_t n = registry_len(parse->registry);
	const char **names = calloc(n + 1, sizeof(*names)), *nearest = NULL;

	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (strcmp(component, renamed[i][0]) == 0)
			nearest = renamed[i][1];
	for (size_t i = 0; names && i < n; i++)
		names[i] = registry_at(parse->registry, i)->name;
	if (names && !nearest)
		nearest = diag_nearest(component, names, n);
	if (nearest)
		diag_error(parse->diag, raw->where, raw->line,
		    "unknown component \"%.60s\", did you mean \"%s\"? " OWN_COMPONENTS, component,
		    nearest);
	else
		diag_error(parse->diag, raw->where, raw->line,
		    "unknown component \"%.60s\"; `aloe list components` lists what is "
		    "installed, " OWN_COMPONENTS,
		    component);
	free(names);
}

/* NULL: its type is that of the file. */
static const struct component_type *type_upgraded(const struct wf_parse *parse, const char *name)
{
	const struct wf_overrides *overrides = parse->overrides;

	for (size_t i = 0; overrides && i < overrides->n_upgrades; i++)
		if (strcmp(overrides->upgrades[i].instance, name) == 0)
			return overrides->upgrades[i].type;
	return NULL;
}

static void type_find(
    struct wf_parse *parse, struct wf_instance *instance, const config_setting_t *group)
{
	const config_setting_t *setting = config_setting_get_member(group, "component");
	const char *component;
	char name[80];

	if (!setting) {
		diag_error(parse->diag, parse->file, instance->line,
		    "instance \"%s\" has no component; component = \"...\" is needed",
		    instance->name);
		return;
	}
	const struct wf_raw raw = wf_raw_setting(parse, setting);
	snprintf(name, sizeof(name), "%s.component", instance->name);
	if (wf_want_text(&raw, name, parse->diag, &component) < 0)
		return;
	instance->type = type_upgraded(parse, instance->name);
	if (!instance->type)
		instance->type = registry_find(parse->registry, component);
	if (!instance->type)
		unknown_component(parse, component, &raw);
}

static int values_make(struct wf_parse *parse, struct wf_instance *instance)
{
	const struct component_type *type = instance->type;
	int error = 0;

	for (size_t i = 0; i < type->n_ports; i++) {
		struct wf_port *port = type->ports[i].output ? &instance->out[instance->n_out++]
		                                             : &instance->in[instance->n_in++];
		port->link = -1;
	}
	instance->values = calloc(type->n_params + 1, sizeof(*instance->values));
	if (!instance->values)
		return -ENOMEM;
	for (size_t i = 0; !error && i < type->n_params; i++)
		error = default_value(parse, &type->params[i], &instance->values[i]);
	return error;
}

static int instance_read(
    struct wf_parse *parse, const config_setting_t *group, struct wf_instance *instance)
{
	const bool is_group = config_setting_is_group(group);
	const int n = is_group ? config_setting_length(group) : 0;
	int error = 0;

	instance->line = (int)config_setting_source_line(group);
	instance->pin = -1;
	instance->period = instance->replicas = 1;
	instance->isolation = parse->waveform->isolation;
	instance->name = strdup(config_setting_name(group));
	if (!instance->name)
		return -ENOMEM;
	if (!text_is_name(instance->name))
		diag_error(parse->diag, parse->file, instance->line,
		    "instance \"%.80s\": the name is not allowed; a name is a letter, then "
		    "letters, digits and _, at most 63 characters",
		    instance->name);
	if (is_group)
		type_find(parse, instance, group);
	else /* its name is known all the same */
		diag_error(parse->diag, parse->file, instance->line,
		    "instances.%.60s is not a group; %.60s: { component = \"...\"; }; is needed",
		    instance->name, instance->name);
	if (instance->type)
		error = values_make(parse, instance);
	for (int i = 0; !error && i < n; i++) {
		const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
		const struct wf_raw raw = wf_raw_setting(parse, setting);

		if (!is_twice(config_setting_name(setting)))
			error = instance_set(parse, instance, config_setting_name(setting), &raw);
		if (!error)
			error = wf_enough(parse);
	}
	return error;
}

/* The group `instances` or one of its further parts. */
static int part_read(struct wf_parse *parse, const config_setting_t *part)
{
	struct waveform *waveform = parse->waveform;
	int error = 0;

	for (int i = 0; !error && i < config_setting_length(part); i++) {
		const config_setting_t *group = config_setting_get_elem(part, (unsigned)i);
		struct wf_instance *instance = &waveform->instances[waveform->n_instances];

		if (is_twice(config_setting_name(group)))
			continue;
		waveform->n_instances++;
		error = instance_read(parse, group, instance);
		if (!error)
			error = name_map_put(&parse->names, instance->name, strlen(instance->name),
			    (uint32_t)(instance - waveform->instances));
		if (!error)
			error = wf_enough(parse);
	}
	return error;
}

static int instances_read(
    struct wf_parse *parse, const config_setting_t *root, const config_setting_t *setting)
{
	struct waveform *waveform = parse->waveform;
	const int line = (int)config_setting_source_line(setting);
	int n = config_setting_is_group(setting) ? config_setting_length(setting) : 0, error = 0;
	const config_setting_t *part;

	for (int i = 0; n && i < config_setting_length(root); i++) {
		part = config_setting_get_elem(root, (unsigned)i);
		n += is_more(config_setting_name(part)) ? config_setting_length(part) : 0;
	}
	if (n == 0 || n > WF_INSTANCES_MAX) {
		diag_error(parse->diag, parse->file, line,
		    "there are %s instances; instances: { NAME: { component = ...; }; }; with 1 .. "
		    "%d instances is needed",
		    n ? "too many" : "no", WF_INSTANCES_MAX);
		return 0;
	}
	waveform->instances = calloc((size_t)n, sizeof(*waveform->instances));
	if (!waveform->instances)
		return -ENOMEM;
	error = part_read(parse, setting);
	for (int i = 0; !error && i < config_setting_length(root); i++) {
		part = config_setting_get_elem(root, (unsigned)i);
		if (is_more(config_setting_name(part)))
			error = part_read(parse, part);
	}
	return error;
}

/* ---- the command line ------------------------------------------------------------------------ */

static int apply_to_instance(
    struct wf_parse *parse, const char *name, const char *key, const struct wf_raw *raw)
{
	const int found = wf_named(parse, name, strlen(name));

	if (found < 0)
		wf_unknown_instance(parse, name, raw);
	else if (strcmp(key, "component") == 0)
		diag_error(parse->diag, raw->where, raw->line,
		    "--set cannot change a component; change the component in the waveform file");
	else
		return instance_set(parse, &parse->waveform->instances[found], key, raw);
	return 0;
}

static int set_apply(struct wf_parse *parse, const char *set)
{
	const char *equals = strchr(set, '=');
	char where[200], key[160];
	struct wf_raw raw = {NULL, equals ? equals + 1 : "", where, 0};

	snprintf(key, sizeof(key), "%.*s", (int)(equals ? equals - set : 0), set);
	char *dot = strchr(key, '.');
	const bool tap = dot && wf_tap_port(dot + 1);
	snprintf(where, sizeof(where), tap ? "--tap %.*s" : "--set %.*s",
	    tap ? (int)strlen(key) - 4 : 180, tap ? key : set);
	if (!equals || equals == set) {
		diag_error(
		    parse->diag, where, 0, "INSTANCE.PARAMETER=VALUE or KEY=VALUE is needed");
		return 0;
	}
	if (dot) {
		*dot = 0;
		return apply_to_instance(parse, key, dot + 1, &raw);
	}
	if (strcmp(key, "instances") == 0 || strcmp(key, "links") == 0 ||
	    strcmp(key, "on_overrun") == 0)
		diag_error(parse->diag, where, 0,
		    "--set cannot change %s; change the waveform "
		    "file",
		    key);
	else if (is_among(key, waveform_keys, WAVEFORM_KEYS))
		return waveform_key_set(parse, key, &raw);
	else
		unknown_key(parse, key, &raw);
	return 0;
}

static int options_apply(struct wf_parse *parse)
{
	const struct wf_overrides *overrides = parse->overrides;
	struct waveform *waveform = parse->waveform;
	const char *const options[][2] = {{"clock", overrides->clock},
	    {"isolation", overrides->isolation}, {"late", overrides->late}};
	int error = 0;

	for (size_t i = 0; !error && i < sizeof(options) / sizeof(options[0]); i++) {
		char where[32];
		const struct wf_raw raw = {NULL, options[i][1], where, 0};

		snprintf(where, sizeof(where), "--%s", options[i][0]);
		if (options[i][1])
			error = waveform_key_set(parse, options[i][0], &raw);
	}
	if (overrides->pipelined >= 0)
		waveform->pipelined = overrides->pipelined != 0;
	if (overrides->slot_ns)
		waveform->slot_ns = overrides->slot_ns;
	if (!error && overrides->n_lanes) {
		free(waveform->lanes);
		waveform->n_lanes = overrides->n_lanes;
		waveform->lanes = calloc(overrides->n_lanes, sizeof(*waveform->lanes));
		if (!waveform->lanes)
			return -ENOMEM;
		memcpy(waveform->lanes, overrides->lanes,
		    overrides->n_lanes * sizeof(*waveform->lanes));
	}
	return error;
}

/* Those of the waveform come before the instances are read, which inherit from it; those of
 * instances after. */
static int sets_apply(struct wf_parse *parse, bool of_instances)
{
	const struct wf_overrides *overrides = parse->overrides;
	int error = 0;

	for (size_t i = 0; overrides && !error && i < overrides->n_sets; i++) {
		const char *set = overrides->sets[i];

		if ((memchr(set, '.', strcspn(set, "=")) != NULL) == of_instances)
			error = set_apply(parse, set);
	}
	return error;
}

/* ---- the whole ------------------------------------------------------------------------ */

static void values_check(struct wf_parse *parse, const struct wf_instance *instance)
{
	for (size_t i = 0; instance->type && i < instance->type->n_params; i++)
		if ((instance->type->params[i].flags & ALOE_REQUIRED) && !instance->values[i].set)
			diag_error(parse->diag, parse->file, instance->line,
			    "instance \"%s\": the parameter \"%s\" of %s is missing and has no "
			    "default",
			    instance->name, instance->type->params[i].name, instance->type->name);
	if (instance->period && instance->phase >= instance->period)
		diag_error(parse->diag, parse->file, instance->line,
		    "%s.phase = %u is outside [0, %u] (the period less one)", instance->name,
		    instance->phase, instance->period - 1);
	if (instance->pin >= 0 && parse->waveform->n_lanes &&
	    (size_t)instance->pin >= parse->waveform->n_lanes)
		diag_error(parse->diag, parse->file, instance->line,
		    "%s.pin = %d is outside [0, %zu] (the lanes of the waveform)", instance->name,
		    instance->pin, parse->waveform->n_lanes - 1);
}

static void lanes_check(struct wf_parse *parse, const config_setting_t *lanes)
{
	const struct waveform *waveform = parse->waveform;
	const int line = lanes ? (int)config_setting_source_line(lanes) : 0;

	if (waveform->clock == WF_CLOCK_RADIO && waveform->n_lanes > 1)
		diag_error(parse->diag, parse->file, line,
		    "lanes has %zu CPUs; with the clock \"radio\" all instances run on one lane, "
		    "so one CPU is needed",
		    waveform->n_lanes);
	for (size_t i = 1; waveform->clock == WF_CLOCK_TIMER && i < waveform->n_lanes; i++)
		for (size_t j = 0; j < i; j++)
			if (waveform->lanes[i] == waveform->lanes[j])
				diag_error(parse->diag, parse->file, line,
				    "lanes has CPU %d twice; only the virtual and step clocks "
				    "allow two lanes on one CPU",
				    waveform->lanes[i]);
}

/* A slot's length is given in nanoseconds, or in samples and their rate. */
static void slot_check(struct wf_parse *parse, const config_setting_t *root)
{
	struct waveform *waveform = parse->waveform;
	const config_setting_t *ns = config_setting_get_member(root, "slot_ns");
	const config_setting_t *samples = config_setting_get_member(root, "slot_samples");
	const int line = samples ? (int)config_setting_source_line(samples) : 1;

	if (!waveform->slot_samples) {
		if (!waveform->slot_ns && !ns && !samples)
			diag_error(parse->diag, parse->file, 1,
			    "slot_ns is missing; slot_ns = N (nanoseconds) is needed, or "
			    "slot_samples = N and rate = R");
		return;
	}
	if (ns)
		diag_error(parse->diag, parse->file, line,
		    "slot_ns and slot_samples both give the length of a slot; remove slot_ns or "
		    "slot_samples");
	else if (!waveform->rate_hz && !config_setting_get_member(root, "rate"))
		diag_error(parse->diag, parse->file, line,
		    "slot_samples has no rate; rate = R is needed (samples per second)");
	else if (waveform->rate_hz > 0 && !waveform->slot_ns)
		waveform->slot_ns =
		    (uint64_t)(waveform->slot_samples * 1e9 / waveform->rate_hz + 0.5);
}

/* What runs on a radio's clock is called by whoever holds the radio's packets. */
static void radio_check(struct wf_parse *parse, const config_setting_t *root)
{
	const struct waveform *waveform = parse->waveform;
	const config_setting_t *clock = config_setting_get_member(root, "clock");
	const struct wf_overrides *overrides = parse->overrides;
	const int line = clock ? (int)config_setting_source_line(clock) : 0;

	if (waveform->clock != WF_CLOCK_RADIO)
		return;
	if (overrides && overrides->slot_ns)
		diag_error(parse->diag, "--slot-us", 0,
		    "the clock \"radio\" counts samples; slot_samples and rate are needed");
	else if (!waveform->slot_samples && !config_setting_get_member(root, "slot_samples"))
		diag_error(parse->diag, parse->file, line,
		    "clock = \"radio\" has no slot_samples; slot_samples = N and rate = R are "
		    "needed");
	for (size_t i = 0; i < waveform->n_instances; i++)
		if (waveform->instances[i].isolation != WF_ISOLATION_WAVEFORM)
			diag_error(parse->diag, parse->file, waveform->instances[i].line,
			    "instance \"%s\" has isolation \"%s\"; with the clock \"radio\" all "
			    "instances share the host that has the radio, so isolation "
			    "\"waveform\" is needed",
			    waveform->instances[i].name,
			    isolations[waveform->instances[i].isolation]);
}

/* A lease is what keeps two loads of the waveform apart, so it needs a second load. */
static void node_loss_check(struct wf_parse *parse, const config_setting_t *root)
{
	const config_setting_t *lease = config_setting_get_member(root, "lease_ms");
	struct waveform *waveform = parse->waveform;

	if (waveform->lease_ms && waveform->on_node_loss != WF_NODE_LOSS_RESTART)
		diag_error(parse->diag, parse->file,
		    lease ? (int)config_setting_source_line(lease) : 0,
		    "lease_ms is given, but on_node_loss = \"%s\" loads nothing anew; remove "
		    "lease_ms, or write on_node_loss = \"restart\"",
		    node_losses[waveform->on_node_loss]);
	if (!waveform->lease_ms)
		waveform->lease_ms = WF_LEASE_MS;
}

static void keys_check(struct wf_parse *parse, const config_setting_t *root)
{
	struct waveform *waveform = parse->waveform;
	if (!waveform->name && !config_setting_get_member(root, "name"))
		diag_error(
		    parse->diag, parse->file, 1, "name is missing; name = \"...\" is needed");
	slot_check(parse, root);
	for (size_t i = 0; i < waveform->n_instances; i++)
		values_check(parse, &waveform->instances[i]);
	lanes_check(parse, config_setting_get_member(root, "lanes"));
	radio_check(parse, root);
	node_loss_check(parse, root);
	if (!waveform_timed(waveform))
		waveform->late = WF_LATE_SLIP;
	else if (waveform->clock == WF_CLOCK_RADIO && !parse->late_given)
		waveform->late = WF_LATE_SKIP;
}

static int keys_read(struct wf_parse *parse, const config_setting_t *root)
{
	const int n = config_setting_length(root);
	int error = 0;

	for (int i = 0; !error && i < n; i++) {
		const config_setting_t *setting = config_setting_get_elem(root, (unsigned)i);
		const struct wf_raw raw = wf_raw_setting(parse, setting);
		const char *key = config_setting_name(setting);

		if (is_among(key, waveform_keys, WAVEFORM_KEYS))
			error = waveform_key_set(parse, key, &raw);
		else if (!is_twice(key) && !is_more(key))
			unknown_key(parse, key, &raw);
		if (!error)
			error = wf_enough(parse);
	}
	if (!error)
		error = sets_apply(parse, false);
	return error || !parse->overrides ? error : options_apply(parse);
}

int wf_read_waveform(struct wf_parse *parse, const config_setting_t *root)
{
	const config_setting_t *instances = config_setting_get_member(root, "instances");
	const config_setting_t *links = config_setting_get_member(root, "links");
	int error = keys_read(parse, root);

	if (!error && instances)
		error = instances_read(parse, root, instances);
	else if (!error)
		diag_error(parse->diag, parse->file, 1,
		    "instances is missing; instances: { ... }; is needed");
	if (!error)
		error = sets_apply(parse, true);
	if (!error)
		error = wf_modes_read(parse, config_setting_get_member(root, "on_overrun"));
	if (!error && links)
		error = wf_read_links(parse, links);
	if (!error)
		wf_taps_check(parse);
	if (!error)
		keys_check(parse, root);
	return error;
}
