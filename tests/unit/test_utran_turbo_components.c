/* SPDX-License-Identifier: BSD-3-Clause
 * test_utran_turbo_components - turbo encoder and decoder as components: any number of code blocks
 * in a TTI, what they refuse, and the decoder's early stop. The bits of one block are
 * test_utran_encoder's and test_utran_decoder's. */
#include "core/kernels/utran_code_block.h"
#include "core/kernels/utran_crc.h"
#include "core/kernels/utran_turbo.h"
#include "tests/mock/mock.h"
#include "tests/utran_plain/utran_plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum {
	BITS_MAX = UTRAN_CODE_BLOCKS_MAX * UTRAN_TURBO_K_MAX,
	CODED_MAX = UTRAN_CODE_BLOCKS_MAX * (3 * UTRAN_TURBO_K_MAX + UTRAN_TURBO_TAIL)
};

struct tti {
	uint8_t bits[BITS_MAX];
	int16_t soft[CODED_MAX];
	int32_t block[UTRAN_TURBO_K_MAX], coded[3 * UTRAN_TURBO_K_MAX + UTRAN_TURBO_TAIL];
	uint32_t seed;
};

static int tti_new(void **state)
{
	*state = calloc(1, sizeof(struct tti));
	return *state ? 0 : -1;
}

static int tti_free(void **state)
{
	free(*state);
	return 0;
}

static uint32_t draw(struct tti *t)
{
	t->seed = t->seed * 1664525u + 1013904223u;
	return t->seed >> 8;
}

static void draw_bits(struct tti *t, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		t->bits[i] = draw(t) >> 9 & 1;
}

/* Starts a component at a level with settings "name=value", ended by NULL, and one input. */
static int start_at(
    struct mock *m, uint32_t simd, const char *component, uint32_t max, const char *const *settings)
{
	mock_open(m, component);
	m->setup.simd = simd;
	for (; settings && *settings; settings++) {
		char name[32];
		const char *equals = strchr(*settings, '=');
		snprintf(name, sizeof(name), "%.*s", (int)(equals - *settings), *settings);
		assert_int_equal(mock_set(m, name, equals + 1), 0);
	}
	mock_input(
	    m, 0, strcmp(component, "utran_turbo_encoder") == 0 ? ALOE_BIT : ALOE_LLR16, max);
	return mock_start(m);
}

static int start(struct mock *m, const char *component, uint32_t max, const char *const *settings)
{
	return start_at(m, simd_best(), component, max, settings);
}

#define WITH(...) ((const char *const[]){__VA_ARGS__, NULL})

static void refused(
    const char *component, uint32_t max, const char *const *settings, const char *why)
{
	struct mock m;

	assert_true(start(&m, component, max, settings) < 0);
	assert_string_equal(m.setup.error, why);
	mock_close(&m);
}

static void sized(uint32_t soft, const char *const *settings, uint32_t bits)
{
	struct mock m;

	if (start(&m, "utran_turbo_decoder", soft, settings) < 0)
		fail_msg("%u soft bits: %s", soft, m.setup.error);
	assert_int_equal(m.out[0].max, bits);
	mock_close(&m);
}

static void test_sizes(void **state)
{
	(void)state;
	sized(132, NULL, 40);
	sized(132, WITH("bits=40"), 40);
	sized(132, WITH("bits=1"), 1);
	sized(132, WITH("block=40", "bits=40"), 40);
	sized(15354, NULL, 5114);
	sized(2 * 7686, NULL, 5116); /* two blocks of 2558: without `bits`, both full */
	sized(2 * 7686, WITH("bits=5115"), 5115);
	sized(3 * 10242, WITH("bits=10229"), 10229);
	sized(16 * 15354, NULL, BITS_MAX);
}

static void test_refusals(void **state)
{
	(void)state;
	refused("utran_turbo_encoder", BITS_MAX + 1, NULL,
	    "input of 81825 bits is outside [1, 81824], 16 code blocks of 5114");
	refused("utran_turbo_decoder", 15372, WITH("bits=5114"),
	    "bits 5114 needs 15354 soft bits, but the input has 15372");
	refused("utran_turbo_decoder", 132, WITH("block=41"),
	    "block 41 needs 135 soft bits, but the input has 132");
	refused("utran_turbo_decoder", 132, WITH("block=40", "bits=41"),
	    "block 40 and bits 41 are both given; give one of them");
	refused("utran_turbo_decoder", 132, WITH("metrics=12"), "metrics 12 is not 8 or 16");
	refused("utran_turbo_decoder", 15360, NULL,
	    "input of 15360 soft bits is not 3K + 12 for a block K in [40, 5114], nor up to 16 "
	    "such blocks");
	refused("utran_turbo_decoder", 132, WITH("early_stop=true", "crc=0"),
	    "crc 0 is not 8, 12, 16 or 24, as early_stop needs it");
	refused("utran_turbo_decoder", 132, WITH("early_stop=true", "tti_blocks=3"),
	    "40 bits are not 3 transport blocks of one size with a CRC of 16");
}

/* What the standard makes of the bits of t, by the plain coder, against the component; and into
 * soft bits. */
static void check_coded(struct tti *t, uint32_t bits, const uint8_t *out)
{
	const uint32_t blocks = (bits + 5113) / 5114,
	               k = bits < 40 ? 40 : (bits + blocks - 1) / blocks;
	const uint32_t filler = blocks * k - bits, coded = 3 * k + 12;

	for (uint32_t r = 0; r < blocks; r++) {
		for (uint32_t i = 0; i < k; i++)
			t->block[i] = r * k + i < filler ? 0 : t->bits[r * k + i - filler];
		plain_turbo_encode(t->block, (int)k, t->coded);
		for (uint32_t i = 0; i < coded; i++) {
			assert_int_equal(out[r * coded + i], t->coded[i]);
			t->soft[r * coded + i] = out[r * coded + i] ? -16 : 16;
		}
	}
}

static void check_way(struct tti *t, uint32_t bits, uint32_t simd, const char *metrics)
{
	struct mock encoder, decoder;
	char setting[32];

	snprintf(setting, sizeof(setting), "bits=%u", bits);
	assert_int_equal(start_at(&encoder, simd, "utran_turbo_encoder", bits, NULL), 0);
	draw_bits(t, bits);
	mock_give(&encoder, 0, t->bits, bits);
	assert_int_equal(mock_work(&encoder, 0), 0);
	assert_int_equal(encoder.out[0].len, encoder.out[0].max);
	check_coded(t, bits, encoder.out[0].data);
	assert_int_equal(start_at(&decoder, simd, "utran_turbo_decoder", encoder.out[0].len,
	                     WITH(setting, metrics)),
	    0);
	mock_give(&decoder, 0, t->soft, encoder.out[0].len);
	assert_int_equal(mock_work(&decoder, 0), 0);
	assert_int_equal(decoder.out[0].len, bits);
	assert_memory_equal(decoder.out[0].data, t->bits, bits);
	mock_close(&encoder);
	mock_close(&decoder);
}

static void test_way(void **state)
{
	static const uint32_t sizes[] = {
	    1, 39, 40, 41, 3856, 5114, 5115, 5116, 10228, 10229, 20000, 50001, BITS_MAX};

	for (uint32_t level = SIMD_PLAIN; level < SIMD_LEVELS; level++)
		for (size_t i = 0;
		     simd_has((enum simd_level)level) && i < sizeof(sizes) / sizeof(sizes[0]);
		     i++) {
			check_way(*state, sizes[i], level, "metrics=16");
			check_way(*state, sizes[i], level, "metrics=8");
		}
}

/* `blocks` transport blocks with their parity, coded, with one soft bit in `flip` inverted. */
static uint32_t make_tti(
    struct tti *t, uint32_t blocks, uint32_t bits, uint32_t size, uint32_t flip)
{
	const uint32_t each = bits / blocks;
	struct mock encoder;
	struct utran_crc crc;
	uint32_t coded;

	assert_int_equal(utran_crc_init(&crc, size), 0);
	draw_bits(t, bits);
	for (uint32_t i = 0; i < blocks; i++)
		utran_crc_attach(
		    &crc, t->bits + i * each, each - size, t->bits + (i + 1) * each - size);
	assert_int_equal(start(&encoder, "utran_turbo_encoder", bits, NULL), 0);
	mock_give(&encoder, 0, t->bits, bits);
	assert_int_equal(mock_work(&encoder, 0), 0);
	check_coded(t, bits, encoder.out[0].data);
	coded = encoder.out[0].len;
	for (uint32_t i = 0; flip && i < coded; i++)
		if (draw(t) % flip == 0)
			t->soft[i] = (int16_t)-t->soft[i];
	mock_close(&encoder);
	return coded;
}

static uint64_t run(struct mock *m, const struct tti *t, uint32_t coded, uint64_t index)
{
	const uint64_t before = mock_var(m, "iterations_run");

	mock_give(m, 0, t->soft, coded);
	assert_int_equal(mock_work(m, index), 0);
	return mock_var(m, "iterations_run") - before;
}

/* It stops at the first iteration after which the bits are right, which without it are the same. */
static void check_early(struct tti *t, uint32_t simd, uint32_t blocks, uint32_t bits, uint32_t size)
{
	const uint32_t coded = make_tti(t, blocks, bits, size, 0);
	char crc[16], tti_blocks[24];
	struct mock early, fixed;

	snprintf(crc, sizeof(crc), "crc=%u", size);
	snprintf(tti_blocks, sizeof(tti_blocks), "tti_blocks=%u", blocks);
	assert_int_equal(start_at(&early, simd, "utran_turbo_decoder", coded,
	                     WITH("iterations=8", "early_stop=true", crc, tti_blocks)),
	    0);
	assert_int_equal(start_at(&fixed, simd, "utran_turbo_decoder", coded, NULL), 0);
	assert_int_equal(run(&early, t, coded, 0), 1);
	assert_memory_equal(early.out[0].data, t->bits, bits);
	for (uint64_t slot = 1; slot < 12; slot++) {
		uint64_t needed;
		char iterations[16];
		make_tti(t, blocks, bits, size, 9 + (uint32_t)slot % 3);
		needed = run(&early, t, coded, slot);
		assert_in_range(needed, 1, 8);
		snprintf(iterations, sizeof(iterations), "%u", (unsigned)needed);
		assert_int_equal(mock_set(&fixed, "iterations", iterations), 0);
		assert_int_equal(run(&fixed, t, coded, slot), needed);
		assert_memory_equal(early.out[0].data, fixed.out[0].data, bits);
		if (needed < 8)
			assert_memory_equal(early.out[0].data, t->bits, bits);
		for (unsigned fewer = 1; fewer < needed; fewer++) {
			snprintf(iterations, sizeof(iterations), "%u", fewer);
			assert_int_equal(mock_set(&fixed, "iterations", iterations), 0);
			run(&fixed, t, coded, slot);
			assert_memory_not_equal(fixed.out[0].data, t->bits, bits);
		}
	}
	mock_close(&early);
	mock_close(&fixed);
}

static void test_early_stop(void **state)
{
	for (uint32_t level = SIMD_PLAIN; level < SIMD_LEVELS; level++) {
		if (!simd_has((enum simd_level)level))
			continue;
		check_early(*state, level, 1, 3856, 16);
		check_early(*state, level, 4, 4 * 352, 12);
		check_early(*state, level, 2, 8000, 24);
		check_early(*state, level, 1, 200, 8);
	}
}

/* One decoder on two levels: the same bits and as many iterations, whether noise leaves the block
 * right or wrong. */
static unsigned check_level(struct tti *t, uint32_t simd, const char *metrics, const char *windows)
{
	struct mock plain, other;
	unsigned wrong = 0;

	assert_int_equal(
	    start_at(&plain, SIMD_PLAIN, "utran_turbo_decoder", 11580,
	        WITH("iterations=8", "early_stop=true", "scaling=0.75", metrics, windows)),
	    0);
	assert_int_equal(
	    start_at(&other, simd, "utran_turbo_decoder", 11580,
	        WITH("iterations=8", "early_stop=true", "scaling=0.75", metrics, windows)),
	    0);
	for (uint64_t slot = 0; slot < 10; slot++) {
		const uint32_t coded = make_tti(t, 1, 3856, 16, 6 + (uint32_t)slot % 2);
		assert_int_equal(run(&plain, t, coded, slot), run(&other, t, coded, slot));
		assert_memory_equal(plain.out[0].data, other.out[0].data, 3856);
		wrong += memcmp(other.out[0].data, t->bits, 3856) != 0;
	}
	mock_close(&plain);
	mock_close(&other);
	return wrong;
}

static void test_levels(void **state)
{
	static const char *const windows[] = {
	    "windows=0", "windows=1", "windows=8", "windows=32", "windows=64"};
	unsigned wrong = 0, levels = 0;

	for (uint32_t level = SIMD_PLAIN + 1; level < SIMD_LEVELS; level++) {
		for (size_t i = 0; simd_has((enum simd_level)level) &&
		     i < 2 * (sizeof(windows) / sizeof(windows[0]));
		     i++)
			wrong += check_level(
			    *state, level, i % 2 ? "metrics=8" : "metrics=16", windows[i / 2]);
		levels += simd_has((enum simd_level)level);
	}
	assert_in_range(wrong, 20 * levels, 80 * levels);
}

/* Noise alone never passes: all iterations are run. */
static void test_early_stop_garbage(void **state)
{
	struct tti *t = *state;
	struct mock m;

	assert_int_equal(start(&m, "utran_turbo_decoder", 11580,
	                     WITH("iterations=5", "early_stop=true", "crc=24")),
	    0);
	for (int i = 0; i < 11580; i++)
		t->soft[i] = (int16_t)(draw(t) % 65 - 32);
	assert_int_equal(run(&m, t, 11580, 0), 5);
	mock_close(&m);
}

/* Scaling is live: with the least of it 8 iterations decode what they do not with the most. */
static void test_scaling(void **state)
{
	struct tti *t = *state;
	const uint32_t coded = make_tti(t, 1, 3856, 16, 7);
	uint8_t whole[3856];
	struct mock m;

	assert_int_equal(
	    start(&m, "utran_turbo_decoder", coded, WITH("iterations=3", "scaling=1")), 0);
	run(&m, t, coded, 0);
	memcpy(whole, m.out[0].data, 3856);
	assert_int_equal(mock_set(&m, "scaling", "0.5"), 0);
	run(&m, t, coded, 1);
	assert_memory_not_equal(m.out[0].data, whole, 3856);
	assert_int_equal(mock_set(&m, "scaling", "1"), 0);
	run(&m, t, coded, 2);
	assert_memory_equal(m.out[0].data, whole, 3856);
	mock_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sizes),
	    cmocka_unit_test(test_refusals),
	    cmocka_unit_test(test_way),
	    cmocka_unit_test(test_early_stop),
	    cmocka_unit_test(test_levels),
	    cmocka_unit_test(test_early_stop_garbage),
	    cmocka_unit_test(test_scaling),
	};

	return cmocka_run_group_tests(tests, tti_new, tti_free);
}
