/* SPDX-License-Identifier: BSD-3-Clause
 * core/image: what is refused and why, damage to every word of a program, a waveform image that is
 * written all over, who can write what, seals, too little memory, texts. Fuzzed as well:
 * tests/fuzz/fuzz_image.c. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "tests/common/image_sample.h"
#include "tests/common/image_walk.h"

enum { TOTAL_MAX = 16 << 20 };

static void *program_new(size_t *ret_len)
{
	struct rig *rig = image_sample_rig();
	void *program = rig_program(rig, ret_len);

	rig_close(rig);
	return program;
}

static struct image_view view_of(struct image_files *ret)
{
	struct image_view view;
	size_t len;
	void *program = program_new(&len);

	assert_int_equal(image_create(program, len, ret), 0);
	assert_int_equal(image_open(ret, true, &view), 0);
	free(program);
	return view;
}

/* ---- one field at a time ---- */

static const char head_why[] = "too short, or no image of this version",
                  sizes_why[] = "sizes do not agree",
                  number_why[] = "a number in the head makes no sense",
                  table_why[] = "a table lies outside the program",
                  text_why[] = "text is not terminated",
                  names_why[] = "a table names something that is not there";

/* Row `row` of `table` (an offset in the head; 0: the head itself), the field at `at` of `size`
 * bytes set to `value`. */
struct damage {
	size_t table, row_bytes, row, at, size;
	uint64_t value;
	const char *why;
};

#define HEAD(field, value, why)                                                                    \
	{                                                                                          \
		0, 0, 0, offsetof(struct image_head, field),                                       \
		    sizeof(((struct image_head *)0)->field), value, why                            \
	}
#define ROW(table, type, row, field, value)                                                        \
	{                                                                                          \
		offsetof(struct image_head, table), sizeof(struct type), row,                      \
		    offsetof(struct type, field), sizeof(((struct type *)0)->field), value,        \
		    names_why                                                                      \
	}
#define TABLE(table, most)                                                                         \
	HEAD(table.offset, 4, table_why), HEAD(table.offset, 1ull << 40, table_why),               \
	    HEAD(table.offset, UINT64_MAX - 7, table_why),                                         \
	    HEAD(table.count, (most) + 1ull, table_why), HEAD(table.count, UINT64_MAX, table_why), \
	    HEAD(table.count, 1ull << 63, table_why)

static const struct damage damages[] = {
    HEAD(magic, 0, head_why),
    HEAD(version, IMAGE_VERSION + 1, head_why),
    HEAD(static_bytes, 0, sizes_why),
    HEAD(static_bytes, 1 << 20, sizes_why),
    HEAD(static_bytes, UINT64_MAX, sizes_why),
    HEAD(total_bytes, 0, sizes_why),
    HEAD(total_bytes, UINT64_MAX, sizes_why),
    HEAD(slot_ns, 0, number_why),
    HEAD(slots, 0, number_why),
    HEAD(latency_slots, 0, number_why),
    HEAD(n_hosts, UINT32_MAX, number_why),
    HEAD(clock, IMAGE_RADIO + 1, number_why),
    HEAD(clock, IMAGE_RADIO, names_why), /* without a radio */
    HEAD(late, 2, number_why),
    HEAD(round_robin, 2, number_why),
    HEAD(copies, 0, number_why),
    HEAD(copies, 2, number_why),
    ROW(lanes, image_lane, 0, last, 2),
    ROW(buffers, image_buffer, 0, shares, 1),
    ROW(buffers, image_buffer, 1, shares, 1), /* not alike */
    ROW(buffers, image_buffer, 1, shares, UINT32_MAX),
    ROW(lanes, image_lane, 1, state, 1ull << 41),
    ROW(lanes, image_lane, 1, state, 32),
    ROW(instances, image_instance, 2, latency, UINT64_MAX & ~63ull),
    ROW(instances, image_instance, 2, latency, 4),
    ROW(params, image_param, 4, array, UINT64_MAX & ~63ull),
    ROW(params, image_param, 4, array, 4),
    ROW(params, image_param, 4, items_max, 2), /* fewer than are there */
    ROW(params, image_param, 4, items_max, UINT32_MAX),
    TABLE(nodes, IMAGE_NODES_MAX),
    TABLE(lanes, IMAGE_LANES_MAX),
    ROW(lanes, image_lane, 1, node, 1),
    ROW(hosts, image_host, 0, node, 1),
    TABLE(hosts, IMAGE_INSTANCES_MAX),
    HEAD(hosts.count, 0, names_why),
    HEAD(hosts.count, 2, names_why),
    ROW(hosts, image_host, 0, offset, 64),
    ROW(hosts, image_host, 0, offset, 1ull << 41),
    ROW(hosts, image_host, 0, bytes, 64),
    ROW(hosts, image_host, 0, bytes, 0),
    ROW(hosts, image_host, 0, links, 0),
    ROW(hosts, image_host, 0, links, UINT64_MAX),
    ROW(hosts, image_host, 0, bytes, UINT64_MAX & ~4095ull),
    TABLE(segments, IMAGE_INSTANCES_MAX),
    TABLE(order, IMAGE_INSTANCES_MAX),
    TABLE(gates, 1 << 20),
    TABLE(instances, IMAGE_INSTANCES_MAX),
    TABLE(inputs, 1 << 20),
    TABLE(outputs, 1 << 20),
    TABLE(buffers, 1 << 20),
    TABLE(params, 1 << 20),
    TABLE(vars, 1 << 20),
    TABLE(reals, 1 << 24),
    TABLE(radios, IMAGE_RADIOS_MAX),
    TABLE(text, 1 << 26),
    HEAD(run, 1ull << 41, table_why),
    HEAD(run, 4, table_why),
    HEAD(run, UINT64_MAX & ~63ull, table_why),
    HEAD(text.count, 0, text_why),
    HEAD(text.count, 2, text_why),
    HEAD(n_hosts, 0, names_why),
    ROW(segments, image_segment, 0, lane, RIG_SEGMENTS_MAX),
    ROW(segments, image_segment, 1, host, 1),
    ROW(segments, image_segment, 0, n_events, 0),
    ROW(segments, image_segment, 0, n_events, IMAGE_EVENTS_MAX + 1),
    ROW(segments, image_segment, 0, n_events, IMAGE_EVENTS_MAX),
    ROW(segments, image_segment, 0, order, 3),
    ROW(segments, image_segment, 1, order, 0), /* an instance of the other segment */
    ROW(segments, image_segment, 1, n_instances, 3),
    ROW(segments, image_segment, 0, n_instances, UINT32_MAX),
    ROW(segments, image_segment, 0, gates, UINT32_MAX),
    ROW(segments, image_segment, 1, n_gates, 1000),
    ROW(segments, image_segment, 0, state, 1ull << 41),
    ROW(segments, image_segment, 0, state, 32),
    ROW(segments, image_segment, 0, events, UINT64_MAX & ~63ull),
    ROW(segments, image_segment, 0, events, 8),
    {offsetof(struct image_head, order), 4, 0, 0, 4, 3, names_why},
    {offsetof(struct image_head, order), 4, 0, 0, 4, UINT32_MAX, names_why},
    ROW(gates, image_gate, 0, segment, 2),
    ROW(instances, image_instance, 0, segment, 2),
    ROW(instances, image_instance, 0, segment, 1),
    ROW(instances, image_instance, 0, period, 0),
    ROW(instances, image_instance, 0, phase, 1),
    ROW(instances, image_instance, 0, inputs, 1000),
    ROW(instances, image_instance, 0, n_inputs, ALOE_PORTS_MAX + 1),
    ROW(instances, image_instance, 0, outputs, 1000),
    ROW(instances, image_instance, 0, n_outputs, ALOE_PORTS_MAX + 1),
    ROW(instances, image_instance, 1, params, 1000),
    ROW(instances, image_instance, 1, n_params, IMAGE_PARAMS_MAX + 1),
    ROW(instances, image_instance, 0, vars, 1000),
    ROW(instances, image_instance, 0, n_vars, IMAGE_VARS_MAX + 1),
    ROW(instances, image_instance, 2, sink, 4),
    ROW(instances, image_instance, 0, state, 1ull << 41),
    ROW(instances, image_instance, 0, state, 8),
    ROW(instances, image_instance, 0, time, 1ull << 41),
    ROW(instances, image_instance, 0, time, 8),
    ROW(inputs, image_input, 0, buffer, 2),
    ROW(inputs, image_input, 0, buffer, 0x7fffffff),
    ROW(inputs, image_input, 0, type, ALOE_CF32),
    ROW(inputs, image_input, 0, max, 63),
    ROW(outputs, image_output, 0, buffer, 2),
    ROW(outputs, image_output, 0, type, ALOE_CF32),
    ROW(outputs, image_output, 0, max, 65),
    ROW(outputs, image_output, 0, max, 63),
    ROW(buffers, image_buffer, 0, instance, 3),
    ROW(buffers, image_buffer, 0, port, ALOE_PORTS_MAX),
    ROW(buffers, image_buffer, 0, type, 3),
    ROW(buffers, image_buffer, 0, type, 0),
    ROW(buffers, image_buffer, 0, max, 1 << 30),
    ROW(buffers, image_buffer, 0, tap, 4), /* as many as the ring has */
    ROW(buffers, image_buffer, 0, tap, UINT32_MAX),
    ROW(buffers, image_buffer, 0, depth, 0),
    ROW(buffers, image_buffer, 0, depth, 3),
    ROW(buffers, image_buffer, 0, depth, 1u << 31),
    ROW(buffers, image_buffer, 0, depth, 1u << 20),
    ROW(buffers, image_buffer, 0, stride, 8),
    ROW(buffers, image_buffer, 0, data, 0),    /* no room before it */
    ROW(buffers, image_buffer, 0, stride, 64), /* the canary would lie in the next message */
    ROW(buffers, image_buffer, 0, stride, 72),
    ROW(buffers, image_buffer, 0, stride, 1ull << 33),
    ROW(buffers, image_buffer, 0, canary, 0),
    ROW(buffers, image_buffer, 0, canary, UINT64_MAX - 7),
    ROW(buffers, image_buffer, 0, messages, 1ull << 41),
    ROW(buffers, image_buffer, 0, messages, 16),
    ROW(buffers, image_buffer, 0, data, 1ull << 41),
    ROW(buffers, image_buffer, 0, data, 16),
    ROW(params, image_param, 4, reals, 1 << 20),
    ROW(params, image_param, 4, reals, 2),
    ROW(params, image_param, 4, n_reals, UINT32_MAX),
    ROW(params, image_param, 2, n_names, UINT32_MAX),
};

static void damage_do(uint8_t *program, const struct damage *d)
{
	uint64_t offset = 0;

	if (d->table != 0)
		memcpy(&offset, program + d->table, sizeof(offset));
	memcpy(program + offset + d->row * d->row_bytes + d->at, &d->value, d->size);
}

static void test_fields(void **state)
{
	const size_t n = sizeof(damages) / sizeof(damages[0]);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct image_files files;
		const char *why = NULL;
		size_t len;
		uint8_t *program = program_new(&len);

		assert_int_equal(image_check(program, len, &why), 0);
		assert_null(why);
		damage_do(program, &damages[i]);
		if (image_check(program, len, &why) != -EBADMSG)
			fail_msg("damage %zu (table at %zu, field at %zu, value %llx) passes", i,
			    damages[i].table, damages[i].at, (unsigned long long)damages[i].value);
		if (strcmp(why, damages[i].why) != 0)
			fail_msg("damage %zu: \"%s\" instead of \"%s\"", i, why, damages[i].why);
		assert_int_equal(image_create(program, len, &files), -EBADMSG);
		assert_true(files.program == -1 && files.image == -1);
		free(program);
	}
}

static void test_short(void **state)
{
	const char *why;
	size_t len;
	uint8_t *program = program_new(&len);

	(void)state;
	for (size_t n = 0; n < len; n += n < 300 ? 1 : 61) {
		uint8_t *exact = malloc(n > 0 ? n : 1);

		memcpy(exact, program, n);
		assert_int_equal(image_check(exact, n, &why), -EBADMSG);
		free(exact);
	}
	assert_int_equal(image_check(program, len, &why), 0);
	free(program);
}

/* ---- every word ------------------------------------------------------------------------ */

static uint64_t hostile(size_t n, uint64_t was, const struct image_head *head)
{
	static const uint64_t fixed[] = {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 63, 64, 65, 127,
	    128, 4095, 4096, 1 << 20, 0x7fffffff, 1u << 31, UINT32_MAX, 1ull << 32, 1ull << 40,
	    1ull << 62, 1ull << 63, UINT64_MAX};
	const size_t n_fixed = sizeof(fixed) / sizeof(fixed[0]);
	const uint64_t near[] = {was + 1, was - 1, was + 4, was - 4, was + 8, was - 8, was + 64,
	    was - 64, was * 2, was / 2, head->static_bytes, head->total_bytes - 64,
	    head->total_bytes, head->static_bytes - 8, head->text.offset, head->text.count};

	return n < n_fixed ? fixed[n] : near[(n - n_fixed) % 16];
}

/* Each 4- and 8-byte word of the program, each hostile value: refused, or sound wherever an
 * accessor leads. */
static void test_every_word(void **state)
{
	uint64_t passed = 0, refused = 0;
	size_t len;
	uint8_t *sound = program_new(&len), *program = malloc(len);

	(void)state;
	for (size_t size = 4; size <= 8; size += 4)
		for (size_t at = 0; at + size <= len; at += size)
			for (size_t n = 0; n < 28 + 16; n++) {
				const char *why;
				uint64_t value = 0;

				memcpy(program, sound, len);
				memcpy(&value, program + at, size);
				value = hostile(n, value, (const void *)sound);
				memcpy(program + at, &value, size);
				if (image_try(program, len, TOTAL_MAX, &why) == 0)
					passed++;
				else
					refused++;
			}
	assert_true(passed > 1000 && refused > 1000); /* it came to both */
	print_message("%llu passed and walked, %llu refused\n", (unsigned long long)passed,
	    (unsigned long long)refused);
	free(program);
	free(sound);
}

/* ---- a live image ------------------------------------------------------------------------ */

/* Everything that the accessors say, as one number that depends on each answer. */
static uint64_t answers(const struct image_view *v)
{
	uint64_t sum = (uint64_t)((uint8_t *)image_run(v) - v->base);

	for (uint32_t s = 0; s < v->head->segments.count; s++) {
		sum = sum * 31 + (uint64_t)((uint8_t *)image_segment_state(v, s) - v->base);
		sum = sum * 31 + (uint64_t)((uint8_t *)image_events(v, s) - v->base);
	}
	for (uint32_t i = 0; i < v->head->instances.count; i++) {
		const char *name = image_text(v, v->instances[i].name);

		sum = sum * 31 + (uint64_t)((uint8_t *)image_instance_state(v, i) - v->base);
		sum = sum * 31 + (uint64_t)name[0] * 256 + (uint64_t)name[1];
		sum = sum * 31 + image_find_instance(v, name, strlen(name));
	}
	for (uint32_t b = 0; b < v->head->buffers.count; b++) {
		sum = sum * 31 + (uint64_t)((uint8_t *)image_messages(v, b) - v->base);
		sum = sum * 31 + (uint64_t)(image_data(v, b) - v->base);
	}
	for (uint32_t p = 0; p < v->head->params.count; p++)
		if (v->params[p].n_reals > 0)
			sum = sum * 31 + (uint64_t)(image_reals(v, &v->params[p])[0] * 1000);
	return sum;
}

/* Whatever a host writes into all of the memory that it can write changes nothing that an accessor
 * says, neither for those that have it open nor for those that open it later. */
static void test_scribbled(void **state)
{
	struct image_files files;
	struct image_view view = view_of(&files), later;
	const uint64_t before = answers(&view);

	(void)state;
	for (int fill = 0; fill < 256; fill += 51) {
		memset(view.base, fill, view.bytes);
		assert_true(answers(&view) == before);
		image_walk(&view);
		assert_int_equal(image_open(&files, false, &later), 0);
		assert_true(answers(&later) == before);
		image_walk(&later);
		image_close(&later);
	}
	image_close(&view);
	assert_null(view.base);
	image_files_close(&files);
}

static bool maps_writable(int fd)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at != MAP_FAILED)
		munmap(at, 4096);
	return at != MAP_FAILED;
}

static bool made_writable(void *at)
{
	return mprotect((void *)((uintptr_t)at & ~4095ul), 4096, PROT_READ | PROT_WRITE) == 0;
}

/* A child that writes to `at` ends by a signal. */
static bool write_kills(const void *at)
{
	const pid_t child = fork();
	int status;

	if (child == 0) {
		signal(SIGSEGV, SIG_DFL);
		*(volatile uint8_t *)(uintptr_t)at = 1;
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* The program is nobody's to write: not by its descriptor, which is open for both, not by a
 * mapping, not by its maker. */
static void test_program_sealed(void **state)
{
	struct image_files files;
	struct image_view view = view_of(&files);
	char path[64];
	int again;

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", files.program);
	again = open(path, O_RDWR | O_CLOEXEC); /* only a superuser gets as far */
	assert_int_equal(pwrite(files.program, "x", 1, 0), -1);
	assert_true(again < 0 || pwrite(again, "x", 1, 0) == -1);
	assert_false(maps_writable(files.program));
	assert_int_equal(ftruncate(files.program, 0), -1);
	assert_int_equal(
	    fallocate(files.program, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), -1);
	/* nor are its seals to be changed */
	assert_int_equal(fcntl(files.program, F_ADD_SEALS, F_SEAL_WRITE), -1);
	assert_true(write_kills(view.head));
	if (again >= 0)
		close(again);
	image_close(&view);
	image_files_close(&files);
}

/* What is read-only for its receiver: a descriptor open for reading gives no way to write, by
 * itself or by its mapping; its maker maps the same file for writing again, as exec does after a
 * restart. */
static void test_read_only_descriptor(void **state)
{
	const int fd = image_memfd("node", 4096), only = file_read_only(fd);
	struct stat stat;
	uint8_t *read, *again;

	(void)state;
	assert_true(fd >= 0 && only >= 0);
	read = image_map(only, 4096, false);
	assert_non_null(read);
	assert_false(maps_writable(only));
	assert_false(made_writable(read));
	assert_int_equal(pwrite(only, "x", 1, 0), -1);
	assert_int_equal(fstat(only, &stat), 0);
	/* nor does it open anew for writing, but for a superuser */
	assert_int_equal(stat.st_mode & 0777, S_IRUSR);
	again = image_map(fd, 4096, true);
	assert_non_null(again);
	again[7] = 42;
	assert_int_equal(read[7], 42);
	munmap(again, 4096);
	munmap(read, 4096);
	close(only);
	close(fd);
}

/* A rig whose second segment is another host's. */
static void two_hosts(struct image_files *ret)
{
	struct rig *rig = image_sample_rig();
	size_t len;
	void *program;

	rig->segment_host[1] = 1;
	program = rig_program(rig, &len);
	rig_close(rig);
	assert_int_equal(image_create(program, len, ret), 0);
	free(program);
}

static bool in_host(const struct image_view *view, uint32_t host, const void *at)
{
	const uint64_t offset = (uint64_t)((const uint8_t *)at - view->base);

	return offset >= view->hosts[host].offset &&
	    offset < view->hosts[host].offset + view->hosts[host].bytes;
}

/* A host writes what is its own and what is everybody's; the others' it can read, and neither write
 * nor make writable. */
static void test_own_memory(void **state)
{
	struct image_files files;
	struct image_view views[2];

	(void)state;
	two_hosts(&files);
	for (uint32_t h = 0; h < 2; h++) {
		assert_int_equal(image_open_host(&files, h, &views[h]), 0);
		image_walk(&views[h]);
	}
	assert_int_equal(image_open_host(&files, 2, &(struct image_view){0}), -EBADMSG);
	for (uint32_t i = 0; i < views[0].head->instances.count; i++) {
		const uint32_t mine = views[0].segments[views[0].instances[i].segment].host;
		uint8_t *own = (void *)image_instance_state(&views[mine], i);
		uint8_t *theirs = (void *)image_instance_state(&views[1 - mine], i);

		assert_true(in_host(&views[0], mine, image_instance_state(&views[0], i)));
		assert_true(in_host(&views[0], mine, image_time(&views[0], i)));
		own[0] = 1;
		assert_int_equal(theirs[0], 1);
		assert_false(made_writable(theirs));
		assert_true(write_kills(theirs));
		assert_false(write_kills(own));
	}
	for (uint32_t b = 0; b < views[0].head->buffers.count; b++) {
		const uint32_t mine =
		    views[0]
		        .segments[views[0].instances[views[0].buffers[b].instance].segment]
		        .host;

		assert_true(in_host(&views[0], mine, image_messages(&views[0], b)));
		assert_true(in_host(&views[0], mine, image_data(&views[0], b) - 64));
		assert_false(write_kills(image_data(&views[mine], b) - 64));
		assert_true(write_kills(image_data(&views[1 - mine], b)));
	}
	for (uint32_t h = 0; h < 2; h++) {
		assert_false(write_kills(image_run(&views[h])));
		assert_false(write_kills(image_segment_state(&views[h], 0)));
		assert_false(write_kills(image_segment_state(&views[h], 1)));
	}
	image_close(&views[0]);
	image_close(&views[1]);
	image_files_close(&files);
}

/* ---- making and mapping ---- */

static void test_created(void **state)
{
	struct image_files files;
	struct image_view view = view_of(&files);
	size_t len;
	void *program = program_new(&len);
	struct stat stat;

	(void)state;
	assert_int_equal(view.bytes, view.head->total_bytes);
	assert_memory_equal(view.head, program, len);
	assert_true(atomic_load(&image_run(&view)->last) == IMAGE_FOREVER);
	for (uint32_t i = 0; i < 3; i++)
		assert_true((image_latency(&view, i) != NULL) == (i == 2)); /* the sink's */
	assert_true(atomic_load(&image_latency(&view, 2)->slots_min) == UINT64_MAX);
	for (uint32_t b = 0; b < view.head->buffers.count; b++)
		for (uint32_t m = 0; m < view.buffers[b].depth; m++) {
			const uint64_t wanted = IMAGE_CANARY;
			const uint8_t *items;

			assert_int_equal(atomic_load(&image_messages(&view, b)[m].stamp), 0);
			items = image_data(&view, b) + m * view.buffers[b].stride;
			assert_memory_equal(items + view.buffers[b].canary, &wanted, 8);
			assert_memory_equal(items - 8, &wanted, 8);
			assert_true(image_canaries(items, view.buffers[b].canary) == 0);
		}
	assert_int_equal(fstat(files.image, &stat), 0); /* all of it is there, not only promised */
	assert_true((uint64_t)stat.st_blocks * 512 >= view.head->total_bytes);
	free(program);
	image_close(&view);
	image_files_close(&files);
}

static void test_slots(void **state)
{
	size_t len;
	struct image_head *program = program_new(&len);
	struct image_files files;
	struct image_view view;

	(void)state;
	program->slots = 10;
	assert_int_equal(image_create(program, len, &files), 0);
	assert_int_equal(image_open(&files, false, &view), 0);
	assert_int_equal(atomic_load(&image_run(&view)->last), 9);
	image_close(&view);
	image_files_close(&files);
	free(program);
}

/* Where things lie: nothing overlaps, in any order of tables. */
static void test_layout(void **state)
{
	struct image_files files;
	struct image_view view = view_of(&files);
	uint8_t *used = calloc(1, view.bytes);
	uint64_t parts = 0;
	struct {
		uint64_t offset, bytes;
	} part[64];

	(void)state;
	part[parts].offset = view.head->run;
	part[parts++].bytes = sizeof(struct image_run);
	part[parts].offset = view.hosts[0].offset;
	part[parts++].bytes = IMAGE_WALL;
	part[parts].offset = view.hosts[0].links - IMAGE_WALL;
	part[parts++].bytes = IMAGE_WALL;
	for (uint32_t s = 0; s < 2; s++) {
		part[parts].offset = view.segments[s].state;
		part[parts++].bytes = sizeof(struct image_segment_state);
		part[parts].offset = view.segments[s].events;
		part[parts++].bytes = view.segments[s].n_events * sizeof(struct image_event);
	}
	for (uint32_t l = 0; l < view.head->lanes.count; l++) {
		part[parts].offset = view.lanes[l].state;
		part[parts++].bytes = sizeof(struct image_lane_state);
	}
	for (uint32_t i = 0; i < 3; i++) {
		part[parts].offset = view.instances[i].state;
		part[parts++].bytes = sizeof(struct image_instance_state);
		part[parts].offset = view.instances[i].time;
		part[parts++].bytes = sizeof(struct hist_head);
	}
	part[parts].offset = view.instances[2].latency;
	part[parts++].bytes = sizeof(struct image_latency);
	part[parts].offset = view.params[view.instances[1].params + 2].array;
	part[parts++].bytes = sizeof(struct image_array) + 8 * sizeof(float);
	for (uint32_t b = 0; b < view.head->buffers.count; b++) {
		part[parts].offset = view.buffers[b].messages;
		part[parts++].bytes = view.buffers[b].depth * sizeof(struct image_message);
		part[parts].offset = view.buffers[b].data - 8;
		part[parts++].bytes = view.buffers[b].depth * view.buffers[b].stride;
	}
	for (uint64_t p = 0; p < parts; p++)
		for (uint64_t i = 0; i < part[p].bytes; i++)
			assert_int_equal(used[part[p].offset + i]++, 0);
	free(used);
	image_close(&view);
	image_files_close(&files);
}

/* Files that could change, or end, while they are mapped are not taken for a program or an
 * image. */
static void test_seals(void **state)
{
	struct image_files files, other;
	struct image_view view = view_of(&files), opened;
	const int bare = memfd_create("bare", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	(void)state;
	assert_int_equal(ftruncate(files.image, 0), -1);
	assert_int_equal(ftruncate(files.image, (off_t)view.bytes * 2), -1);
	assert_int_equal(fcntl(files.image, F_ADD_SEALS, F_SEAL_WRITE), -1);
	assert_true(fcntl(files.image, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(files.program, F_GETFD) & FD_CLOEXEC);
	other = (struct image_files){files.program, bare};
	assert_int_equal(ftruncate(bare, (off_t)view.bytes), 0);
	assert_int_equal(image_open(&other, false, &opened), -EBADMSG);
	assert_int_equal(fcntl(bare, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	assert_int_equal(image_open(&other, false, &opened), 0);
	image_close(&opened);
	other = (struct image_files){bare, files.image};
	assert_int_equal(
	    pwrite(bare, view.head, view.head->static_bytes, 0), (ssize_t)view.head->static_bytes);
	assert_int_equal(image_open(&other, false, &opened), -EBADMSG);
	assert_int_equal(fcntl(bare, F_ADD_SEALS, F_SEAL_WRITE), 0);
	assert_int_equal(image_open(&other, false, &opened), 0);
	image_close(&opened);
	other = (struct image_files){files.image, files.image};
	assert_int_equal(image_open(&other, false, &opened), -EBADMSG);
	close(bare);
	image_close(&view);
	image_files_close(&files);
}

/* A program that asks for more than the image has, and one that is cut off. */
static void test_file_too_short(void **state)
{
	size_t len;
	struct image_head *program = program_new(&len);
	struct image_files sound;
	struct image_view view = {0};

	(void)state;
	assert_int_equal(image_create(program, len, &sound), 0);
	for (int shorter = 0; shorter < 3; shorter++) {
		const struct image_files files = {shorter == 0
		        ? dup(sound.program)
		        : image_memfd_sealed("short", program, shorter == 1 ? len - 64 : 100),
		    shorter == 0 ? image_memfd("short", program->total_bytes - 1)
		                 : dup(sound.image)};

		assert_true(files.program >= 0 && files.image >= 0);
		assert_int_equal(image_open(&files, false, &view), -EBADMSG);
		assert_null(view.base);
		assert_null(image_map(files.image, program->total_bytes + 1, false));
		close(files.program);
		close(files.image);
	}
	assert_true(image_open(&(struct image_files){-1, sound.image}, false, &view) < 0);
	assert_true(image_open(&(struct image_files){sound.program, -1}, false, &view) < 0);
	image_files_close(&sound);
	free(program);
}

static void test_read_only(void **state)
{
	struct image_files files, only;
	struct image_view view = view_of(&files), reader;

	(void)state;
	only = (struct image_files){file_read_only(files.program), file_read_only(files.image)};
	assert_true(only.program >= 0 && only.image >= 0);
	assert_int_equal(image_open(&only, false, &reader), 0);
	atomic_store(&image_run(&view)->last, 77);
	assert_int_equal(atomic_load(&image_run(&reader)->last), 77);
	image_close(&reader);
	/* not with these descriptors */
	assert_int_equal(image_open(&only, true, &reader), -ENOMEM);
	image_files_close(&only);
	image_close(&view);
	image_files_close(&files);
}

/* The file may not become as large as the image: refused with the reason, and nothing stays
 * open. */
static void test_no_memory(void **state)
{
	struct rlimit before, small;
	size_t len;
	void *program = program_new(&len);
	struct image_files files;
	int next, fd;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 4096;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	next = dup(0);
	close(next);
	assert_int_equal(image_create(program, len, &files), -EFBIG);
	assert_true(files.program == -1 && files.image == -1);
	assert_int_equal(image_memfd("large", 8192), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	fd = dup(0);
	assert_int_equal(fd, next);
	close(fd);
	free(program);
}

/* A text table that ends with the program: there is nothing behind it. */
static void test_text_end(void **state)
{
	size_t len;
	struct image_head *program = program_new(&len);
	struct image_files files;
	struct image_view view;

	(void)state;
	program->text.count = len - program->text.offset;
	assert_int_equal(image_create(program, len, &files), 0);
	assert_int_equal(image_open(&files, false, &view), 0);
	assert_string_equal(image_text(&view, view.head->text.count), "");
	assert_string_equal(image_text(&view, view.head->text.count - 1), "");
	image_close(&view);
	image_files_close(&files);
	free(program);
}

static void test_text(void **state)
{
	struct image_files files;
	struct image_view view = view_of(&files);
	const struct image_param *colour = &view.params[view.instances[1].params];

	(void)state;
	assert_string_equal(image_text(&view, view.head->name), "rig");
	assert_string_equal(image_text(&view, view.instances[2].name), "n2");
	assert_string_equal(image_text(&view, view.head->text.count), "");
	assert_string_equal(image_text(&view, UINT64_MAX), "");
	assert_string_equal(image_text(&view, view.head->text.count - 1), "");
	assert_int_equal(colour->n_names, 3);
	assert_string_equal(image_text(&view, colour->names), "red");
	assert_string_equal(image_text(&view, colour->names + 4), "green");
	assert_int_equal(image_find_instance(&view, "n0", 2), 0);
	assert_int_equal(image_find_instance(&view, "n2.gain", 2), 2);
	assert_int_equal(image_find_instance(&view, "n", 1), IMAGE_NONE);
	assert_int_equal(image_find_instance(&view, "n22", 3), IMAGE_NONE);
	assert_int_equal(image_find_instance(&view, "", 0), IMAGE_NONE);
	image_close(&view);
	image_files_close(&files);
}

/* The end of what was begun, of the rows together; an index at which nothing is begun is the
 * last. */
static void test_last(void **state)
{
	static const struct image_hold holds[] = {
	    {4, 0, 4, 0}, {2, 1, 2, 0}, {1000000, 0, 8, 0}, {1000000, 7, 1, 0}};
	static const uint64_t truth[] = {7, 7, 7, 7, 7, 7, 7, 8, 11, 11, 11, 12, 15};

	(void)state;
	for (uint64_t k = 0; k < sizeof(truth) / sizeof(truth[0]); k++)
		assert_int_equal(image_last(holds, 4, k), truth[k]);
	assert_int_equal(image_last(&holds[1], 1, 0), 0); /* its first is at index 1 */
	assert_int_equal(image_last(&holds[2], 1, 999999), 999999);
	assert_int_equal(image_last(&holds[2], 1, 1000000), 1000007);
	assert_int_equal(image_last(holds, 4, IMAGE_FOREVER), IMAGE_FOREVER);
	assert_int_equal(image_last(NULL, 0, 5), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_last),
	    cmocka_unit_test(test_fields),
	    cmocka_unit_test(test_short),
	    cmocka_unit_test(test_every_word),
	    cmocka_unit_test(test_scribbled),
	    cmocka_unit_test(test_program_sealed),
	    cmocka_unit_test(test_own_memory),
	    cmocka_unit_test(test_read_only_descriptor),
	    cmocka_unit_test(test_created),
	    cmocka_unit_test(test_slots),
	    cmocka_unit_test(test_layout),
	    cmocka_unit_test(test_seals),
	    cmocka_unit_test(test_file_too_short),
	    cmocka_unit_test(test_read_only),
	    cmocka_unit_test(test_no_memory),
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_text_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
