/* SPDX-License-Identifier: BSD-3-Clause
 *
 * restore.c - what outlives exec: the frontend keeps every descriptor, the images hold the state, hosts run on. A new exec
 * finds its node, its lanes, its waveforms and their hosts here, and goes on. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "daemons/common/keep.h"
#include "daemons/exec/exec.h"

struct kept_wave {
	uint32_t control, n_segments;
	uint8_t started, ended, drained, switches;
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
	kept->switches = wave->remap == REMAP_SWITCHES;
	memcpy(kept->reason, wave->reason, sizeof(kept->reason));
	memcpy(kept->notes, wave->notes, sizeof(kept->notes));
	memcpy(kept->losses, wave->losses, sizeof(kept->losses));
	memcpy(kept->places, wave->places, n * sizeof(kept->places[0]));
	snprintf(key, sizeof(key), "waveform/%s", wave->name);
	daemon_put(&wave->exec->daemon, key, kept,
	    offsetof(struct kept_wave, places) + n * sizeof(kept->places[0]), &wave->fd, 1);
	free(kept);
}

void keep_wave_drop(const struct exec_wave *wave)
{
	char key[KEEP_KEY_MAX + 1];

	snprintf(key, sizeof(key), "waveform/%s", wave->name);
	daemon_drop(&wave->exec->daemon, key);
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
	if (exec->node == NULL || exec->node->magic != IMAGE_MAGIC ||
	    exec->node->version != IMAGE_VERSION)
		return -EBADMSG;
	return 0;
}

static int restore_lane(struct exec *exec, struct keep_entry *entry)
{
	const unsigned long number = strtoul(entry->key + 5, NULL, 10);

	if (number >= NODE_LANES_MAX)
		return -EBADMSG;
	exec->lanes[number].fd = take_fd(entry);
	exec->lanes[number].image =
	    image_map(exec->lanes[number].fd, sizeof(struct lane_image), true);
	return exec->lanes[number].image == NULL ? -ENOMEM : 0;
}

static int restore_wave(struct exec *exec, struct keep_entry *entry)
{
	const struct kept_wave *kept = (const void *)entry->blob;
	struct exec_wave *wave = calloc(1, sizeof(*wave));
	int status;

	if (wave == NULL || entry->len < offsetof(struct kept_wave, places) ||
	    kept->control >= NODE_WAVEFORMS_MAX) {
		free(wave);
		return -EBADMSG;
	}
	wave->exec = exec;
	snprintf(wave->name, sizeof(wave->name), "%.63s", entry->key + strlen("waveform/"));
	wave->fd = take_fd(entry);
	status = image_open(wave->fd, false, &wave->view);
	if (status != 0)
		return status;
	wave->control = kept->control;
	status = wave_tables(wave);
	if (status != 0 || kept->n_segments != wave->view.head->segments.count)
		return status != 0 ? status : -EBADMSG;
	memcpy(wave->places, kept->places, kept->n_segments * sizeof(kept->places[0]));
	memcpy(wave->reason, kept->reason, sizeof(wave->reason));
	memcpy(wave->notes, kept->notes, sizeof(wave->notes));
	memcpy(wave->losses, kept->losses, sizeof(wave->losses));
	wave->ended = kept->ended;
	wave->drained = kept->drained;
	wave->remap = kept->switches ? REMAP_SWITCHES : REMAP_NONE;
	wave->progress_ns = clock_ns();
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		wave->hosts[h].ready = true;
	wave->next = exec->waves;
	exec->waves = wave;
	return 0;
}

/* Of a waveform that was not prepared to the end, or is being removed: nobody else would tell it to end. */
static void drop_host(struct exec *exec, const struct keep_entry *entry)
{
	daemon_drop(&exec->daemon, entry->key);
	if (entry->n_fds == 2)
		pidfd_send_signal(entry->fds[1], SIGKILL, NULL, 0);
}

static int restore_host(struct exec *exec, struct keep_entry *entry)
{
	const char *name = entry->key + strlen("host/");
	const char *slash = strrchr(name, '/');
	struct exec_wave *wave =
	    slash != NULL ? exec_find(exec, name, (size_t)(slash - name)) : NULL;
	const unsigned long number = slash != NULL ? strtoul(slash + 1, NULL, 10) : 0;
	struct kept_process kept;
	int sock, pidfd;

	if (wave == NULL || number >= wave->n_hosts || entry->len != sizeof(kept) ||
	    entry->n_fds != 2) {
		drop_host(exec, entry);
		return 0;
	}
	memcpy(&kept, entry->blob, sizeof(kept));
	sock = entry->fds[0];
	pidfd = entry->fds[1];
	entry->fds[0] = entry->fds[1] = -1;
	wave->hosts[number].finished = false;
	return process_restore(
	    &wave->hosts[number], &kept, pidfd, sock, number == 0 && wave->view.head->shared_host);
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

static uint64_t lanes_of(const struct exec_wave *wave)
{
	uint64_t set = 0;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct exec_place *place = &wave->places[s];

		if (place->lane >= NODE_LANES_MAX || place->seat >= NODE_ENTRIES_MAX)
			continue;
		set |= 1ull << place->lane;
	}
	return set;
}

static bool all_hosts(const struct exec_wave *wave)
{
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		if (wave->hosts[h].process == NULL)
			return false;
	return true;
}

/* It was drained, and exec died before it had put everything away. */
static void restore_drained(struct exec_wave *wave)
{
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		wave->hosts[h].finished = true;
	hosts_leave(wave, false);
	lanes_release(wave);
	if (wave->state != WAVE_ABNSTOP)
		wave_set_state(wave, WAVE_STOP);
}

/* Its lanes' CPU locks went with the old exec, and the keepers. */
static void restore_use(struct exec_wave *wave)
{
	struct exec *exec = wave->exec;
	struct node_control *control = wave_control(wave);
	const uint64_t n = atomic_load(&control->changes), set = lanes_of(wave);
	bool taken = false;

	wave->state = control->state <= WAVE_ABNSTOP ? (enum wave_state)control->state : WAVE_RUN;
	wave->started = wave->state != WAVE_LOADED && wave->state != WAVE_INIT;
	if (n > 0)
		wave->sequence = control->change[(n - 1) % NODE_CHANGES].sequence;
	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		if ((set >> l & 1) && lane_reuse(wave, l) != 0) {
			exec->lanes[l].users++;
			taken = true;
		}
	if (set != 0 && image_timed(wave->view.head->clock))
		lanes_wake_fast(wave);
	if (wave->state == WAVE_LOADED)
		return;
	if (!wave->drained && !all_hosts(wave))
		wave_abort(wave, "a host was lost while aloe-exec was being restarted");
	else if (!wave->drained && taken)
		wave_abort(wave,
		    "its CPU was taken by another ALOE node while aloe-exec was being restarted");
	if (wave->drained)
		restore_drained(wave);
	if (!wave->drained && (wave->state == WAVE_ABNSTOP || wave->ended))
		hosts_finish(wave);
	else if (!wave->drained)
		remap_restore(wave);
}

/* Nobody waits for their answer any more. */
static void drop_unprepared(struct exec *exec)
{
	struct exec_wave *next;

	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = next) {
		next = wave->next;
		if (wave->state == WAVE_LOADED)
			wave_free(wave);
	}
}

/* What an exec that died in the middle of a change has left in the node image. */
static void restore_node_tables(struct exec *exec)
{
	struct node_image *node = exec->node;
	uint64_t controls = 0, entries;

	for (uint32_t i = 0; i < NODE_TIMEBASES_MAX; i++)
		atomic_store(&node->timebase[i].used, 0);
	for (const struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		controls |= 1ull << wave->control;
	for (uint32_t i = 0; i < NODE_WAVEFORMS_MAX; i++)
		if (!(controls >> i & 1))
			atomic_store(&node->control[i].used, 0);
	for (uint32_t l = 0; l < node->n_lanes && l < NODE_LANES_MAX; l++) {
		const uint32_t base = atomic_load(&node->lane[l].timebase);

		entries = 0;
		for (const struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
			for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
				entries |= wave->places[s].lane == l
				    ? 1ull << (wave->places[s].entry % 64)
				    : 0;
		for (uint32_t e = 0; e < NODE_ENTRIES_MAX; e++)
			if (!(entries >> e & 1))
				atomic_store(&node->lane[l].entry[e].live, 0);
		if (exec->lanes[l].users == 0)
			atomic_store(&node->lane[l].timebase, IMAGE_NONE);
		else if (base < NODE_TIMEBASES_MAX)
			atomic_fetch_add(&node->timebase[base].used, 1);
	}
}

/* Only an exec that has just been started takes up what is kept; one that finds another frontend knows better. */
void exec_entry(void *self, struct keep_entry *entry)
{
	struct exec *exec = self;
	struct keep_entry *kept =
	    exec->node != NULL ? NULL : realloc(exec->kept, (exec->n_kept + 1) * sizeof(*kept));

	if (kept == NULL) {
		keep_entry_fini(entry);
		return;
	}
	exec->kept = kept;
	kept[exec->n_kept++] = *entry;
}

void exec_forget(struct exec *exec)
{
	for (size_t i = 0; i < exec->n_kept; i++)
		keep_entry_fini(&exec->kept[i]);
	free(exec->kept);
	exec->kept = NULL;
	exec->n_kept = 0;
}

int exec_restore(struct exec *exec)
{
	int status = 0;

	for (int hosts = 0; hosts < 2; hosts++)
		for (size_t i = 0; i < exec->n_kept && status == 0; i++)
			status = restore_entry(exec, &exec->kept[i], hosts == 1);
	exec_forget(exec);
	for (struct exec_wave *wave = exec->waves; wave != NULL && status == 0; wave = wave->next)
		restore_use(wave);
	if (status == 0 && exec->node != NULL) {
		drop_unprepared(exec);
		restore_node_tables(exec);
	}
	return status;
}

void exec_keep(struct exec *exec)
{
	daemon_put(&exec->daemon, "node", NULL, 0, &exec->node_fd, 1);
	for (uint32_t l = 0; l < NODE_LANES_MAX; l++)
		if (exec->lanes[l].fd >= 0)
			lane_keep(exec, l);
	for (const struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		keep_wave(wave);
	for (const struct exec_process *process = exec->processes; process != NULL;
	     process = process->next)
		process_keep(process);
	keep_end(exec->daemon.attach.fd);
}
