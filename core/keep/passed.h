/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/keep/passed.h - a message of a Unix socket and the descriptors that came with it: all of
 * them are the caller's, or, where the message is refused, closed. [control]
 */
#ifndef ALOE_KEEP_PASSED_H
#define ALOE_KEEP_PASSED_H

#include <stddef.h>
#include <sys/types.h>

enum { PASSED_MAX = 32 }; /* even: the kernel fills the padding of an odd number with one more */

/* passed_recv takes one message of a SOCK_SEQPACKET socket and at most `max` (PASSED_MAX)
 * descriptors, close-on-exec: its length, -EAGAIN, -EPIPE (the other end has closed), -EBADMSG
 * (empty, longer than `size`, or with more descriptors), -EMFILE (this process may not open that
 * many more), or -errno. `flags` are recvmsg's. */
ssize_t passed_recv(
    int fd, void *bytes, size_t size, int flags, int *ret_fds, size_t max, size_t *ret_n);

#endif
