/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/common/hostlink.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FDS_MAX = 16 };

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
};

int hostlink_send(int fd, const struct hostlink_msg *msg, const int *fds, size_t n_fds)
{
	struct iovec iov = {(void *)msg, sizeof(*msg)};
	union control control = {0};
	struct msghdr head = {.msg_iov = &iov, .msg_iovlen = 1};

	if (n_fds > FDS_MAX)
		return -EINVAL;
	if (n_fds > 0) {
		head.msg_control = control.bytes;
		head.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.head), fds, n_fds * sizeof(int));
	}
	return sendmsg(fd, &head, MSG_NOSIGNAL) == (ssize_t)sizeof(*msg) ? 0 : -errno;
}

static size_t take_fds(struct msghdr *head, int *ret_fds)
{
	size_t n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(head); c != NULL; c = CMSG_NXTHDR(head, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(ret_fds, CMSG_DATA(c), n * sizeof(int));
	}
	return n;
}

int hostlink_recv(int fd, struct hostlink_msg *ret, int *ret_fds, size_t *ret_n_fds)
{
	struct iovec iov = {ret, sizeof(*ret)};
	union control control;
	struct msghdr head = {.msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = control.bytes,
	    .msg_controllen = sizeof(control)};
	ssize_t len;

	do
		len = recvmsg(fd, &head, MSG_CMSG_CLOEXEC);
	while (len < 0 && errno == EINTR);
	if (len <= 0)
		return len == 0 ? -EPIPE : -errno;
	*ret_n_fds = take_fds(&head, ret_fds);
	if (len == (ssize_t)sizeof(*ret) && !(head.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) &&
	    ret->n_segments <= HOSTLINK_SEGMENTS_MAX && ret->n_lanes <= HOSTLINK_LANES_MAX) {
		ret->text[sizeof(ret->text) - 1] = 0;
		return 0;
	}
	while (*ret_n_fds > 0)
		close(ret_fds[--*ret_n_fds]);
	return -EBADMSG;
}
