/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/doctor/bench.h - what each knob is worth on this machine: measured without any, with
 * each alone and with all, in turns, so that what changes meanwhile hits all alike.
 *
 * The changes go through the record (record.h) and are put back after each measurement; `aloe
 * doctor --revert` does so after a crash.
 */
#ifndef TOOLS_ALOE_DOCTOR_BENCH_H
#define TOOLS_ALOE_DOCTOR_BENCH_H

#include <stdio.h>

#include "tools/aloe/doctor/record.h"

enum { BENCH_ROUNDS = 5 };

/* Measures once what is in force now: figures in the order of doctor_bench_keys. 0 or -errno;
 * -EINTR: the user wants an end. */
enum { BENCH_MISSED, BENCH_LATE, BENCH_GAPS, BENCH_FIGURES };
enum { BENCH_SLOT_NS = 100000 }; /* of the slots that BENCH_MISSED counts */
extern const char *const doctor_bench_keys[BENCH_FIGURES];
typedef int doctor_bench_measure(void *self, double ret[BENCH_FIGURES]);

/* doctor_bench gives an array of {knob, here}, and {missed_per_million, late_p99_us, gaps_percent}
 * of {mean, low, high} (95 %, Student's) for those that can be turned here; "none" is the first of
 * them, "all" the last. Says on standard error how long it takes, measurements of `seconds` each.
 * *ret is NULL if it returns -errno, after a line on standard error; what was changed is put back
 * even then, as far as it can be. */
int doctor_bench(
    struct record *record, double seconds, doctor_bench_measure *measure, void *self, json_t **ret);
/* doctor_bench_signals holds, from now on, the signals by which a keyboard or a service manager
 * ends or stops a program: a descriptor that can be read when one has come, or -errno. */
int doctor_bench_signals(void);
void doctor_bench_print(const json_t *bench, FILE *out);

#endif
