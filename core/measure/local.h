/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/measure/local.h - this machine, as a plan needs to know it: the same for `aloe plan` and for
 * swman.
 */
#ifndef ALOE_MEASURE_LOCAL_H
#define ALOE_MEASURE_LOCAL_H

#include "core/json/json.h"
#include "core/map/class.h"
#include "core/map/plan.h"

enum { LOCAL_CPUS_MAX = 64 };

struct local_platform {
	int cpus[LOCAL_CPUS_MAX];
	struct platform_core cores[LOCAL_CPUS_MAX];
	struct platform_node node;
	struct platform_model model; /* points to the others */
	struct class_rates rates;    /* of this kind of machine; mmac_per_s 0: never measured */
};

/* What a lane costs beside its instances, ns of a slot, until it is measured
 * (core/measure/lane_cost.h): an empty slot, and handing on to another host. There is no T_module:
 * what calling an instance costs is in the instance's measured time. */
enum { LOCAL_BASE_NS = 1000, LOCAL_HANDOVER_NS = 3000 };

/* local_platform gives the CPUs that this process may use, and what is kept in the state directory:
 * the capacity of a core (0: never measured) and what its lanes cost. */
void local_platform(const char *state, struct local_platform *ret);

/* local_beside keeps those CPUs that the waveform can have beside what is loaded (exec's list of
 * it; may be NULL): those with slots of another length are left out, those of which the least is
 * taken come first. Taken is what the waveforms there were admitted with, whatever they use of
 * it. */
void local_beside(
    const json_t *list, const struct waveform *waveform, struct local_platform *platform);

/* local_rates gives the rates kept for this kind of machine: CPU model, governor of the first CPU,
 * vector level (ALOE_SIMD, or the best), and version of ALOE. None kept, or of another: the kind
 * alone, rates 0. local_kind gives that without a look. */
void local_rates(const char *state, struct class_rates *ret);
double local_rates_age(const char *state); /* s since they were kept; negative: none are */
void local_kind(struct class_rates *ret);

/* local_calibrate measures them (0.1 to 0.3 s) unless they are kept already, and keeps them: in
 * capacity/, a file for each kind. 0, or -errno when they could not be measured or kept.
 * local_measure measures whatever is kept, and keeps nothing. */
int local_calibrate(const char *state);
int local_measure(struct class_rates *ret);

/* local_lane_known tells whether what a lane costs is kept with the rates; local_lane_keep keeps it
 * there. 0, or -errno: no rates are kept yet, or the file cannot be written. */
bool local_lane_known(const char *state);
int local_lane_keep(const char *state, double base_ns, double handover_ns);

#endif
