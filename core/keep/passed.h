/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/keep/passed.h - a message of a Unix socket and its descriptors. The caller gets all of them;
 * if the message is refused, all are closed. [control]
 */
#ifndef ALOE_KEEP_PASSED_H
#define ALOE_KEEP_PASSED_H

#include <stddef.h>
#include <sys/types.h>

enum { PASSED_MAX = 32 }; /* even: the kernel fills the padding of an odd number with one more */

/* passed_recv takes one message of a SOCK_SEQPACKET socket and at most `max` (PASSED_MAX)
 * descriptors, which are close-on-exec. It returns the length of the message, -EAGAIN, -EPIPE (the
 * other end is closed), -EBADMSG (the message is empty, longer than `size`, or has more
 * descriptors), -EMFILE (this process may not open that many files), or -errno. `flags` are those
 * of recvmsg. */
ssize_t passed_recv(
    int fd, void *bytes, size_t size, int flags, int *ret_fds, size_t max, size_t *ret_n);

#endif
