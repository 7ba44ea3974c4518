/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node.c - a node image of our own. */
#include <errno.h>

#include "core/measure/calibrate.h"
#include "core/platform/platform.h"
#include "daemons/exec/exec.h"

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

int node_new(struct exec *exec)
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
