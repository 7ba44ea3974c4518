/* SPDX-License-Identifier: BSD-3-Clause
 *
 * upgrade.c - instances of another build, which come with the tables of a remap (remap.c).
 *
 *   REMAP    the new build is loaded beside the old one and initialised in memory of its own
 *   IMPORT   the waveform stands: the new build takes over what the old one exports
 *   SWITCH   the new build is put into the place of the old one, which all tables know
 *   after the answer: the old build is closed, and its memory given back
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/image/follow.h"
#include "core/slot/upgrade.h"
#include "daemons/host/host.h"

/* ---- REMAP ------------------------------------------------------------------------ */

/* A file that the wave has opened is the build that runs, whatever the path leads to now. Others
 * are closed with their instance. */
static const struct aloe_entry *build_load(const struct host_wave *wave, const char *path,
    struct host_build *build, uint64_t *ret_digest, struct diag *diag)
{
	const struct aloe_entry *entry = NULL;
	char *text;

	for (size_t i = 0; i < wave->files.len; i++)
		if (strcmp(wave->files.items[i].path, path) == 0) {
			*ret_digest = wave->files.items[i].digest;
			return wave->files.items[i].entry;
		}
	if (component_open(path, diag, &build->handle, &entry) != 0)
		return NULL;
	text = component_describe(entry);
	*ret_digest = text != NULL ? component_digest(text) : 0;
	free(text);
	return entry;
}

static int build_open(struct host *host, struct host_wave *wave, const struct image_view *view,
    struct host_build *build)
{
	const struct image_instance *row = &view->instances[build->number];
	const char *path = image_text(view, row->path), *name = image_text(view, row->name);
	struct instance *it = &build->instance;
	const struct aloe_entry *entry;
	uint64_t digest = 0;
	struct diag diag;
	int status;

	diag_init(&diag);
	entry = build_load(wave, path, build, &digest, &diag);
	for (size_t i = 0; i < diag.len && entry == NULL; i++)
		host_note(host, "%s: %s\n", name, diag.lines[i]);
	diag_fini(&diag);
	if (entry == NULL)
		return -ENOEXEC;
	if (digest != row->digest) {
		host_note(host, "%s: %s has another description than its .desc file", name, path);
		return -ESTALE;
	}
	if (entry->component->fill != NULL || entry->component->drain != NULL) {
		host_note(host, "%s: %s reads or writes through the I/O thread", name, path);
		return -EINVAL;
	}
	status = instance_open(it, view, build->number, entry, NULL, &build->arena);
	if (status < 0)
		host_note(host, "%s: %s", name,
		    it->setup.error[0] ? it->setup.error : "init failed and gave no reason");
	return status < 0 ? status : 0;
}

static void build_free(struct host_build *build)
{
	if (build == NULL)
		return;
	arena_free(&build->arena);
	component_close(build->handle);
	free(build);
}

int host_builds_open(struct host *host, struct host_wave *wave, const struct image_view *view)
{
	int status = 0;

	for (uint32_t i = 0; i < view->head->instances.count && status == 0; i++) {
		struct host_build *build;

		if (wave->instances[i].component == NULL ||
		    !image_upgraded(&wave->now.view, view, i))
			continue;
		build = calloc(1, sizeof(*build));
		if (build == NULL)
			return -ENOMEM;
		build->number = i;
		build->program = view->program;
		build->next = wave->next_builds;
		wave->next_builds = build;
		status = build_open(host, wave, view, build);
	}
	return status;
}

void host_builds_drop(struct host_wave *wave)
{
	while (wave->next_builds != NULL) {
		struct host_build *build = wave->next_builds;

		wave->next_builds = build->next;
		if (build->instance.component != NULL) {
			build->instance.stats = NULL; /* the image goes */
			instance_close(&build->instance, clock_ns());
		}
		build_free(build);
	}
}

/* ---- IMPORT ------------------------------------------------------------------------ */

static int build_import(struct host *host, struct host_wave *wave, struct host_build *build)
{
	struct instance *old = &wave->instances[build->number], *it = &build->instance;
	const char *name = image_text(&wave->now.view, wave->now.view.instances[old->number].name);
	bool imported = false;
	int64_t bytes;
	void *state = instance_export(old, &bytes);
	int status = bytes < 0 ? (int)bytes : 0;

	if (status != 0)
		host_note(
		    host, "%s: the old build cannot export its state: %s", name, old->setup.error);
	if (status == 0) {
		status = instance_take_over(
		    it, &wave->other->view, &wave->now.view, state, (size_t)bytes, &imported);
		if (status != 0)
			host_note(host, "%s: %s", name, it->setup.error);
	}
	if (status == 0 && imported)
		host_note(host, "%s: the new build has taken over %lld byte%s of state\n", name,
		    (long long)bytes, bytes == 1 ? "" : "s");
	else if (status == 0)
		host_note(host, "%s: the new build starts fresh, because %s\n", name,
		    old->component->export_state == NULL ? "the old one has no export_state"
		                                         : "it has no import_state");
	free(state);
	return status;
}

int host_builds_import(struct host *host, uint32_t control)
{
	struct host_wave *wave = host_find(host, control);
	int status = 0;

	if (wave == NULL || wave->other == NULL)
		return 0;
	for (struct host_build *build = wave->next_builds; build != NULL && status == 0;
	     build = build->next)
		status = build_import(host, wave, build);
	return status;
}

int host_export(struct host *host, const struct hostlink_msg *msg, int fd, uint32_t *ret_has)
{
	struct host_wave *wave = host_find(host, msg->control);
	struct instance *it = wave != NULL && msg->instance < wave->now.view.head->instances.count
	    ? &wave->instances[msg->instance]
	    : NULL;
	const uint8_t *bytes;
	int64_t n = 0;
	void *state;

	if (it == NULL || it->component == NULL) {
		host_note(host, "the host has no such instance");
		return -ESRCH;
	}
	state = instance_export(it, &n);
	if (n < 0)
		host_note(host, "the old build cannot export its state: %s", it->setup.error);
	*ret_has = state != NULL;
	bytes = state;
	for (int64_t at = 0; at < n;) {
		const ssize_t written = pwrite(fd, bytes + at, (size_t)(n - at), at);

		if (written <= 0) {
			host_note(host, "there is no memory for the exported state");
			n = -ENOMEM;
		}
		at += written;
	}
	free(state);
	return n < 0 ? (int)n : 0;
}

/* ---- SWITCH ------------------------------------------------------------------------ */

/* The build that is in force for an instance, taken out of the list; NULL: it is as loaded. */
static struct host_build *build_take(struct host_wave *wave, uint32_t number)
{
	for (struct host_build **at = &wave->builds; *at != NULL; at = &(*at)->next) {
		struct host_build *build = *at;

		if (build->number != number)
			continue;
		*at = build->next;
		return build;
	}
	return NULL;
}

void host_builds_switch(struct host_wave *wave)
{
	for (struct host_build *build = wave->next_builds; build != NULL; build = build->next) {
		struct instance *place = &wave->instances[build->number];

		build->old = build_take(wave, build->number);
		build->instance = instance_replace(place, &build->instance);
	}
}

static void program_free(struct host_program *program)
{
	image_close(&(struct image_view){.program = program->bytes, .program_bytes = program->len});
	free(program);
}

/* Those that no build in force was opened with. */
static void programs_sweep(struct host_wave *wave)
{
	struct host_program **at = &wave->programs;

	while (*at != NULL) {
		struct host_program *program = *at;
		bool used = false;

		for (struct host_build *build = wave->builds; build != NULL; build = build->next)
			used |= build->program == program->bytes;
		if (used) {
			at = &program->next;
			continue;
		}
		*at = program->next;
		program_free(program);
	}
}

void host_builds_settle(struct host *host, uint32_t control)
{
	struct host_wave *wave = host_find(host, control);

	while (wave != NULL && wave->other == NULL && wave->next_builds != NULL) {
		struct host_build *build = wave->next_builds;

		wave->next_builds = build->next;
		/* its setup is read where it was */
		build->instance.setup.arena = &build->instance;
		if (build->instance.live != NULL)
			build->instance.live->setup = &build->instance.setup;
		instance_close(&build->instance, clock_ns());
		build_free(build->old);
		build->old = NULL;
		build->next = wave->builds;
		wave->builds = build;
	}
	if (wave != NULL)
		programs_sweep(wave);
}

void host_program_keep(struct host_wave *wave, struct image_view *view)
{
	struct host_program *program;
	bool used = false;

	for (const struct host_build *build = wave->builds; build != NULL; build = build->next)
		used |= build->program == view->program;
	for (const struct host_build *build = wave->next_builds; build != NULL; build = build->next)
		used |= build->old != NULL && build->old->program == view->program;
	if (!used || view->program_bytes == 0)
		return;
	program = calloc(1, sizeof(*program));
	if (program != NULL) {
		program->bytes = view->program;
		program->len = view->program_bytes;
		program->next = wave->programs;
		wave->programs = program;
	}
	view->program_bytes = 0; /* without memory it stays mapped */
}

void host_builds_close(struct host_wave *wave)
{
	while (wave->builds != NULL) {
		struct host_build *build = wave->builds;

		wave->builds = build->next;
		build_free(build);
	}
	while (wave->programs != NULL) {
		struct host_program *program = wave->programs;

		wave->programs = program->next;
		image_close(
		    &(struct image_view){.program = program->bytes, .program_bytes = program->len});
		free(program);
	}
}
