/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "core/base/calibrate.h"
#include "core/platform/platform.h"
#include "daemons/exec/exec.h"

enum { TICK_NS = 5000000 };

static void tick(void *self)
{
	struct exec *exec = self;

	exec_tick(exec);
	loop_timer_start(&exec->daemon.loop, &exec->tick, TICK_NS, tick, exec);
}

static void *calibrate_main(void *self)
{
	struct exec *exec = self;
	struct calibration calibration;

	platform_pin(exec->node->lane[0].cpu);
	if (calibrate_mmac(&calibration) == 0)
		exec->node->mmac_per_s = calibration.mmac_per_s;
	return NULL;
}

static int calibrate(struct exec *exec)
{
	pthread_t thread;
	const int status = pthread_create(&thread, NULL, calibrate_main, exec);

	return status != 0 ? -status : -pthread_join(thread, NULL);
}

static int node_new(struct exec *exec)
{
	int cpus[NODE_LANES_MAX];
	const size_t n = platform_cpus(cpus, NODE_LANES_MAX);

	exec->node_fd = image_memfd("aloe-node", sizeof(struct node_image));
	if (exec->node_fd < 0)
		return exec->node_fd;
	exec->node = image_map(exec->node_fd, sizeof(struct node_image), true);
	if (exec->node == NULL || n == 0)
		return -ENOMEM;
	exec->node->magic = IMAGE_MAGIC;
	exec->node->version = IMAGE_VERSION;
	exec->node->n_lanes = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		exec->node->lane[i].cpu = cpus[i];
		atomic_store(&exec->node->lane[i].timebase, IMAGE_NONE);
	}
	return calibrate(exec);
}

/* The first time: what an earlier exec has left, or a node of our own. Every time: the frontend is told all there is. */
static int ready(void *self)
{
	struct exec *exec = self;
	int status = 0;

	if (!exec->tick.on) {
		status = exec_restore(exec);
		if (status == 0 && exec->node == NULL)
			status = node_new(exec);
		if (status != 0)
			return status;
		tick(exec);
	}
	exec_keep(exec);
	return 0;
}

int exec_init(struct exec *exec, const struct daemon_args *args)
{
	static const struct daemon_role role = {
	    "aloe-exec", WIRE_EXEC, exec_request, exec_entry, ready, exec_lost};

	*exec = (struct exec){.node_fd = -1, .wake_fd = -1};
	for (int i = 0; i < NODE_LANES_MAX; i++)
		exec->lanes[i].fd = exec->lanes[i].cpu_lock = -1;
	return daemon_init(&exec->daemon, &role, args, exec);
}

void exec_fini(struct exec *exec)
{
	struct exec_wave *wave;

	while (exec->processes != NULL) {
		process_kill(exec->processes);
		process_free(exec->processes);
	}
	for (uint32_t lane = 0; lane < NODE_LANES_MAX; lane++)
		keeper_stop(exec, lane);
	while ((wave = exec->waves) != NULL) {
		exec->waves = wave->next;
		wave_dispose(wave);
	}
	daemon_fini(&exec->daemon);
}
