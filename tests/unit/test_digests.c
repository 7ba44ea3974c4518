/* SPDX-License-Identifier: BSD-3-Clause
 * core/recording/digests: what is said of digests that are truncated, altered or newer, and where
 * two tables part. digester: the digests of messages, and a full disk. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/digest.h"
#include "core/base/file.h"
#include "core/recording/digests.h"
#include "tests/mock/mock.h"

enum { ROWS = 5, BYTES = DIGESTS_HEAD + 2 * DIGESTS_BLOCK + ROWS * DIGESTS_ROW };

/* Index 0, 1, 2, then 7, 8: two blocks, the second one the last. */
static void bytes_make(uint8_t bytes[BYTES])
{
	uint8_t *at = bytes + DIGESTS_HEAD, *block = at;

	digests_head(bytes, ALOE_I16, 100);
	for (unsigned i = 0; i < ROWS; i++) {
		const struct digest_row row = {.index = i < 3 ? i : i + 4,
		    .state = i == 1 ? ALOE_ABSENT : ALOE_VALID,
		    .len = i == 1 ? 0 : 100,
		    .digest = i * 1000003};

		if (i == 0 || i == 3) {
			block = at;
			at += DIGESTS_BLOCK;
		}
		digests_row(at, &row);
		at += DIGESTS_ROW;
		digests_block(block, block + DIGESTS_BLOCK, i < 3 ? i + 1 : i - 2, i >= 3);
	}
}

static void refused(const uint8_t *bytes, size_t len, uint64_t at, const char *needed)
{
	struct digest_table table;
	char why[DIGESTS_WHY] = "";
	uint64_t found = UINT64_MAX;

	assert_int_equal(digests_parse(bytes, len, &table, &found, why), -EINVAL);
	if (!strstr(why, needed))
		fail_msg("%s", why);
	assert_int_equal(found, at);
	digests_fini(&table);
}

static void bytes_that_are_wrong_are_refused_by_offset(void **state)
{
	uint8_t bytes[BYTES + 1] = {0};

	(void)state;
	bytes_make(bytes);
	refused(bytes, 0, 0, "cut short");
	refused(bytes, DIGESTS_HEAD - 1, 0, "cut short: its length is 31");
	refused(bytes, BYTES + 1, BYTES, "goes on behind its last block");
	bytes[8] = 2;
	refused(bytes, BYTES, 0, "version 2, and this ALOE reads version 1");
	bytes_make(bytes);
	bytes[0] = 'A';
	refused(bytes, BYTES, 0, "does not begin with `aloe-dgs`");
	bytes_make(bytes);
	bytes[16] = 99;
	refused(bytes, BYTES, 0, "the head was altered");
	digests_head(bytes, 3, 100);
	refused(bytes, BYTES, 0, "3 is no item type");
	bytes_make(bytes);
	bytes[DIGESTS_HEAD + 1] = 255;
	refused(bytes, BYTES, DIGESTS_HEAD, "at most 1024 are allowed");
}

/* A bit anywhere. */
static void altered_bytes_are_found(void **state)
{
	const size_t second = DIGESTS_HEAD + DIGESTS_BLOCK + (size_t)3 * DIGESTS_ROW;
	uint8_t bytes[BYTES];

	(void)state;
	for (size_t i = 0; i < BYTES; i++) {
		struct digest_table table;
		char why[DIGESTS_WHY];
		uint64_t at;

		bytes_make(bytes);
		bytes[i] ^= 1;
		/* more rows than there are: as after a crash, no block is the last */
		if (digests_parse(bytes, BYTES, &table, &at, why) == 0) {
			assert_true(i == DIGESTS_HEAD + 1 || i == second || i == second + 1);
			assert_false(table.whole);
		}
		digests_fini(&table);
	}
	bytes_make(bytes);
	bytes[second + DIGESTS_BLOCK + 20] ^= 0x40;
	refused(
	    bytes, BYTES, second, "the rows from there on (count 2, behind index 2) were altered");
}

static void rows_that_make_no_sense_are_refused(void **state)
{
	struct digest_row row = {.index = 2, .state = ALOE_VALID, .len = 101};
	uint8_t bytes[DIGESTS_HEAD + DIGESTS_BLOCK + 2 * DIGESTS_ROW],
	    *block = bytes + DIGESTS_HEAD, *rows = block + DIGESTS_BLOCK;
	const uint64_t at = DIGESTS_HEAD + DIGESTS_BLOCK;

	(void)state;
	digests_head(bytes, ALOE_I16, 100);
	digests_row(rows, &row);
	digests_row(rows + DIGESTS_ROW, &row);
	digests_block(block, rows, 2, true);
	refused(bytes, sizeof(bytes), at, "a length of 101; the output has at most 100");
	row.len = 100;
	digests_row(rows, &row);
	digests_row(rows + DIGESTS_ROW, &row);
	digests_block(block, rows, 2, true);
	refused(bytes, sizeof(bytes), at + DIGESTS_ROW, "found index 2;");
	row.state = ALOE_ABSENT;
	digests_row(rows, &row);
	digests_block(block, rows, 1, true);
	refused(bytes, sizeof(bytes) - DIGESTS_ROW, at, "has state 0 with a length of 100");
}

static void digests_cut_short_are_whole_up_to_their_last_block(void **state)
{
	struct digest_table table;
	char why[DIGESTS_WHY];
	uint8_t bytes[BYTES];
	uint64_t at;

	(void)state;
	bytes_make(bytes);
	assert_int_equal(digests_parse(bytes, BYTES, &table, &at, why), 0);
	assert_true(table.whole);
	assert_int_equal(table.n_rows, 5);
	assert_int_equal(table.next, 9);
	digests_fini(&table);
	for (size_t len = BYTES - 1; len >= BYTES - DIGESTS_BLOCK - 2 * DIGESTS_ROW; len--) {
		assert_int_equal(digests_parse(bytes, len, &table, &at, why), 0);
		assert_false(table.whole);
		assert_int_equal(table.n_rows, 3);
		assert_int_equal(table.next, 3);
		digests_fini(&table);
	}
}

/* ---- where two tables part ---- */

static struct digest_table table_of(struct digest_row *rows, size_t n)
{
	return (struct digest_table){
	    .type = ALOE_I16, .max = 4, .rows = rows, .n_rows = n, .next = rows[n - 1].index + 1};
}

static void the_first_difference_is_found(void **state)
{
	struct digest_row one[6], other[6];
	struct digest_comparison comparison;
	struct digest_table tables[2];

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		one[i] = other[i] = (struct digest_row){i, ALOE_VALID, 4, i * 7};
	other[3].digest = 1;
	other[4].len = 3;
	other[5] = (struct digest_row){5, ALOE_ABSENT, 0, 0};
	tables[0] = table_of(one, 6);
	tables[1] = table_of(other, 6);
	digests_compare(&tables[0], &tables[1], 6, &comparison);
	assert_int_equal(comparison.compared, 6);
	assert_int_equal(comparison.differ, 3);
	assert_int_equal(comparison.row[0].index, 3);
	assert_int_equal(comparison.row[0].digest, 21);
	assert_int_equal(comparison.row[1].digest, 1);
	tables[1] = table_of(other, 3);
	digests_compare(&tables[0], &tables[1], 3, &comparison);
	assert_int_equal(comparison.compared, 3);
	assert_int_equal(comparison.differ + comparison.missed, 0);
	digests_compare(&tables[0], &tables[1], 5, &comparison); /* the end is missed */
	assert_int_equal(comparison.missed, 2);
	assert_int_equal(comparison.missed_first, 3);
}

static void what_one_has_not_run_is_no_difference(void **state)
{
	struct digest_row one[] = {
	    {0, ALOE_VALID, 4, 0}, {3, ALOE_VALID, 4, 3}, {4, ALOE_VALID, 4, 4}};
	struct digest_row other[] = {
	    {0, ALOE_VALID, 4, 0}, {2, ALOE_VALID, 4, 2}, {4, ALOE_VALID, 4, 5}};
	const struct digest_table tables[] = {table_of(one, 3), table_of(other, 3)};
	struct digest_comparison comparison;

	(void)state;
	digests_compare(&tables[0], &tables[1], 5, &comparison);
	assert_int_equal(comparison.compared, 2);
	assert_int_equal(comparison.missed, 2);
	assert_int_equal(comparison.missed_first, 2);
	assert_int_equal(comparison.differ, 1);
	assert_int_equal(comparison.row[1].index, 4);
}

/* ---- digester ---- */

enum { MESSAGES = 40, ITEMS = 4096 };

/* Of k items, so that some are shorter than a digest. */
static void message_feed(struct mock *digester, uint64_t k, int16_t items[ITEMS])
{
	for (unsigned i = 0; i < ITEMS; i++)
		items[i] = (int16_t)(k * 31 + i);
	if (k % 5 == 4)
		mock_give_state(digester, 0, k % 2 ? ALOE_ABSENT : ALOE_IDLE);
	else
		mock_give(digester, 0, items, (uint32_t)(k % ITEMS));
	assert_int_equal(mock_work(digester, k), 0);
}

static void path_make(char *path, size_t size)
{
	const char *temp = getenv("TMPDIR");

	snprintf(path, size, "%s/digests-%d", temp ? temp : "/tmp", (int)getpid());
}

static void digester_open(struct mock *digester, const char *path)
{
	mock_open(digester, "digester");
	mock_set(digester, "path", path);
	mock_input(digester, 0, ALOE_I16, ITEMS);
	assert_int_equal(mock_start(digester), 0);
}

static void each_message_has_its_digest(void **state)
{
	struct digest_table table;
	char path[200], why[DIGESTS_WHY], *bytes;
	struct mock digester;
	int16_t items[ITEMS];
	uint64_t at;
	size_t len;

	(void)state;
	path_make(path, sizeof(path));
	digester_open(&digester, path);
	for (uint64_t k = 0; k < MESSAGES; k++)
		message_feed(&digester, k, items);
	mock_close(&digester);
	assert_int_equal(file_read(path, 1 << 20, &bytes, &len), 0);
	assert_int_equal(digests_parse((const uint8_t *)bytes, len, &table, &at, why), 0);
	free(bytes);
	unlink(path);
	assert_true(table.whole);
	assert_int_equal(table.n_rows, MESSAGES);
	for (unsigned k = 0; k < MESSAGES; k++) {
		const bool valid = k % 5 != 4;

		for (unsigned i = 0; i < k; i++)
			items[i] = (int16_t)(k * 31 + i);
		assert_int_equal(table.rows[k].index, k);
		assert_int_equal(table.rows[k].state,
		    valid       ? ALOE_VALID
		        : k % 2 ? ALOE_ABSENT
		                : ALOE_IDLE);
		assert_int_equal(table.rows[k].len, valid ? k : 0);
		assert_true(table.rows[k].digest == digest64(items, valid ? k * 2 : 0, 0));
	}
	digests_fini(&table);
}

/* A file that may not grow stands for a full disk. */
static void a_full_disk_costs_the_digests_alone(void **state)
{
	const struct rlimit small = {.rlim_cur = 30000, .rlim_max = RLIM_INFINITY};
	struct rlimit before;
	struct mock digester;
	int16_t items[ITEMS];
	char path[200];

	(void)state;
	path_make(path, sizeof(path));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	digester_open(&digester, path);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (uint64_t k = 0; k < 2500; k++)
		message_feed(&digester, k, items);
	assert_true(mock_var(&digester, "messages") == DIGESTS_ROWS_MAX);
	assert_true(mock_var(&digester, "lost") == DIGESTS_ROWS_MAX);
	mock_close(&digester);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(bytes_that_are_wrong_are_refused_by_offset),
	    cmocka_unit_test(altered_bytes_are_found),
	    cmocka_unit_test(rows_that_make_no_sense_are_refused),
	    cmocka_unit_test(digests_cut_short_are_whole_up_to_their_last_block),
	    cmocka_unit_test(the_first_difference_is_found),
	    cmocka_unit_test(what_one_has_not_run_is_no_difference),
	    cmocka_unit_test(each_message_has_its_digest),
	    cmocka_unit_test(a_full_disk_costs_the_digests_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
