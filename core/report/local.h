/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/report/local.h - this machine, as a plan needs to know it: the same for `aloe plan` and for swman.
 */
#ifndef ALOE_REPORT_LOCAL_H
#define ALOE_REPORT_LOCAL_H

#include "core/map/plan.h"

enum { LOCAL_CPUS_MAX = 64 };

struct local_platform {
	int cpus[LOCAL_CPUS_MAX];
	struct platform_core cores[LOCAL_CPUS_MAX];
	struct platform_node node;
	struct platform_model model; /* points to the others */
};

/* What a lane costs beside its instances' work, ns of a slot, as tests/bench/bench_node and bench_handover measure it on
 * machines of today, rounded up: waking up and looking around, calling an instance, handing on to another host. */
enum { LOCAL_BASE_NS = 5000, LOCAL_MODULE_NS = 100, LOCAL_HANDOVER_NS = 3000 };

/* local_platform gives the CPUs that this process may use, and the capacity of a core as kept in the state directory
 * (0: never measured). */
void local_platform(const char *state, struct local_platform *ret);

/* local_calibrate measures the capacity (about 50 ms) unless one is kept for this model of CPU already, and keeps it. 0, or
 * -errno when it could not be measured or kept. */
int local_calibrate(const char *state);

#endif
