/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/doctor/users.h - whom the changes of a record are for: processes, by number and start
 * time, so that one that was killed does not count, nor another one with its number.
 *
 * The record is open with its lock; record_apply or record_save writes the users with the changes.
 */
#ifndef TOOLS_ALOE_DOCTOR_USERS_H
#define TOOLS_ALOE_DOCTOR_USERS_H

#include <sys/types.h>

#include "tools/aloe/doctor/record.h"

/* users_join adds a process, once. */
void users_join(struct record *record, pid_t pid);
/* users_keepers adds the node keepers of the nodes that run, of this process' group named
 * aloe-scope..., or outside of all such groups. dir: only that of the node with this runtime
 * directory; NULL: all. */
void users_keepers(struct record *record, const char *scope, const char *dir);
/* users_leave removes a process: true if it was there. */
bool users_leave(struct record *record, pid_t pid);
/* users_live tells whether a user lives. */
bool users_live(const struct record *record);

#endif
