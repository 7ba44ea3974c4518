/* SPDX-License-Identifier: BSD-3-Clause
 * test_utran_rate - how many bits each transport channel gets, held against the standard's
 * reference channels, and the uplink's patterns against the plain ones of tests/utran_plain.
 * (Downlink patterns: test_utran_kernels.) */
#include "core/kernels/utran_rate_table.h"
#include "tests/utran_plain/utran_plain_uplink.h"

#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { BITS_MAX = 20000 };

/* ---- shares ------------------------------------------------------------------------ */

/* TS 25.101 A.3, TS 25.104 A: coded bits of a TTI, radio frames of it, bits per radio frame after
 * rate matching. */
static const struct channel {
	const char *name;
	uint32_t ndata;
	struct {
		uint32_t coded, frames, matched;
	} dtch, dcch;
} channels[] = {
    {"384 kbit/s", 9120, {11580, 1, 9049}, {360, 4, 71}},
    {"144 kbit/s", 4320, {8700, 2, 4232}, {360, 4, 88}},
    {"64 kbit/s", 2100, {3900, 2, 2007}, {360, 4, 93}},
    {"12.2 kbit/s", 420, {804, 2, 343}, {360, 4, 77}},
    {"384 kbit/s uplink", 9600, {11580, 1, 9525}, {360, 4, 75}},
};

static void test_reference_channels(void **state)
{
	(void)state;
	for (size_t c = 0; c < sizeof(channels) / sizeof(channels[0]); c++) {
		const struct channel *ch = &channels[c];
		const struct utran_rate_channel both[] = {
		    {256, ch->dtch.coded * 8 / ch->dtch.frames},
		    {256, ch->dcch.coded * 8 / ch->dcch.frames}};
		uint32_t matched[2];

		assert_int_equal(utran_rate_share(both, 2, ch->ndata, matched), 0);
		if (matched[0] != ch->dtch.matched || matched[1] != ch->dcch.matched)
			fail_msg("%s: %u + %u", ch->name, matched[0], matched[1]);
		assert_int_equal(matched[0] + matched[1], ch->ndata);
	}
}

/* Any channels, with any attributes, in any TTI: as equation 1 is written. */
static void test_shares(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct utran_rate_channel both[UTRAN_RATE_CHANNELS_MAX];
		int64_t rm[UTRAN_RATE_CHANNELS_MAX], n_tti[UTRAN_RATE_CHANNELS_MAX],
		    frames[UTRAN_RATE_CHANNELS_MAX];
		int64_t delta[UTRAN_RATE_CHANNELS_MAX];
		uint32_t matched[UTRAN_RATE_CHANNELS_MAX], n, ndata, sum = 0;

		seed = seed * 1664525u + 1013904223u;
		n = 1 + (seed >> 8) % UTRAN_RATE_CHANNELS_MAX;
		ndata = 1 + (seed >> 16) % 19200;
		for (uint32_t i = 0; i < n; i++) {
			seed = seed * 1664525u + 1013904223u;
			rm[i] = 1 + (seed >> 8) % 256;
			frames[i] = 1 << (seed >> 24) % 4;
			n_tti[i] = 1 + (seed >> 12) % 12000;
			both[i] = (struct utran_rate_channel){
			    (uint32_t)rm[i], (uint32_t)(n_tti[i] * 8 / frames[i])};
		}
		plain_rate_share((int)n, rm, n_tti, frames, ndata, delta);
		assert_int_equal(utran_rate_share(both, n, ndata, matched), 0);
		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal((int64_t)matched[i] * frames[i], n_tti[i] + delta[i]);
			sum += matched[i];
		}
		assert_int_equal(sum, ndata);
	}
}

static void test_shares_refused(void **state)
{
	struct utran_rate_channel one[UTRAN_RATE_CHANNELS_MAX + 1] = {{256, 80}};
	uint32_t matched[UTRAN_RATE_CHANNELS_MAX];

	(void)state;
	assert_int_equal(utran_rate_share(one, 1, 7, matched), 0);
	assert_int_equal(matched[0], 7);
	assert_int_equal(utran_rate_share(one, 0, 7, matched), -EINVAL);
	assert_int_equal(utran_rate_share(one, UTRAN_RATE_CHANNELS_MAX + 1, 7, matched), -EINVAL);
	one[0].rm = 0;
	assert_int_equal(utran_rate_share(one, 1, 7, matched), -EINVAL);
	one[0].rm = 257;
	assert_int_equal(utran_rate_share(one, 1, 7, matched), -EINVAL);
	one[0] = (struct utran_rate_channel){1, 0};
	assert_int_equal(utran_rate_share(one, 1, 7, matched), -EINVAL);
}

/* ---- uplink ------------------------------------------------------------------------ */

static void check_uplink(int coded, int matched, enum utran_coding coding, int frames, int frame)
{
	static int32_t in[BITS_MAX], want[16 * BITS_MAX];
	static uint32_t table[16 * BITS_MAX];

	for (int i = 0; i < coded; i++)
		in[i] = i;
	assert_int_equal(plain_uplink_match(in, coded, matched - coded, coding == UTRAN_TURBO,
	                     frames, frame, want),
	    matched);
	assert_int_equal(utran_rate_table_uplink((uint32_t)coded, (uint32_t)matched, coding,
	                     (uint32_t)frames, (uint32_t)frame, table),
	    0);
	for (int i = 0; i < matched; i++)
		if (table[i] != (uint32_t)want[i])
			fail_msg("%d to %d, %s, frame %d of %d: bit %d is bit %u, should be %d",
			    coded, matched, coding == UTRAN_TURBO ? "turbo" : "convolutional",
			    frame, frames, i, table[i], want[i]);
}

static void test_uplink(void **state)
{
	static const int lengths[] = {44, 45, 46, 90, 97, 402, 1950, 4350};

	(void)state;
	for (int frames = 1; frames <= 8; frames *= 2) {
		for (int frame = 0; frame < frames; frame++) {
			for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
				const int n = lengths[l], least = n - n / 3 * 2, step = 1 + n / 200;

				for (int matched = least; matched <= 2 * n + 5; matched += step)
					check_uplink(n, matched, UTRAN_TURBO, frames, frame);
				for (int matched = 1; matched <= 3 * n; matched += step)
					check_uplink(
					    n, matched, UTRAN_CONVOLUTIONAL, frames, frame);
			}
			check_uplink(11580, 9525, UTRAN_TURBO, frames, frame);
			check_uplink(11580, 11580, UTRAN_TURBO, frames, frame);
			check_uplink(11580, 11579, UTRAN_TURBO, frames, frame);
		}
	}
}

/* A TTI of 10 ms is matched alike in both directions where a code is punctured; 384 kbit/s: 2055
 * bits, 1028 and 1027. */
static void test_uplink_dtch(void **state)
{
	static uint32_t up[BITS_MAX], down[BITS_MAX];
	uint32_t kept[3] = {0};

	(void)state;
	assert_int_equal(utran_rate_table_uplink(11580, 9525, UTRAN_TURBO, 1, 0, up), 0);
	assert_int_equal(utran_rate_table(11580, 9525, UTRAN_TURBO, down), 0);
	assert_memory_equal(up, down, 9525 * sizeof(*up));
	for (int i = 0; i < 9525; i++)
		kept[up[i] % 3]++;
	assert_int_equal(kept[0], 3860);
	assert_int_equal(kept[1], 3860 - 1028);
	assert_int_equal(kept[2], 3860 - 1027);
	assert_int_equal(plain_uplink_parity_e_ini(2, 3860, 1028, 1, 0), 3860);
	assert_int_equal(plain_uplink_parity_e_ini(3, 3860, 1027, 1, 0), 3860);
}

/* The DCCH beside it: 90 to 75 in each frame; e_ini 1, 31, 121, 61. So what is punctured lies apart
 * in the TTI. */
static void test_uplink_dcch(void **state)
{
	static const int64_t e_ini[] = {1, 31, 121, 61};
	uint8_t punctured[360] = {0};

	(void)state;
	for (uint32_t n = 0; n < 4; n++) {
		uint32_t table[75];
		int next = 0;

		assert_int_equal(plain_uplink_e_ini(90, -15, 4, (int)n), e_ini[n]);
		assert_int_equal(
		    utran_rate_table_uplink(90, 75, UTRAN_CONVOLUTIONAL, 4, n, table), 0);
		for (uint32_t i = 0; i < 90; i++) {
			const bool kept = next < 75 && table[next] == i;
			next += kept;
			punctured[4 * i + (uint32_t)plain_column(4, (int)n)] = !kept;
		}
		assert_int_equal(next, 75);
	}
	for (int i = 0; i < 359; i++)
		assert_false(punctured[i] && punctured[i + 1]);
}

static void test_uplink_refused(void **state)
{
	uint32_t table[3000];

	(void)state;
	assert_int_equal(utran_rate_table_uplink(97, 33, UTRAN_TURBO, 1, 0, table), 0);
	assert_int_equal(utran_rate_table_uplink(97, 32, UTRAN_TURBO, 1, 0, table), -EINVAL);
	assert_int_equal(
	    utran_rate_table_uplink(97, 97 * 16 + 1, UTRAN_TURBO, 1, 0, table), -EINVAL);
	assert_int_equal(utran_rate_table_uplink(0, 1, UTRAN_CONVOLUTIONAL, 1, 0, table), -EINVAL);
	assert_int_equal(utran_rate_table_uplink(97, 0, UTRAN_CONVOLUTIONAL, 1, 0, table), -EINVAL);
	assert_int_equal(
	    utran_rate_table_uplink(97, 90, UTRAN_CONVOLUTIONAL, 3, 0, table), -EINVAL);
	assert_int_equal(
	    utran_rate_table_uplink(97, 90, UTRAN_CONVOLUTIONAL, 0, 0, table), -EINVAL);
	assert_int_equal(
	    utran_rate_table_uplink(97, 90, UTRAN_CONVOLUTIONAL, 4, 4, table), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reference_channels),
	    cmocka_unit_test(test_shares),
	    cmocka_unit_test(test_shares_refused),
	    cmocka_unit_test(test_uplink),
	    cmocka_unit_test(test_uplink_dtch),
	    cmocka_unit_test(test_uplink_dcch),
	    cmocka_unit_test(test_uplink_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
