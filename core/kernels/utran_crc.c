/* SPDX-License-Identifier: BSD-3-Clause
 * utran_crc - CRC attachment; in plain C eight bits at a time. */
#include "core/kernels/utran_crc.h"
#include "core/kernels/levels.h"

#include <errno.h>
#include <string.h>

static uint32_t crc_polynomial(uint32_t size)
{
	switch (size) {
	case 24:
		return 0x800063;
	case 16:
		return 0x1021;
	case 12:
		return 0x80f;
	case 8:
		return 0x9b;
	default:
		return 0;
	}
}

/* What a state becomes by so many zero bits more. */
static uint32_t crc_shifted(const struct utran_crc *crc, uint32_t state, uint32_t bits)
{
	for (uint32_t i = 0; i < bits; i++)
		state = utran_crc_bit(state, crc->polynomial, 0);
	return state;
}

int utran_crc_init(struct utran_crc *crc, uint32_t size)
{
	const uint32_t polynomial = crc_polynomial(size);

	if (!polynomial)
		return -EINVAL;
	crc->size = size;
	crc->polynomial = polynomial << (32 - size);
	crc->state = utran_crc_state_plain;
	for (uint32_t byte = 0; byte < 256; byte++)
		for (uint32_t t = 0; t < 4; t++)
			crc->table[t][byte] = crc_shifted(crc, byte << 24, 8 * (t + 1));
	for (uint32_t f = 0; f < 3; f++)
		crc->fold[f] = crc_shifted(crc, crc->polynomial, 64 * (f + 1) - 32);
	return 0;
}

void utran_crc_use(struct utran_crc *crc, enum simd_level level)
{
	static uint32_t (*const states[SIMD_LEVELS])(const struct utran_crc *, const uint8_t *,
	    uint32_t) = KERNEL_LEVELS(utran_crc_state_plain, utran_crc_state_sse41,
	    utran_crc_state_avx2, utran_crc_state_avx512, utran_crc_state_neon);

	crc->state = states[level];
}

/* Eight bits in eight bytes, the first one on top: the products of the multiplication meet only in
 * the highest byte. */
static uint32_t crc_pack(const uint8_t *bits)
{
	uint64_t word;

	memcpy(&word, bits, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return (uint32_t)(word * 0x8040201008040201u >> 56);
}

uint32_t utran_crc_state_plain(const struct utran_crc *crc, const uint8_t *bits, uint32_t len)
{
	uint32_t state = 0;
	uint32_t i = 0;

	for (; i + 8 <= len; i += 8)
		state = (state << 8) ^ crc->table[0][(state >> 24) ^ crc_pack(bits + i)];
	for (; i < len; i++)
		state = utran_crc_bit(state, crc->polynomial, bits[i]);
	return state;
}

uint32_t utran_crc_parity(const struct utran_crc *crc, const uint8_t *bits, uint32_t len)
{
	return crc->state(crc, bits, len) >> (32 - crc->size);
}

void utran_crc_attach(
    const struct utran_crc *crc, const uint8_t *bits, uint32_t len, uint8_t *parity)
{
	const uint32_t remainder = utran_crc_parity(crc, bits, len);

	for (uint32_t i = 0; i < crc->size; i++)
		parity[i] = remainder >> i & 1;
}

bool utran_crc_check(const struct utran_crc *crc, const uint8_t *bits, uint32_t len)
{
	const uint32_t remainder = utran_crc_parity(crc, bits, len);
	uint32_t received = 0;

	for (uint32_t i = 0; i < crc->size; i++)
		received |= (uint32_t)bits[len + i] << i;
	return received == remainder;
}
