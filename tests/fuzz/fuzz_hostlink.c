/* SPDX-License-Identifier: BSD-3-Clause
 * daemons/common/hostlink: a message of any bytes of a host is refused, or its counts are within
 * its arrays and its text has an end. Inputs shorter than a message are laid over an empty one, so
 * that what is behind the length is tried, too. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "daemons/common/hostlink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void recv_check(int pair[2], const void *bytes, size_t len)
{
	struct hostlink_msg *msg = malloc(sizeof(*msg));
	int fds[HOSTLINK_FDS_MAX], result;
	size_t n_fds = 99;

	insist(msg != NULL && send(pair[0], bytes, len, MSG_NOSIGNAL) == (ssize_t)len);
	result = hostlink_recv(pair[1], msg, fds, &n_fds);
	insist(result == 0 || result == -EBADMSG);
	insist(n_fds == 0 && (result != 0 || len == sizeof(*msg)));
	if (result == 0)
		insist(msg->n_segments <= HOSTLINK_SEGMENTS_MAX &&
		    msg->n_lanes <= HOSTLINK_LANES_MAX &&
		    memchr(msg->text, 0, sizeof(msg->text)) != NULL);
	free(msg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int pair[2];
	struct hostlink_msg *whole = calloc(1, sizeof(*whole));

	insist(whole != NULL &&
	    (pair[0] != 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0));
	if (size > 0 && size <= 2 * sizeof(*whole))
		recv_check(pair, data, size);
	memcpy(whole, data, size < sizeof(*whole) ? size : sizeof(*whole));
	recv_check(pair, whole, sizeof(*whole));
	free(whole);
	return 0;
}
