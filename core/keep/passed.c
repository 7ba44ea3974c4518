/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/keep/passed.c - messages with descriptors. */
#include "core/keep/passed.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control { /* aligned for its header */
	struct cmsghdr head;
	char bytes[CMSG_SPACE(PASSED_MAX * sizeof(int))];
};

static void fds_close(const int *fds, size_t n)
{
	while (n > 0)
		close(fds[--n]);
}

/* All that the kernel has opened for us; those beyond `max` are closed at once: how many there
 * were. */
static size_t fds_take(struct msghdr *msg, int *ret_fds, size_t max, size_t *ret_n)
{
	int all[PASSED_MAX];
	size_t n = 0;

	for (struct cmsghdr *head = CMSG_FIRSTHDR(msg); head; head = CMSG_NXTHDR(msg, head)) {
		if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
			continue;
		n = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		/* the kernel makes one header of them all */
		memcpy(all, CMSG_DATA(head), n * sizeof(int));
	}
	*ret_n = n < max ? n : max;
	memcpy(ret_fds, all, *ret_n * sizeof(int));
	fds_close(all + *ret_n, n - *ret_n);
	return n;
}

static bool hung_up(int fd)
{
	struct pollfd polled = {.fd = fd, .events = POLLRDHUP};

	return poll(&polled, 1, 0) == 1 && (polled.revents & (POLLHUP | POLLRDHUP | POLLERR));
}

static ssize_t judge(int fd, const struct msghdr *msg, ssize_t len, size_t n, size_t max)
{
	if (len == 0 && n == 0 && !(msg->msg_flags & MSG_CTRUNC))
		return hung_up(fd) ? -EPIPE : -EBADMSG;
	if (len == 0 || (msg->msg_flags & MSG_TRUNC) || n > max)
		return -EBADMSG;
	if (msg->msg_flags & MSG_CTRUNC)
		return n < max ? -EMFILE : -EBADMSG;
	return len;
}

ssize_t passed_recv(
    int fd, void *bytes, size_t size, int flags, int *ret_fds, size_t max, size_t *ret_n)
{
	union control control;
	struct iovec part = {bytes, size};
	struct msghdr msg = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = control.bytes,
	    .msg_controllen = sizeof(control)};
	ssize_t len;

	*ret_n = 0;
	/* a sender that was killed before it had read everything shows as a reset, once, ahead of
	 * what it has sent */
	do {
		len = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC | flags);
	} while (len < 0 && (errno == EINTR || errno == ECONNRESET));
	if (len < 0)
		return -errno;
	len = judge(fd, &msg, len, fds_take(&msg, ret_fds, max, ret_n), max);
	if (len < 0) {
		fds_close(ret_fds, *ret_n);
		*ret_n = 0;
	}
	return len;
}
