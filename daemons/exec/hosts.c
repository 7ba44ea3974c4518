/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/child.h"
#include "daemons/exec/exec.h"

static struct exec_host *host_of(struct exec_wave *wave, uint32_t segment)
{
	return &wave->hosts[wave->view.segments[segment].host];
}

/* ---- answers ----------------------------------------------------------------------------------------------------------- */

static void take_notes(struct exec_wave *wave, const char *text)
{
	while (*text != 0) {
		const size_t len = strcspn(text, "\n");
		const bool loss = *text == '!';
		char *into = loss ? wave->losses : wave->notes;
		const size_t room = loss ? sizeof(wave->losses) : sizeof(wave->notes);
		const size_t have = strlen(into);
		char line[512];

		snprintf(line, sizeof(line), "%.*s\n", (int)(len - loss), text + loss);
		if (strstr(into, line) == NULL)
			snprintf(into + have, room - have, "%s", line);
		text += len + (text[len] == '\n');
	}
}

static void host_ready(struct exec_host *host, const struct hostlink_msg *msg)
{
	struct exec_wave *wave = host->wave;

	host->ready = true;
	take_notes(wave, msg->text);
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		if (!wave->hosts[h].ready)
			return;
	if (wave->unloading) /* nobody waits for it any more: the tick frees it */
		return;
	if (wave->state == WAVE_LOADED)
		wave_set_state(wave, WAVE_INIT);
	keep_wave(wave);
	wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, 0, NULL);
}

static void host_failed(struct exec_host *host, const struct hostlink_msg *msg)
{
	struct exec_wave *wave = host->wave;
	char text[HOSTLINK_TEXT];

	host->finished = true;
	if (host->finishing) {
		wave_abort(wave, "%.400s", msg->text);
		return;
	}
	snprintf(text, sizeof(text), "%s", msg->text);
	wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, 2, text);
	wave->unloading = true; /* the tick frees it */
}

void host_answer(struct exec_host *host, const struct hostlink_msg *msg)
{
	switch (msg->type) {
	case HOSTLINK_READY:
		host_ready(host, msg);
		break;
	case HOSTLINK_FAILED:
		host_failed(host, msg);
		break;
	case HOSTLINK_FINISHED:
		take_notes(host->wave, msg->text);
		host->finished = true;
		break;
	case HOSTLINK_OFFERED:
	case HOSTLINK_REFUSED:
		set_offered(host->wave, msg);
		break;
	case HOSTLINK_REMAPPABLE:
	case HOSTLINK_STUCK:
	case HOSTLINK_SWITCHED:
		remap_answered(host, msg);
		break;
	case HOSTLINK_FAULT:
		wave_abort(host->wave, "%.400s", msg->text);
		break;
	default:
		log_warning(&host->wave->exec->daemon.log, "a host sent %u, which means nothing",
		    msg->type);
	}
}

/* ---- death ------------------------------------------------------------------------------------------------------------- */

const char *host_instance(const struct exec_host *host)
{
	const struct image_view *view = &host->wave->view;

	for (uint32_t s = 0; s < view->head->segments.count; s++) {
		const uint32_t current = atomic_load(&image_segment_state(view, s)->current);

		if (view->segments[s].host == host->number && current > 0 &&
		    current <= view->head->instances.count)
			return image_text(view, view->instances[current - 1].name);
	}
	return NULL;
}

void host_died(struct exec_host *host, const char *how)
{
	struct exec_wave *wave = host->wave;
	const char *instance = host_instance(host);
	const bool expected = host->finishing && host->finished;

	process_leave(host, false);
	host->finished = true;
	if (expected || wave->unloading)
		return;
	if (!host->ready && wave->pending.bytes != NULL) {
		char why[512];

		if (instance != NULL)
			snprintf(why, sizeof(why), "the host of instance \"%s\" %s in its init",
			    instance, how);
		else
			snprintf(why, sizeof(why),
			    "a host of \"%s\" %s while its components were being loaded",
			    wave->name, how);
		wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, 1, why);
		wave->unloading = true;
		return;
	}
	if (instance != NULL)
		wave_abort(
		    wave, "the host of instance \"%s\" %s while it was in work", instance, how);
	else
		wave_abort(wave, "a host %s", how);
}

/* ---- start ------------------------------------------------------------------------------------------------------------- */

static int read_only(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}

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
		fds[2 + l] = wave->exec->lanes[lane].fd;
		msg->n_lanes++;
	}
}

static int attach(struct exec_host *host, enum hostlink_type type)
{
	struct exec_wave *wave = host->wave;
	struct hostlink_msg msg = {.type = type,
	    .control = wave->control,
	    .host = host->number,
	    .sequence = wave->remap_number};
	int fds[2 + HOSTLINK_LANES_MAX], status;

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
	fds[0] = read_only(wave->exec->node_fd);
	fds[1] = wave->fd;
	host->finished = false;
	status = hostlink_send(host->process->sock, &msg, fds, 2 + msg.n_lanes);
	if (fds[0] >= 0)
		close(fds[0]);
	return status;
}

int hosts_start(struct exec_wave *wave, char *ret_why, size_t size)
{
	for (uint32_t h = 0; h < wave->n_hosts; h++) {
		const int status =
		    process_take(&wave->hosts[h], h == 0 && wave->view.head->shared_host);

		if (status == 0)
			continue;
		snprintf(ret_why, size, "cannot start a host (%u of %u): %s", h + 1, wave->n_hosts,
		    strerror(-status));
		return status;
	}
	return 0;
}

int hosts_attach(struct exec_wave *wave, enum hostlink_type type, char *ret_why, size_t size)
{
	for (uint32_t h = 0; h < wave->n_hosts; h++) {
		const int status = attach(&wave->hosts[h], type);

		process_keep(wave->hosts[h].process);
		if (status == 0)
			continue;
		snprintf(ret_why, size, "cannot reach a host (%u of %u): %s", h + 1, wave->n_hosts,
		    strerror(-status));
		return status;
	}
	return 0;
}

/* ---- end --------------------------------------------------------------------------------------------------------------- */

void hosts_finish(struct exec_wave *wave)
{
	for (uint32_t h = 0; h < wave->n_hosts; h++) {
		struct exec_host *host = &wave->hosts[h];
		const struct hostlink_msg msg = {
		    .type = HOSTLINK_FINISH, .control = wave->control, .host = h};

		if (host->finishing || host->process == NULL)
			continue;
		host->finishing = true;
		if (hostlink_send(host->process->sock, &msg, NULL, 0) != 0)
			host->finished = true;
	}
}

/* First all are told, and their batons go on; then each is waited for. */
void hosts_leave(struct exec_wave *wave, bool kill_them)
{
	for (uint32_t h = 0; wave->hosts != NULL && h < wave->n_hosts; h++)
		if (wave->hosts[h].process != NULL && (kill_them || !wave->hosts[h].finished)) {
			process_kill(wave->hosts[h].process);
			lanes_leave_host(wave, h);
		}
	for (uint32_t h = 0; wave->hosts != NULL && h < wave->n_hosts; h++)
		process_leave(&wave->hosts[h], kill_them || !wave->hosts[h].finished);
}
