/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/doctor/record.h - what was changed on the machine, written down before it is, and put
 * back exactly.
 *
 *   apply:   record := record + {path, from, to} --synced--> write `to` -> record := what the files
 *            really took
 *   revert:  file == to: write `from` | file == from: nothing to do | else: someone else's, left as
 *            it is and said record := what could not be put back; removed when that is nothing
 *
 * So a crash at any point leaves a record with which revert ends where apply began. Applied twice,
 * the value before the first time is kept. What was written down before the machine started anew is
 * void: nothing here outlives that.
 *
 * The record is NAME.json in a directory: "doctor" of --apply in the state directory, and what
 * nodes ask for while they run (tools/aloe/cap.h), which has users as well (users.h). Who uses it
 * holds a lock, NAME.lock. What was done is given as an array of objects {path, from, to, done,
 * said}: `done` true where the machine is now as asked, `said` in words what happened.
 */
#ifndef TOOLS_ALOE_DOCTOR_RECORD_H
#define TOOLS_ALOE_DOCTOR_RECORD_H

#include "tools/aloe/doctor/doctor.h"

struct record {
	const struct machine *machine;
	char path[PATH_MAX];
	int lock;
	json_t *changes; /* in the order in which they were made */
	json_t *users;   /* {pid, start}: whom they are for (users.h) */
	bool stale;      /* one of before the machine's start was found, and counts no more */
};

/* record_open reads the record `name` in `state`, an absolute or relative path of a directory,
 * which is made where it is not there and `make` is set. 0; -EWOULDBLOCK: another one has it
 * open; -EINVAL after a line in diag; -errno. */
int record_open(struct record *record, const struct machine *machine, const char *state,
    const char *name, bool make, struct diag *diag);
void record_close(struct record *record);
/* record_save writes the record, or removes it when it has no changes. 0 or -errno. */
int record_save(const struct record *record);

/* record_apply makes the changes. 0, with *ret_done (the caller's) for each of them; -errno if it
 * could not be written down, and then nothing has changed. */
int record_apply(struct record *record, const json_t *changes, json_t **ret_done);
/* record_revert puts all back, the last one first. As above; an error means that the record could
 * not be written. */
int record_revert(struct record *record, json_t **ret_done);

#endif
