/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/child.h - start a program of the same installation, and know when it ends.
 *
 * Every descriptor of this project is opened close-on-exec; a child gets standard input
 * (/dev/null), output and error, and exactly the descriptors it is given. It runs in a session of
 * its own (the keyboard's signals go to `aloe`, which decides) with default signals.
 *
 * A leash is a pipe: one process holds the write end, all that are to end with it hold the read
 * end. However that one ends, kill -9 included, they read end of file and end too.
 */
#ifndef ALOE_BASE_CHILD_H
#define ALOE_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* child_path writes the path of the program `name` in the folder of the running program: 0,
 * -ENAMETOOLONG or -errno. */
int child_path(const char *name, char *ret_path, size_t size);

/* child_spawn starts the program at `path`; the descriptors in `fds` are open in it under the same
 * numbers (tell it which, in argv), and `error` is its standard error (-1: ours). Does not copy the
 * caller's memory, so threads with real-time duties do not see page faults. ret_pidfd (may be NULL)
 * becomes readable when the child has ended. 0, or -errno when it could not be started. */
int child_spawn(const char *path, char *const argv[], const int *fds, size_t n_fds, int error,
    pid_t *ret_pid, int *ret_pidfd);

/* child_reap takes the status of one child that has ended (`pid` -1: any): its pid, 0 when none
 * has, -ECHILD when there is none. child_status_text says how it ended, in words: "ended with
 * status 1", "was killed by signal 9 (SIGKILL)". */
pid_t child_reap(pid_t pid, int *ret_status);
void child_status_text(int status, char *ret_text, size_t size);

/* child_ended tells in words how a process has ended whose pidfd says that it has, and reaps it if
 * it is our child. Where it was somebody else's the kernel is asked: as long as nobody has reaped
 * it, and from Linux 6.15 on also afterwards. False, and a text that says why, where nobody can
 * tell. */
bool child_ended(pid_t pid, int pidfd, char *ret_text, size_t size);

/* child_find looks for a living child of `parent` whose arguments begin with these texts: its pid,
 * with a pidfd of it; 0 when there is none, or -errno. */
pid_t child_find(pid_t parent, const char *const argv[], size_t n_args, int *ret_pidfd);

/* child_kill_all kills (SIGKILL) and reaps all children, including those that become ours because
 * their parent, our child, has just ended (PR_SET_CHILD_SUBREAPER). Returns how many. */
unsigned child_kill_all(void);

int leash_new(int ret_fds[2]); /* [0] read end, [1] write end; both close-on-exec. 0 or -errno */

/* leash_guard_start makes sure that the program ends even if its main loop hangs: a thread of its
 * own waits for the end of file, then grace_ms longer, then ends the process with status 1. 0 or
 * -errno. */
int leash_guard_start(int fd, unsigned grace_ms);

#endif
