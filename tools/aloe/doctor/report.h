/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/doctor/report.h - what was found, done and measured, as one JSON object, and that
 * object as text.
 */
#ifndef TOOLS_ALOE_DOCTOR_REPORT_H
#define TOOLS_ALOE_DOCTOR_REPORT_H

#include <stdio.h>

#include "tools/aloe/doctor/doctor.h"
#include "tools/aloe/doctor/measure.h"

/* As the report names them. */
extern const char *const doctor_verdicts[VERDICTS], *const doctor_kinds[MEASURE_KINDS];

/* doctor_knobs judges them all: an array of {name, verdict, now, want, why, how, changes}. */
json_t *doctor_knobs(const struct machine *machine);
/* doctor_changes gathers the changes of such an array. */
json_t *doctor_changes(const json_t *found);
/* doctor_measured is what `measure` gave: {cpus and slots, an array each, shortest_us}. */
json_t *doctor_measured(const struct measured *all, size_t n);

/* doctor_print prints the report {lanes, root, knobs, done, undone, pending, stale, measured,
 * bench}; what it has of them. */
void doctor_print(const json_t *report, FILE *out);

#endif
