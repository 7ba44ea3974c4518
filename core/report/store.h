/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/report/store.h - what is kept between runs, as text files below the state directory.
 *
 *         profiles/NAME/KIND-CLOCK.json         measured cost of a waveform's instances on a kind
 *                                               of machine and a clock, see core/map/profile.h
 *         capacity/KIND.json                    rates of that kind of machine, see core/map/class.h
 *                                               and local.h
 *         runs/NAME-YYYYmmdd-HHMMSS[-n]/        one run: waveform.conf, plan.txt, report.json,
 *                                               report.txt
 *
 * Runs are kept until the user removes them (core/report/runs.h). Tools read, swman writes.
 */
#ifndef ALOE_REPORT_STORE_H
#define ALOE_REPORT_STORE_H

#include <time.h>

#include "core/json/json.h"
#include "core/map/profile.h"

/* store_profile_read gives what the instances of a waveform cost on this kind of machine
 * (core/measure/local.h) and on the waveform's clock: as measured on one like it, or, if there is
 * none, the newest measured elsewhere, converted by classes of work (core/map/class.h). Figures of
 * another build than the one that would run are left out. diag gets a note of these, and one if the
 * figures are from elsewhere, that of plan_profile_origin. 0 (no entry if there is no profile yet);
 * -EINVAL with what is wrong with the file in diag. The caller ends it with plan_profile_fini. */
int store_profile_read(
    const char *state, const struct waveform *waveform, struct diag *diag, struct profile *ret);
/* store_profile_write keeps the costs that a report has measured, of instances called at least 100
 * times, as measured on the kind of machine of `rates`, instead of those measured there before; of
 * the same builds at other lengths the newest stay beside them, unless their run missed more
 * slots. Nothing is kept of a run that does not speak (report_speaks), nor of an instance in one
 * that missed slots where one of the same build and length is kept that missed none. A profile that
 * is there and cannot be read is left as it is; one with wrong content is written anew. 0, or
 * -errno with what is wrong in diag. */
int store_profile_write(
    const char *state, const json_t *report, const struct class_rates *rates, struct diag *diag);
/* store_profile_take gives them without keeping them; fini in any case. 0 or -ENOMEM. */
int store_profile_take(const json_t *report, const struct class_rates *rates, struct profile *ret);

/* store_run_new makes the directory of a run that began at `when`. 0 or -errno. */
int store_run_new(const char *state, const char *waveform, time_t when, char *ret_dir, size_t size);
/* run_name_parse reads the name of a run's folder: how many characters of it are the waveform's
 * name, when the run began, and its number in that second, from 1. False: it is no such name. */
struct run_name {
	size_t waveform;
	char began[20]; /* "YYYY-mm-dd HH:MM:SS", time of this machine */
	unsigned number;
};
bool run_name_parse(const char *name, struct run_name *ret);

/* store_run_write puts report.json and report.txt into it. 0 or -errno. */
int store_run_write(const char *dir, const json_t *report);
/* store_run_last finds the newest run that has a report; of one waveform, or of all (NULL). 0,
 * -ENOENT, -errno. */
int store_run_last(const char *state, const char *waveform, char *ret_dir, size_t size);

#endif
