/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/keep/keep.h - what must survive a death: named entries of bytes and descriptors that a
 * daemon has and others keep for it.
 *
 *   daemon -- HELLO who ------------------>  frontend
 *          <- all entries, END -------------            exec: those of an exec that died; stats:
 *                                                       "waveform/..." read-only
 *   exec   -- PUT key bytes fds, DROP key ->            as they change; END after the first lot
 *          <- LEAVE -------------------------           end, in good order; without it, the hang-up
 *                                                       says that it was killed
 *
 *   keeper -- all entries, END ----------->  frontend   those of a frontend that died
 *          <- PUT, DROP ---------------------           as they change
 *
 * The channel is a SOCK_SEQPACKET connection: of daemons to DIR/attach, which the frontend listens
 * on; to the node's keeper it is inherited. A message:
 *
 *   kind u8 | fds u8 | key bytes u16 | blob bytes u32 | key | blob
 *
 * in host order, for both ends are one installation
 *
 * PUT replaces an entry of the same key. What has been put is safe when keep_put returns: it sits
 * in the other end's socket and is read there even if the sender is dead by then.
 */
#ifndef ALOE_KEEP_H
#define ALOE_KEEP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { KEEP_KEY_MAX = 100, KEEP_BLOB_MAX = 60000, KEEP_FDS_MAX = 8 };

enum keep_kind { KEEP_PUT = 1, KEEP_DROP = 2, KEEP_END = 3, KEEP_HELLO = 4, KEEP_LEAVE = 5 };

struct keep_entry {
	enum keep_kind kind;
	char key[KEEP_KEY_MAX + 1]; /* HELLO: the daemon's name; "" with END and LEAVE */
	uint8_t *blob;              /* NULL when empty */
	size_t len;
	/* close-on-exec; set those to -1 that are to outlive keep_entry_fini */
	int fds[KEEP_FDS_MAX];
	size_t n_fds;
};

/* keep_listen opens DIR/attach; keep_accept takes one connection of this user's and tells whose it
 * is: -EAGAIN when there is none, -EPERM for somebody else's (it is gone). Neither waits, nor does
 * what they return. keep_connect is the daemon's end, whose sends wait: -ECONNREFUSED, -ENOENT
 * while there is no frontend. A descriptor, or -errno. */
int keep_listen(const char *dir);
int keep_accept(int fd, pid_t *ret_pid);
int keep_connect(const char *dir);
/* both ends of one that needs no directory; neither waits. 0 or -errno */
int keep_pair(int ret_fds[2]);

/* keep_put and keep_drop send one message. On a channel that waits: 0, -EINVAL (key, blob or fds
 * beyond their limits, key empty), -EPIPE (the other end has gone) or -errno. On one that does not:
 * -EAGAIN when full. The caller's descriptors stay open. */
int keep_put(int fd, const char *key, const void *blob, size_t len, const int *fds, size_t n_fds);
int keep_drop(int fd, const char *key);
int keep_end(int fd);
int keep_hello(int fd, const char *name);
int keep_leave(int fd);

/* keep_recv takes one message, without waiting: 0, -EAGAIN, -EPIPE (other end closed), -EBADMSG
 * (malformed or more than the limits; it is gone, its descriptors closed) or -errno. On 0 the
 * caller finishes the entry. */
int keep_recv(int fd, struct keep_entry *ret);
void keep_entry_fini(struct keep_entry *entry);

#endif
