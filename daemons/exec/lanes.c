/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/platform/platform.h"
#include "core/slot/lane.h"
#include "daemons/exec/misses.h"

/* ---- a lane's own things ---- */

/* The lock goes along: while an exec is dead its CPU is nobody else's. */
void lane_keep(struct exec *exec, uint32_t number)
{
	const struct exec_lane *lane = &exec->lanes[number];
	char key[32];

	snprintf(key, sizeof(key), "lane/%u", number);
	daemon_put(&exec->daemon, key, NULL, 0, (int[]){lane->fd, lane->cpu_lock},
	    lane->cpu_lock >= 0 ? 2 : 1);
}

void lane_unlock(struct exec *exec, uint32_t number)
{
	struct exec_lane *lane = &exec->lanes[number];
	const int fd = lane->cpu_lock;

	lane->cpu_lock = -1;
	if (fd < 0)
		return;
	platform_unlock_cpu(fd, exec->node->lane[number].cpu);
	lane_keep(exec, number);
}

static int lane_image_new(struct exec *exec, uint32_t number)
{
	struct exec_lane *lane = &exec->lanes[number];

	if (lane->fd >= 0)
		return 0;
	lane->fd = image_memfd("aloe-lane", sizeof(struct lane_image));
	if (lane->fd < 0)
		return lane->fd;
	lane->image = image_map(lane->fd, sizeof(struct lane_image), true);
	if (lane->image == NULL)
		return -ENOMEM;
	atomic_store(&lane->image->baton, baton_make(0, 0, BATON_NOBODY));
	lane_keep(exec, number);
	return 0;
}

/* Of a node of a platform: slot n begins at n slot lengths of the time that all nodes share, so
 * that it is the same slot on all. Slot 0 was long ago, and its time wraps. *ret_slack: as in
 * struct node_timebase. */
static uint64_t slots_begin(const struct exec *exec, uint64_t slot_ns, uint64_t *ret_slack)
{
	*ret_slack = 0;
	if (exec->daemon.args.node == NULL)
		return clock_ns() + 1000000;
	if (atomic_load(&exec->node->follows) != 0)
		*ret_slack = slot_ns / ALIGN_SLACK;
	return align_start(atomic_load(&exec->node->epoch_ns));
}

static bool slots_too_short(const struct exec *exec, uint64_t slot_ns, char *ret_why, size_t size)
{
	const uint64_t least = exec->daemon.args.node != NULL
	    ? align_slot_least(clock_ns() + atomic_load(&exec->node->epoch_ns))
	    : 0;

	if (slot_ns >= least)
		return false;
	snprintf(ret_why, size,
	    "slots of %.1f us are too short for a node of a platform, which counts slots from 1970 "
	    "on, so that their numbers would be too large; slots of %.1f us or more are needed, or "
	    "a node without a platform",
	    (double)slot_ns / 1e3, (double)(least / 100 + 1) / 10);
	return true;
}

static uint32_t timebase_find(struct exec *exec, uint32_t pace, uint64_t slot_ns)
{
	uint32_t unused = IMAGE_NONE;

	for (uint32_t i = 0; i < NODE_TIMEBASES_MAX; i++) {
		struct node_timebase *base = &exec->node->timebase[i];

		if (atomic_load(&base->used) == 0)
			unused = unused == IMAGE_NONE ? i : unused;
		else if (base->pace == pace && base->slot_ns == slot_ns && pace == IMAGE_TIMER)
			return i;
	}
	if (unused != IMAGE_NONE) {
		struct node_timebase *base = &exec->node->timebase[unused];
		uint64_t slack;

		base->pace = pace;
		base->slot_ns = slot_ns;
		atomic_store(&base->start_ns, slots_begin(exec, slot_ns, &slack));
		atomic_store(&base->slack_ns, slack);
		atomic_store(&base->allowed, 0);
	}
	return unused;
}

const char *lane_name(const struct exec_wave *wave, uint32_t lane, char text[LANE_NAME])
{
	const int32_t cpu = wave->exec->node->lane[lane].cpu;
	uint32_t number = 0;

	while (number < wave->view.head->lanes.count &&
	    (wave->view.lanes[number].cpu != cpu ||
	        (wave->view.node != IMAGE_NONE &&
	            wave->view.lanes[number].node != wave->view.node)))
		number++;
	if (number < wave->view.head->lanes.count)
		snprintf(text, LANE_NAME, "lane %u (CPU %d)", number, cpu);
	else
		snprintf(text, LANE_NAME, "the lane on CPU %d", cpu);
	return text;
}

/* Of a waveform that is being remapped: it keeps its own. */
static uint32_t timebase_kept(const struct exec_wave *wave)
{
	const struct node_timebase *base =
	    wave->follows != NULL ? wave_timebase(wave->follows) : NULL;

	return base != NULL ? (uint32_t)(base - wave->exec->node->timebase) : IMAGE_NONE;
}

/* The time base for lanes `set` of this waveform: that of a lane in use if it agrees, else a new
 * one. */
static int timebase_take(
    struct exec_wave *wave, uint64_t set, uint32_t *ret, char *ret_why, size_t size)
{
	const struct image_head *head = wave->view.head;
	struct exec *exec = wave->exec;
	uint32_t found = timebase_kept(wave);
	char name[LANE_NAME];

	for (uint32_t l = 0; l < exec->node->n_lanes; l++) {
		const uint32_t have = atomic_load(&exec->node->lane[l].timebase);

		if (!(set >> l & 1) || have == IMAGE_NONE)
			continue;
		if (exec->node->timebase[have].pace == IMAGE_RADIO || head->clock == IMAGE_RADIO) {
			snprintf(ret_why, size,
			    "%s is taken, and a lane with a radio serves one waveform only; put "
			    "\"%s\" on another lane (--lanes), or unload the waveform that is "
			    "there",
			    lane_name(wave, l, name), wave->name);
			return -EBUSY;
		}
		if (exec->node->timebase[have].pace != head->clock ||
		    exec->node->timebase[have].slot_ns != head->slot_ns ||
		    (found != IMAGE_NONE && found != have)) {
			snprintf(ret_why, size,
			    "%s runs slots of %.1f us already, but \"%s\" has slots of %.1f us; "
			    "put the waveform on other lanes (--lanes), or unload the waveform "
			    "that is there",
			    lane_name(wave, l, name),
			    (double)exec->node->timebase[have].slot_ns / 1e3, wave->name,
			    (double)head->slot_ns / 1e3);
			return -EBUSY;
		}
		found = have;
	}
	if (head->clock == IMAGE_TIMER && slots_too_short(exec, head->slot_ns, ret_why, size))
		return -ERANGE;
	*ret = found != IMAGE_NONE ? found : timebase_find(exec, head->clock, head->slot_ns);
	if (*ret != IMAGE_NONE)
		return 0;
	snprintf(ret_why, size,
	    "%d time bases are in use, and no more are possible; unload a waveform first",
	    NODE_TIMEBASES_MAX);
	return -ENOSPC;
}

/* The CPUs of this node that no lane has, of any node: "1 or 3"; "" when there are none. */
static void cpus_free(const struct exec *exec, char *ret, size_t size)
{
	size_t at = 0;

	ret[0] = 0;
	for (uint32_t l = 0; l < exec->node->n_lanes && at < size; l++)
		if (platform_cpu_free(exec->node->lane[l].cpu))
			at += (size_t)snprintf(ret + at, size - at, "%s%d", at > 0 ? " or " : "",
			    exec->node->lane[l].cpu);
}

static void user_name(uid_t uid, char *ret, size_t size)
{
	const struct passwd *user = getpwuid(uid);

	if (user != NULL)
		snprintf(ret, size, "%s", user->pw_name);
	else
		snprintf(ret, size, "%u", uid);
}

static void lock_why(const struct exec *exec, int cpu, int status,
    const struct platform_holder *holder, char *ret_why, size_t size)
{
	char who[64], where[128], unused[128], choice[192];

	if (status != -EADDRINUSE) {
		snprintf(ret_why, size, "CPU %d cannot be locked for a lane: %s", cpu,
		    strerror(-status));
		return;
	}
	user_name(holder->uid, who, sizeof(who));
	if (holder->elsewhere)
		snprintf(where, sizeof(where), "in another container, user %u there", holder->uid);
	else
		snprintf(where, sizeof(where), "pid %d, user %s", holder->pid, who);
	cpus_free(exec, unused, sizeof(unused));
	if (unused[0])
		snprintf(choice, sizeof(choice), "choose a free CPU (--lanes %s)", unused);
	else
		snprintf(choice, sizeof(choice), "wait until a CPU of this node is free (none is)");
	snprintf(ret_why, size,
	    "CPU %d is taken by the lane of another ALOE node (%s); %s, stop that node, or run "
	    "with --clock virtual",
	    cpu, where, choice);
}

/* 0 also where this machine has no locks: the report tells of that. */
static int lane_lock(struct exec *exec, uint32_t number, char *ret_why, size_t size)
{
	struct exec_lane *lane = &exec->lanes[number];
	const int cpu = exec->node->lane[number].cpu;
	struct platform_holder holder = {0};

	if (lane->cpu_lock >= 0) /* an exec before this one has taken it */
		return platform_lock_cpu_on(lane->cpu_lock, cpu);
	lane->cpu_lock = platform_lock_cpu(cpu, &holder);
	if (lane->cpu_lock >= 0) {
		lane_keep(exec, number);
	} else if (lane->cpu_lock != -ENOTSUP) {
		lock_why(exec, cpu, lane->cpu_lock, &holder, ret_why, size);
		return lane->cpu_lock;
	}
	return 0;
}

/* Its CPU, and who looks after it: without a watchdog nothing runs on a lane. */
static int lane_secure(struct exec_wave *wave, uint32_t number, char *ret_why, size_t size)
{
	struct exec *exec = wave->exec;
	const bool shared = exec->daemon.args.shared;
	int status = shared ? 0 : lane_lock(exec, number, ret_why, size);
	char name[LANE_NAME];

	if (status != 0)
		return status;
	status = watchdog_start(exec, number);
	if (status != 0) {
		snprintf(ret_why, size, "%s cannot have a watchdog: %s",
		    lane_name(wave, number, name), strerror(-status));
		lane_unlock(exec, number);
		return status;
	}
	witness_open(exec, number);
	if (!shared) /* no thread here has a priority that another could be above */
		second_start(exec);
	return 0;
}

int lane_reuse(struct exec_wave *wave, uint32_t number, char *ret_why, size_t size)
{
	struct exec_lane *lane = &wave->exec->lanes[number];
	const int status = image_timed(wave->view.head->clock) && !lane->has_watchdog
	    ? lane_secure(wave, number, ret_why, size)
	    : 0;

	lane->users += status == 0;
	return status;
}

void lanes_wake_fast(struct exec_wave *wave)
{
	struct exec *exec = wave->exec;

	wave->holds_wake = true;
	if (exec->realtime_waves++ > 0)
		return;
	exec->wake_fd = platform_wake_fast();
	exec->no_wake_fast = exec->wake_fd < 0;
}

static int lane_take(
    struct exec_wave *wave, uint32_t number, uint32_t base, char *ret_why, size_t size)
{
	struct exec *exec = wave->exec;
	struct exec_lane *lane = &exec->lanes[number];
	int status = lane_image_new(exec, number);
	char name[LANE_NAME];

	if (status != 0) {
		snprintf(ret_why, size, "no memory for %s: %s", lane_name(wave, number, name),
		    strerror(-status));
		return status;
	}
	if (lane->users == 0) {
		/* of another time base, and of others on it */
		atomic_store(&lane->image->baton, baton_make(0, 0, BATON_NOBODY));
		atomic_store(&lane->image->rescued, 0);
		atomic_store(&lane->roused, 0);
		atomic_store(&exec->node->lane[number].resets, 0);
		atomic_store(&exec->node->lane[number].timebase, base);
		atomic_fetch_add(&exec->node->timebase[base].used, 1);
	}
	status = lane_reuse(wave, number, ret_why, size);
	if (status != 0 && lane->users == 0) {
		atomic_store(&exec->node->lane[number].timebase, IMAGE_NONE);
		atomic_fetch_sub(&exec->node->timebase[base].used, 1);
	}
	return status != 0 ? -EBUSY : 0;
}

/* ---- entries ------------------------------------------------------------------------ */

static bool uses_entry(const struct exec_wave *wave, uint32_t lane, uint32_t entry)
{
	for (uint32_t s = 0;
	     wave != NULL && wave->places != NULL && s < wave->view.head->segments.count; s++)
		if (wave->places[s].lane == lane && wave->places[s].entry == entry)
			return true;
	return false;
}

static bool entry_used(const struct exec *exec, uint32_t lane, uint32_t entry)
{
	for (const struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		if (uses_entry(wave, lane, entry) || uses_entry(wave->other, lane, entry))
			return true;
	return false;
}

/* A run of n free entries, so that a waveform's segments keep their order. */
static uint32_t entries_find(const struct exec *exec, uint32_t lane, uint32_t n)
{
	uint32_t run = 0;

	for (uint32_t e = 0; e < NODE_ENTRIES_MAX; e++) {
		run = entry_used(exec, lane, e) ? 0 : run + 1;
		if (run == n)
			return e + 1 - n;
	}
	return IMAGE_NONE;
}

static uint32_t node_lane_of(const struct exec_wave *wave, uint32_t segment)
{
	const int32_t cpu = wave->view.lanes[wave->view.segments[segment].lane].cpu;

	if (!image_runs(&wave->view, segment))
		return IMAGE_NONE;
	for (uint32_t l = 0; l < wave->exec->node->n_lanes; l++)
		if (wave->exec->node->lane[l].cpu == cpu)
			return l;
	return IMAGE_NONE;
}

static uint32_t seat_of(struct exec_wave *wave, uint32_t segment, uint32_t lane)
{
	struct exec_process *process = wave->hosts[wave->view.segments[segment].host].process;
	uint32_t *mine = &process->seat[lane];
	struct exec_lane *table = &wave->exec->lanes[lane];

	for (uint32_t seat = 0; seat < NODE_ENTRIES_MAX && *mine == IMAGE_NONE; seat++)
		if (!(table->seats >> seat & 1)) {
			table->seats |= 1ull << seat;
			atomic_store(&table->pid[seat], process->pid);
			*mine = seat;
		}
	return *mine;
}

static int entries_take(struct exec_wave *wave, uint32_t lane, char *ret_why, size_t size)
{
	struct node_lane *table = &wave->exec->node->lane[lane];
	const uint32_t n_segments = (uint32_t)wave->view.head->segments.count;
	uint32_t n = 0, next;
	char name[LANE_NAME];

	for (uint32_t s = 0; s < n_segments; s++)
		n += node_lane_of(wave, s) == lane;
	next = entries_find(wave->exec, lane, n);
	if (next == IMAGE_NONE) {
		snprintf(ret_why, size,
		    "%s has no room for %u more segment%s; a lane holds at most %d",
		    lane_name(wave, lane, name), n, plural(n), NODE_ENTRIES_MAX);
		return -ENOSPC;
	}
	for (uint32_t s = 0; s < n_segments; s++) {
		const uint32_t entry = next;

		if (node_lane_of(wave, s) != lane)
			continue;
		wave->places[s].seat = seat_of(wave, s, lane);
		if (wave->places[s].seat == IMAGE_NONE)
			return -ENOSPC;
		wave->places[s].lane = lane;
		wave->places[s].entry = entry;
		table->entry[entry].waveform = wave->control;
		table->entry[entry].segment = s;
		atomic_store(&table->entry[entry].slots, wave->view.segments[s].stride);
		table->entry[entry].seat = wave->places[s].seat;
		next++;
	}
	if (next > atomic_load(&table->entries))
		atomic_store(&table->entries, next);
	return 0;
}

void lane_give(struct exec *exec, uint32_t number)
{
	struct exec_lane *lane = &exec->lanes[number];
	const uint32_t base = atomic_load(&exec->node->lane[number].timebase);

	if (--lane->users > 0)
		return;
	watchdog_stop(exec, number);
	witness_close(exec, number);
	lane_unlock(exec, number);
	atomic_store(&exec->node->lane[number].timebase, IMAGE_NONE);
	if (base < NODE_TIMEBASES_MAX)
		atomic_fetch_sub(&exec->node->timebase[base].used, 1);
}

int lanes_take(struct exec_wave *wave, char *ret_why, size_t size)
{
	uint64_t set = 0;
	uint32_t base;
	int status;

	if (wave->view.head->clock == IMAGE_VIRTUAL)
		return 0;
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const uint32_t lane = node_lane_of(wave, s);

		if (!image_runs(&wave->view, s))
			continue;
		if (lane == IMAGE_NONE) {
			snprintf(ret_why, size,
			    "CPU %d does not exist, or this node may not use the CPU",
			    wave->view.lanes[wave->view.segments[s].lane].cpu);
			return -ENODEV;
		}
		set |= 1ull << lane;
	}
	status = timebase_take(wave, set, &base, ret_why, size);
	for (uint32_t l = 0; l < wave->exec->node->n_lanes && status == 0; l++) {
		if (!(set >> l & 1))
			continue;
		status = lane_take(wave, l, base, ret_why, size);
		if (status == 0 && (status = entries_take(wave, l, ret_why, size)) != 0)
			lane_give(wave->exec, l);
	}
	if (status == 0 && image_timed(wave->view.head->clock))
		lanes_wake_fast(wave);
	return status;
}

/* What says of a free entry that it is at work is not believed (baton_left). */
static void entry_free(struct exec *exec, const struct exec_place *place)
{
	if (place->lane != IMAGE_NONE)
		atomic_store(&exec->node->lane[place->lane].entry[place->entry].seat, IMAGE_NONE);
}

void lanes_release(struct exec_wave *wave)
{
	struct exec *exec = wave->exec;
	uint64_t set = 0;

	if (wave->places == NULL)
		return;
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		struct exec_place *place = &wave->places[s];

		if (place->lane != IMAGE_NONE)
			set |= 1ull << place->lane;
	}
	for (uint32_t h = 0; h < wave->n_hosts; h++) /* none of them is in work any more */
		lanes_leave_host(wave, h);
	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		if (set >> l & 1)
			lane_give(exec, l);
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		entry_free(exec, &wave->places[s]);
		wave->places[s] = (struct exec_place){IMAGE_NONE, IMAGE_NONE, IMAGE_NONE};
	}
	if (wave->holds_wake && --exec->realtime_waves == 0 && exec->wake_fd >= 0) {
		close(exec->wake_fd);
		exec->wake_fd = -1;
	}
	wave->holds_wake = false;
}
