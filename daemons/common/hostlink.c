/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/common/hostlink.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/keep/passed.h"

static_assert(sizeof(struct hostlink_segment) == 16, "hostlink_segment");
static_assert(offsetof(struct hostlink_segment, segment) == 0, "hostlink_segment.segment");
static_assert(offsetof(struct hostlink_segment, lane) == 4, "hostlink_segment.lane");
static_assert(offsetof(struct hostlink_segment, entry) == 8, "hostlink_segment.entry");
static_assert(offsetof(struct hostlink_segment, seat) == 12, "hostlink_segment.seat");

static_assert(sizeof(struct hostlink_msg) == 6240, "hostlink_msg");
static_assert(offsetof(struct hostlink_msg, type) == 0, "hostlink_msg.type");
static_assert(offsetof(struct hostlink_msg, control) == 4, "hostlink_msg.control");
static_assert(offsetof(struct hostlink_msg, host) == 8, "hostlink_msg.host");
static_assert(offsetof(struct hostlink_msg, n_segments) == 12, "hostlink_msg.n_segments");
static_assert(offsetof(struct hostlink_msg, n_lanes) == 16, "hostlink_msg.n_lanes");
static_assert(offsetof(struct hostlink_msg, instance) == 20, "hostlink_msg.instance");
static_assert(offsetof(struct hostlink_msg, param) == 24, "hostlink_msg.param");
static_assert(offsetof(struct hostlink_msg, n_items) == 28, "hostlink_msg.n_items");
static_assert(offsetof(struct hostlink_msg, sequence) == 32, "hostlink_msg.sequence");
static_assert(offsetof(struct hostlink_msg, lanes) == 40, "hostlink_msg.lanes");
static_assert(offsetof(struct hostlink_msg, segments) == 96, "hostlink_msg.segments");
static_assert(offsetof(struct hostlink_msg, text) == 2144, "hostlink_msg.text");

static_assert((int)HOSTLINK_FDS_MAX <= (int)PASSED_MAX, "all descriptors of a message are taken");

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(HOSTLINK_FDS_MAX * sizeof(int))];
};

int hostlink_send(int fd, const struct hostlink_msg *msg, const int *fds, size_t n_fds)
{
	struct iovec iov = {(void *)msg, sizeof(*msg)};
	union control control = {0};
	struct msghdr head = {.msg_iov = &iov, .msg_iovlen = 1};

	if (n_fds > HOSTLINK_FDS_MAX)
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

int hostlink_recv(int fd, struct hostlink_msg *ret, int *ret_fds, size_t *ret_n_fds)
{
	const ssize_t len =
	    passed_recv(fd, ret, sizeof(*ret), 0, ret_fds, HOSTLINK_FDS_MAX, ret_n_fds);

	if (len < 0)
		return (int)len;
	if (len == (ssize_t)sizeof(*ret) && ret->n_segments <= HOSTLINK_SEGMENTS_MAX &&
	    ret->n_lanes <= HOSTLINK_LANES_MAX) {
		ret->text[sizeof(ret->text) - 1] = 0;
		return 0;
	}
	while (*ret_n_fds > 0)
		close(ret_fds[--*ret_n_fds]);
	return -EBADMSG;
}
