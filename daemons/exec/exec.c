/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemons/exec/clock.h"
#include "daemons/exec/flight.h"
#include "daemons/exec/misses.h"
#include "daemons/exec/restore.h"
#include "daemons/exec/watch.h"

/* A bell that has been rung once or often is one reason to look. */
static void bell_ready(void *self, short revents)
{
	struct exec *exec = self;
	uint64_t times;

	(void)revents;
	if (read(exec->bell, &times, sizeof(times)) == sizeof(times) && exec->node != NULL)
		exec_look(exec);
}

static int bell_start(struct exec *exec)
{
	exec->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (exec->bell < 0)
		return -errno;
	loop_watch_start(
	    &exec->daemon.loop, &exec->bell_watch, exec->bell, POLLIN, bell_ready, exec);
	return 0;
}

/* The first time: what an earlier exec has left, or a node of our own. Every time: the frontend is
 * told all there is. */
static int ready(void *self)
{
	struct exec *exec = self;
	int status = 0;

	if (exec->node == NULL) {
		status = exec_restore(exec);
		if (status == 0 && exec->node == NULL)
			status = node_new(exec);
		if (status != 0)
			return status;
		for (struct exec_process *process = exec->processes; process != NULL;
		     process = process->next)
			process_watch(process);
		clock_ready(exec);
		exec_look(exec);
	}
	exec_keep(exec);
	return 0;
}

/* One wake-up for both: the look that is due once in a second comes a little earlier. */
static void beat(void *self)
{
	struct exec *exec = self;

	if (exec->tick.on)
		exec_look(exec);
}

int exec_init(struct exec *exec, const struct daemon_args *args)
{
	static const struct daemon_role role = {
	    "aloe-exec", WIRE_EXEC, exec_request, exec_entry, ready, exec_lost, beat};
	int status;

	*exec = (struct exec){.node_fd = -1,
	    .wake_fd = -1,
	    .bell = -1,
	    .clock = {.fd = -1},
	    .look = exec_look,
	    .host_answer = host_answer,
	    .host_died = host_died,
	    .wave_look = wave_look};
	for (int i = 0; i < NODE_LANES_MAX; i++) {
		exec->lanes[i].fd = exec->lanes[i].cpu_lock = -1;
		exec->lanes[i].perf = (struct perf_ring)PERF_RING_NONE;
	}
	status = daemon_init(&exec->daemon, &role, args, exec);
	return status != 0 ? status : bell_start(exec);
}

void exec_fini(struct exec *exec)
{
	struct exec_wave *wave;

	for (wave = exec->waves; wave != NULL; wave = wave->next)
		flight_end(wave);
	while (exec->processes != NULL) {
		process_kill(exec->processes);
		process_free(exec->processes);
	}
	for (uint32_t lane = 0; lane < NODE_LANES_MAX; lane++) {
		watchdog_stop(exec, lane);
		witness_close(exec, lane);
		lane_unlock(exec, lane);
		bed_close(&exec->lanes[lane].bed);
	}
	second_stop(exec);
	while ((wave = exec->waves) != NULL) {
		exec->waves = wave->next;
		wave_dispose(wave);
	}
	loop_watch_stop(&exec->daemon.loop, &exec->bell_watch);
	loop_timer_stop(&exec->daemon.loop, &exec->tick);
	clock_close(exec);
	witness_fini(exec);
	if (exec->bell >= 0)
		close(exec->bell);
	daemon_fini(&exec->daemon);
}
