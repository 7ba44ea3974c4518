/* SPDX-License-Identifier: BSD-3-Clause
 *
 * restore.c - what outlives exec: the frontend keeps every descriptor, the images hold the state, hosts run on. A new exec
 * finds its node, its lanes, its waveforms and their hosts here, and goes on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "daemons/common/keep.h"
#include "daemons/exec/exec.h"

struct kept_wave {
	uint32_t control, n_segments;
	uint8_t started, ended, drained, reserved;
	char reason[512];
	char notes[HOSTLINK_TEXT], losses[1024];
	struct exec_place places[2048];
};

void keep_wave(const struct exec_wave *wave)
{
	struct kept_wave *kept = calloc(1, sizeof(*kept));
	const uint64_t n = wave->view.head->segments.count;
	char key[KEEP_KEY_MAX + 1];

	if (kept == NULL || n > sizeof(kept->places) / sizeof(kept->places[0])) {
		free(kept);
		return;
	}
	kept->control = wave->control;
	kept->n_segments = (uint32_t)n;
	kept->started = wave->started;
	kept->ended = wave->ended;
	kept->drained = wave->drained;
	memcpy(kept->reason, wave->reason, sizeof(kept->reason));
	memcpy(kept->notes, wave->notes, sizeof(kept->notes));
	memcpy(kept->losses, wave->losses, sizeof(kept->losses));
	memcpy(kept->places, wave->places, n * sizeof(kept->places[0]));
	snprintf(key, sizeof(key), "waveform/%s", wave->name);
	keep_put(wave->exec->keep, key, kept, offsetof(struct kept_wave, places) + n * sizeof(kept->places[0]), &wave->fd, 1);
	free(kept);
}

void keep_wave_drop(const struct exec_wave *wave)
{
	char key[KEEP_KEY_MAX + 1];

	snprintf(key, sizeof(key), "waveform/%s", wave->name);
	keep_drop(wave->exec->keep, key);
}

/* ---- coming back ------------------------------------------------------------------------------------------------------- */

static int take_fd(struct keep_entry *entry)
{
	const int fd = entry->n_fds > 0 ? entry->fds[0] : -1;

	if (fd >= 0)
		entry->fds[0] = -1;
	return fd;
}

static int restore_node(struct exec *exec, struct keep_entry *entry)
{
	exec->node_fd = take_fd(entry);
	exec->node = image_map(exec->node_fd, sizeof(struct node_image), true);
	if (exec->node == NULL || exec->node->magic != IMAGE_MAGIC || exec->node->version != IMAGE_VERSION)
		return -EBADMSG;
	return 0;
}

static int restore_lane(struct exec *exec, struct keep_entry *entry)
{
	const unsigned long number = strtoul(entry->key + 5, NULL, 10);

	if (number >= NODE_LANES_MAX)
		return -EBADMSG;
	exec->lanes[number].fd = take_fd(entry);
	exec->lanes[number].image = image_map(exec->lanes[number].fd, sizeof(struct lane_image), true);
	return exec->lanes[number].image == NULL ? -ENOMEM : 0;
}

static int restore_wave(struct exec *exec, struct keep_entry *entry)
{
	const struct kept_wave *kept = (const void *)entry->blob;
	struct exec_wave *wave = calloc(1, sizeof(*wave));
	int status;

	if (wave == NULL || entry->len < offsetof(struct kept_wave, places) || kept->control >= NODE_WAVEFORMS_MAX)
		return -EBADMSG;
	wave->exec = exec;
	snprintf(wave->name, sizeof(wave->name), "%.63s", entry->key + strlen("waveform/"));
	wave->fd = take_fd(entry);
	status = image_open(wave->fd, false, &wave->view);
	if (status != 0)
		return status;
	wave->control = kept->control;
	wave->n_hosts = wave->view.head->n_hosts;
	wave->hosts = calloc(wave->n_hosts + 1, sizeof(struct exec_host));
	wave->places = calloc(wave->view.head->segments.count + 1, sizeof(struct exec_place));
	if (wave->hosts == NULL || wave->places == NULL || kept->n_segments != wave->view.head->segments.count)
		return -EBADMSG;
	memcpy(wave->places, kept->places, kept->n_segments * sizeof(kept->places[0]));
	memcpy(wave->reason, kept->reason, sizeof(wave->reason));
	memcpy(wave->notes, kept->notes, sizeof(wave->notes));
	memcpy(wave->losses, kept->losses, sizeof(wave->losses));
	wave->ended = kept->ended;
	wave->drained = kept->drained;
	wave->progress_ns = clock_ns();
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		wave->hosts[h] = (struct exec_host){.wave = wave, .number = h, .ready = true, .finished = true};
	wave->next = exec->waves;
	exec->waves = wave;
	return 0;
}

static int restore_host(struct exec *exec, struct keep_entry *entry)
{
	const char *name = entry->key + strlen("host/");
	const char *slash = strrchr(name, '/');
	struct exec_wave *wave = slash != NULL ? exec_find(exec, name, (size_t)(slash - name)) : NULL;
	const unsigned long number = slash != NULL ? strtoul(slash + 1, NULL, 10) : 0;
	pid_t pid;
	int pidfd;

	if (wave == NULL || number >= wave->n_hosts || entry->len != sizeof(pid))
		return 0; /* of a waveform that was not prepared to the end: its host leaves when the socket closes */
	memcpy(&pid, entry->blob, sizeof(pid));
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return 0;
	wave->hosts[number].finished = false;
	return process_restore(&wave->hosts[number], pid, pidfd, take_fd(entry),
			       number == 0 && wave->view.head->shared_host);
}

static int restore_entry(struct exec *exec, struct keep_entry *entry, bool hosts)
{
	const bool is_host = strncmp(entry->key, "host/", 5) == 0;

	if (hosts != is_host)
		return 0;
	if (is_host)
		return restore_host(exec, entry);
	if (strcmp(entry->key, "node") == 0)
		return restore_node(exec, entry);
	if (strncmp(entry->key, "lane/", 5) == 0)
		return restore_lane(exec, entry);
	if (strncmp(entry->key, "waveform/", 9) == 0)
		return restore_wave(exec, entry);
	return 0;
}

/* A lane that this waveform uses: its CPU lock went with the old exec, its keeper too. */
static void restore_use(struct exec_wave *wave)
{
	struct exec *exec = wave->exec;
	struct node_control *control = wave_control(wave);
	uint64_t set = 0;

	wave->state = control->state <= WAVE_ABNSTOP ? (enum wave_state)control->state : WAVE_RUN;
	wave->started = wave->state != WAVE_LOADED && wave->state != WAVE_INIT;
	for (uint64_t n = atomic_load(&control->changes), i = 0; n > 0 && i < 1; i++)
		wave->sequence = control->change[(n - 1) % NODE_CHANGES].sequence;
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		if (wave->places[s].lane < NODE_LANES_MAX && wave->places[s].seat < 64) {
			const struct exec_host *host = &wave->hosts[wave->view.segments[s].host];

			set |= 1ull << wave->places[s].lane;
			if (host->process == NULL)
				continue;
			exec->lanes[wave->places[s].lane].seats |= 1ull << wave->places[s].seat;
			host->process->seat[wave->places[s].lane] = wave->places[s].seat;
		}
	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		if (set >> l & 1)
			lane_reuse(wave, l);
	if (set != 0 && wave->view.head->clock == IMAGE_TIMER)
		lanes_wake_fast(wave);
	if (wave->state == WAVE_LOADED)
		wave->unloading = true; /* nobody waits for its answer any more */
}

int exec_restore(struct exec *exec)
{
	struct keep_entry *entries = calloc(4096, sizeof(*entries));
	size_t n = 0;
	int status = entries == NULL ? -ENOMEM : 0;

	while (status == 0 && n < 4096) {
		status = keep_recv(exec->keep, &entries[n]);
		if (status != 0 || entries[n].kind == KEEP_END)
			break;
		n++;
	}
	for (int hosts = 0; hosts < 2; hosts++)
		for (size_t i = 0; i < n && status == 0; i++)
			status = restore_entry(exec, &entries[i], hosts == 1);
	for (size_t i = 0; i < n; i++)
		keep_entry_fini(&entries[i]);
	free(entries);
	for (struct exec_wave *wave = exec->waves; wave != NULL && status == 0; wave = wave->next)
		restore_use(wave);
	return status;
}
