/* SPDX-License-Identifier: BSD-3-Clause
 * test_utran_encoder - the turbo coder on every level: the reference's codeword for every block
 * size, wherever it lies. */
#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_encoder.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { CODED_MAX = 3 * UTRAN_TURBO_K_MAX + UTRAN_TURBO_TAIL, GUARD = 64 };

struct coder {
	struct utran_turbo_encoder encoder;
	_Alignas(64) uint8_t memory[32768];
	uint8_t in[GUARD + UTRAN_TURBO_K_MAX], want[CODED_MAX], got[3 * GUARD + CODED_MAX];
	uint32_t seed;
};

static int coder_new(void **state)
{
	*state = aligned_alloc(64, (sizeof(struct coder) + 63) / 64 * 64);
	if (*state)
		memset(*state, 0, sizeof(struct coder));
	return *state ? 0 : -1;
}

static int coder_free(void **state)
{
	free(*state);
	return 0;
}

static void coder_start(struct coder *c, uint32_t k)
{
	assert_in_range(utran_turbo_encoder_size(k), 1, sizeof(c->memory) - GUARD);
	memset(c->memory, 0xa5, sizeof(c->memory));
	assert_int_equal(utran_turbo_encoder_init(&c->encoder, k, c->memory), 0);
	for (int i = 0; i < GUARD; i++)
		assert_int_equal(c->memory[utran_turbo_encoder_size(k) + (size_t)i], 0xa5);
}

/* The k bits at `in`, coded on every level to an address of its own. */
static void check_levels(struct coder *c, const uint8_t *in, uint32_t k)
{
	const uint32_t coded = utran_turbo_coded(k);

	utran_turbo_encode_plain(c->encoder.pi, k, in, c->want);
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level++) {
		uint8_t *out = c->got + GUARD + (k + (uint32_t)level) % 7;
		if (!simd_has((enum simd_level)level))
			continue;
		memset(c->got, 0xa5, sizeof(c->got));
		utran_turbo_encoder_kernels((enum simd_level)level)->encode(&c->encoder, in, out);
		for (uint32_t i = 0; i < coded; i++)
			if (out[i] != c->want[i])
				fail_msg("K = %u, %s: bit %u of %u is %u", k,
				    simd_name((enum simd_level)level), i, coded, out[i]);
		for (int i = 1; i <= GUARD; i++) {
			assert_int_equal(out[-i], 0xa5);
			assert_int_equal(out[coded + (uint32_t)i - 1], 0xa5);
		}
	}
}

static void test_every_size(void **state)
{
	struct coder *c = *state;

	for (uint32_t k = UTRAN_TURBO_K_MIN; k <= UTRAN_TURBO_K_MAX; k++) {
		uint8_t *in = c->in + k % 64;
		coder_start(c, k);
		for (uint32_t i = 0; i < k; i++) {
			c->seed = c->seed * 1664525u + 1013904223u;
			in[i] = c->seed >> 31;
		}
		check_levels(c, in, k);
	}
}

/* Each input bit alone: its answer runs to the end of both coders. */
static void test_every_bit(void **state)
{
	static const uint32_t ks[] = {40, 63, 64, 65, 66, 67, 128, 130, 513};
	struct coder *c = *state;

	for (size_t s = 0; s < sizeof(ks) / sizeof(ks[0]); s++) {
		coder_start(c, ks[s]);
		memset(c->in, 0, ks[s]);
		check_levels(c, c->in, ks[s]);
		for (uint32_t i = 0; i < ks[s]; i++) {
			c->in[i] = 1;
			check_levels(c, c->in, ks[s]);
			c->in[i] = 0;
		}
		memset(c->in, 1, ks[s]);
		check_levels(c, c->in, ks[s]);
	}
}

static void test_refused(void **state)
{
	struct coder *c = *state;

	assert_int_equal(utran_turbo_encoder_size(39), 0);
	assert_int_equal(utran_turbo_encoder_size(5115), 0);
	assert_int_equal(utran_turbo_encoder_init(&c->encoder, 39, c->memory), -EINVAL);
	assert_int_equal(utran_turbo_encoder_init(&c->encoder, 5115, c->memory), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_size),
	    cmocka_unit_test(test_every_bit),
	    cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, coder_new, coder_free);
}
