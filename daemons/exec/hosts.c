/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/file.h"
#include "core/platform/platform.h"
#include "daemons/exec/exec.h"
#include "daemons/exec/spent.h"

static struct exec_host *host_of(struct exec_wave *wave, uint32_t segment)
{
	return &wave->hosts[wave->view.segments[segment].host];
}

uint32_t host_current(const struct exec_host *host)
{
	const struct image_view *view = &host->wave->view;

	for (uint32_t s = 0; s < view->head->segments.count; s++) {
		const uint32_t current = atomic_load(&image_segment_state(view, s)->current);

		if (view->segments[s].host == host->number && current > 0 &&
		    current <= view->head->instances.count)
			return current - 1;
	}
	return IMAGE_NONE;
}

const char *host_instance(const struct exec_host *host)
{
	const struct image_view *view = &host->wave->view;
	const uint32_t current = host_current(host);

	return current != IMAGE_NONE ? image_text(view, view->instances[current].name) : NULL;
}

/* ---- start ------------------------------------------------------------------------ */

static void attach_lanes(struct exec_wave *wave, struct hostlink_msg *msg, int *fds)
{
	for (uint32_t i = 0; i < msg->n_segments; i++) {
		const uint32_t lane = msg->segments[i].lane;
		uint32_t l = 0;

		while (l < msg->n_lanes && msg->lanes[l] != lane)
			l++;
		if (l < msg->n_lanes || lane >= NODE_LANES_MAX || l == HOSTLINK_LANES_MAX)
			continue;
		msg->lanes[l] = lane;
		fds[HOSTLINK_LANE_FDS + l] = wave->exec->lanes[lane].fd;
		msg->n_lanes++;
	}
}

static int attach_send(struct exec_host *host, enum hostlink_type type)
{
	struct exec_wave *wave = host->wave;
	struct hostlink_msg msg = {.type = type,
	    .control = wave->control,
	    .host = host->number,
	    .sequence = wave->remap_number};
	int fds[HOSTLINK_FDS_MAX], status;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct exec_place *place = &wave->places[s];

		if (host_of(wave, s) != host)
			continue;
		if (msg.n_segments == HOSTLINK_SEGMENTS_MAX)
			return -E2BIG;
		msg.segments[msg.n_segments++] =
		    (struct hostlink_segment){s, place->lane == IMAGE_NONE ? 0 : place->lane,
		        place->entry == IMAGE_NONE ? 0 : place->entry,
		        place->seat == IMAGE_NONE ? 0 : place->seat};
	}
	if (wave->view.head->clock != IMAGE_VIRTUAL)
		attach_lanes(wave, &msg, fds);
	fds[HOSTLINK_NODE_FD] = file_read_only(wave->exec->node_fd);
	fds[HOSTLINK_PROGRAM_FD] = wave->files.program;
	fds[HOSTLINK_IMAGE_FD] = wave->files.image;
	host->finished = false;
	status = process_send(host->process, &msg, fds, HOSTLINK_LANE_FDS + msg.n_lanes);
	if (fds[HOSTLINK_NODE_FD] >= 0)
		close(fds[HOSTLINK_NODE_FD]);
	return status;
}

int hosts_start(struct exec_wave *wave, char *ret_why, size_t size)
{
	for (uint32_t h = 0; h < wave->n_hosts; h++) {
		const int status = wave_has_host(wave, h)
		    ? process_take(&wave->hosts[h], wave->view.hosts[h].shared != 0)
		    : 0;

		if (status == 0)
			continue;
		snprintf(ret_why, size, "cannot start a host (%u of %u): %s", h + 1, wave->n_hosts,
		    strerror(-status));
		return status;
	}
	return 0;
}

/* Its seats are kept before its threads have them: no exec gives them to another. */
int hosts_attach(struct exec_wave *wave, enum hostlink_type type, char *ret_why, size_t size)
{
	for (uint32_t h = 0; h < wave->n_hosts; h++) {
		int status;

		if (!wave_has_host(wave, h))
			continue;
		process_keep(wave->hosts[h].process);
		status = attach_send(&wave->hosts[h], type);
		if (status == 0)
			continue;
		snprintf(ret_why, size, "cannot reach a host (%u of %u): %s", h + 1, wave->n_hosts,
		    strerror(-status));
		return status;
	}
	return 0;
}

/* ---- end ------------------------------------------------------------------------ */

void hosts_finish(struct exec_wave *wave)
{
	spent_end(wave);
	for (uint32_t h = 0; h < wave->n_hosts; h++) {
		struct exec_host *host = &wave->hosts[h];
		const struct hostlink_msg msg = {
		    .type = HOSTLINK_FINISH, .control = wave->control, .host = h};

		if (host->finishing || host->process == NULL)
			continue;
		host->finishing = true;
		/* one that does not take it is about to die */
		process_send(host->process, &msg, NULL, 0);
	}
}

static void hosts_end(struct exec_wave *wave, bool all)
{
	for (uint32_t h = 0; wave->hosts != NULL && h < wave->n_hosts; h++)
		if (wave->hosts[h].process != NULL && (all || !wave->hosts[h].finished)) {
			process_kill(wave->hosts[h].process);
			lanes_leave_host(wave, h);
		}
}

void hosts_kill(struct exec_wave *wave)
{
	hosts_end(wave, true);
}

/* First all are told, and their batons go on; then each is waited for. */
void hosts_leave(struct exec_wave *wave, bool kill_them)
{
	hosts_end(wave, kill_them);
	for (uint32_t h = 0; wave->hosts != NULL && h < wave->n_hosts; h++)
		process_leave(&wave->hosts[h], kill_them || !wave->hosts[h].finished);
}
