/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Frames over TCP between two bridges: of any length they come as they were, those that wait for a
 * peer take little memory, and whoever sends is told of what is not sent. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemons/bridge/links.h"
#include "tests/common/nodes.h"

enum { STEPS = 2000, STEP_MS = 5, MANY = 1100, SHORT = 5000, MORE_PAGES = 100 << 8 };

struct end {
	struct machines machines;
	struct bridge_links links;
	uint8_t bytes[LINKS_FRAME_BYTES];
	size_t len;
	unsigned frames;
};

struct rig {
	char dir[64], file[128];
	struct log log;
	struct loop loop;
	struct end a, b; /* b connects to a */
};

static void frame(void *self, uint32_t node, const void *bytes, size_t len)
{
	struct end *end = self;

	assert_int_equal(node, end->machines.self == 0 ? 1 : 0);
	assert_true(len <= sizeof(end->bytes));
	memcpy(end->bytes, bytes, len);
	end->len = len;
	end->frames++;
}

static void end_open(struct rig *rig, struct end *end, const char *name)
{
	const struct daemon_args args = {
	    .node = name, .platform = rig->file, .state = rig->dir, .dir = rig->dir};

	assert_int_equal(machines_open(&end->machines, &args, &rig->log), 0);
	assert_int_equal(
	    links_open(&end->links, &end->machines, &rig->log, &rig->loop, frame, end), 0);
}

static void end_close(struct end *end)
{
	links_close(&end->links);
	machines_close(&end->machines);
}

static int rig_open(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	*state = rig;
	assert_non_null(rig);
	snprintf(rig->dir, sizeof(rig->dir), "/tmp/aloe-links-XXXXXX");
	assert_non_null(mkdtemp(rig->dir));
	snprintf(rig->file, sizeof(rig->file), "%s/pair.conf", rig->dir);
	nodes_pair_write(rig->file);
	log_init(&rig->log, "test");
	loop_init(&rig->loop);
	end_open(rig, &rig->b, "b");
	return 0;
}

static int rig_close(void **state)
{
	struct rig *rig = *state;

	end_close(&rig->b);
	loop_fini(&rig->loop);
	unlink(rig->file);
	rmdir(rig->dir);
	free(rig);
	return 0;
}

static void frames_come(struct rig *rig, struct end *end, unsigned n)
{
	for (int i = 0; i < STEPS && end->frames < n; i++)
		loop_step(&rig->loop, STEP_MS);
	assert_int_equal(end->frames, n);
}

static int frame_send(struct end *from, uint32_t to, size_t len)
{
	uint8_t *room = links_room(&from->links, to);

	for (size_t i = 0; i < len; i++)
		room[i] = (uint8_t)(i * 31 + len);
	return links_send_room(&from->links, to, len);
}

/* Longer and shorter ones in the same memory, in both directions. */
static void test_they_come(void **state)
{
	static const size_t lengths[] = {
	    8, 4000, SHORT, LINKS_COPY_BYTES, 24, LINKS_FRAME_BYTES, 64, LINKS_COPY_BYTES - 1};
	struct rig *rig = *state;

	end_open(rig, &rig->a, "a");
	for (unsigned n = 0; n < 2 * sizeof(lengths) / sizeof(lengths[0]); n++) {
		struct end *from = n % 2 == 0 ? &rig->b : &rig->a,
		           *to = n % 2 == 0 ? &rig->a : &rig->b;
		const size_t len = lengths[n / 2];

		assert_int_equal(frame_send(from, n % 2 == 0 ? 0 : 1, len), 0);
		links_flush(&from->links);
		frames_come(rig, to, n / 2 + 1);
		assert_int_equal(to->len, len);
		for (size_t i = 0; i < len; i++)
			assert_int_equal(to->bytes[i], (uint8_t)(i * 31 + len));
	}
	end_close(&rig->a);
}

/* The memory of a short frame, and of one that is not sent at all, is there for the next one. */
static void test_room(void **state)
{
	struct rig *rig = *state;
	const uint8_t *room = links_room(&rig->b.links, 0);

	assert_ptr_equal(links_room(&rig->b.links, 0), room);
	assert_int_equal(links_send_room(&rig->b.links, 0, SHORT), 0);
	assert_ptr_equal(links_room(&rig->b.links, 0), room);
}

static long pages(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	long n = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld", &n), 1);
	fclose(file);
	return n;
}

/* Nobody takes them: as many as may wait, wait in memory of their own length. */
static void test_behind(void **state)
{
	struct rig *rig = *state;
	const long before = pages();
	int rc = 0;

	for (int i = 0; i < MANY; i++)
		rc = frame_send(&rig->b, 0, SHORT);
	assert_int_equal(rc, -EAGAIN);
	assert_in_range(pages(), 1, before + MORE_PAGES);
}

static void test_not_sent(void **state)
{
	static const uint8_t bytes[LINKS_FRAME_BYTES + 1024];
	struct rig *rig = *state;

	assert_int_equal(links_send(&rig->b.links, 0, bytes, sizeof(bytes)), -EMSGSIZE);
	end_close(&rig->b);
	end_open(rig, &rig->a, "a");
	assert_int_equal(frame_send(&rig->a, 1, SHORT), -EHOSTUNREACH);
	assert_int_equal(links_send(&rig->a.links, 1, bytes, SHORT), -EHOSTUNREACH);
	end_close(&rig->a);
	end_open(rig, &rig->b, "b");
}

/* Only a socket by which something was sent is settled. */
static void test_flush(void **state)
{
	struct rig *rig = *state;
	struct bridge_links *links = &rig->b.links;

	links_flush(links);
	assert_int_equal(frame_send(&rig->b, 0, SHORT), 0);
	assert_true(links->one[0].unsettled);
	assert_false(links->unsettled);
	links_flush(links);
	assert_false(links->one[0].unsettled);
}

#define LINKS_TEST(test) cmocka_unit_test_setup_teardown(test, rig_open, rig_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    LINKS_TEST(test_they_come),
	    LINKS_TEST(test_room),
	    LINKS_TEST(test_behind),
	    LINKS_TEST(test_not_sent),
	    LINKS_TEST(test_flush),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
