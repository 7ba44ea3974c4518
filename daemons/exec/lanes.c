/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "core/slot/lane.h"
#include "daemons/exec/exec.h"

/* ---- a lane's own things ----------------------------------------------------------------------------------------------- */

void lane_keep(struct exec *exec, uint32_t number)
{
	char key[32];

	snprintf(key, sizeof(key), "lane/%u", number);
	daemon_put(&exec->daemon, key, NULL, 0, &exec->lanes[number].fd, 1);
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

		base->pace = pace;
		base->slot_ns = slot_ns;
		base->start_ns = clock_ns() + 1000000;
		atomic_store(&base->allowed, 0);
	}
	return unused;
}

/* Of a waveform that is being remapped: it keeps its own. */
static uint32_t timebase_kept(const struct exec_wave *wave)
{
	const struct node_timebase *base =
	    wave->follows != NULL ? wave_timebase(wave->follows) : NULL;

	return base != NULL ? (uint32_t)(base - wave->exec->node->timebase) : IMAGE_NONE;
}

/* The time base for lanes `set` of this waveform: that of a lane in use if it agrees, else a new one. */
static int timebase_take(
    struct exec_wave *wave, uint64_t set, uint32_t *ret, char *ret_why, size_t size)
{
	const struct image_head *head = wave->view.head;
	struct exec *exec = wave->exec;
	uint32_t found = timebase_kept(wave);

	for (uint32_t l = 0; l < exec->node->n_lanes; l++) {
		const uint32_t have = atomic_load(&exec->node->lane[l].timebase);

		if (!(set >> l & 1) || have == IMAGE_NONE)
			continue;
		if (exec->node->timebase[have].pace == IMAGE_RADIO || head->clock == IMAGE_RADIO) {
			snprintf(ret_why, size,
			    "lane %u (CPU %d) is taken, and the lane of a radio is its waveform's alone: put \"%s\" on "
			    "another lane (--lanes) or unload what is there",
			    l, exec->node->lane[l].cpu, wave->name);
			return -EBUSY;
		}
		if (exec->node->timebase[have].pace != head->clock ||
		    exec->node->timebase[have].slot_ns != head->slot_ns ||
		    (found != IMAGE_NONE && found != have)) {
			snprintf(ret_why, size,
			    "lane %u (CPU %d) runs slots of %.1f us already and \"%s\" has slots of %.1f us: put it on "
			    "other lanes (--lanes) or unload what is there",
			    l, exec->node->lane[l].cpu,
			    (double)exec->node->timebase[have].slot_ns / 1e3, wave->name,
			    (double)head->slot_ns / 1e3);
			return -EBUSY;
		}
		found = have;
	}
	*ret = found != IMAGE_NONE ? found : timebase_find(exec, head->clock, head->slot_ns);
	if (*ret != IMAGE_NONE)
		return 0;
	snprintf(
	    ret_why, size, "%d time bases are in use, more are not possible", NODE_TIMEBASES_MAX);
	return -ENOSPC;
}

int lane_reuse(struct exec_wave *wave, uint32_t number)
{
	struct exec *exec = wave->exec;
	struct exec_lane *lane = &exec->lanes[number];

	if (lane->users == 0 && image_timed(wave->view.head->clock)) {
		lane->cpu_lock = platform_lock_cpu(exec->node->lane[number].cpu);
		if (lane->cpu_lock < 0)
			return lane->cpu_lock;
		keeper_start(exec, number);
	}
	lane->users++;
	return 0;
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

	if (status != 0) {
		snprintf(ret_why, size, "no memory for lane %u: %s", number, strerror(-status));
		return status;
	}
	if (lane->users == 0) {
		atomic_store(&exec->node->lane[number].timebase, base);
		atomic_fetch_add(&exec->node->timebase[base].used, 1);
	}
	if (lane_reuse(wave, number) != 0) {
		snprintf(ret_why, size,
		    "CPU %d is taken by the lane of another ALOE node: use another (--lanes), stop that one, or "
		    "run with "
		    "--clock virtual",
		    exec->node->lane[number].cpu);
		atomic_store(&exec->node->lane[number].timebase, IMAGE_NONE);
		atomic_fetch_sub(&exec->node->timebase[base].used, 1);
		return -EBUSY;
	}
	return 0;
}

/* ---- entries ----------------------------------------------------------------------------------------------------------- */

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

	for (uint32_t l = 0; l < wave->exec->node->n_lanes; l++)
		if (wave->exec->node->lane[l].cpu == cpu)
			return l;
	return IMAGE_NONE;
}

static uint32_t seat_of(struct exec_wave *wave, uint32_t segment, uint32_t lane)
{
	uint32_t *mine = &wave->hosts[wave->view.segments[segment].host].process->seat[lane];
	struct exec_lane *table = &wave->exec->lanes[lane];

	for (uint32_t seat = 0; seat < NODE_ENTRIES_MAX && *mine == IMAGE_NONE; seat++)
		if (!(table->seats >> seat & 1)) {
			table->seats |= 1ull << seat;
			*mine = seat;
		}
	return *mine;
}

static int entries_take(struct exec_wave *wave, uint32_t lane, char *ret_why, size_t size)
{
	struct node_lane *table = &wave->exec->node->lane[lane];
	const uint32_t n_segments = (uint32_t)wave->view.head->segments.count;
	uint32_t n = 0, next;

	for (uint32_t s = 0; s < n_segments; s++)
		n += node_lane_of(wave, s) == lane;
	next = entries_find(wave->exec, lane, n);
	if (next == IMAGE_NONE) {
		snprintf(ret_why, size,
		    "lane %u has no room for %u more segments: it holds at most %d", lane, n,
		    NODE_ENTRIES_MAX);
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
		table->entry[entry].seat = wave->places[s].seat;
		next++;
	}
	if (next > atomic_load(&table->entries))
		atomic_store(&table->entries, next);
	return 0;
}

static void lane_give(struct exec *exec, uint32_t number)
{
	struct exec_lane *lane = &exec->lanes[number];
	const uint32_t base = atomic_load(&exec->node->lane[number].timebase);

	if (--lane->users > 0)
		return;
	keeper_stop(exec, number);
	if (lane->cpu_lock >= 0)
		close(lane->cpu_lock);
	lane->cpu_lock = -1;
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

		if (lane == IMAGE_NONE) {
			snprintf(ret_why, size, "CPU %d is not there, or not for this node to use",
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

/* ---- live, and not any more -------------------------------------------------------------------------------------------- */

static bool is_live(const struct node_lane *lane, uint32_t entry)
{
	return entry < NODE_ENTRIES_MAX && atomic_load(&lane->entry[entry].live) != 0;
}

/* The baton goes on from where nobody takes it any more. */
static void baton_advance(struct exec *exec, uint32_t number, uint64_t baton)
{
	const struct node_lane *lane = &exec->node->lane[number];

	atomic_store(&exec->lanes[number].image->since_ns, 0);
	lane_pass(lane, exec->lanes[number].image, baton, lane_next(lane, baton), IMAGE_NONE);
}

/* A lane that stood still skips nothing: its next slot is the clock's. On the step clock no slot is lost: one that became
 * live while the last one left has its turn in slots that were allowed since. */
static void baton_start(struct exec *exec, uint32_t number, uint64_t baton)
{
	const struct node_lane *lane = &exec->node->lane[number];
	const uint32_t in_use = atomic_load(&lane->timebase);
	const struct node_timebase *base =
	    in_use < NODE_TIMEBASES_MAX ? &exec->node->timebase[in_use] : NULL;
	uint64_t slot;

	if (base == NULL)
		return;
	slot = base->pace == IMAGE_TIMER ? (clock_ns() - base->start_ns) / base->slot_ns + 1
	    : base->pace == IMAGE_RADIO
	    ? baton_slot(baton) /* goes on from where its host knows to be */
	    : atomic_load(&base->allowed);
	if (base->pace == IMAGE_STEP && baton_slot(baton) < slot)
		slot = baton_slot(baton);
	lane_pass(lane, exec->lanes[number].image, baton,
	    lane_next(lane, baton_make(slot, BATON_FRESH, BATON_NOBODY)), IMAGE_NONE);
}

static bool has_live(const struct node_lane *lane)
{
	for (uint32_t e = 0; e < NODE_ENTRIES_MAX; e++)
		if (is_live(lane, e))
			return true;
	return false;
}

/* Whoever hands the baton on looks at the table first: an entry may come or go between the look and the hand-on. */
void lane_tend(struct exec *exec, uint32_t number)
{
	const struct node_lane *lane = &exec->node->lane[number];
	struct lane_image *image = exec->lanes[number].image;
	uint64_t baton;

	if (image == NULL)
		return;
	baton = atomic_load(&image->baton);
	if (baton_entry(baton) == BATON_NOBODY) {
		if (has_live(lane))
			baton_start(exec, number, baton);
	} else if (!is_live(lane, baton_entry(baton)) && atomic_load(&image->since_ns) == 0) {
		baton_advance(exec, number, baton);
	}
}

void lanes_leave_host(struct exec_wave *wave, uint32_t host)
{
	for (uint32_t s = 0; wave->places != NULL && s < wave->view.head->segments.count; s++) {
		const struct exec_place *place = &wave->places[s];
		uint64_t baton;

		if (wave->view.segments[s].host != host || place->lane == IMAGE_NONE)
			continue;
		atomic_store(&wave->exec->node->lane[place->lane].entry[place->entry].live, 0);
		baton = atomic_load(&wave->exec->lanes[place->lane].image->baton);
		if (baton_entry(baton) == place->entry)
			baton_advance(wave->exec, place->lane, baton);
		else
			lane_wake(&wave->exec->node->lane[place->lane],
			    wave->exec->lanes[place->lane].image);
	}
}

void lanes_live(struct exec_wave *wave)
{
	struct exec *exec = wave->exec;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct exec_place *place = &wave->places[s];

		if (place->lane != IMAGE_NONE)
			atomic_store(&exec->node->lane[place->lane].entry[place->entry].live, 1);
	}
	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		lane_tend(exec, l);
}

void lanes_leave(struct exec_wave *wave)
{
	for (uint32_t s = 0; wave->places != NULL && s < wave->view.head->segments.count; s++) {
		const struct exec_place *place = &wave->places[s];

		if (place->lane != IMAGE_NONE)
			atomic_store(
			    &wave->exec->node->lane[place->lane].entry[place->entry].live, 0);
	}
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
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		wave->places[s] = (struct exec_place){IMAGE_NONE, IMAGE_NONE, IMAGE_NONE};
	if (wave->holds_wake && --exec->realtime_waves == 0 && exec->wake_fd >= 0) {
		close(exec->wake_fd);
		exec->wake_fd = -1;
	}
	wave->holds_wake = false;
}

struct node_timebase *wave_timebase(const struct exec_wave *wave)
{
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		if (wave->places[s].lane != IMAGE_NONE) {
			const uint32_t base =
			    atomic_load(&wave->exec->node->lane[wave->places[s].lane].timebase);

			return base < NODE_TIMEBASES_MAX ? &wave->exec->node->timebase[base] : NULL;
		}
	return NULL;
}

uint64_t lanes_slot(const struct exec_wave *wave)
{
	const struct node_timebase *base = wave_timebase(wave);

	if (base == NULL)
		return 0;
	if (base->pace == IMAGE_RADIO)
		return baton_slot(
		    atomic_load(&wave->exec->lanes[wave->places[0].lane].image->baton));
	if (base->pace != IMAGE_TIMER)
		return atomic_load(&base->allowed);
	return clock_ns() < base->start_ns ? 0 : (clock_ns() - base->start_ns) / base->slot_ns;
}
