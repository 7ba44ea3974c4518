/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/wave.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/waveform/shape.h"
#include "daemons/swman/program.h"

enum { LANES_MAX = 4 };

static int parse(
    struct wave *w, const char *text, const struct wave_options *options, struct diag *diag)
{
	char cwd[4096], *dirs = NULL, path[4096], *request, *answer;
	const ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const struct wf_overrides overrides = {
	    .cwd = getcwd(cwd, sizeof(cwd)),
	    .clock = options->clock != NULL ? options->clock : "virtual",
	    .isolation = options->isolation,
	    .pipelined = -1,
	    .sets = options->sets,
	    .n_sets = options->n_sets,
	    .slot_ns = options->slot_ns,
	    .copies = options->copies > 0 ? options->copies : 1,
	    .lanes = options->cpus,
	    .n_lanes = options->n_cpus,
	    .radio = options->radio_text != NULL ? "radio" : NULL,
	    .radio_text = options->radio_text,
	};
	int status;

	if (len <= 0)
		return -1;
	path[len] = 0;
	for (int up = 0; up < 3 && strrchr(path, '/') != NULL; up++) /* BUILD/tests/ROOM/NAME */
		*strrchr(path, '/') = 0;
	if (asprintf(&dirs, "%s/lib/aloe", path) < 0)
		return -1;
	w->registry = registry_open(dirs, diag);
	free(dirs);
	if (w->registry == NULL)
		return -1;
	status = waveform_parse(
	    "waveforms/wave", text, strlen(text), w->registry, &overrides, diag, &w->waveform);
	if (status != 0)
		return status;
	request = waveform_shape_json(w->waveform);
	answer = request != NULL ? waveform_shape_answer(request, NULL, NULL) : NULL;
	status = answer != NULL ? waveform_shape_apply(w->waveform, answer, diag) : -1;
	free(request);
	free(answer);
	return status;
}

static int build(struct wave *w, const struct wave_options *options, struct diag *diag)
{
	static const int first = 0;
	const struct platform_model platform = {options->cpus != NULL ? options->cpus : &first,
	    options->n_cpus > 0 ? options->n_cpus : 1, 0};
	void *program;
	size_t len;
	int status = plan_make(w->waveform, &platform, NULL, diag, &w->plan);

	if (status != 0)
		return status;
	status = program_build(w->waveform, w->plan, 0, 0, diag, &program, &len);
	if (status != 0)
		return status;
	status = image_create(program, len, &w->files);
	free(program);
	return status != 0 ? status : image_open(&w->files, true, &w->view);
}

static int open_instance(
    struct wave *w, uint32_t number, const struct wave_options *options, struct diag *diag)
{
	struct aloe_component *component = &w->components[number];
	struct aloe_entry entry;
	const struct aloe_entry *real;
	int status = component_open(
	    image_text(&w->view, w->view.instances[number].path), diag, &w->handles[number], &real);

	if (status != 0)
		return status;
	*component = *real->component;
	for (size_t i = 0; i < options->n_works; i++)
		if (strcmp(options->works[i].component, real->name) == 0)
			component->work = options->works[i].work;
	entry = (struct aloe_entry){real->abi, real->name, component};
	status = instance_open(
	    &w->instances[number], &w->view, number, &entry, options->radio, &w->arena);
	if (status < 0)
		diag_error(diag, NULL, 0, "%s: %s",
		    image_text(&w->view, w->view.instances[number].name),
		    w->instances[number].setup.error);
	return status;
}

static int open_all(struct wave *w, const struct wave_options *options, struct diag *diag)
{
	const size_t n = w->view.head->instances.count, n_segments = w->view.head->segments.count;
	int status = 0;

	w->instances = arena_take(&w->arena, n * sizeof(*w->instances));
	w->components = calloc(n, sizeof(*w->components));
	w->handles = calloc(n, sizeof(*w->handles));
	w->segments = calloc(n_segments, sizeof(*w->segments));
	if (!w->instances || !w->components || !w->handles || !w->segments)
		return -1;
	for (uint32_t i = 0; i < n && status >= 0; i++)
		status = open_instance(w, i, options, diag);
	for (uint32_t s = 0; s < n_segments && status >= 0; s++)
		status =
		    segment_init(&w->segments[s], &w->view, s, w->instances, &w->node->control[0]);
	return status < 0 ? status : 0;
}

static void *shared(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory != MAP_FAILED ? memory : NULL;
}

/* As exec would: time base 0, every segment an entry of its lane, a seat for each host. */
static void fill_lane(struct wave *w, uint32_t number)
{
	struct node_lane *lane = &w->node->lane[number];
	uint32_t entries = 0;

	lane->cpu = w->view.lanes[number].cpu;
	for (uint32_t s = 0; s < w->view.head->segments.count; s++) {
		if (w->view.segments[s].lane != number)
			continue;
		lane->entry[entries].segment = s;
		lane->entry[entries].seat = w->view.segments[s].host;
		atomic_store(&lane->entry[entries++].live, 1);
	}
	atomic_store(&lane->entries, entries);
	atomic_store(&lane->watched_ns, IMAGE_FOREVER / 2); /* as if a watchdog looked at it */
	atomic_store(
	    &w->lane[number]->baton, baton_make(0, BATON_FRESH, entries > 0 ? 0 : BATON_NOBODY));
}

static int tables(struct wave *w)
{
	struct node_timebase *base;

	w->node = shared(sizeof(*w->node));
	if (w->node == NULL)
		return -1;
	base = &w->node->timebase[0];
	base->pace = image_timed(w->view.head->clock) ? w->view.head->clock : IMAGE_STEP;
	base->slot_ns = w->view.head->slot_ns;
	atomic_store(&base->allowed, IMAGE_FOREVER);
	atomic_store(&w->node->control[0].limit, IMAGE_FOREVER);
	atomic_store(&w->node->control[0].last, IMAGE_FOREVER);
	for (uint32_t l = 0; l < LANES_MAX; l++) {
		w->lane[l] = shared(sizeof(*w->lane[l]));
		if (w->lane[l] == NULL)
			return -1;
		if (l < w->view.head->lanes.count)
			fill_lane(w, l);
	}
	return 0;
}

int wave_open(struct wave *w, const char *text, const struct wave_options *options)
{
	struct diag diag;
	int status;

	*w = (struct wave){.files = {-1, -1}};
	diag_init(&diag);
	status = parse(w, text, options, &diag);
	if (status == 0)
		status = build(w, options, &diag);
	if (status == 0)
		status = tables(w);
	if (status == 0)
		status = open_all(w, options, &diag);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	return status == 0 ? 0 : -1;
}

void wave_close(struct wave *w)
{
	for (uint32_t i = 0; i < w->view.head->instances.count; i++) {
		if (w->instances[i].component != NULL)
			instance_close(&w->instances[i], 0);
		if (w->handles[i] != NULL)
			component_close(w->handles[i]);
	}
	arena_free(&w->arena);
	for (uint32_t s = 0; s < w->view.head->segments.count; s++)
		segment_fini(&w->segments[s]);
	for (uint32_t l = 0; l < LANES_MAX; l++)
		munmap(w->lane[l], sizeof(*w->lane[l]));
	munmap(w->node, sizeof(*w->node));
	image_close(&w->view);
	image_files_close(&w->files);
	free(w->components);
	free(w->handles);
	free(w->segments);
	plan_free(w->plan);
	waveform_free(w->waveform);
	registry_close(w->registry);
}

void wave_lane(struct wave *w, uint32_t lane, uint32_t host, struct lane_thread *ret)
{
	const struct node_lane *table = &w->node->lane[lane];

	memset(ret, 0, sizeof(*ret));
	ret->node = w->node;
	ret->image = w->lane[lane];
	ret->lane = lane;
	ret->seat = host;
	for (uint32_t e = 0; e < atomic_load(&table->entries); e++)
		if (table->entry[e].seat == host)
			atomic_store(&ret->segments[e], &w->segments[table->entry[e].segment]);
}

int wave_io(struct wave *w)
{
	int moved = 0;

	for (uint32_t i = 0; i < w->view.head->instances.count; i++) {
		struct instance *it = &w->instances[i];

		if (it->io.len > 0)
			moved += it->component->fill != NULL
			    ? io_fill(&it->io, it->component, it->state, &it->setup)
			    : io_drain(&it->io, it->component, it->state, &it->setup);
	}
	return moved;
}

char *wave_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (file == NULL)
		return NULL;
	if (getdelim(&text, &size, 0, file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}
