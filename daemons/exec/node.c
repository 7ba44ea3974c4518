/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node.c - a node image of our own. */
#include <errno.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/cpulist.h"
#include "core/measure/calibrate.h"
#include "core/platform/platform.h"
#include "daemons/exec/exec.h"

/* What has been measured first holds. */
static void measure(struct node_image *node)
{
	struct calibration calibration;
	double none = 0;

	platform_pin(node->lane[0].cpu);
	if (calibrate_mmac(&calibration) == 0)
		atomic_compare_exchange_strong(&node->mmac_per_s, &none, calibration.mmac_per_s);
}

/* What this thread takes of the CPU is counted, not what passes meanwhile: it gives way to all. */
static void *measure_idle_main(void *self)
{
	struct exec *exec = self;
	struct node_image *node = exec->node;

	platform_yield();
	atomic_store(&exec->measure_tid, gettid());
	measure(node);
	atomic_store(&exec->measure_tid, 0);
	return NULL;
}

static void *measure_main(void *node)
{
	measure(node);
	return NULL;
}

static void measure_begin(struct exec *exec)
{
	exec->measures = pthread_create(&exec->measure, NULL, measure_idle_main, exec) == 0;
}

static bool measure_await(struct exec *exec, uint64_t ns)
{
	enum { LOOK_NS = 1000000 };
	const uint64_t until_ns = clock_ns() + ns;

	while (pthread_tryjoin_np(exec->measure, NULL) != 0) {
		if (clock_ns() >= until_ns)
			return false;
		clock_sleep_until(clock_ns() + LOOK_NS);
	}
	exec->measures = false;
	return true;
}

/* Where others have the CPU all the time, what gives way does not come to its end: with the right
 * to, it gives way no longer. A lane that polls with real-time priority keeps it off even then, so
 * no wait is without an end: the rate stays unknown. */
void node_settle(struct exec *exec)
{
	enum { WAIT_NS = 50000000, HASTENED_NS = 250000000 };
	const pid_t tid = atomic_load(&exec->measure_tid);

	if (exec->unmeasured || atomic_load(&exec->node->mmac_per_s) > 0)
		return;
	if (exec->measures && tid != 0 && platform_has_thread(getpid(), tid) &&
	    platform_demote(tid) == 0)
		measure_await(exec, HASTENED_NS);
	else if (exec->measures)
		measure_await(exec, WAIT_NS);
	if (!exec->measures && !(atomic_load(&exec->node->mmac_per_s) > 0) &&
	    pthread_create(&exec->measure, NULL, measure_main, exec->node) == 0) {
		exec->measures = true;
		measure_await(exec, HASTENED_NS);
	}
	exec->unmeasured = !(atomic_load(&exec->node->mmac_per_s) > 0);
}

bool node_end(struct exec *exec)
{
	return !exec->measures || measure_await(exec, 0);
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
	measure_begin(exec);
	return 0;
}
