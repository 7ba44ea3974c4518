/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LOAD: from the text of a waveform file to a program that exec prepares; and once more, for one
 * that runs, to another program (remap.c). */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/measure/local.h"
#include "core/report/report.h"
#include "core/report/store.h"
#include "core/measure/capacity.h"
#include "core/waveform/print.h"
#include "daemons/swman/program.h"
#include "daemons/swman/upgrades.h"

enum { LANES_MAX = 64, SETS_MAX = 1024 };

struct load { /* one LOAD, while it is worked on */
	struct swman *swman;
	const struct wire_view *request;
	const struct wire_view *remap; /* it is loaded, and to be mapped anew; NULL */
	swman_send *send;              /* what follows then */
	const struct load_anew *anew;  /* nobody asks; NULL */
	/* those that it has now, if a remap counts its lanes from these; NULL */
	const char *cpus;
	const json_t *list; /* what is loaded, of exec */
	char *file, *text, *cwd, *clock, *late, *isolation, *radio, *radio_text, *record, *replay;
	char *sets[SETS_MAX];
	size_t n_sets;
	struct swman_upgrades upgrades; /* of a remap: builds that are not those of the load */
	int lanes[LANES_MAX];
	size_t n_lanes;
	uint64_t slot_ns, slots, pipelined, copies;
	struct diag diag;
	const struct registry *registry;
	struct waveform *waveform;
	struct profile profile;
	struct plan *plan;
	void *program;
	size_t program_len;
};

static int lanes_take(struct load *load)
{
	char *text = load->remap ? wire_get_text(load->remap, WIRE_TAG_LANES, 0) : NULL,
	     *save = NULL;
	int rc = 0;

	if (!text)
		text = load->cpus ? strdup(load->cpus)
		                  : wire_get_text(load->request, WIRE_TAG_LANES, 0);

	for (char *cpu = text ? strtok_r(text, ",", &save) : NULL; cpu && rc == 0;
	     cpu = strtok_r(NULL, ",", &save)) {
		char *end;
		const long number = strtol(cpu, &end, 10);
		if (end == cpu || *end || number < 0 || number > INT_MAX ||
		    load->n_lanes == LANES_MAX)
			rc = diag_error(&load->diag, NULL, 0,
			    "lanes: `%s` is not a CPU number, or the list has more than %d CPUs",
			    cpu, LANES_MAX);
		else
			load->lanes[load->n_lanes++] = (int)number;
	}
	free(text);
	return rc;
}

static void sets_take(struct load *load, const struct wire_view *request)
{
	for (unsigned n = 0; load->n_sets < SETS_MAX; n++) {
		char *set = wire_get_text(request, WIRE_TAG_SET, n);
		if (!set)
			break;
		load->sets[load->n_sets++] = set;
	}
}

static int request_take(struct load *load)
{
	const struct wire_view *request = load->request;

	load->file = wire_get_text(request, WIRE_TAG_FILE, 0);
	load->text = wire_get_text(request, WIRE_TAG_TEXT, 0);
	load->cwd = wire_get_text(request, WIRE_TAG_CWD, 0);
	load->clock = wire_get_text(request, WIRE_TAG_CLOCK, 0);
	load->late = wire_get_text(request, WIRE_TAG_LATE, 0);
	load->isolation = wire_get_text(request, WIRE_TAG_ISOLATION, 0);
	load->radio = wire_get_text(request, WIRE_TAG_RADIO, 0);
	load->radio_text = wire_get_text(request, WIRE_TAG_RADIO_TEXT, 0);
	load->record = wire_get_text(request, WIRE_TAG_RECORD, 0);
	load->replay = wire_get_text(request, WIRE_TAG_REPLAY, 0);
	wire_get_u64(request, WIRE_TAG_SLOT_NS, &load->slot_ns);
	wire_get_u64(request, WIRE_TAG_SLOTS, &load->slots);
	wire_get_u64(request, WIRE_TAG_PIPELINED, &load->pipelined);
	wire_get_u64(request, WIRE_TAG_COPIES, &load->copies);
	sets_take(load, request);
	if (load->remap && load->remap->type == WIRE_REMAP)
		sets_take(load, load->remap);
	if (!load->file || !load->text || !load->cwd)
		return diag_error(&load->diag, NULL, 0,
		    "LOAD needs a file name, its text (without NUL bytes) and a directory");
	if (load->n_sets == SETS_MAX)
		return diag_error(
		    &load->diag, NULL, 0, "more than %d parameters are set", SETS_MAX - 1);
	return lanes_take(load);
}

/* They are read again when one of them has changed, or was not right. */
static const struct registry *components_open(struct swman *swman, struct diag *diag)
{
	const size_t errors = diag->errors;
	char *dirs = registry_dirs();
	const uint64_t stamp = dirs ? registry_stamp(dirs) : 0;

	if (!swman->registry || stamp != swman->registry_stamp) {
		if (swman->registry)
			registry_close(swman->registry);
		swman->registry = dirs ? registry_open(dirs, diag) : NULL;
		swman->registry_stamp = diag->errors == errors ? stamp : ~stamp;
	}
	free(dirs);
	return swman->registry;
}

/* The run that is mapped again; NULL: none is. */
static struct swman_run *remap_run(const struct load *load)
{
	char *name = load->remap ? wire_get_text(load->remap, WIRE_TAG_WAVEFORM, 0) : NULL;
	struct swman_run *run = name ? swman_run_find(load->swman, name) : NULL;

	free(name);
	return run;
}

static bool is_upgrade(const struct load *load)
{
	return load->remap && load->remap->type == WIRE_UPGRADE;
}

static int builds_take(struct load *load)
{
	struct swman_run *run = remap_run(load);
	int rc = 0;

	if (run && is_upgrade(load))
		rc = upgrades_begin(load->swman, run, load->remap, load->registry, &load->diag);
	if (run && rc == 0)
		rc = upgrades_take(run, is_upgrade(load), load->sets, &load->n_sets, SETS_MAX,
		    &load->diag, &load->upgrades);
	return rc;
}

static int load_parse(struct load *load)
{
	load->registry = components_open(load->swman, &load->diag);
	const int taken = load->registry ? builds_take(load) : -ENOMEM;
	const struct wf_overrides overrides = {
	    .sets = (const char *const *)load->sets,
	    .n_sets = load->n_sets,
	    .cwd = load->cwd,
	    .clock = load->clock,
	    .isolation = load->isolation,
	    .late = load->late,
	    .pipelined = load->pipelined ? 1 : -1,
	    .slot_ns = load->slot_ns,
	    .lanes = load->lanes,
	    .n_lanes = load->n_lanes,
	    .copies = load->copies > UINT32_MAX ? UINT32_MAX : (uint32_t)load->copies,
	    .radio = load->radio_text ? load->radio : NULL,
	    .radio_text = load->radio_text,
	    .record = load->record,
	    .replay = load->replay,
	    .upgrades = load->upgrades.items,
	    .n_upgrades = load->upgrades.n,
	};
	const int rc = taken == 0 ? waveform_parse(load->file, load->text, strlen(load->text),
	                                load->registry, &overrides, &load->diag, &load->waveform)
	                          : taken;
	struct swman_run *run = remap_run(load);

	if (rc == 0 && run)
		upgrades_mark(run, &load->upgrades, is_upgrade(load), load->waveform);
	return rc;
}

static int load_shape(struct load *load)
{
	struct swman_run *run =
	    load->remap ? swman_run_find(load->swman, load->waveform->name) : NULL;
	char host[PATH_MAX];
	const int rc = child_path("aloe-host", host, sizeof(host));

	if (rc < 0)
		return rc;
	return run ? waveform_shape_again(load->waveform, host, &run->shape, &load->diag)
	           : waveform_shape(load->waveform, host, &load->diag);
}

/* A profile that cannot be read is no reason not to run: the components' own figures hold
 * instead. */
static void profile_take(struct load *load)
{
	struct diag diag;

	diag_init(&diag);
	if (store_profile_read(load->swman->state, load->waveform, &diag, &load->profile) < 0)
		diag_note(&load->diag, "the profile is not used: %s",
		    diag.len ? diag.lines[0] : "no memory");
	else
		for (size_t i = 0; i < diag.len; i++)
			diag_note(&load->diag, "%s", diag.lines[i]);
	diag_fini(&diag);
}

/* Most often the frontend has had it done by now. */
static void capacity_take(struct load *load)
{
	const uint64_t begin = clock_ns();
	bool waited;
	const int rc = capacity_keep(load->swman->state, &waited);

	if (rc < 0)
		diag_note(&load->diag,
		    "this kind of machine could not be measured (%s); the speed of the cores and "
		    "the cost of a lane are guessed",
		    strerror(-rc));
	else if (waited)
		diag_note(&load->diag,
		    "waited %.1f s until this kind of machine was measured, once for all loads",
		    (double)(clock_ns() - begin) * 1e-9);
}

/* ---- on several nodes ---- */

/* What is taken of a core by waveforms that are loaded there. */
static double taken_ns(const struct load *load, const char *node, int cpu)
{
	json_t *waveform, *lane;
	double us = 0;
	size_t n, l;

	json_array_foreach(load->list, n, waveform)
	{
		if (strcmp(report_text(waveform, "node"), node) != 0 ||
		    strcmp(report_text(waveform, "clock"), "virtual") == 0)
			continue;
		json_array_foreach(json_object_get(waveform, "lanes"), l, lane)
		{
			if ((int)report_number(lane, "cpu") == cpu)
				us += report_number(lane, "admitted_us");
		}
	}
	return us * 1e3;
}

/* In the platform file cores are numbered through all nodes; here they are CPUs of their node. */
static int cpu_of(const struct platform_model *model, uint32_t core)
{
	const uint32_t node = model->cores[core].node;
	uint32_t first = core;

	while (first > 0 && model->cores[first - 1].node == node)
		first--;
	return model->nodes[node].lanes.items[core - first];
}

/* The cores that can be planned for, with what is taken of each: of a waveform that is loaded anew,
 * those of nodes that are there. */
static void cores_take(
    const struct load *load, struct platform_model *model, struct platform_core *cores, int *cpus)
{
	const struct machines *machines = &load->swman->machines;
	size_t n = 0;

	for (uint32_t c = 0; c < model->n_lanes; c++) {
		const uint32_t node = model->cores[c].node;

		if (load->anew && load->swman->nodes[node].silent)
			continue;
		cpus[n] = model->cpus[c];
		cores[n] = model->cores[c];
		if (load->waveform->clock != WF_CLOCK_VIRTUAL)
			cores[n].taken_ns =
			    taken_ns(load, machines_name(machines, node), cpu_of(model, c));
		n++;
	}
	model->cores = cores;
	model->cpus = cpus;
	model->n_lanes = n;
}

static int plan_on(struct load *load)
{
	const struct machines *machines = &load->swman->machines;
	struct platform_model model = *machines->model;
	struct platform_core *cores = calloc(model.n_lanes, sizeof(*cores));
	int *cpus = calloc(model.n_lanes, sizeof(*cpus));
	struct platform_link *links = NULL;
	char *home = wire_get_text(load->request, WIRE_TAG_HOME, 0);
	const uint32_t from = home ? machines_find(machines, home, strlen(home)) : machines->self;
	int rc = cores && cpus ? 0 : -ENOMEM;

	free(home);
	if (rc == 0)
		cores_take(load, &model, cores, cpus);
	if (rc == 0 && model.n_lanes == 0)
		rc = diag_error(&load->diag, load->file, 0, "no node of the platform is there");
	if (rc == 0 && load->record && from != machines->self)
		rc = diag_error(&load->diag, NULL, 0,
		    "--record: the manager writes part of the recording, and the folder is on "
		    "another node; record from node \"%s\", which is the manager",
		    machines_name(machines, machines->self));
	model.home = from == MACHINES_NONE ? 0 : from + 1;
	profile_take(load);
	if (rc == 0)
		rc = swman_delays_apply(load->swman, load->waveform, &model, &links, &load->diag);
	if (rc == 0)
		rc = plan_spread(load->waveform, &model, &load->profile, &load->diag);
	if (rc == 0)
		rc = plan_make(load->waveform, &model, &load->profile, &load->diag, &load->plan);
	for (uint32_t l = 0; rc == 0 && l < load->plan->n_lanes; l++)
		load->plan->cpus[l] = cpu_of(machines->model, (uint32_t)load->plan->cpus[l]);
	free(links);
	free(cores);
	free(cpus);
	return rc;
}

/* Of no other load, on any node. */
static uint64_t load_id_new(void)
{
	uint64_t id = 0;

	while (id == 0 && getrandom(&id, sizeof(id), 0) != sizeof(id))
		;
	return id;
}

static int plan_choose(struct load *load)
{
	struct local_platform platform;
	int rc;

	if (load->swman->machines.model)
		return plan_on(load);
	capacity_take(load);
	local_platform(load->swman->state, &platform);
	local_beside(load->list, load->waveform, &platform);
	profile_take(load);
	rc = plan_spread(load->waveform, &platform.model, &load->profile, &load->diag);
	return rc
	    ? rc
	    : plan_make(load->waveform, &platform.model, &load->profile, &load->diag, &load->plan);
}

static void load_fini(struct load *load)
{
	char *const texts[] = {load->file, load->text, load->cwd, load->clock, load->late,
	    load->isolation, load->radio, load->radio_text, load->record, load->replay};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free(texts[i]);
	for (size_t i = 0; i < load->n_sets; i++)
		free(load->sets[i]);
	free(load->program);
	plan_free(load->plan);
	plan_profile_fini(&load->profile);
	if (load->waveform)
		waveform_free(load->waveform);
	upgrades_fini(&load->upgrades);
	diag_fini(&load->diag);
}

/* notes_join joins what is to be told; the caller frees it. */
static char *notes_join(const struct diag *diag)
{
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&text, &len);

	if (!memory)
		return NULL;
	diag_print(diag, memory);
	fclose(memory);
	while (len && text[len - 1] == '\n')
		text[--len] = 0;
	return text;
}

/* ---- PREPARE ------------------------------------------------------------------------ */

static void load_loaded(
    struct swman *swman, const struct swman_call *call, const struct wire_view *answer)
{
	char *notes = wire_get_text(answer, WIRE_TAG_TEXT, 0);
	struct wire_view request;
	struct wire_msg msg;
	char *text = NULL;

	if (!call->request || wire_decode(call->request, call->request_len, &request) < 0) {
		free(notes);
		return;
	}
	if (asprintf(&text, "%s%s%s", call->notes ? call->notes : "",
	        call->notes && call->notes[0] && notes && notes[0] ? "\n" : "",
	        notes ? notes : "") < 0)
		text = NULL;
	bus_reply(swman->daemon.bus, &request, WIRE_OK, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, call->waveform);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	bus_send(swman->daemon.bus, &msg);
	free(text);
	free(notes);
}

/* Whether nobody can tell what came of it: exec has it, or has it not, and LOAD is asked again. */
static bool is_lost(const struct wire_view *answer)
{
	uint64_t again;

	return !answer ||
	    (answer->type == WIRE_FAIL && wire_get_u64(answer, WIRE_TAG_AGAIN, &again) == 0);
}

static void load_prepared(
    struct swman *swman, struct swman_call *call, const struct wire_view *answer)
{
	if (answer && answer->type == WIRE_OK) {
		load_loaded(swman, call, answer);
		return;
	}
	if (!is_lost(answer)) /* else the run is how the next LOAD knows it again */
		swman_run_drop(swman, call->waveform, false);
	swman_pass(swman, call, answer, NULL);
}

static void anew_keep(const struct load *load)
{
	struct swman_run *run =
	    load->anew ? swman_run_find(load->swman, load->waveform->name) : NULL;

	if (!run)
		return;
	run->starts = load->anew->starts;
	run->note = load->anew->note ? strdup(load->anew->note) : NULL;
}

/* The plan is long as a text, and is written while exec prepares. begun: what became of the folder
 * of the run. */
static void plan_keep(const struct load *load, int begun)
{
	char *plan = begun == 0 ? plan_print(load->waveform, load->plan) : NULL;

	if (begun == 0)
		swman_run_replan(load->swman, load->waveform->name, plan);
	free(plan);
}

static void load_prepare(struct load *load)
{
	struct swman *swman = load->swman;
	const struct wire_view *asks = load->anew ? NULL : load->request;
	struct swman_call *call = swman_call_new(asks, load->waveform->name);
	struct wire_msg msg;
	int rc;

	if (!call) {
		if (asks)
			daemon_fail(&swman->daemon, asks, 1, "out of memory");
		else if (load->anew)
			load->anew->done(swman, load->anew->waveform, "out of memory");
		return;
	}
	call->notes = notes_join(&load->diag);
	rc = swman_run_begin(swman, call->waveform, load->text, load->request);
	if (rc < 0)
		log_warning(&swman->daemon.log, "%s: this run will not be kept: %s", swman->state,
		    strerror(-rc));
	anew_keep(load);
	swman->prepares++;
	if (swman->machines.model) {
		swman->prepare_on(
		    swman, asks, call->waveform, call->notes, load->program, load->program_len);
		swman_call_free(call);
		plan_keep(load, rc);
		return;
	}
	wire_init(&msg, WIRE_PREPARE, WIRE_SWMAN, WIRE_EXEC, 0);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, call->waveform);
	wire_put_bytes(&msg, WIRE_TAG_PROGRAM, load->program, load->program_len);
	if (rc == 0)
		wire_put_text(&msg, WIRE_TAG_FILE, swman_run_find(swman, call->waveform)->dir);
	swman_ask(swman, call, &msg, load_prepared);
	plan_keep(load, rc);
}

static void load_fail(struct load *load, int rc)
{
	const struct wire_view *asked = load->remap ? load->remap : load->request;
	char *text = notes_join(&load->diag);

	if (load->anew)
		load->anew->done(
		    load->swman, load->anew->waveform, text && text[0] ? text : strerror(-rc));
	else if (rc == -EINVAL || load->diag.errors)
		daemon_fail(&load->swman->daemon, asked, 2, "%s", text ? text : "out of memory");
	else
		daemon_fail(&load->swman->daemon, asked, 1, "%s: %s",
		    load->file ? load->file : "load", strerror(-rc));
	free(text);
}

/* ---- LOAD once more ------------------------------------------------------------------------ */

static const char *state_in(const json_t *list, const char *name)
{
	const json_t *waveform = report_find(list, "name", name);

	return waveform ? report_text(waveform, "state") : NULL;
}

static bool same_load(const struct swman_run *run, const struct wire_view *request)
{
	uint64_t had, wanted;
	struct wire_view load;

	return run && run->load && wire_decode(run->load, run->load_len, &load) == 0 &&
	    wire_get_u64(&load, WIRE_TAG_LOAD_ID, &had) == 0 &&
	    wire_get_u64(request, WIRE_TAG_LOAD_ID, &wanted) == 0 && had == wanted;
}

/* A LOAD that was not answered, because a daemon was killed over it, is sent again. True when it
 * has been answered by what came of the first one: loaded, or still on its way. */
static bool load_repeated(const struct load *load)
{
	const char *name = load->waveform->name, *state = state_in(load->list, name);
	struct swman *swman = load->swman;
	struct swman_run *run = state ? swman_run_known(swman, name) : swman_run_find(swman, name);
	const bool same = same_load(run, load->request),
	           on_its_way = state && !strcmp(state, "LOADED");
	struct wire_msg msg;

	if (!state && same)
		swman_run_drop(swman, name, false); /* exec knows nothing of it */
	if (!state || !(same || (on_its_way && !run)))
		return false;
	bus_reply(swman->daemon.bus, load->request, on_its_way ? WIRE_FAIL : WIRE_OK, &msg);
	if (on_its_way) {
		wire_put_u64(&msg, WIRE_TAG_CODE, 1);
		wire_put_u64(&msg, WIRE_TAG_AGAIN, 1);
		wire_put_text(&msg, WIRE_TAG_TEXT, "the waveform is being loaded");
	} else {
		wire_put_text(&msg, WIRE_TAG_WAVEFORM, name);
	}
	bus_send(swman->daemon.bus, &msg);
	return true;
}

static int load_plan(struct load *load)
{
	int rc = 0;

	if (!load->remap && !load->anew && swman_run_find(load->swman, load->waveform->name))
		rc = diag_error(&load->diag, load->file, 0, "waveform \"%s\" is loaded already",
		    load->waveform->name);
	if (rc == 0)
		rc = load_shape(load);
	if (rc == 0)
		rc = plan_choose(load);
	if (rc == 0)
		rc = program_build(load->waveform, load->plan, load->slots,
		    load->swman->machines.model ? load_id_new() : 0, &load->diag, &load->program,
		    &load->program_len);
	return rc;
}

static void load_begin(struct load *load)
{
	int rc;

	diag_init(&load->diag);
	rc = request_take(load);
	if (rc == 0)
		rc = load_parse(load);
	if (rc == 0 && !load->remap && !load->anew && load_repeated(load)) {
		load_fini(load);
		return;
	}
	if (rc == 0)
		rc = load_plan(load);
	if (rc == 0 && load->remap)
		load->send(load->swman, load->remap, load->waveform, load->plan, load->program,
		    load->program_len);
	else if (rc == 0 && load->anew && load->anew->dry)
		load->anew->done(load->swman, load->waveform->name, NULL);
	else if (rc == 0)
		load_prepare(load);
	else
		load_fail(load, rc);
	load_fini(load);
	malloc_trim(0); /* what stays lies between the pages of what has gone */
}

static void request_load(struct swman *swman, const struct wire_view *request,
    const struct wire_view *remap, const char *cpus, const json_t *list, swman_send *send)
{
	struct load load = {.swman = swman,
	    .request = request,
	    .remap = remap,
	    .cpus = cpus,
	    .list = list,
	    .send = send};

	load_begin(&load);
}

static void lanes_known(
    struct swman *swman, struct swman_call *call, const struct wire_view *answer)
{
	char *text =
	    answer && answer->type == WIRE_OK ? wire_get_text(answer, WIRE_TAG_JSON, 0) : NULL;
	json_t *list = text ? json_loads(text, 0, NULL) : NULL;
	struct wire_view request;

	if (is_lost(answer))
		swman_pass(swman, call, answer, NULL);
	else if (call->request && wire_decode(call->request, call->request_len, &request) == 0) {
		if (call->prepares == swman->prepares)
			request_load(swman, &request, NULL, NULL, list, NULL);
		else /* what is taken has changed since: one waveform is admitted after another */
			swman_load(swman, &request);
	}
	json_decref(list);
	free(text);
}

void swman_load(struct swman *swman, const struct wire_view *request)
{
	struct swman_call *call = swman_call_new(request, NULL);
	struct wire_msg msg;

	if (!call) {
		daemon_fail(&swman->daemon, request, 1, "out of memory");
		return;
	}
	call->prepares = swman->prepares;
	wire_init(&msg, WIRE_LIST, WIRE_SWMAN, WIRE_EXEC, 0);
	/* of those that take nothing of lanes only the state: a load costs little more with each */
	wire_put_text(&msg, WIRE_TAG_LANES, "any");
	swman_ask(swman, call, &msg, lanes_known);
}

void swman_load_again(struct swman *swman, const struct wire_view *request,
    const struct wire_view *remap, const char *cpus, const json_t *list, swman_send *send)
{
	request_load(swman, request, remap, cpus, list, send);
}

void swman_load_on(struct swman *swman, const struct wire_view *request, const json_t *list)
{
	request_load(swman, request, NULL, NULL, list, NULL);
}

void swman_load_anew(struct swman *swman, const struct wire_view *request, const json_t *list,
    const struct load_anew *anew)
{
	struct load load = {.swman = swman, .request = request, .list = list, .anew = anew};

	load_begin(&load);
}

char *swman_load_text(struct swman *swman, const struct wire_view *request)
{
	struct load load = {.swman = swman, .request = request};
	char *text = NULL;

	diag_init(&load.diag);
	if (request_take(&load) == 0 && load_parse(&load) == 0)
		text = waveform_print(load.waveform, NULL);
	load_fini(&load);
	return text;
}
