/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/calibrate.h - what a core does in a second, by class of work: a kernel for each
 * class, as good as the vector level allows, so that a time measured on one machine can be
 * converted to another (core/map/class.h).
 *
 * core/measure/calibrate.h measures them. The rate of the scalar multiply-accumulate is the unit of
 * account; it says nothing about how much faster a machine with wider vectors moves bits. The
 * kernels here say that. They are not the components': each is the plainest form of its class, on
 * random data in the first cache.
 *
 *   class        an item is; plain C; vector levels
 *
 *   call         a call: messages looked at, a clock read; the same; the same
 *   scalar       an addition that waits for the one before; the same; the same
 *   arithmetic   a 16-bit number added to and limited; a loop; the same loop, compiled for the
 *                level
 *   copy         a byte copied; memcpy; the same
 *   bits         a bit of a byte packed and checksummed; 8 at a time, by table; 16 by table, 32, 64
 *                by carry-less multiplication
 *   register     a bit through a shift register with feedback; bit by bit; 64 in a word, packed and
 *                spread
 *   shuffle8     a byte kept, one in five dropped; by index; 16 bytes by shuffle; compress
 *   shuffle16    a 16-bit number spread out; by index; 16 bytes by shuffle, 32, expand
 *   transpose8   a byte of a matrix of 32 columns; by stride; squares of 16 in registers of 16, 32,
 *                64 bytes
 *   transpose16  a 16-bit number, back to 32 columns; by stride; squares of 8
 *   gather8      a bit from anywhere in a block; by index; AVX-512: looked up in registers
 *   gather16     a 16-bit number from anywhere; by index; AVX-512: gathered
 *   weave        a byte of three streams made one; by stride; 16 bytes by shuffle; bits deposited
 *   trellis      a step of 8 states, forward, backward, joined; one at a time; 8, 16, 32 side by
 *                side
 *
 * NEON has those of 16 bytes that need no instruction of x86.
 */
#ifndef CORE_KERNELS_CALIBRATE_H
#define CORE_KERNELS_CALIBRATE_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/calibrate.h"
#include "core/base/simd.h"

/* What a pass of a kernel works on, and how much. */
enum {
	CALIBRATE_ITEMS = 9216,                   /* about a radio frame */
	CALIBRATE_WIDE = CALIBRATE_ITEMS / 4 * 5, /* of which so many are kept */
	/* items of bits, gather8, gather16 and trellis: a code block */
	CALIBRATE_BLOCK = 3840,
	/* where a matrix begins: rows of frames lie anywhere */
	CALIBRATE_BEGIN8 = 5,
	CALIBRATE_BEGIN16 = 3,
	CALIBRATE_STATES = 8,
	CALIBRATE_COLUMNS = 32, /* of a matrix */
	CALIBRATE_STEP16 = 8,   /* numbers that a shuffle of 16 bytes makes */
	CALIBRATE_MESSAGES = 4, /* that a call looks at */
};

struct calibrate_step { /* of a shuffle of 16 bytes: first item loaded, items made */
	uint32_t from, len;
};

struct calibrate_message {
	void *data;
	uint32_t len, max, state, late;
};

struct calibrate_data {
	_Alignas(64) uint8_t in8[CALIBRATE_WIDE + 64];
	_Alignas(64) uint8_t out8[CALIBRATE_WIDE + 64];
	_Alignas(64) int16_t in16[CALIBRATE_WIDE + 64];
	_Alignas(64) int16_t out16[CALIBRATE_WIDE + 64];
	_Alignas(64) uint8_t places8[CALIBRATE_ITEMS / 8 * 16]; /* of shuffles */
	_Alignas(64) uint8_t places16[CALIBRATE_ITEMS / CALIBRATE_STEP16 * 16];
	struct calibrate_step steps8[CALIBRATE_ITEMS / 8],
	    steps16[CALIBRATE_ITEMS / CALIBRATE_STEP16];
	uint32_t n_steps8, n_spread;
	uint64_t masks8[CALIBRATE_WIDE / 64]; /* which are kept */
	uint32_t masks16[CALIBRATE_ITEMS / 32];
	uint32_t kept[CALIBRATE_ITEMS]; /* item i of the result is that of in8 */
	/* item i of in16 goes there: 4 of 5, n_spread */
	uint32_t spread[CALIBRATE_ITEMS];
	_Alignas(64) uint16_t order[CALIBRATE_BLOCK]; /* anywhere */
	/* the same, as byte and bit of packed ones */
	_Alignas(64) uint8_t byte[CALIBRATE_BLOCK], bit[CALIBRATE_BLOCK];
	uint64_t upper[CALIBRATE_BLOCK / 64]; /* byte 256 and later */
	uint32_t table[4][256];               /* a checksum's */
	_Alignas(64) int16_t metrics[2][CALIBRATE_BLOCK * CALIBRATE_STATES];
	uint32_t starts[32];   /* of a matrix's columns */
	uint32_t items, block; /* a pass: not known when its loop is compiled, as in components */
	size_t stride;         /* from a state's metrics to the next one's */
	_Alignas(64) uint64_t words[64];
	struct calibrate_message messages[CALIBRATE_MESSAGES], made;
	_Alignas(64) uint8_t others[128 * 1024]; /* larger than the first cache */
	volatile uint32_t sink;                  /* someone must want the result */
};

/* One pass: `items` of work; see the table. */
struct calibrate_kernels {
	/* NULL: call and scalar, measured otherwise */
	void (*run[CALIBRATE_CLASSES])(struct calibrate_data *data);
};

const struct calibrate_kernels *calibrate_kernels(enum simd_level level);
extern const struct calibrate_kernels calibrate_plain, calibrate_sse41, calibrate_avx2,
    calibrate_avx512, calibrate_neon;

void calibrate_data_init(struct calibrate_data *data);

/* calibrate_checksum32 takes a checksum over 32 bits. */
static inline uint32_t calibrate_checksum32(const struct calibrate_data *data, uint32_t state)
{
	return data->table[3][state >> 24] ^ data->table[2][state >> 16 & 0xff] ^
	    data->table[1][state >> 8 & 0xff] ^ data->table[0][state & 0xff];
}

/* The loops that some levels have no better ones for. */
void calibrate_copy_plain(struct calibrate_data *data);
void calibrate_gather8_plain(struct calibrate_data *data);
void calibrate_gather16_plain(struct calibrate_data *data);

#endif
