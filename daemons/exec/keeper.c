/* SPDX-License-Identifier: BSD-3-Clause
 *
 * keeper.c - the thread that watches one lane from its own CPU, one priority above it: a segment that keeps the baton for
 * longer than its slot and a guard is demoted and passed over; its host is killed afterwards, by the main thread. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "core/slot/lane.h"
#include "daemons/exec/exec.h"

enum { GUARD_ALONE_NS = 100000000, GUARD_MIN_NS = 1000000 };

struct keeper {
	struct exec *exec;
	uint32_t lane;
};

static uint32_t live_entries(const struct node_lane *lane)
{
	const uint32_t entries = atomic_load(&lane->entries);
	uint32_t live = 0;

	for (uint32_t e = 0; e < entries && e < NODE_ENTRIES_MAX; e++)
		live += atomic_load(&lane->entry[e].live) != 0;
	return live;
}

static uint64_t guard_ns(const struct exec *exec, const struct node_lane *lane)
{
	const uint32_t base = atomic_load(&lane->timebase);
	const uint64_t slot_ns = base < NODE_TIMEBASES_MAX ? exec->node->timebase[base].slot_ns : GUARD_ALONE_NS;

	if (live_entries(lane) <= 1)
		return slot_ns > GUARD_ALONE_NS ? slot_ns : GUARD_ALONE_NS;
	return slot_ns > GUARD_MIN_NS ? slot_ns : GUARD_MIN_NS;
}

static void pass_over(struct exec *exec, uint32_t number, uint64_t baton, uint64_t held_ns)
{
	struct exec_lane *mine = &exec->lanes[number];
	struct node_entry *entry = &exec->node->lane[number].entry[baton_entry(baton)];
	const pid_t tid = (pid_t)atomic_load(&mine->image->tid[entry->seat]);

	if (tid > 0)
		platform_demote(tid);
	atomic_store(&entry->live, 0);
	atomic_store(&mine->image->since_ns, 0);
	if (lane_pass(&exec->node->lane[number], mine->image, baton, lane_next(&exec->node->lane[number], baton),
		      IMAGE_NONE) != 0)
		return;
	atomic_store(&mine->hung_ns, held_ns);
	atomic_store(&mine->hung, baton_entry(baton) + 1);
}

static void look(struct exec *exec, uint32_t number, uint64_t guard)
{
	struct exec_lane *mine = &exec->lanes[number];
	const uint64_t baton = atomic_load(&mine->image->baton);
	const uint64_t since = atomic_load(&mine->image->since_ns);
	const uint64_t now = clock_ns();

	if (since == 0 || now < since + guard || (baton & BATON_FRESH) || baton_entry(baton) >= NODE_ENTRIES_MAX)
		return;
	if (baton == atomic_load(&mine->image->baton) && since == atomic_load(&mine->image->since_ns))
		pass_over(exec, number, baton, now - since);
}

static void *keeper_main(void *self)
{
	struct keeper keeper = *(struct keeper *)self;
	struct exec_lane *mine = &keeper.exec->lanes[keeper.lane];

	free(self);
	platform_pin(keeper.exec->node->lane[keeper.lane].cpu);
	mine->keeper_realtime = platform_realtime(0, PLATFORM_PRIORITY_KEEPER) == 0;
	platform_no_slack();
	while (!atomic_load(&mine->keeper_quit)) {
		const uint64_t guard = guard_ns(keeper.exec, &keeper.exec->node->lane[keeper.lane]);
		const uint64_t since = atomic_load(&mine->image->since_ns);
		uint64_t wake = clock_ns() + guard;

		if (since != 0 && since + guard < wake) /* look when this one's time is over, not a whole guard later */
			wake = since + guard + 10000;
		clock_sleep_until(wake);
		look(keeper.exec, keeper.lane, guard);
	}
	return NULL;
}

int keeper_start(struct exec *exec, uint32_t lane)
{
	struct exec_lane *mine = &exec->lanes[lane];
	struct keeper *keeper = malloc(sizeof(*keeper));
	pthread_attr_t attr;
	int status;

	if (keeper == NULL)
		return -1;
	*keeper = (struct keeper){exec, lane};
	atomic_store(&mine->keeper_quit, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 * 1024);
	status = pthread_create(&mine->keeper, &attr, keeper_main, keeper);
	pthread_attr_destroy(&attr);
	mine->has_keeper = status == 0;
	if (status != 0)
		free(keeper);
	return -status;
}

void keeper_stop(struct exec *exec, uint32_t lane)
{
	struct exec_lane *mine = &exec->lanes[lane];

	if (!mine->has_keeper)
		return;
	atomic_store(&mine->keeper_quit, 1);
	pthread_join(mine->keeper, NULL);
	mine->has_keeper = false;
}
