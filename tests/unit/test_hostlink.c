/* SPDX-License-Identifier: BSD-3-Clause
 * daemons/common/hostlink: messages and descriptors arrive as they were sent; whatever else a peer
 * sends is refused, and no descriptor stays behind. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemons/common/hostlink.h"

enum { HOSTILE = 2000 };

struct link {
	int ends[2];
	struct hostlink_msg sent, got;
	int fds[HOSTLINK_FDS_MAX];
	size_t n_fds;
};

static int link_open(void **state)
{
	struct link *link = calloc(1, sizeof(*link));

	if (link == NULL || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, link->ends) != 0)
		return -1;
	*state = link;
	return 0;
}

static int link_close(void **state)
{
	struct link *link = *state;

	close(link->ends[0]);
	close(link->ends[1]);
	free(link);
	return 0;
}

static size_t open_fds(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static int receive(struct link *link)
{
	link->n_fds = 999;
	return hostlink_recv(link->ends[1], &link->got, link->fds, &link->n_fds);
}

/* As any process could send it: len bytes of `bytes` with n descriptors. */
static void send_raw(struct link *link, const void *bytes, size_t len, size_t n)
{
	struct iovec iov = {(void *)bytes, len};
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(64 * sizeof(int))];
	} control = {0};
	struct msghdr head = {.msg_iov = &iov, .msg_iovlen = 1};

	if (n > 0) {
		head.msg_control = control.bytes;
		head.msg_controllen = CMSG_SPACE(n * sizeof(int));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(n * sizeof(int));
		for (size_t i = 0; i < n; i++)
			memcpy(CMSG_DATA(&control.head) + i * sizeof(int), &link->ends[0],
			    sizeof(int));
	}
	assert_int_equal(sendmsg(link->ends[0], &head, 0), (ssize_t)len);
}

static void fill(struct hostlink_msg *msg)
{
	memset(msg, 0, sizeof(*msg));
	*msg = (struct hostlink_msg){
	    .type = HOSTLINK_ATTACH, .control = 7, .host = 2, .n_segments = HOSTLINK_SEGMENTS_MAX};
	msg->n_lanes = HOSTLINK_LANES_MAX;
	for (uint32_t i = 0; i < HOSTLINK_SEGMENTS_MAX; i++)
		msg->segments[i] = (struct hostlink_segment){i, i + 1, i + 2, i + 3};
	for (uint32_t i = 0; i < HOSTLINK_LANES_MAX; i++)
		msg->lanes[i] = 100 + i;
	strcpy(msg->text, "a note\n!a loss\n");
}

/* With 0 to all descriptors: the bytes, the files in their order, and closed on exec. */
static void test_there(void **state)
{
	struct link *link = *state;
	const size_t before = open_fds();
	int files[HOSTLINK_FDS_MAX];

	fill(&link->sent);
	for (size_t n = 0; n <= HOSTLINK_FDS_MAX; n++) {
		for (size_t i = 0; i < n; i++) {
			files[i] = memfd_create("file", 0);
			assert_int_equal(ftruncate(files[i], (off_t)(1000 + i)), 0);
		}
		assert_int_equal(hostlink_send(link->ends[0], &link->sent, files, n), 0);
		for (size_t i = 0; i < n; i++)
			close(files[i]);
		assert_int_equal(receive(link), 0);
		assert_memory_equal(&link->got, &link->sent, sizeof(link->sent));
		assert_int_equal(link->n_fds, n);
		for (size_t i = 0; i < n; i++) {
			struct stat stat;

			assert_int_equal(fstat(link->fds[i], &stat), 0);
			assert_int_equal(stat.st_size, 1000 + i);
			assert_true(fcntl(link->fds[i], F_GETFD) & FD_CLOEXEC);
			close(link->fds[i]);
		}
	}
	assert_int_equal(
	    hostlink_send(link->ends[0], &link->sent, files, HOSTLINK_FDS_MAX + 1), -EINVAL);
	assert_int_equal(open_fds(), before);
}

static void test_end(void **state)
{
	struct link *link = *state;

	fill(&link->sent);
	assert_int_equal(hostlink_send(link->ends[0], &link->sent, NULL, 0), 0);
	close(link->ends[0]);
	assert_int_equal(receive(link), 0); /* what was sent before the end still comes */
	assert_int_equal(receive(link), -EPIPE);
	/* and no SIGPIPE */
	assert_int_equal(hostlink_send(link->ends[1], &link->sent, NULL, 0), -EPIPE);
	link->ends[0] = -1;
	assert_int_equal(hostlink_recv(-1, &link->got, link->fds, &link->n_fds), -EBADF);
	fcntl(link->ends[1], F_SETFL, O_NONBLOCK);
}

static void test_would_block(void **state)
{
	struct link *link = *state;

	fcntl(link->ends[1], F_SETFL, O_NONBLOCK);
	assert_int_equal(receive(link), -EAGAIN);
}

/* Of another length, or with numbers beyond the arrays: refused, its descriptors closed; the next
 * message is whole. */
static void test_refused(void **state)
{
	struct link *link = *state;
	const size_t before = open_fds(), size = sizeof(struct hostlink_msg);
	const size_t lengths[] = {1, 4, size - 1, size + 1, size * 2};
	uint8_t *bytes = calloc(2, size);

	fill(&link->sent);
	memcpy(bytes, &link->sent, size);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		send_raw(link, bytes, lengths[i], i * 4);
		assert_int_equal(receive(link), -EBADMSG);
		assert_int_equal(link->n_fds, 0);
		assert_int_equal(open_fds(), before);
	}
	for (size_t n = 0; n <= 20; n++) { /* empty, which looks like the end */
		send_raw(link, bytes, 0, n);
		assert_int_equal(receive(link), -EBADMSG);
		assert_int_equal(link->n_fds, 0);
		assert_int_equal(open_fds(), before);
	}
	send_raw(link, bytes, size, 20); /* more descriptors than a message may have */
	assert_int_equal(receive(link), -EBADMSG);
	assert_int_equal(open_fds(), before);
	link->sent.n_segments = HOSTLINK_SEGMENTS_MAX + 1;
	send_raw(link, &link->sent, size, 3);
	assert_int_equal(receive(link), -EBADMSG);
	link->sent.n_segments = 0;
	link->sent.n_lanes = UINT32_MAX;
	send_raw(link, &link->sent, size, 3);
	assert_int_equal(receive(link), -EBADMSG);
	assert_int_equal(open_fds(), before);
	fill(&link->sent);
	assert_int_equal(hostlink_send(link->ends[0], &link->sent, NULL, 0), 0);
	assert_int_equal(receive(link), 0);
	free(bytes);
}

static void test_text(void **state)
{
	struct link *link = *state;

	fill(&link->sent);
	memset(link->sent.text, 'x', sizeof(link->sent.text));
	send_raw(link, &link->sent, sizeof(link->sent), 0);
	assert_int_equal(receive(link), 0);
	assert_int_equal(strlen(link->got.text), HOSTLINK_TEXT - 1);
}

/* Random bytes of random lengths with random descriptors: what is accepted keeps to the arrays,
 * nothing is leaked. */
static void test_hostile(void **state)
{
	struct link *link = *state;
	const size_t before = open_fds(), size = sizeof(struct hostlink_msg);
	uint64_t random = 88172645463325252ull;
	uint8_t *bytes = calloc(2, size);
	int accepted = 0;

	for (int round = 0; round < HOSTILE; round++) {
		uint64_t len = size;

		for (size_t i = 0; i < 10; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			memcpy(bytes + (random >> 20) % (size - 8), &random, 1 + random % 8);
			memcpy(bytes + 4 * ((random >> 40) % 8),
			    &(uint32_t){(uint32_t)(random >> 8) % 130}, 4);
		}
		if (random % 4 == 0)
			len = 1 + random % (2 * size);
		send_raw(link, bytes, len, random % 7 == 0 ? 30 : random % 5);
		if (receive(link) == 0) {
			accepted++;
			assert_int_equal(len, size);
			assert_true(link->got.n_segments <= HOSTLINK_SEGMENTS_MAX &&
			    link->got.n_lanes <= HOSTLINK_LANES_MAX);
			assert_true(strlen(link->got.text) < HOSTLINK_TEXT);
			assert_true(link->n_fds < 5);
		}
		while (link->n_fds > 0)
			close(link->fds[--link->n_fds]);
	}
	assert_int_equal(open_fds(), before);
	assert_true(accepted > HOSTILE / 100 && accepted < HOSTILE);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_there, link_open, link_close),
	    cmocka_unit_test_setup_teardown(test_end, link_open, link_close),
	    cmocka_unit_test_setup_teardown(test_would_block, link_open, link_close),
	    cmocka_unit_test_setup_teardown(test_refused, link_open, link_close),
	    cmocka_unit_test_setup_teardown(test_text, link_open, link_close),
	    cmocka_unit_test_setup_teardown(test_hostile, link_open, link_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
