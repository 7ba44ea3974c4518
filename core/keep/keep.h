/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/keep/keep.h - data that must survive the death of a daemon: named entries of bytes and
 * descriptors. A daemon puts its entries, and other processes keep copies.
 *
 *   daemon -- HELLO who ------------------>  frontend
 *          <- all entries, END -------------            exec: those of an exec that died; stats:
 *                                                       "waveform/..." read-only
 *   exec   -- PUT key bytes fds, DROP key ->            as they change; END after the first lot
 *          <- LEAVE -------------------------           end, in good order; without it, the hang-up
 *                                                       says that it was killed
 *          <- PING, PING ------------------->           are you there: the daemon's loop says so
 *
 *   node keeper -- all entries, END ------>  frontend   those of a frontend that died
 *               <- PUT, DROP ----------------           as they change
 *
 * The channel is a SOCK_SEQPACKET connection. Daemons connect to DIR/attach, on which the frontend
 * listens; the frontend inherits the channel to the node keeper. A message is
 *
 *   kind u8 | fds u8 | key bytes u16 | blob bytes u32 | key | blob
 *
 * in host order, because both ends belong to one installation.
 *
 * PUT replaces an entry of the same key. An entry is safe when keep_put returns: the message is in
 * the socket of the other end, which reads it even if the sender has died by then.
 */
#ifndef ALOE_KEEP_H
#define ALOE_KEEP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { KEEP_KEY_MAX = 100, KEEP_BLOB_MAX = 60000, KEEP_FDS_MAX = 8 };

enum keep_kind {
	KEEP_PUT = 1,
	KEEP_DROP = 2,
	KEEP_END = 3,
	KEEP_HELLO = 4,
	KEEP_LEAVE = 5,
	KEEP_PING = 6
};

struct keep_entry {
	enum keep_kind kind;
	char key[KEEP_KEY_MAX + 1]; /* HELLO: the daemon's name; "" with END, LEAVE, PING */
	uint8_t *blob;              /* NULL when empty */
	size_t len;
	/* close-on-exec; keep_entry_fini closes all that are not -1 */
	int fds[KEEP_FDS_MAX];
	size_t n_fds;
};

/* keep_listen opens DIR/attach. keep_accept takes one connection of this user and returns the pid
 * of the other end: -EAGAIN if there is no connection, -EPERM if another user connects (the
 * connection is closed). Both return a descriptor that does not wait, or -errno. keep_connect is
 * the daemon's end, whose sends wait: a descriptor, -ECONNREFUSED or -ENOENT while there is no
 * frontend, or -errno. */
int keep_listen(const char *dir);
int keep_accept(int fd, pid_t *ret_pid);
int keep_connect(const char *dir);
/* keep_pair opens both ends of a channel without a directory; neither waits. 0 or -errno. */
int keep_pair(int ret_fds[2]);

/* keep_put and keep_drop send one message. They return 0, -EINVAL (the key is empty, or key, blob
 * or fds are beyond their limits), -EPIPE (the other end has gone), -EAGAIN (the channel does not
 * wait and is full), or -errno. The caller's descriptors stay open. */
int keep_put(int fd, const char *key, const void *blob, size_t len, const int *fds, size_t n_fds);
int keep_drop(int fd, const char *key);
int keep_end(int fd);
int keep_hello(int fd, const char *name);
int keep_leave(int fd);
/* keep_ping asks for signs of life: the other end adds to the counter `alive` (an eventfd) from now
 * on, which wakes nobody. */
int keep_ping(int fd, int alive);

/* keep_recv takes one message, without waiting. It returns 0, -EAGAIN, -EPIPE (the other end is
 * closed), -EBADMSG (malformed or beyond the limits; the message is dropped and its descriptors are
 * closed) or -errno. After 0 the caller calls keep_entry_fini. */
int keep_recv(int fd, struct keep_entry *ret);
void keep_entry_fini(struct keep_entry *entry);

#endif
