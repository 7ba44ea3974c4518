/* SPDX-License-Identifier: BSD-3-Clause
 *
 * remap.c - the same instances by other tables: on other lanes, with other lags, in another image
 * (core/image/follow.h).
 *
 *   REMAP   the other image is mapped, its segments are made, threads on its lanes started; nothing
 *           changes yet
 *   SWITCH  the waveform stands: changes that wait go along, instances are bound to the other
 *           image, the first one is left
 *
 * Their state stays where it is, and so does the program that they were opened with: they may hold
 * its texts and arrays. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemons/host/host.h"

/* ---- REMAP ------------------------------------------------------------------------ */

/* Copies share working memory with those that run before and after them: none may come to run
 * beside another. */
static int scratch_stays(
    struct host *host, const struct host_wave *wave, const struct image_view *view)
{
	const uint32_t n = (uint32_t)view->head->instances.count;

	for (uint32_t i = 0; i < n; i++) {
		const struct instance *it = &wave->instances[i];

		if (it->component == NULL || !it->shares_scratch || !it->has_scratch)
			continue;
		for (uint32_t j = i + 1; j < n; j++) {
			const struct instance *other = &wave->instances[j];

			if (other->component == NULL || !other->has_scratch ||
			    other->scratch_segment != it->scratch_segment)
				continue;
			if (view->instances[i].segment == view->instances[j].segment)
				break; /* the next one of them is held against those behind it */
			host_note(host,
			    "copies that were loaded on one lane share working memory and cannot "
			    "go to different lanes: \"%s\" and \"%s\" must stay together",
			    image_text(view, view->instances[i].name),
			    image_text(view, view->instances[j].name));
			return -EBUSY;
		}
	}
	return 0;
}

static int segments_make(struct host *host, struct host_wave *wave, struct host_tables *tables,
    const struct hostlink_msg *msg)
{
	int status = host_tables_init(tables, msg);

	for (uint32_t i = 0; i < tables->n_segments && status == 0; i++)
		status = host_segment_init(host, wave, tables, i);
	return status;
}

/* All of ours, as in the tables that there are. */
static bool same_instances(const struct host_wave *wave, const struct host_tables *tables)
{
	const uint64_t n = tables->view.head->instances.count;
	uint64_t ours = 0, theirs = 0;

	if (n != wave->now.view.head->instances.count)
		return false;
	for (uint64_t i = 0; i < n; i++)
		ours += wave->instances[i].component != NULL;
	for (uint32_t s = 0; s < tables->n_segments; s++) {
		const struct image_segment *row =
		    &tables->view.segments[tables->segments[s].place.segment];

		for (uint32_t i = 0; i < row->n_instances; i++)
			if (wave->instances[tables->view.order[row->order + i]].component == NULL)
				return false;
		theirs += row->n_instances;
	}
	return ours == theirs;
}

static int tables_make(struct host *host, struct host_wave *wave, const struct hostlink_msg *msg,
    const int *fds, size_t n_fds, struct host_tables *tables)
{
	int status = host_map(host, msg, fds, n_fds, &tables->view);

	if (status == 0)
		status = segments_make(host, wave, tables, msg);
	if (status == 0 && !same_instances(wave, tables))
		status = -EBADMSG;
	if (status != 0)
		host_note(host, "the host cannot make its tables: %s", strerror(-status));
	if (status == 0)
		status = scratch_stays(host, wave, &tables->view);
	if (status == 0)
		status = host_builds_open(host, wave, &tables->view);
	if (status == 0 && tables->view.head->clock != IMAGE_VIRTUAL) {
		status = host_lanes_join(host, tables, msg, fds + HOSTLINK_LANE_FDS);
		if (status != 0) {
			host_note(host, "the host cannot run on its lanes: %s", strerror(-status));
			host_lanes_leave(host, tables);
		}
	}
	return status;
}

int host_remap(struct host *host, const struct hostlink_msg *msg, const int *fds, size_t n_fds)
{
	struct host_wave *wave = host_find(host, msg->control);
	struct host_tables *tables = wave != NULL ? calloc(1, sizeof(*tables)) : NULL;
	int status = wave == NULL ? -ESRCH : tables == NULL ? -ENOMEM : 0;

	host_remain(host, wave);
	if (status == 0)
		status = tables_make(host, wave, msg, fds, n_fds, tables);
	else
		host_note(host, "the host has no such waveform, or no memory");
	for (size_t i = 0; i < n_fds; i++)
		close(fds[i]);
	if (status == 0) {
		wave->other = tables;
		return 0;
	}
	if (tables != NULL) {
		host_builds_drop(wave);
		host_tables_fini(tables);
	}
	free(tables);
	return status;
}

void host_remain(struct host *host, struct host_wave *wave)
{
	if (wave == NULL || wave->other == NULL)
		return;
	if (wave->other->view.head->clock != IMAGE_VIRTUAL)
		host_lanes_leave(host, wave->other);
	host_builds_drop(wave);
	host_tables_fini(wave->other);
	free(wave->other);
	wave->other = NULL;
}

/* ---- SWITCH ------------------------------------------------------------------------ */

static void changes_follow(struct host *host, struct host_wave *wave)
{
	const uint64_t written = atomic_load(&host->node->control[wave->control].changes);

	for (uint32_t o = 0; o < wave->other->n_segments; o++)
		for (uint32_t n = 0; n < wave->now.n_segments; n++)
			segment_follow(&wave->other->segments[o].segment,
			    &wave->now.segments[n].segment, written);
}

static void instances_follow(struct host_wave *wave)
{
	for (uint64_t i = 0; i < wave->now.view.head->instances.count; i++) {
		struct instance *it = &wave->instances[i];

		if (it->component == NULL)
			continue;
		instance_follow(it, &wave->other->view);
		if (it->live != NULL)
			live_moved(it->live);
	}
}

/* The program that instances were opened with stays; the waveform image does not. */
static void leave_before(struct host_wave *wave, struct host_tables *before)
{
	if (wave->opened_with.program == NULL) {
		wave->opened_with.program = before->view.program;
		wave->opened_with.program_bytes = before->view.program_bytes;
		before->view.program_bytes = 0;
	}
	host_program_keep(wave, &before->view);
	host_tables_fini(before);
}

int host_switch(struct host *host, uint32_t control)
{
	struct host_wave *wave = host_find(host, control);
	struct host_tables before;

	if (wave == NULL || wave->other == NULL)
		return 0;
	before = wave->now;
	host_threads_stop(host, wave);
	changes_follow(host, wave);
	pthread_mutex_lock(&host->lock);
	host_builds_switch(wave);
	instances_follow(wave);
	wave->now = *wave->other;
	pthread_mutex_unlock(&host->lock);
	host_io_wake(host);
	free(wave->other);
	wave->other = NULL;
	leave_before(wave, &before);
	if (wave->now.view.head->clock != IMAGE_VIRTUAL)
		return 0;
	if (host_free_start(wave) != 0) {
		host_note(host, "the host has no memory for its threads");
		return -EAGAIN;
	}
	return 0;
}
