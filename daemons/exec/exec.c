/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "core/base/calibrate.h"
#include "core/base/child.h"
#include "core/platform/platform.h"
#include "daemons/common/keep.h"
#include "daemons/exec/exec.h"

enum { TICK_NS = 5000000, SPIN_US = 60 };

static void bus_ready(void *self, short revents)
{
	struct exec *exec = self;
	struct wire_view view;
	int status;

	(void)revents;
	while ((status = bus_recv(exec->bus, &view, NULL)) != -EAGAIN) {
		if (status == -EBADMSG) {
			log_warning(&exec->log, "a message that is not well formed was dropped");
			continue;
		}
		if (status != 0)
			return;
		exec_request(exec, &view);
	}
}

static void leash_ready(void *self, short revents)
{
	struct exec *exec = self;

	(void)revents;
	if (leash_pulled(exec->leash))
		loop_stop(&exec->loop, 0);
}

static void tick(void *self)
{
	struct exec *exec = self;

	bus_ready(exec, 0); /* the bus's descriptor is edge-triggered */
	exec_tick(exec);
	loop_timer_start(&exec->loop, &exec->tick, TICK_NS, tick, exec);
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
	keep_put(exec->keep, "node", NULL, 0, &exec->node_fd, 1);
	return calibrate(exec);
}

int exec_init(struct exec *exec, const char *dir, int keep, int leash)
{
	int status;

	*exec = (struct exec){.keep = keep, .leash = leash, .node_fd = -1, .wake_fd = -1, .spin_us = SPIN_US};
	log_init(&exec->log, "aloe-exec");
	loop_init(&exec->loop);
	for (int i = 0; i < NODE_LANES_MAX; i++)
		exec->lanes[i].fd = exec->lanes[i].cpu_lock = -1;
	status = exec_restore(exec);
	if (status == 0 && exec->node == NULL)
		status = node_new(exec);
	if (status != 0)
		return status;
	exec->bus = bus_connect(dir, WIRE_EXEC);
	if (exec->bus == NULL)
		return -errno;
	loop_watch_start(&exec->loop, &exec->bus_watch, bus_fd(exec->bus), POLLIN, bus_ready, exec);
	loop_watch_start(&exec->loop, &exec->leash_watch, leash, POLLIN, leash_ready, exec);
	loop_timer_start(&exec->loop, &exec->tick, TICK_NS, tick, exec);
	return 0;
}

void exec_fini(struct exec *exec)
{
	if (exec->bus != NULL)
		bus_close(exec->bus);
	loop_fini(&exec->loop);
}
