/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "daemons/common/builds.h"
#include "daemons/host/host.h"

/* Where the component's file is. The path is one of the manager's machine; another node has the
 * build by its content. NULL after saying that it has not. */
static const char *file_find(struct host *host, struct host_wave *wave, uint32_t number)
{
	const struct image_view *view = &wave->now.view;
	const struct image_instance *row = &view->instances[number];
	const char *folder = getenv(BUILDS_ENVIRONMENT), *build = image_text(view, row->build);
	const char *component = image_text(view, row->component);
	const struct image_instance *of = &view->instances[wave->found_of - (wave->found_of > 0)];

	if (view->head->load_id == 0 || folder == NULL || build[0] == 0)
		return image_text(view, row->path);
	if (wave->found_of > 0 && strcmp(build, image_text(view, of->build)) == 0)
		return wave->found; /* as copies have */
	wave->found_of = 0;
	if (builds_find(folder, component, build, wave->found, sizeof(wave->found)) == 0) {
		wave->found_of = number + 1;
		return wave->found;
	}
	host_note(host, "%s: this node has no build of component %s with SHA-256 %s\n",
	    image_text(view, row->name), component, build);
	return NULL;
}

static int instance_prepare(struct host *host, struct host_wave *wave, uint32_t number)
{
	const struct image_instance *row = &wave->now.view.instances[number];
	const char *path = file_find(host, wave, number);
	const char *name = image_text(&wave->now.view, row->name);
	const struct component_file *file;
	struct instance *it = &wave->instances[number];
	struct diag diag;
	int status;

	if (path == NULL)
		return -ENOENT;
	diag_init(&diag);
	file = component_files_open(&wave->files, path, &diag);
	for (size_t i = 0; i < diag.len && file == NULL; i++)
		host_note(host, "%s: %s\n", name, diag.lines[i]);
	diag_fini(&diag);
	if (file == NULL)
		return -ENOEXEC;
	if (file->digest != row->digest) {
		host_note(host,
		    "%s: %s is not the build that the plan was made from, because the .desc files "
		    "differ\n",
		    name, path);
		return -ESTALE;
	}
	/* So that exec can name it, should it not come back from here. */
	atomic_store(&image_segment_state(&wave->now.view, row->segment)->current, number + 1);
	status = instance_open(it, &wave->now.view, number, file->entry,
	    wave->radio ? &wave->radio->pace.radio : NULL, &wave->arena);
	atomic_store(&image_segment_state(&wave->now.view, row->segment)->current, 0);
	if (status < 0)
		host_note(host, "%s: %s\n", name,
		    it->setup.error[0] ? it->setup.error : "init failed and gave no reason");
	else if (it->setup.note[0])
		host_note(host, "%s: %s\n", name, it->setup.note);
	it->setup.note[0] = 0; /* close may have another one */
	return status < 0 ? status : 0;
}

static int segment_prepare(struct host *host, struct host_wave *wave, uint32_t i)
{
	const struct image_view *view = &wave->now.view;
	const struct image_segment *row = &view->segments[wave->now.segments[i].place.segment];
	int status = 0;

	for (uint32_t n = 0; n < row->n_instances && status == 0; n++)
		status = instance_prepare(host, wave, view->order[row->order + n]);
	return status;
}

static int open_all(struct host *host, struct host_wave *wave, const struct hostlink_msg *msg)
{
	const uint64_t n = wave->now.view.head->instances.count;
	int status, first = 0;

	wave->control = msg->control;
	wave->instances = arena_take(&wave->arena, n * sizeof(struct instance));
	if (wave->instances == NULL)
		return -ENOMEM;
	status = host_tables_init(&wave->now, msg);
	if (status != 0)
		return status;
	for (uint32_t i = 0; i < msg->n_segments; i++) {
		status = segment_prepare(host, wave, i);
		first = first != 0 ? first : status; /* go on: all errors at once */
	}
	if (first == 0)
		first = host_lapses_begin(host, wave);
	for (uint32_t i = 0; i < msg->n_segments && first == 0; i++)
		first = host_segment_init(host, wave, &wave->now, i);
	if (wave->arena.no_huge && !host->noted_no_huge)
		host_note(host,
		    "!no huge pages (transparent_hugepage is \"never\"): a host with much memory "
		    "takes longer to end when the host is killed\n");
	host->noted_no_huge |= wave->arena.no_huge;
	return first;
}

#define PATIENCE_NS 2000000000ull

static int close_all(struct host *host, struct host_wave *wave)
{
	const uint64_t until_ns = clock_ns() + PATIENCE_NS; /* for all sinks together */
	int first = 0;

	for (uint32_t i = 0; wave->instances != NULL && i < wave->now.view.head->instances.count;
	     i++) {
		struct instance *it = &wave->instances[i];
		int status;

		if (it->component == NULL)
			continue;
		status = instance_close(it, until_ns);
		if (status < 0)
			host_note(host, "%s: %s\n",
			    image_text(&wave->now.view, wave->now.view.instances[i].name),
			    it->setup.error[0] ? it->setup.error
			                       : "close failed and gave no reason");
		else if (it->setup.note[0])
			host_note(host, "%s: %s\n",
			    image_text(&wave->now.view, wave->now.view.instances[i].name),
			    it->setup.note);
		first = first != 0 ? first : status;
	}
	host_lapses_end(wave);
	host_builds_close(wave);
	component_files_close(&wave->files);
	host_tables_fini(&wave->now);
	host_radio_free(wave->radio);
	image_close(&wave->opened_with);
	arena_free(&wave->arena);
	free(wave);
	return first;
}

int host_attach(struct host *host, const struct hostlink_msg *msg, const int *fds, size_t n_fds)
{
	struct host_wave *wave = calloc(1, sizeof(*wave));
	int status = wave == NULL ? -ENOMEM : host_map(host, msg, fds, n_fds, &wave->now.view);

	if (status != 0)
		host_note(host, "the host cannot map its images: %s\n", strerror(-status));
	if (status == 0 && wave->now.view.head->clock == IMAGE_RADIO)
		status = host_radio_start(host, wave, msg, fds + HOSTLINK_LANE_FDS);
	if (status == 0)
		status = open_all(host, wave, msg);
	if (status == 0)
		status = host_threads_start(host, wave, msg, fds + HOSTLINK_LANE_FDS);
	for (size_t i = 0; i < n_fds; i++)
		close(fds[i]);
	if (status != 0) {
		if (wave != NULL)
			host_radio_stop(host, wave);
		if (wave != NULL && wave->now.view.base != NULL)
			close_all(host, wave);
		else
			free(wave);
		return status;
	}
	pthread_mutex_lock(&host->lock);
	wave->next = host->waves;
	host->waves = wave;
	pthread_mutex_unlock(&host->lock);
	host_io_wake(host);
	return 0;
}

int host_finish(struct host *host, uint32_t control)
{
	struct host_wave **link, *wave;

	pthread_mutex_lock(&host->lock);
	for (link = &host->waves; *link != NULL && (*link)->control != control;
	     link = &(*link)->next)
		;
	wave = *link;
	if (wave != NULL)
		*link = wave->next;
	pthread_mutex_unlock(&host->lock);
	if (wave == NULL)
		return 0;
	host_remain(host, wave);
	host_threads_stop(host, wave);
	host_radio_stop(host, wave);
	return close_all(host, wave);
}
