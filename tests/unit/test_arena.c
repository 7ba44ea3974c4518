/* SPDX-License-Identifier: BSD-3-Clause
 * core/slot/arena: pieces are zero, aligned and apart; small ones share regions, large ones lie in
 * huge pages where the machine gives any; memory that there is not is NULL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/platform/platform.h"
#include "core/slot/arena.h"

enum { PIECES = 2000, MEGABYTE = 1 << 20 };

static size_t size_at(size_t i)
{
	return i % 7 == 0 ? i * 5 : i % 100 + 1;
}

static void test_pieces(void **state)
{
	struct arena arena = {0};
	uint8_t *pieces[PIECES];

	(void)state;
	for (size_t i = 0; i < PIECES; i++) {
		pieces[i] = arena_take(&arena, size_at(i));
		assert_non_null(pieces[i]);
		assert_int_equal((uintptr_t)pieces[i] % 64, 0);
		for (size_t b = 0; b < size_at(i); b++)
			assert_int_equal(pieces[i][b], 0);
		memset(pieces[i], (int)(i % 255) + 1, size_at(i));
	}
	for (size_t i = 0; i < PIECES; i++)
		for (size_t b = 0; b < size_at(i); b++)
			assert_int_equal(pieces[i][b], i % 255 + 1);
	arena_free(&arena);
	assert_null(arena.regions);
	arena_free(&arena);
}

static void test_none(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_null(arena_take(&arena, SIZE_MAX));
	assert_null(arena_take(&arena, SIZE_MAX - 63));
	assert_null(arena_take(&arena, SIZE_MAX / 3));
	assert_non_null(arena_take(&arena, 0));
	arena_free(&arena);
}

/* Kilobytes of huge pages behind an address. */
static long huge_kb(const void *at)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	unsigned long from, to;
	char line[512];
	bool here = false;
	long kb = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			here = (uintptr_t)at >= from && (uintptr_t)at < to;
		if (here && sscanf(line, "AnonHugePages: %ld kB", &kb) == 1)
			break;
	}
	fclose(file);
	return kb;
}

static void test_huge(void **state)
{
	struct arena arena = {0};
	uint8_t *piece = arena_take(&arena, 9 * MEGABYTE);

	(void)state;
	assert_non_null(piece);
	memset(piece, 1, 9 * MEGABYTE);
	assert_int_equal((uintptr_t)piece % (2 * MEGABYTE), 64); /* behind the region's head */
	if (arena.no_huge)
		print_message("no huge pages here, and it is known\n");
	else
		assert_in_range(huge_kb(piece), 2048, 10240); /* the machine may be short of them */
	arena_free(&arena);
}

/* Many small pieces come to regions of huge pages, too, and to few of them. */
static void test_growth(void **state)
{
	struct arena arena = {0};
	uintptr_t last = 0;
	size_t jumps = 0;

	(void)state;
	for (size_t i = 0; i < 100000; i++) {
		const uintptr_t at = (uintptr_t)arena_take(&arena, 100);

		jumps += at != last + 128;
		last = at;
	}
#if !defined(__SANITIZE_ADDRESS__)
	assert_in_range(jumps, 1, 20);
#endif
	arena_free(&arena);
}

static void test_scratch(void **state)
{
	struct arena arena = {0};
	void *const one = arena_scratch(&arena, 1, 1000), *other, *larger;

	(void)state;
	assert_int_equal((uintptr_t)one % 64, 0);
	assert_ptr_equal(arena_scratch(&arena, 1, 1000), one);
	assert_ptr_equal(arena_scratch(&arena, 1, 10), one);
	larger = arena_scratch(&arena, 1, 5000);
	memset(one, 1, 1000);
	memset(larger, 2, 5000);
	assert_int_equal(*(uint8_t *)one, 1); /* the smaller one is still somebody's */
	assert_ptr_equal(arena_scratch(&arena, 1, 1000), larger);
	other = arena_scratch(&arena, 2, 1000);
	assert_ptr_not_equal(other, larger);
	memset(other, 3, 1000);
	assert_int_equal(*(uint8_t *)larger, 2);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pieces),
	    cmocka_unit_test(test_none),
	    cmocka_unit_test(test_huge),
	    cmocka_unit_test(test_growth),
	    cmocka_unit_test(test_scratch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
