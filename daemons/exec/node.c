/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node.c - a node image of our own. */
#include <errno.h>
#include <math.h>

#include "core/base/cpulist.h"
#include "core/measure/calibrate.h"
#include "core/platform/platform.h"
#include "daemons/exec/exec.h"

static void *calibrate_main(void *self)
{
	struct exec *exec = self;
	struct calibration calibration;

	platform_pin(exec->node->lane[0].cpu);
	if (calibrate_mmac(&calibration) == 0)
		atomic_store(&exec->node->mmac_per_s, calibration.mmac_per_s);
	return NULL;
}

static int calibrate(struct exec *exec)
{
	pthread_t thread;
	const int status = pthread_create(&thread, NULL, calibrate_main, exec);

	return status != 0 ? -status : -pthread_join(thread, NULL);
}

double node_mmac(const struct exec *exec)
{
	const double rate = atomic_load(&exec->node->mmac_per_s);

	return rate > 0 ? rate : NAN;
}

/* Those of the node's entry (--lanes) that there are; without an entry, and where there is none of
 * them, those that this process may use. What names another CPU is refused. */
static size_t lanes_find(const struct exec *exec, int cpus[NODE_LANES_MAX])
{
	const char *list = exec->daemon.args.lanes;
	cpu_set_t set;
	size_t n = 0;

	if (list == NULL || cpulist_parse(list, &set) != 0)
		return platform_cpus(cpus, NODE_LANES_MAX);
	for (int cpu = 0; cpu < CPU_SETSIZE && n < NODE_LANES_MAX; cpu++)
		if (CPU_ISSET((size_t)cpu, &set) && platform_has_cpu(cpu))
			cpus[n++] = cpu;
	return n > 0 ? n : platform_cpus(cpus, NODE_LANES_MAX);
}

int node_new(struct exec *exec)
{
	int cpus[NODE_LANES_MAX];
	const size_t n = lanes_find(exec, cpus);

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
