/* SPDX-License-Identifier: BSD-3-Clause
 * test_kernels_move - core/kernels/move.h at every level: as memcpy and memset, to the byte. */
#include "core/kernels/move.h"
#include "tests/common/guarded.h"

enum { MOST = MOVE_NEAR + 300 };

static void move(
    const struct move_kernels *kernels, struct guarded *in, struct guarded *out, size_t bytes)
{
	for (int edge = 0; edge < GUARDED_EDGES; edge++) {
		const uint8_t *from = guarded_at(in, edge, bytes);
		uint8_t *to = guarded_fresh(out, edge, bytes);

		kernels->copy(to, from, bytes);
		assert_memory_equal(to, from, bytes);
		guarded_check(out, to, bytes);
		to = guarded_fresh(out, edge, bytes);
		kernels->clear(to, bytes);
		for (size_t i = 0; i < bytes; i++)
			assert_int_equal(to[i], 0);
		guarded_check(out, to, bytes);
	}
}

static void test_move(void **state)
{
	struct guarded in, out;

	(void)state;
	guarded_new(&in, MOST);
	guarded_new(&out, MOST);
	GUARDED_EACH_LEVEL(level)
	{
		const struct move_kernels *kernels = move_kernels((enum simd_level)level);

		for (size_t bytes = 0; bytes <= 1100; bytes++)
			move(kernels, &in, &out, bytes);
		for (size_t bytes = MOVE_NEAR - 3; bytes <= MOST; bytes += 101)
			move(kernels, &in, &out, bytes);
	}
	guarded_free(&in);
	guarded_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_move)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
