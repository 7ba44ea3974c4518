/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/common/keep.h - what a daemon must not lose when it dies: named entries of bytes and descriptors, kept by the
 * frontend on its behalf.
 *
 *   exec  -- PUT key bytes fds, DROP key -->  frontend  -- all entries, END -->  the next exec
 *                                                       -- "waveform/...", read-only, as they come -->  stats
 *
 * The channel is a SOCK_SEQPACKET pair that the frontend makes and a daemon is given (`--keep FD`). A message:
 *
 *   kind u8 | fds u8 | key bytes u16 | blob bytes u32 | key | blob      (host order: both ends are one installation)
 *
 * PUT replaces an entry of the same key. What has been put is safe when keep_put returns: it sits in the frontend's
 * socket and is read there even if the sender is dead by then.
 */
#ifndef ALOE_DAEMONS_KEEP_H
#define ALOE_DAEMONS_KEEP_H

#include <stddef.h>
#include <stdint.h>

enum { KEEP_KEY_MAX = 100, KEEP_BLOB_MAX = 60000, KEEP_FDS_MAX = 8 };

enum keep_kind { KEEP_PUT = 1, KEEP_DROP = 2, KEEP_END = 3 };

struct keep_entry {
	enum keep_kind kind;
	char key[KEEP_KEY_MAX + 1]; /* "" with END */
	uint8_t *blob;              /* NULL when empty */
	size_t len;
	int fds[KEEP_FDS_MAX]; /* close-on-exec; set those to -1 that are to outlive keep_entry_fini */
	size_t n_fds;
};

/* keep_pair makes a channel: ret_fds[0] is the frontend's end (does not wait), [1] the daemon's (waits). 0 or -errno.
 */
int keep_pair(int ret_fds[2]);

/* keep_put and keep_drop send one message. On a channel that waits: 0, -EINVAL (key, blob or fds beyond their limits,
 * key empty), -EPIPE (the frontend has gone: the leash says so too) or -errno. On one that does not: -EAGAIN when full.
 * The caller's descriptors stay open. */
int keep_put(int fd, const char *key, const void *blob, size_t len, const int *fds, size_t n_fds);
int keep_drop(int fd, const char *key);
int keep_end(int fd);

/* keep_recv takes one message: 0, -EAGAIN (channel that does not wait), -EPIPE (other end closed), -EBADMSG (malformed
 * or more than the limits; it is gone, its descriptors closed) or -errno. On 0 the caller finishes the entry. */
int keep_recv(int fd, struct keep_entry *ret);
void keep_entry_fini(struct keep_entry *entry);

#endif
