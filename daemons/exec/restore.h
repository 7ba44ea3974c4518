/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/restore.h - what an earlier exec has left with the frontend is taken up.
 */
#ifndef DAEMONS_EXEC_RESTORE_H
#define DAEMONS_EXEC_RESTORE_H

#include "daemons/exec/exec.h"

/* exec_restore takes up what an earlier exec left with the frontend: 0 or -errno.
 * exec_keep puts everything, for a frontend that knows nothing yet. */
void exec_entry(void *self, struct keep_entry *entry);
int exec_restore(struct exec *exec);
void exec_forget(struct exec *exec); /* what has come of it */
void exec_keep(struct exec *exec);

#endif
