/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/keep/keep.c - entries over a socket. */
#include "core/keep/keep.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "core/keep/passed.h"

struct keep_head {
	uint8_t kind, n_fds;
	uint16_t key_len;
	uint32_t blob_len;
};
static_assert(sizeof(struct keep_head) == 8, "no padding on the channel");
static_assert(offsetof(struct keep_head, kind) == 0, "keep_head.kind");
static_assert(offsetof(struct keep_head, n_fds) == 1, "keep_head.n_fds");
static_assert(offsetof(struct keep_head, key_len) == 2, "keep_head.key_len");
static_assert(offsetof(struct keep_head, blob_len) == 4, "keep_head.blob_len");

enum { SEND_PAUSE_NS = 1000000 };

union keep_control { /* aligned for its header */
	char bytes[CMSG_SPACE(KEEP_FDS_MAX * sizeof(int))];
	struct cmsghdr align;
};

/* ---- connecting ------------------------------------------------------------------------ */

static int address_fill(const char *dir, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	return snprintf(ret->sun_path, sizeof(ret->sun_path), "%s/attach", dir) <
	        (int)sizeof(ret->sun_path)
	    ? 0
	    : -ENAMETOOLONG;
}

static int socket_new(void)
{
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

static int socket_fail(int fd)
{
	const int error = errno;

	close(fd);
	return -error;
}

int keep_listen(const char *dir)
{
	struct sockaddr_un address;
	int fd = address_fill(dir, &address);

	fd = fd < 0 ? fd : socket_new();
	if (fd < 0)
		return fd;
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    chmod(address.sun_path, 0600) < 0 || listen(fd, SOMAXCONN) < 0)
		return socket_fail(fd);
	return fd;
}

int keep_accept(int fd, pid_t *ret_pid)
{
	const int end = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred who;
	socklen_t size = sizeof(who);

	if (end < 0)
		return errno == EINTR || errno == ECONNABORTED ? -EAGAIN : -errno;
	if (getsockopt(end, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0)
		return socket_fail(end);
	if (who.uid != geteuid()) {
		close(end);
		return -EPERM;
	}
	*ret_pid = who.pid;
	return end;
}

int keep_connect(const char *dir)
{
	struct sockaddr_un address;
	int fd = address_fill(dir, &address);

	fd = fd < 0 ? fd : socket_new();
	if (fd < 0)
		return fd;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    fcntl(fd, F_SETFL, 0) < 0)
		return socket_fail(fd);
	return fd;
}

int keep_pair(int ret_fds[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ret_fds) < 0
	    ? -errno
	    : 0;
}

/* ---- sending ------------------------------------------------------------------------ */

static void control_fill(
    struct msghdr *msg, union keep_control *control, const int *fds, size_t n_fds)
{
	struct cmsghdr *head;

	memset(control, 0, sizeof(*control));
	msg->msg_control = control->bytes;
	msg->msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
	head = CMSG_FIRSTHDR(msg);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
	memcpy(CMSG_DATA(head), fds, n_fds * sizeof(int));
}

/* Descriptors on their way are limited for each user (ETOOMANYREFS): the other end takes them
 * soon. */
static int message_send(int fd, const struct msghdr *msg)
{
	const bool waits = !(fcntl(fd, F_GETFL) & O_NONBLOCK);
	const struct timespec pause = {.tv_nsec = SEND_PAUSE_NS};

	for (;;) {
		if (sendmsg(fd, msg, MSG_NOSIGNAL) >= 0)
			return 0;
		const bool crowded = errno == ETOOMANYREFS || errno == ENOBUFS;

		if (crowded && !waits)
			return -EAGAIN;
		if (crowded)
			nanosleep(&pause, NULL);
		else if (errno != EINTR)
			return errno == ECONNRESET ? -EPIPE : -errno;
	}
}

static int entry_send(int fd, enum keep_kind kind, const char *key, const void *blob, size_t len,
    const int *fds, size_t n_fds)
{
	const size_t key_len = strlen(key);
	struct keep_head head = {(uint8_t)kind, (uint8_t)n_fds, (uint16_t)key_len, (uint32_t)len};
	struct iovec parts[] = {{&head, sizeof(head)}, {(void *)(uintptr_t)key, key_len},
	    {(void *)(uintptr_t)blob, len}};
	struct msghdr msg = {.msg_iov = parts, .msg_iovlen = 3};
	union keep_control control;

	if (key_len > KEEP_KEY_MAX || len > KEEP_BLOB_MAX || n_fds > KEEP_FDS_MAX)
		return -EINVAL;
	if (n_fds > 0)
		control_fill(&msg, &control, fds, n_fds);
	return message_send(fd, &msg);
}

int keep_put(int fd, const char *key, const void *blob, size_t len, const int *fds, size_t n_fds)
{
	return *key ? entry_send(fd, KEEP_PUT, key, blob, len, fds, n_fds) : -EINVAL;
}

static int word_send(int fd, enum keep_kind kind, const char *key)
{
	const int none = -1;

	return entry_send(fd, kind, key, NULL, 0, &none, 0);
}

int keep_drop(int fd, const char *key)
{
	return *key ? word_send(fd, KEEP_DROP, key) : -EINVAL;
}

int keep_end(int fd)
{
	return word_send(fd, KEEP_END, "");
}

int keep_hello(int fd, const char *name)
{
	return *name ? word_send(fd, KEEP_HELLO, name) : -EINVAL;
}

int keep_leave(int fd)
{
	return word_send(fd, KEEP_LEAVE, "");
}

int keep_ping(int fd, int alive)
{
	return entry_send(fd, KEEP_PING, "", NULL, 0, &alive, 1);
}

/* ---- receiving ------------------------------------------------------------------------ */

static int entry_decode(const uint8_t *bytes, size_t len, struct keep_entry *entry)
{
	struct keep_head head;
	const uint8_t *key = bytes + sizeof(head);

	if (len < sizeof(head))
		return -EBADMSG;
	memcpy(&head, bytes, sizeof(head));
	if (head.kind < KEEP_PUT || head.kind > KEEP_PING || head.n_fds != entry->n_fds)
		return -EBADMSG;
	if (head.key_len > KEEP_KEY_MAX ||
	    len != sizeof(head) + head.key_len + (size_t)head.blob_len)
		return -EBADMSG;
	if ((head.key_len == 0) !=
	        (head.kind == KEEP_END || head.kind == KEEP_LEAVE || head.kind == KEEP_PING) ||
	    memchr(key, 0, head.key_len))
		return -EBADMSG;
	entry->kind = (enum keep_kind)head.kind;
	memcpy(entry->key, key, head.key_len);
	entry->len = head.blob_len;
	entry->blob = entry->len ? malloc(entry->len) : NULL;
	if (entry->len && !entry->blob)
		return -ENOMEM;
	if (entry->len)
		memcpy(entry->blob, key + head.key_len, entry->len);
	return 0;
}

static int entry_recv(int fd, uint8_t *bytes, size_t size, struct keep_entry *entry)
{
	const ssize_t len =
	    passed_recv(fd, bytes, size, MSG_DONTWAIT, entry->fds, KEEP_FDS_MAX, &entry->n_fds);

	return len < 0 ? (int)len : entry_decode(bytes, (size_t)len, entry);
}

int keep_recv(int fd, struct keep_entry *ret)
{
	const size_t size = sizeof(struct keep_head) + KEEP_KEY_MAX + KEEP_BLOB_MAX;
	struct keep_entry entry = {.kind = KEEP_END};
	uint8_t *bytes = malloc(size);
	int result = bytes ? entry_recv(fd, bytes, size, &entry) : -ENOMEM;

	free(bytes);
	if (result < 0)
		keep_entry_fini(&entry);
	else
		*ret = entry;
	return result;
}

void keep_entry_fini(struct keep_entry *entry)
{
	for (size_t i = 0; i < entry->n_fds; i++) {
		if (entry->fds[i] >= 0)
			close(entry->fds[i]);
	}
	entry->n_fds = 0;
	free(entry->blob);
	entry->blob = NULL;
	entry->len = 0;
}
