/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bridge/frame.h - a frame, as it lies on the wire: a head and records. Every number is little
 * endian, every record a multiple of 8 bytes.
 *
 *   head    0 magic u32 "ABR1"    4 from u16, to u16: nodes    8 load id u64
 *          16 boot u64            24 number u64               32 heard boot u64
 *          40 heard number u64    48 last index u64           56 bytes u32: all, with the head
 *          60 records u32
 *   record  0 kind u16, n u16      4 bytes u32: all, with this head
 *   STANDS  8 segment u32, ended u32   16 done u64
 *   HAS     8 segment u32, zero u32    16 done u64   24 whole u64   32 n words u64
 *   STEP    8 segment u32, part u16, parts u16   16 step u64   24 slot u64   32 edge time u64
 *          40 n pieces
 *   piece   0 buffer u32, state u32    8 index u64   16 items u32, offset u32   24 bytes u32, zero
 *          32 bytes, padded with zeros to 8
 *
 * `boot` tells one life of a bridge from the next and grows; `number` counts the frames of one
 * life. `heard` is the newest frame that has come from the other side, and its boot. The last index
 * is UINT64_MAX while no source has ended.
 *
 * STANDS is of a segment of the sender: `done` steps, and whether these were all. HAS is of a
 * segment of the receiver whose messages the sender reads: the first `done` steps are there; of
 * the others, step done + i where bit i of `whole` is set; of step `done`, part i where bit i % 64
 * of word i / 64 is set. STEP is part `part` of the `parts` parts of what one segment of the sender
 * wrote in one step for the receiver; `slot` counts from the slot of step 0, the edge time is
 * CLOCK_MONOTONIC of the sender + its epoch (bridge.h). A piece is a part of a message, from byte
 * `offset` on; `items` is that of the whole message.
 */
#ifndef ALOE_BRIDGE_FRAME_H
#define ALOE_BRIDGE_FRAME_H

#include <assert.h>
#include <stdint.h>

#include "core/base/bytes.h"

#define FRAME_MAGIC 0x31524241u /* "ABR1" */

enum {
	FRAME_HEAD_BYTES = 64,
	FRAME_RECORD_BYTES = 8,
	FRAME_STANDS_BYTES = 24,
	FRAME_HAS_BYTES = 32,
	FRAME_STEP_BYTES = 40,
	FRAME_PIECE_BYTES = 32,
};

enum frame_kind { FRAME_STANDS = 1, FRAME_HAS = 2, FRAME_STEP = 3 };

struct frame_head {
	uint16_t from, to;
	uint64_t load_id, boot, number, heard_boot, heard_number, last;
	uint32_t bytes, records;
};

struct frame_record {
	uint16_t kind, n;
	uint32_t bytes;
};

struct frame_stands {
	uint32_t segment, ended;
	uint64_t done;
};

struct frame_has {
	uint32_t segment;
	uint64_t done, whole;
};

struct frame_step {
	uint32_t segment;
	uint16_t part, parts;
	uint64_t step, slot, edge_ns;
};

struct frame_piece {
	uint32_t buffer, state;
	uint64_t index;
	uint32_t items, offset, bytes;
};

static inline uint64_t frame_padded(uint64_t bytes)
{
	return (bytes + 7) & ~(uint64_t)7;
}

/* What was written must end where the layout above ends; the compiler sees that it does. */
static inline void frame_put_head(uint8_t *at, const struct frame_head *head)
{
	const uint8_t *end = at + FRAME_HEAD_BYTES;

	at = put_le32(at, FRAME_MAGIC);
	at = put_le16(at, head->from);
	at = put_le16(at, head->to);
	at = put_le64(at, head->load_id);
	at = put_le64(at, head->boot);
	at = put_le64(at, head->number);
	at = put_le64(at, head->heard_boot);
	at = put_le64(at, head->heard_number);
	at = put_le64(at, head->last);
	at = put_le32(at, head->bytes);
	at = put_le32(at, head->records);
	assert(at == end);
}

static inline uint8_t *frame_put_record(
    uint8_t *at, enum frame_kind kind, uint16_t n, uint32_t bytes)
{
	const uint8_t *end = at + FRAME_RECORD_BYTES;

	at = put_le16(at, (uint16_t)kind);
	at = put_le16(at, n);
	at = put_le32(at, bytes);
	assert(at == end);
	return at;
}

static inline uint8_t *frame_put_stands(uint8_t *at, const struct frame_stands *stands)
{
	const uint8_t *end = at + FRAME_STANDS_BYTES;

	at = frame_put_record(at, FRAME_STANDS, 0, FRAME_STANDS_BYTES);
	at = put_le32(at, stands->segment);
	at = put_le32(at, stands->ended);
	at = put_le64(at, stands->done);
	assert(at == end);
	return at;
}

/* Its words follow. */
static inline uint8_t *frame_put_has(uint8_t *at, const struct frame_has *has, uint16_t words)
{
	const uint8_t *end = at + FRAME_HAS_BYTES;

	at = frame_put_record(at, FRAME_HAS, words, FRAME_HAS_BYTES + 8u * words);
	at = put_le32(at, has->segment);
	at = put_le32(at, 0);
	at = put_le64(at, has->done);
	at = put_le64(at, has->whole);
	assert(at == end);
	return at;
}

/* Its pieces follow, of `bytes` in all. */
static inline uint8_t *frame_put_step(
    uint8_t *at, const struct frame_step *step, uint16_t pieces, uint32_t bytes)
{
	const uint8_t *end = at + FRAME_STEP_BYTES;

	at = frame_put_record(at, FRAME_STEP, pieces, FRAME_STEP_BYTES + bytes);
	at = put_le32(at, step->segment);
	at = put_le16(at, step->part);
	at = put_le16(at, step->parts);
	at = put_le64(at, step->step);
	at = put_le64(at, step->slot);
	at = put_le64(at, step->edge_ns);
	assert(at == end);
	return at;
}

/* Its bytes follow. */
static inline uint8_t *frame_put_piece(uint8_t *at, const struct frame_piece *piece)
{
	const uint8_t *end = at + FRAME_PIECE_BYTES;

	at = put_le32(at, piece->buffer);
	at = put_le32(at, piece->state);
	at = put_le64(at, piece->index);
	at = put_le32(at, piece->items);
	at = put_le32(at, piece->offset);
	at = put_le32(at, piece->bytes);
	at = put_le32(at, 0);
	assert(at == end);
	return at;
}

static inline void frame_get_head(const uint8_t *at, struct frame_head *ret)
{
	*ret = (struct frame_head){
	    .from = get_le16(at + 4),
	    .to = get_le16(at + 6),
	    .load_id = get_le64(at + 8),
	    .boot = get_le64(at + 16),
	    .number = get_le64(at + 24),
	    .heard_boot = get_le64(at + 32),
	    .heard_number = get_le64(at + 40),
	    .last = get_le64(at + 48),
	    .bytes = get_le32(at + 56),
	    .records = get_le32(at + 60),
	};
}

static inline struct frame_record frame_get_record(const uint8_t *at)
{
	return (struct frame_record){get_le16(at), get_le16(at + 2), get_le32(at + 4)};
}

static inline struct frame_stands frame_get_stands(const uint8_t *at)
{
	return (struct frame_stands){get_le32(at + 8), get_le32(at + 12), get_le64(at + 16)};
}

static inline struct frame_has frame_get_has(const uint8_t *at)
{
	return (struct frame_has){get_le32(at + 8), get_le64(at + 16), get_le64(at + 24)};
}

static inline struct frame_step frame_get_step(const uint8_t *at)
{
	return (struct frame_step){get_le32(at + 8), get_le16(at + 12), get_le16(at + 14),
	    get_le64(at + 16), get_le64(at + 24), get_le64(at + 32)};
}

static inline struct frame_piece frame_get_piece(const uint8_t *at)
{
	return (struct frame_piece){get_le32(at), get_le32(at + 4), get_le64(at + 8),
	    get_le32(at + 16), get_le32(at + 20), get_le32(at + 24)};
}

#endif
