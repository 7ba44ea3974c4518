/* SPDX-License-Identifier: BSD-3-Clause
 *
 * restore.c - what outlives exec: the frontend keeps every descriptor, the images hold the state,
 * hosts run on. A new exec finds its node, its lanes, its waveforms and their hosts here, and goes
 * on. What cannot be taken up is dropped by itself, with the reason: there is nothing here that
 * exec could fail at again and again.
 *
 * Where the frontend was killed as well, the descriptors come from the copy that the node's keeper
 * has, which may lack the last millisecond. So the node image, which was written at once, decides
 * what is still true of it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/keep/keep.h"
#include "daemons/exec/end.h"
#include "daemons/exec/lanes.h"
#include "daemons/exec/lease.h"
#include "daemons/exec/misses.h"
#include "daemons/exec/prepare.h"
#include "daemons/exec/remap.h"
#include "daemons/exec/restore.h"

/* ---- coming back ------------------------------------------------------------------------ */

static int fd_take(struct keep_entry *entry, size_t n)
{
	const int fd = entry->n_fds > n ? entry->fds[n] : -1;

	if (fd >= 0)
		entry->fds[n] = -1;
	return fd;
}

static int node_restore(struct exec *exec, struct keep_entry *entry)
{
	const int fd = fd_take(entry, 0);
	struct node_image *node = image_map(fd, sizeof(*node), true);

	if (node == NULL || node->magic != IMAGE_MAGIC || node->version != IMAGE_VERSION ||
	    node->n_lanes > NODE_LANES_MAX) {
		if (node != NULL)
			munmap(node, sizeof(*node));
		if (fd >= 0)
			close(fd);
		return -EBADMSG;
	}
	exec->node_fd = fd;
	exec->node = node;
	return 0;
}

/* A lane that cannot be had again is one that was never used: what ran on it is dropped, see
 * lost_lane. */
static void lane_restore(struct exec *exec, struct keep_entry *entry, bool node_lost)
{
	const unsigned long number = strtoul(entry->key + 5, NULL, 10);
	const int fd = fd_take(entry, 0);
	struct lane_image *image =
	    !node_lost && number < exec->node->n_lanes ? image_map(fd, sizeof(*image), true) : NULL;

	if (image != NULL && exec->lanes[number].image == NULL) {
		exec->lanes[number].fd = fd;
		exec->lanes[number].image = image;
		exec->lanes[number].cpu_lock = fd_take(entry, 1);
		return;
	}
	log_error(&exec->daemon.log,
	    "the memory of %s cannot be taken up again; the waveforms on that lane are stopped",
	    entry->key);
	if (image != NULL)
		munmap(image, sizeof(*image));
	if (fd >= 0)
		close(fd);
	daemon_drop(&exec->daemon, entry->key);
}

/* A record is put first; the node image counts it then, and then hosts are told. */
static bool record_is_current(const struct exec_wave *wave)
{
	const uint32_t known = wave_control(wave)->remaps;

	return wave->remaps == known ||
	    (wave->remap == REMAP_SWITCHES && wave->remaps == known + 1);
}

static void record_take(struct exec_wave *wave, const struct kept_wave *kept)
{
	memcpy(wave->places, kept->places, kept->n_segments * sizeof(kept->places[0]));
	memcpy(wave->reason, kept->reason, sizeof(wave->reason));
	memcpy(wave->notes, kept->notes, sizeof(wave->notes));
	memcpy(wave->losses, kept->losses, sizeof(wave->losses));
	wave->reason[sizeof(wave->reason) - 1] = 0;
	wave->notes[sizeof(wave->notes) - 1] = 0;
	wave->losses[sizeof(wave->losses) - 1] = 0;
	memcpy(wave->folder, kept->folder, sizeof(wave->folder));
	wave->folder[sizeof(wave->folder) - 1] = 0;
	wave->ended = kept->ended;
	wave->drained = kept->drained;
	wave->remap = kept->remap == REMAP_SWITCHES || kept->remap == REMAP_IMPORTS
	    ? (enum remap_stage)kept->remap
	    : REMAP_NONE;
	wave->remaps = kept->remaps;
	misses_resume(wave);
	wave->outdated = !record_is_current(wave);
	if (!wave->outdated)
		wave_control(wave)->remaps = kept->remaps;
}

static bool place_sound(const struct exec *exec, const struct exec_place *place)
{
	if (place->lane == IMAGE_NONE)
		return true;
	return place->lane < exec->node->n_lanes && place->entry < NODE_ENTRIES_MAX &&
	    place->seat < NODE_ENTRIES_MAX;
}

/* One that was unloaded meanwhile is not there any more. */
static bool is_there(const struct exec *exec, const struct exec_wave *wave, uint32_t number)
{
	const struct node_control *control = &exec->node->control[number];

	return atomic_load(&control->used) != 0 &&
	    strncmp(control->name, wave->name, sizeof(wave->name)) == 0;
}

static bool control_free(const struct exec *exec, uint32_t control)
{
	for (const struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		if (wave->control == control)
			return false;
	return true;
}

static bool record_sound(const struct keep_entry *entry)
{
	const struct kept_wave *kept = (const void *)entry->blob;
	const size_t most = sizeof(kept->places) / sizeof(kept->places[0]),
	             head = offsetof(struct kept_wave, places);

	return entry->len >= head && entry->n_fds == 2 && kept->control < NODE_WAVEFORMS_MAX &&
	    kept->n_segments <= most &&
	    entry->len == head + kept->n_segments * sizeof(kept->places[0]);
}

/* The record, the program and the image of one. On failure *ret_why says what is wrong (-ESRCH:
 * nothing, it was unloaded), and the wave is the caller's to free. */
static int wave_take(struct exec_wave *wave, struct keep_entry *entry, const char **ret_why)
{
	const struct kept_wave *kept = (const void *)entry->blob;
	char why[256];
	int status;

	*ret_why = "the record of the waveform makes no sense";
	if (!record_sound(entry))
		return -EBADMSG;
	if (!is_there(wave->exec, wave, kept->control))
		return -ESRCH;
	*ret_why = "the tables of the waveform are not sound, or of another version of aloe-exec";
	wave->files = (struct image_files){fd_take(entry, 0), fd_take(entry, 1)};
	status = image_open(&wave->files, false, &wave->view);
	if (status != 0)
		return status;
	wave->view.node = exec_node_in(wave->exec, &wave->view, why, sizeof(why));
	*ret_why = "the tables of the waveform have no part for this node";
	if (why[0] != 0)
		return -EINVAL;
	*ret_why = "the record of the waveform does not agree with the tables";
	if (kept->n_segments != wave->view.head->segments.count)
		return -EBADMSG;
	for (uint32_t s = 0; s < kept->n_segments; s++)
		if (!place_sound(wave->exec, &kept->places[s]))
			return -EBADMSG;
	*ret_why = "another waveform has the place of this waveform in the node's tables";
	if (!control_free(wave->exec, kept->control))
		return -EBADMSG;
	*ret_why = "there is no memory";
	wave->control = kept->control;
	status = wave_tables(wave);
	if (status == 0)
		record_take(wave, kept);
	return status;
}

static struct exec_wave *wave_of(struct exec *exec, const struct keep_entry *entry)
{
	return wave_new(exec, entry->key + strlen("waveform/"));
}

static void wave_insert(struct exec *exec, struct exec_wave *wave)
{
	wave->progress_ns = clock_ns();
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		wave->hosts[h].ready = true;
	wave->next = exec->waves;
	exec->waves = wave;
}

/* What stands in for a waveform that cannot be taken up: a program of nothing, so that it can be
 * seen, with the reason, and unloaded. Its hosts find no waveform that they belong to, and are
 * killed (host_restore). */
static int dropped_make(struct exec *exec, const struct keep_entry *entry, const char *why)
{
	struct exec_wave *wave = wave_of(exec, entry);
	int status = wave != NULL ? image_make_nothing(wave) : -ENOMEM;
	int control = status == 0 ? wave_control_take(exec, wave->name) : status;

	log_error(&exec->daemon.log,
	    "%s cannot be taken up after the restart of aloe-exec: %s (%s)", entry->key, why,
	    status != 0 ? strerror(-status) : "its hosts are killed");
	if (control >= 0)
		status = wave_tables(wave);
	if (control < 0 || status != 0) {
		daemon_drop(&exec->daemon, entry->key);
		if (wave != NULL)
			wave_dispose(wave);
		return control < 0 ? control : status;
	}
	wave->control = (uint32_t)control;
	wave->state = WAVE_ABNSTOP;
	wave_control(wave)->state = WAVE_ABNSTOP;
	wave->started = wave->ended = wave->drained = true;
	snprintf(wave->reason, sizeof(wave->reason),
	    "the waveform could not be taken up after the restart of aloe-exec: %s; its hosts "
	    "were killed",
	    why);
	wave_insert(exec, wave);
	return 0;
}

/* One that cannot be taken up is dropped, by itself: the others go on. */
static void wave_restore(struct exec *exec, struct keep_entry *entry, bool node_lost)
{
	struct exec_wave *wave = wave_of(exec, entry);
	const char *why = wave == NULL ? "there is no memory" : "the node's tables are lost";
	const int status = wave == NULL ? -ENOMEM
	    : node_lost                 ? -EBADMSG
	                                : wave_take(wave, entry, &why);

	if (status == 0) {
		wave_insert(exec, wave);
		return;
	}
	if (wave != NULL)
		wave_dispose(wave);
	if (status != -ESRCH)
		dropped_make(exec, entry, why);
}

/* Of a waveform that was not prepared to the end, or is being removed: nobody else would tell it to
 * end. */
static void host_drop(struct exec *exec, const struct keep_entry *entry)
{
	daemon_drop(&exec->daemon, entry->key);
	if (entry->n_fds == 2)
		pidfd_send_signal(entry->fds[1], SIGKILL, NULL, 0);
}

static void host_restore(struct exec *exec, struct keep_entry *entry)
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
		host_drop(exec, entry);
		return;
	}
	memcpy(&kept, entry->blob, sizeof(kept));
	sock = entry->fds[0];
	pidfd = entry->fds[1];
	entry->fds[0] = entry->fds[1] = -1;
	wave->hosts[number].finished = false;
	if (process_restore(&wave->hosts[number], &kept, pidfd, sock,
	        wave->view.hosts[number].shared != 0) != 0)
		log_error(&exec->daemon.log, "there is no memory to take %s up again", entry->key);
}

static bool is_key(const struct keep_entry *entry, const char *prefix)
{
	return strncmp(entry->key, prefix, strlen(prefix)) == 0;
}

/* The node first, then lanes, then waveforms, then their hosts: each needs the ones before. */
static int entries_restore(struct exec *exec)
{
	bool node_lost = true;
	int status = 0;

	for (size_t i = 0; i < exec->n_kept; i++)
		if (strcmp(exec->kept[i].key, "node") == 0)
			node_lost = node_restore(exec, &exec->kept[i]) != 0;
	if (node_lost) {
		log_error(&exec->daemon.log,
		    "the node's tables cannot be taken up after the restart of aloe-exec: all "
		    "waveforms are stopped");
		status = node_new(exec);
	}
	for (size_t i = 0; i < exec->n_kept && status == 0; i++)
		if (is_key(&exec->kept[i], "lane/"))
			lane_restore(exec, &exec->kept[i], node_lost);
	for (size_t i = 0; i < exec->n_kept && status == 0; i++)
		if (is_key(&exec->kept[i], "waveform/"))
			wave_restore(exec, &exec->kept[i], node_lost);
	for (size_t i = 0; i < exec->n_kept && status == 0; i++)
		if (is_key(&exec->kept[i], "host/"))
			host_restore(exec, &exec->kept[i]);
	return status;
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

/* The first lane that it is on and that could not be taken up; IMAGE_NONE. */
static uint32_t lost_lane(const struct exec_wave *wave)
{
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		if (wave->places[s].lane != IMAGE_NONE &&
		    wave->exec->lanes[wave->places[s].lane].image == NULL)
			return wave->places[s].lane;
	return IMAGE_NONE;
}

/* Nobody gives the baton to a lane that is not there. */
static void lost_lanes_leave(struct exec_wave *wave)
{
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		if (wave->places[s].lane != IMAGE_NONE &&
		    wave->exec->lanes[wave->places[s].lane].image == NULL)
			wave->places[s] = (struct exec_place){IMAGE_NONE, IMAGE_NONE, IMAGE_NONE};
}

static bool all_hosts(const struct exec_wave *wave)
{
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		if (wave->hosts[h].process == NULL && wave_has_host(wave, h))
			return false;
	return true;
}

/* It was drained, and exec died before it had put everything away. */
static void drained_restore(struct exec_wave *wave)
{
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		wave->hosts[h].finished = true;
	hosts_leave(wave, false);
	lanes_release(wave);
	if (wave->state != WAVE_ABNSTOP)
		wave_set_state(wave, WAVE_STOP);
}

/* A watchdog took it off its lane, and the exec of that watchdog died before it had stopped the
 * waveform. */
static bool passed_over(const struct exec_wave *wave, uint32_t *ret_lane)
{
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct exec_place *place = &wave->places[s];

		if (place->lane >= NODE_LANES_MAX || place->entry >= NODE_ENTRIES_MAX ||
		    atomic_load(&wave->exec->node->lane[place->lane].entry[place->entry].live) != 0)
			continue;
		*ret_lane = place->lane;
		/* one that rests has no turn on its lanes */
		return atomic_load(&wave->exec->node->aligns) == 0 && wave->started &&
		    !wave->ended && !wave->drained && wave->remap == REMAP_NONE &&
		    wave->state != WAVE_ABNSTOP && wave->state != WAVE_PAUSE;
	}
	return false;
}

/* Whether it goes on: if not, it has been stopped with the reason. */
static void wave_judge(struct exec_wave *wave, uint32_t lost, const char *taken)
{
	char name[LANE_NAME];
	uint32_t lane;

	if (lost != IMAGE_NONE) {
		hosts_leave(wave, true);
		wave_abort(wave,
		    "the memory of %s could not be taken up after the restart of aloe-exec",
		    lane_name(wave, lost, name));
	} else if (!all_hosts(wave)) {
		wave_abort(wave, "a host was lost while aloe-exec was being restarted");
	} else if (wave->outdated) {
		wave_abort(wave,
		    "aloe-exec and aloe-frontend were killed while the waveform moved to other "
		    "lanes; load the waveform again");
	} else if (taken[0]) {
		wave_abort(wave, "while aloe-exec was being restarted: %s", taken);
	} else if (wave->state != WAVE_ABNSTOP) {
		damage_check(wave, true);
	}
	/* what it has overwritten says more */
	if (passed_over(wave, &lane)) {
		lane_name(wave, lane, name);
		hosts_leave(wave, true);
		wave_abort(wave,
		    "the waveform held %s for too long and was taken off the lane just before "
		    "aloe-exec was killed",
		    name);
	}
}

/* What it was about when exec died. */
static void wave_resume(struct exec_wave *wave, uint32_t lost, const char *taken)
{
	if (!wave->drained)
		wave_judge(wave, lost, taken);
	if (!wave->drained && wave->state != WAVE_ABNSTOP && !wave->ended) {
		lease_restore(wave);
		remap_restore(wave);
		return;
	}
	wave->remap = REMAP_NONE;
	if (wave->drained)
		drained_restore(wave);
	else
		hosts_finish(wave);
}

/* Its lanes' CPU locks and its watchdogs went with the old exec. */
static void use_restore(struct exec_wave *wave)
{
	struct exec *exec = wave->exec;
	struct node_control *control = wave_control(wave);
	const uint64_t n = atomic_load(&control->changes);
	const uint32_t lost = lost_lane(wave);
	char taken[384] = "";
	uint64_t set;

	lost_lanes_leave(wave);
	set = lanes_of(wave);
	/* it may have moved the limit and died before it had woken who sleeps there */
	futex_wake(futex_low(&control->limit), INT32_MAX);

	wave->state = control->state <= WAVE_ABNSTOP ? (enum wave_state)control->state : WAVE_RUN;
	wave->started = wave->state != WAVE_LOADED && wave->state != WAVE_INIT;
	wave->drained = wave->drained || wave->state == WAVE_STOP;
	if (n > 0)
		wave->sequence = control->change[(n - 1) % NODE_CHANGES].sequence;
	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		if ((set >> l & 1) && lane_reuse(wave, l, taken, sizeof(taken)) != 0)
			exec->lanes[l].users++;
	if (set != 0 && image_timed(wave->view.head->clock))
		lanes_wake_fast(wave);
	if (wave->state != WAVE_LOADED)
		wave_resume(wave, lost, taken);
}

/* Nobody waits for their answer any more. */
static void unprepared_drop(struct exec *exec)
{
	struct exec_wave *next;

	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = next) {
		next = wave->next;
		if (wave->state == WAVE_LOADED)
			wave_free(wave);
	}
}

/* What an exec that died in the middle of a change has left in the node image. */
static void node_tables_restore(struct exec *exec)
{
	struct node_image *node = exec->node;
	bool controls[NODE_WAVEFORMS_MAX] = {false};
	uint64_t entries;

	for (uint32_t i = 0; i < NODE_TIMEBASES_MAX; i++)
		atomic_store(&node->timebase[i].used, 0);
	for (const struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		controls[wave->control] = true;
	for (uint32_t i = 0; i < NODE_WAVEFORMS_MAX; i++)
		if (!controls[i])
			atomic_store(&node->control[i].used, 0);
	for (uint32_t l = 0; l < node->n_lanes && l < NODE_LANES_MAX; l++) {
		const uint32_t base = atomic_load(&node->lane[l].timebase);

		entries = 0;
		for (const struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
			for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
				entries |=
				    wave->places[s].lane == l ? 1ull << wave->places[s].entry : 0;
		for (uint32_t e = 0; e < NODE_ENTRIES_MAX; e++)
			if (!(entries >> e & 1))
				atomic_store(&node->lane[l].entry[e].live, 0);
		if (exec->lanes[l].users == 0)
			atomic_store(&node->lane[l].timebase, IMAGE_NONE);
		else if (base < NODE_TIMEBASES_MAX)
			atomic_fetch_add(&node->timebase[base].used, 1);
	}
}

/* Only an exec that has just been started takes up what is kept; one that finds another frontend
 * knows better. */
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
	const int status = exec->n_kept > 0 ? entries_restore(exec) : 0;

	exec_forget(exec);
	if (status != 0 || exec->node == NULL)
		return status;
	/* a waveform that turns out to be over gives its lanes back: those that come after it are
	 * on them still */
	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		exec->lanes[l].users++;
	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		use_restore(wave);
	unprepared_drop(exec);
	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		lane_give(exec, l);
	node_tables_restore(exec);
	return 0;
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
