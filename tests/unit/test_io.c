/* SPDX-License-Identifier: BSD-3-Clause
 * core/slot/io: the ring between work and files: one record is kept back so that the last can be
 * marked, nothing is lost or doubled when it wraps or is full, an error is told once and ends it;
 * also with the slot's side on a thread of its own. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/slot/io.h"

enum { MAX = 16, FILE_MAX = 200000 };

/* A "file" of bytes 0, 1, 2, ... mod 251, read in blocks; or what was written to one. */
struct file {
	uint64_t bytes, at;
	uint64_t calls, fail_at; /* call number + 1 that fails */
	uint8_t *written;
};

static uint8_t byte_at(uint64_t at)
{
	return (uint8_t)(at % 251);
}

static int fill(void *self, struct aloe_record *record, struct aloe_setup *setup)
{
	struct file *file = self;

	if (++file->calls == file->fail_at)
		return aloe_fail(setup, "cannot read at byte %llu", (unsigned long long)file->at);
	if (file->at == file->bytes)
		return ALOE_FILL_END;
	assert_int_equal(record->len, 0);
	assert_int_equal(record->max, MAX);
	while (record->len < record->max && file->at < file->bytes)
		((uint8_t *)record->data)[record->len++] = byte_at(file->at++);
	return 0;
}

static int drain(void *self, const struct aloe_record *record, struct aloe_setup *setup)
{
	struct file *file = self;

	if (++file->calls == file->fail_at)
		return aloe_fail(setup, "cannot write at byte %llu", (unsigned long long)file->at);
	memcpy(file->written + file->at, record->data, record->len);
	file->at += record->len;
	return 0;
}

static const struct aloe_component source = {.fill = fill}, sink = {.drain = drain};

/* What instance_call does with a source's ring. */
static const struct aloe_record *front(struct io_ring *ring)
{
	return io_has_record(ring) ? &ring->records[atomic_load(&ring->tail) % ring->len] : NULL;
}

static void pop(struct io_ring *ring)
{
	atomic_store_explicit(&ring->tail, atomic_load(&ring->tail) + 1, memory_order_release);
}

/* And with a sink's. */
static bool push(struct io_ring *ring, uint64_t first, uint32_t len)
{
	struct aloe_record *record = &ring->records[atomic_load(&ring->head) % ring->len];

	if (!io_has_space(ring))
		return false;
	for (uint32_t i = 0; i < len; i++)
		((uint8_t *)record->data)[i] = byte_at(first + i);
	record->len = len;
	atomic_store_explicit(&ring->head, atomic_load(&ring->head) + 1, memory_order_release);
	return true;
}

/* ---- sources ------------------------------------------------------------------------ */

/* Reads a file of `bytes` through a ring of `len`, taking up to `burst` records between fills: all
 * of it, once, in order, and exactly the last record marked. */
static void source_check(uint64_t bytes, uint32_t len, uint32_t burst)
{
	struct file file = {.bytes = bytes};
	struct aloe_setup setup = {0};
	struct io_ring ring;
	uint64_t at = 0, records = 0;
	bool end = false;

	assert_int_equal(io_ring_init(&ring, len, MAX, 1), 0);
	while (!end) {
		assert_true(io_fill(&ring, &source, &file, &setup) >= 0);
		/* a file that is not empty never leaves the ring dry */
		assert_true(io_has_record(&ring));
		for (uint32_t i = 0; i < burst && io_has_record(&ring); i++) {
			const struct aloe_record *record = front(&ring);

			assert_int_equal(record->index, records++);
			assert_int_equal(record->state, ALOE_VALID);
			assert_true(record->len > 0);
			for (uint32_t b = 0; b < record->len; b++)
				assert_int_equal(((const uint8_t *)record->data)[b], byte_at(at++));
			assert_false(end);
			end = record->end != 0;
			assert_int_equal(end, at == bytes);
			pop(&ring);
		}
	}
	assert_true(ring.ended);
	assert_int_equal(records, (bytes + MAX - 1) / MAX);
	assert_false(io_has_record(&ring));
	/* the end is said once, then nothing moves */
	assert_int_equal(io_fill(&ring, &source, &file, &setup), 0);
	assert_false(io_has_record(&ring));
	io_ring_fini(&ring);
}

static void test_source(void **state)
{
	static const uint64_t sizes[] = {1, MAX - 1, MAX, MAX + 1, 4 * MAX - 1, 4 * MAX,
	    4 * MAX + 1, 5 * MAX, 10 * MAX, 10 * MAX + 7, 64 * MAX, 1000};

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (uint32_t len = 2; len < 9; len++)
			for (uint32_t burst = 1; burst < 9; burst += 2)
				source_check(sizes[s], len, burst);
}

static void test_source_empty(void **state)
{
	struct file file = {0};
	struct aloe_setup setup = {0};
	struct io_ring ring;

	(void)state;
	assert_int_equal(io_ring_init(&ring, 4, MAX, 1), 0);
	assert_true(io_fill(&ring, &source, &file, &setup) >= 0);
	assert_true(ring.ended);
	assert_int_equal(ring.filled, 0);
	assert_false(io_has_record(&ring));
	io_ring_fini(&ring);
}

/* One record is kept back: the slot sees it when it is known whether another follows. */
static void test_look_ahead(void **state)
{
	struct file file = {.bytes = 100 * MAX};
	struct aloe_setup setup = {0};
	struct io_ring ring;

	(void)state;
	assert_int_equal(io_ring_init(&ring, 4, MAX, 1), 0);
	assert_int_equal(io_fill(&ring, &source, &file, &setup), 4);
	assert_int_equal(atomic_load(&ring.head), 3);
	assert_int_equal(ring.filled, 4);
	assert_int_equal(io_fill(&ring, &source, &file, &setup), 0); /* full */
	assert_int_equal(file.calls, 4);
	pop(&ring);
	assert_int_equal(io_fill(&ring, &source, &file, &setup), 1);
	assert_int_equal(atomic_load(&ring.head), 4);
	for (uint64_t i = 0; i < 4; i++)
		assert_int_equal(ring.records[i].end, 0);
	io_ring_fini(&ring);
}

/* What was read before the error stays; the error is told once, with its words, and nothing is
 * asked for again. */
static void test_source_fails(void **state)
{
	struct file file = {.bytes = 100 * MAX, .fail_at = 3};
	struct aloe_setup setup = {0};
	struct io_ring ring;

	(void)state;
	assert_int_equal(io_ring_init(&ring, 8, MAX, 1), 0);
	assert_int_equal(io_fill(&ring, &source, &file, &setup), -1);
	assert_string_equal(setup.error, "cannot read at byte 32");
	assert_int_equal(atomic_load(&ring.failed), 1);
	assert_int_equal(io_fill(&ring, &source, &file, &setup), 0);
	assert_int_equal(file.calls, 3);
	assert_int_equal(atomic_load(&ring.head), 1);
	assert_int_equal(ring.records[0].end, 0);
	assert_false(ring.ended);
	io_ring_fini(&ring);
}

/* ---- what has to be asked again ------------------------------------------------------- */

enum { PARTS = 3 }; /* a record of a socket comes in so many */

static int fill_in_parts(void *self, struct aloe_record *record, struct aloe_setup *setup)
{
	struct file *file = self;

	(void)setup;
	if (file->at == file->bytes)
		return file->calls++ % 2 == 0 ? ALOE_IO_LATER : ALOE_FILL_END;
	((uint8_t *)record->data)[record->len] = byte_at(file->at);
	record->len++;
	if (file->calls++ % PARTS < PARTS - 1)
		return ALOE_IO_LATER;
	file->at++;
	return 0;
}

static const struct aloe_component socket_source = {.fill = fill_in_parts};

/* No record is kept back from a source that has to wait; what is in a record stays; the end of such
 * a source is a record without a message. */
static void test_source_later(void **state)
{
	struct file file = {.bytes = 6};
	struct aloe_setup setup = {0};
	struct io_ring ring;
	uint32_t records = 0, calls = 0;
	bool end = false;

	(void)state;
	assert_int_equal(io_ring_init(&ring, 3, MAX, 1), 0);
	while (!end) {
		assert_true(io_fill(&ring, &socket_source, &file, &setup) >= 0);
		assert_true(++calls < 100);
		while (io_has_record(&ring)) {
			const struct aloe_record *record = front(&ring);

			end = record->end != 0;
			assert_int_equal(record->state, end ? ALOE_IDLE : ALOE_VALID);
			assert_int_equal(record->len, end ? 0 : PARTS);
			records++;
			pop(&ring);
		}
		assert_true(end || ring.later);
		assert_true(end || ring.filled == records);
	}
	assert_int_equal(records, 7);
	io_ring_fini(&ring);
}

static int drain_in_parts(void *self, const struct aloe_record *record, struct aloe_setup *setup)
{
	struct file *file = self;

	return file->calls++ % PARTS < PARTS - 1 ? ALOE_IO_LATER : drain(self, record, setup);
}

static const struct aloe_component socket_sink = {.drain = drain_in_parts};

static void test_sink_later(void **state)
{
	uint8_t written[100];
	struct file file = {.written = written};
	struct aloe_setup setup = {0};
	struct io_ring ring;

	(void)state;
	assert_int_equal(io_ring_init(&ring, 4, MAX, 1), 0);
	for (uint32_t i = 0; i < 4; i++)
		assert_true(push(&ring, 10 * i, 10));
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(io_drain(&ring, &socket_sink, &file, &setup), 0);
		assert_true(ring.later && !io_has_space(&ring) == (i == 0));
		file.calls = PARTS - 1; /* the next one is taken */
		assert_int_equal(io_drain(&ring, &socket_sink, &file, &setup), 1);
		assert_int_equal(file.at, 10 * (i + 1));
		file.calls = 0;
	}
	assert_false(io_has_record(&ring));
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(written[i], byte_at(i));
	io_ring_fini(&ring);
}

/* ---- sinks ------------------------------------------------------------------------ */

static void test_sink(void **state)
{
	uint8_t written[1000];
	struct file file = {.written = written};
	struct aloe_setup setup = {0};
	struct io_ring ring;
	uint64_t at = 0;

	(void)state;
	assert_int_equal(io_ring_init(&ring, 5, MAX, 1), 0);
	assert_int_equal(io_drain(&ring, &sink, &file, &setup), 0);
	for (uint32_t round = 1; at < 900; round++) {
		const uint32_t n = round % 6;

		for (uint32_t i = 0; i < n; i++) {
			const uint32_t len = (round + i) % (MAX + 1);

			assert_int_equal(push(&ring, at, len), i < 5);
			at += i < 5 ? len : 0;
		}
		assert_int_equal(io_drain(&ring, &sink, &file, &setup), n < 5 ? n : 5);
		assert_int_equal(file.at, at);
	}
	for (uint64_t i = 0; i < at; i++)
		assert_int_equal(written[i], byte_at(i));
	io_ring_fini(&ring);
}

static void test_sink_full(void **state)
{
	uint8_t written[1000];
	struct file file = {.written = written};
	struct aloe_setup setup = {0};
	struct io_ring ring;

	(void)state;
	assert_int_equal(io_ring_init(&ring, 3, MAX, 1), 0);
	for (uint64_t i = 0; i < 3; i++)
		assert_true(push(&ring, i * MAX, MAX));
	assert_false(io_has_space(&ring));
	assert_false(push(&ring, 0, MAX));
	assert_int_equal(io_drain(&ring, &sink, &file, &setup), 3);
	assert_true(io_has_space(&ring));
	io_ring_fini(&ring);
}

static void test_sink_fails(void **state)
{
	uint8_t written[1000];
	struct file file = {.written = written, .fail_at = 2};
	struct aloe_setup setup = {0};
	struct io_ring ring;

	(void)state;
	assert_int_equal(io_ring_init(&ring, 4, MAX, 1), 0);
	for (uint64_t i = 0; i < 3; i++)
		push(&ring, i * MAX, MAX);
	assert_int_equal(io_drain(&ring, &sink, &file, &setup), -1);
	assert_string_equal(setup.error, "cannot write at byte 16");
	assert_int_equal(atomic_load(&ring.tail), 1);
	assert_int_equal(io_drain(&ring, &sink, &file, &setup), 0);
	assert_int_equal(file.calls, 2);
	io_ring_fini(&ring);
}

/* ---- shape, and two threads ---- */

static void test_init(void **state)
{
	struct io_ring ring;

	(void)state;
	assert_int_equal(io_ring_init(&ring, 7, 33, 8), 0);
	for (uint32_t i = 0; i < 7; i++) {
		assert_int_equal(ring.records[i].max, 33);
		memset(ring.records[i].data, (int)i, 33 * 8);
	}
	for (uint32_t i = 0; i < 7; i++)
		for (uint32_t b = 0; b < 33 * 8; b++)
			assert_int_equal(((const uint8_t *)ring.records[i].data)[b], i);
	io_ring_fini(&ring);
	assert_null(ring.records);
	io_ring_fini(&ring);
	assert_int_equal(io_ring_init(&ring, 4, 0, 8), 0); /* an input that is not connected */
	io_ring_fini(&ring);
}

struct pipe_line {
	struct io_ring in, out;
	struct file source, sink;
	struct aloe_setup setup;
	_Atomic uint32_t over;
};

static void *io_main(void *self)
{
	struct pipe_line *line = self;
	uint32_t over;

	do {
		over = atomic_load(&line->over);
		if (io_fill(&line->in, &source, &line->source, &line->setup) +
		        io_drain(&line->out, &sink, &line->sink, &line->setup) ==
		    0)
			sched_yield();
	} while (!over);
	io_drain(&line->out, &sink, &line->sink, &line->setup);
	return NULL;
}

/* source -> [ring] -> copy on this thread -> [ring] -> sink; fill and drain on the other: every
 * byte, once. */
static void test_threads(void **state)
{
	struct pipe_line *line = calloc(1, sizeof(*line));
	bool end = false;
	pthread_t id;

	(void)state;
	alarm(120); /* only against a hang */
	line->source.bytes = FILE_MAX - 5;
	line->sink.written = calloc(1, FILE_MAX);
	assert_int_equal(io_ring_init(&line->in, 7, MAX, 1), 0);
	assert_int_equal(io_ring_init(&line->out, 5, MAX, 1), 0);
	assert_int_equal(pthread_create(&id, NULL, io_main, line), 0);
	while (!end) {
		struct io_ring *in = &line->in, *out = &line->out;
		struct aloe_record *to = &out->records[atomic_load(&out->head) % out->len];
		const struct aloe_record *from;

		if (!io_has_record(in) || !io_has_space(out)) {
			sched_yield();
			continue;
		}
		from = front(in);
		to->len = from->len;
		memcpy(to->data, from->data, from->len);
		end = from->end != 0;
		pop(in);
		atomic_store_explicit(
		    &out->head, atomic_load(&out->head) + 1, memory_order_release);
	}
	atomic_store(&line->over, 1);
	pthread_join(id, NULL);
	assert_int_equal(line->sink.at, FILE_MAX - 5);
	for (uint64_t i = 0; i < line->sink.at; i++)
		if (line->sink.written[i] != byte_at(i))
			fail_msg("byte %d is %d", (int)i, line->sink.written[i]);
	alarm(0);
	io_ring_fini(&line->in);
	io_ring_fini(&line->out);
	free(line->sink.written);
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_source),
	    cmocka_unit_test(test_source_empty),
	    cmocka_unit_test(test_look_ahead),
	    cmocka_unit_test(test_source_fails),
	    cmocka_unit_test(test_source_later),
	    cmocka_unit_test(test_sink_later),
	    cmocka_unit_test(test_sink),
	    cmocka_unit_test(test_sink_full),
	    cmocka_unit_test(test_sink_fails),
	    cmocka_unit_test(test_init),
	    cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
