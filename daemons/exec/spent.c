/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/exec/spent.h"

#include <stdlib.h>

#include "core/platform/platform.h"
#include "daemons/exec/exec.h"
#include "daemons/exec/tasks.h"

struct exec_spents {
	bool over;
	uint32_t n;               /* lanes of the plan */
	struct exec_spent lane[]; /* at the beginning; then, if it is over, at the end */
};

/* The lane of the node; IMAGE_NONE: it has none (any more). */
static uint32_t node_lane(const struct exec_wave *wave, uint32_t lane)
{
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		if (wave->view.segments[s].lane == lane && wave->places[s].lane != IMAGE_NONE)
			return wave->places[s].lane;
	return IMAGE_NONE;
}

/* The thread of a host on a lane, by the lane image's word for it, if that is one of the host's. */
static bool thread_add(
    const struct exec_process *process, uint32_t number, struct exec_spent *spent)
{
	const struct lane_image *image = process->exec->lanes[number].image;
	const pid_t tid = (pid_t)atomic_load(&image->tid[process->seat[number]]);
	struct exec_task task;
	uint64_t wakes;

	if (!platform_has_thread(process->pid, tid) || !task_look(process->pid, tid, &task) ||
	    !task_wakes(process->pid, tid, &wakes))
		return false;
	spent->ran_ns += task.ran_ns;
	spent->wakes += wakes;
	return true;
}

static uint32_t lane_first(const struct exec_process *process)
{
	uint32_t l = 0;

	while (l < NODE_LANES_MAX && process->seat[l] == IMAGE_NONE)
		l++;
	return l;
}

static void io_add(const struct exec_process *process, struct exec_spent *spent)
{
	uint64_t wakes;

	if (process->io_tid > 0 && platform_has_thread(process->pid, process->io_tid) &&
	    task_wakes(process->pid, process->io_tid, &wakes))
		spent->io_wakes += wakes;
}

static struct exec_spent spent_read(const struct exec_wave *wave, uint32_t lane)
{
	const uint32_t number = node_lane(wave, lane);
	struct exec_spent spent = {.known = number != IMAGE_NONE};

	if (!spent.known)
		return spent;
	spent.looks = atomic_load(&wave->exec->lanes[number].looks);
	for (uint32_t h = 0; h < wave->n_hosts; h++) {
		const struct exec_process *process = wave->hosts[h].process;

		if (process == NULL || process->seat[number] == IMAGE_NONE)
			continue;
		spent.known = thread_add(process, number, &spent) && spent.known;
		if (lane_first(process) == number)
			io_add(process, &spent);
	}
	return spent;
}

void spent_begin(struct exec_wave *wave)
{
	const uint32_t n = (uint32_t)wave->view.head->lanes.count;

	if (!image_timed(wave->view.head->clock))
		return;
	free(wave->spents);
	wave->spents = calloc(1, sizeof(*wave->spents) + 2 * n * sizeof(struct exec_spent));
	for (uint32_t l = 0; wave->spents != NULL && l < n; l++)
		wave->spents->lane[l] = spent_read(wave, l);
	if (wave->spents != NULL)
		wave->spents->n = n;
}

void spent_end(struct exec_wave *wave)
{
	if (wave->spents == NULL || wave->spents->over)
		return;
	wave->spents->over = true;
	for (uint32_t l = 0; l < wave->spents->n; l++)
		wave->spents->lane[wave->spents->n + l] = spent_read(wave, l);
}

/* A thread that has ended takes its figures along. */
static uint64_t since(uint64_t to, uint64_t from)
{
	return to > from ? to - from : 0;
}

struct exec_spent spent_of(const struct exec_wave *wave, uint32_t lane)
{
	struct exec_spent to, from;

	if (wave->spents == NULL || lane >= wave->spents->n)
		return (struct exec_spent){.known = false};
	from = wave->spents->lane[lane];
	to = wave->spents->over ? wave->spents->lane[wave->spents->n + lane]
	                        : spent_read(wave, lane);
	return (struct exec_spent){.ran_ns = since(to.ran_ns, from.ran_ns),
	    .wakes = since(to.wakes, from.wakes),
	    .looks = since(to.looks, from.looks),
	    .io_wakes = since(to.io_wakes, from.io_wakes),
	    .known = from.known && to.known};
}
