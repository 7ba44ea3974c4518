/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/report/store.h - what is kept between runs, as text files below the state directory.
 *
 *	profiles/NAME.json                    measured cost of a waveform's instances, see core/map/profile.h
 *	runs/NAME-YYYYmmdd-HHMMSS[-n]/        one run: waveform.conf, plan.txt, report.json, report.txt
 *
 * Runs are kept until the user deletes them. Tools read, swman writes.
 */
#ifndef ALOE_REPORT_STORE_H
#define ALOE_REPORT_STORE_H

#include <time.h>

#include "core/json/json.h"
#include "core/map/profile.h"

/* store_profile_read: 0 (no entry if there is no profile yet); -EINVAL with what is wrong with the file in diag. The caller
 * ends it with plan_profile_fini. */
int store_profile_read(const char *state, const char *waveform, struct diag *diag, struct profile *ret);
/* store_profile_write keeps the costs that a report has measured, of instances called at least 100 times. `mmac_per_s` is the
 * capacity that plans are made with, so that what was measured in time comes back as the same time. 0 or -errno. */
int store_profile_write(const char *state, const json_t *report, double mmac_per_s);

/* store_run_new makes the directory of a run that began at `when`. 0 or -errno. */
int store_run_new(const char *state, const char *waveform, time_t when, char *ret_dir, size_t size);
/* store_run_write puts report.json and report.txt into it. 0 or -errno. */
int store_run_write(const char *dir, const json_t *report);
/* store_run_last finds the newest run that has a report; of one waveform, or of all (NULL). 0, -ENOENT, -errno. */
int store_run_last(const char *state, const char *waveform, char *ret_dir, size_t size);

#endif
