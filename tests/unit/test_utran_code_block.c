/* SPDX-License-Identifier: BSD-3-Clause
 * test_utran_code_block - segmentation of every size, against the formulas of TS 25.212 section
 * 4.2.2.2. */
#include "core/kernels/utran_code_block.h"
#include "core/kernels/utran_turbo.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { BITS_MAX = UTRAN_CODE_BLOCKS_MAX * UTRAN_TURBO_K_MAX };

static void assert_cut(
    uint32_t bits, uint32_t k_min, uint32_t k_max, uint32_t blocks, uint32_t k, uint32_t filler)
{
	struct utran_code_blocks cut;

	assert_int_equal(utran_code_blocks_init(&cut, bits, k_min, k_max), 0);
	assert_int_equal(cut.bits, bits);
	assert_int_equal(cut.blocks, blocks);
	assert_int_equal(cut.k, k);
	assert_int_equal(cut.filler, filler);
}

static void test_known(void **state)
{
	(void)state;
	assert_cut(3856, 40, 5114, 1, 3856, 0);
	assert_cut(1, 40, 5114, 1, 40, 39);
	assert_cut(39, 40, 5114, 1, 40, 1);
	assert_cut(40, 40, 5114, 1, 40, 0);
	assert_cut(5114, 40, 5114, 1, 5114, 0);
	assert_cut(5115, 40, 5114, 2, 2558, 1);
	assert_cut(10229, 40, 5114, 3, 3410, 1);
	assert_cut(16 * 5114, 40, 5114, 16, 5114, 0);
	assert_cut(1, 1, 504, 1, 1, 0);
	assert_cut(504, 1, 504, 1, 504, 0);
	assert_cut(505, 1, 504, 2, 253, 1);
	assert_cut(1009, 1, 504, 3, 337, 2);
}

static void test_refused(void **state)
{
	struct utran_code_blocks cut;

	(void)state;
	assert_int_equal(utran_code_blocks_init(&cut, 0, 40, 5114), -EINVAL);
	assert_int_equal(utran_code_blocks_init(&cut, 16 * 5114 + 1, 40, 5114), -EINVAL);
	assert_int_equal(utran_code_blocks_init(&cut, UINT32_MAX, 1, 504), -EINVAL);
}

/* What goes in by `get` comes out by `room` and `put`; nothing before or behind `out` is
 * touched. */
static void check_way(uint32_t bits, uint32_t k_min, uint32_t k_max)
{
	static uint8_t in[BITS_MAX], out[BITS_MAX + 2], scratch[UTRAN_TURBO_K_MAX];
	struct utran_code_blocks cut;

	assert_int_equal(utran_code_blocks_init(&cut, bits, k_min, k_max), 0);
	assert_true(cut.k >= k_min && cut.k <= k_max && cut.filler < cut.k);
	assert_int_equal(cut.blocks * cut.k, bits + cut.filler);
	for (uint32_t i = 0; i < bits; i++)
		in[i] = (uint8_t)(1 + i % 251);
	memset(out, 0xaa, bits + 2);
	for (uint32_t r = 0; r < cut.blocks; r++) {
		const uint8_t *block = utran_code_block_get(&cut, r, in, scratch);
		for (uint32_t i = 0; i < cut.k; i++) {
			const uint32_t at = r * cut.k + i; /* of the padded sequence */
			assert_int_equal(block[i], at < cut.filler ? 0 : in[at - cut.filler]);
		}
		memmove(utran_code_block_room(&cut, r, out + 1, scratch), block, cut.k);
		utran_code_block_put(&cut, r, out + 1, scratch);
	}
	assert_memory_equal(out + 1, in, bits);
	assert_int_equal(out[0], 0xaa);
	assert_int_equal(out[bits + 1], 0xaa);
}

static void test_way(void **state)
{
	(void)state;
	for (uint32_t bits = 1; bits <= 16 * 504; bits += 1 + bits / 60)
		check_way(bits, UTRAN_CONVOLUTIONAL_K_MIN, UTRAN_CONVOLUTIONAL_K_MAX);
	for (uint32_t bits = 1; bits <= BITS_MAX; bits += 1 + bits / 60)
		check_way(bits, UTRAN_TURBO_K_MIN, UTRAN_TURBO_K_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_known),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
