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
#include <endian.h>
#include <stdint.h>
#include <string.h>

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

static inline uint8_t *frame_put_u16(uint8_t *at, uint16_t value)
{
	value = htole16(value);
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static inline uint8_t *frame_put_u32(uint8_t *at, uint32_t value)
{
	value = htole32(value);
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static inline uint8_t *frame_put_u64(uint8_t *at, uint64_t value)
{
	value = htole64(value);
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static inline uint16_t frame_get_u16(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return le16toh(value);
}

static inline uint32_t frame_get_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

static inline uint64_t frame_get_u64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

/* What was written must end where the layout above ends; the compiler sees that it does. */
static inline void frame_put_head(uint8_t *at, const struct frame_head *head)
{
	const uint8_t *end = at + FRAME_HEAD_BYTES;

	at = frame_put_u32(at, FRAME_MAGIC);
	at = frame_put_u16(at, head->from);
	at = frame_put_u16(at, head->to);
	at = frame_put_u64(at, head->load_id);
	at = frame_put_u64(at, head->boot);
	at = frame_put_u64(at, head->number);
	at = frame_put_u64(at, head->heard_boot);
	at = frame_put_u64(at, head->heard_number);
	at = frame_put_u64(at, head->last);
	at = frame_put_u32(at, head->bytes);
	at = frame_put_u32(at, head->records);
	assert(at == end);
}

static inline uint8_t *frame_put_record(
    uint8_t *at, enum frame_kind kind, uint16_t n, uint32_t bytes)
{
	const uint8_t *end = at + FRAME_RECORD_BYTES;

	at = frame_put_u16(at, (uint16_t)kind);
	at = frame_put_u16(at, n);
	at = frame_put_u32(at, bytes);
	assert(at == end);
	return at;
}

static inline uint8_t *frame_put_stands(uint8_t *at, const struct frame_stands *stands)
{
	const uint8_t *end = at + FRAME_STANDS_BYTES;

	at = frame_put_record(at, FRAME_STANDS, 0, FRAME_STANDS_BYTES);
	at = frame_put_u32(at, stands->segment);
	at = frame_put_u32(at, stands->ended);
	at = frame_put_u64(at, stands->done);
	assert(at == end);
	return at;
}

/* Its words follow. */
static inline uint8_t *frame_put_has(uint8_t *at, const struct frame_has *has, uint16_t words)
{
	const uint8_t *end = at + FRAME_HAS_BYTES;

	at = frame_put_record(at, FRAME_HAS, words, FRAME_HAS_BYTES + 8u * words);
	at = frame_put_u32(at, has->segment);
	at = frame_put_u32(at, 0);
	at = frame_put_u64(at, has->done);
	at = frame_put_u64(at, has->whole);
	assert(at == end);
	return at;
}

/* Its pieces follow, of `bytes` in all. */
static inline uint8_t *frame_put_step(
    uint8_t *at, const struct frame_step *step, uint16_t pieces, uint32_t bytes)
{
	const uint8_t *end = at + FRAME_STEP_BYTES;

	at = frame_put_record(at, FRAME_STEP, pieces, FRAME_STEP_BYTES + bytes);
	at = frame_put_u32(at, step->segment);
	at = frame_put_u16(at, step->part);
	at = frame_put_u16(at, step->parts);
	at = frame_put_u64(at, step->step);
	at = frame_put_u64(at, step->slot);
	at = frame_put_u64(at, step->edge_ns);
	assert(at == end);
	return at;
}

/* Its bytes follow. */
static inline uint8_t *frame_put_piece(uint8_t *at, const struct frame_piece *piece)
{
	const uint8_t *end = at + FRAME_PIECE_BYTES;

	at = frame_put_u32(at, piece->buffer);
	at = frame_put_u32(at, piece->state);
	at = frame_put_u64(at, piece->index);
	at = frame_put_u32(at, piece->items);
	at = frame_put_u32(at, piece->offset);
	at = frame_put_u32(at, piece->bytes);
	at = frame_put_u32(at, 0);
	assert(at == end);
	return at;
}

static inline void frame_get_head(const uint8_t *at, struct frame_head *ret)
{
	*ret = (struct frame_head){
	    .from = frame_get_u16(at + 4),
	    .to = frame_get_u16(at + 6),
	    .load_id = frame_get_u64(at + 8),
	    .boot = frame_get_u64(at + 16),
	    .number = frame_get_u64(at + 24),
	    .heard_boot = frame_get_u64(at + 32),
	    .heard_number = frame_get_u64(at + 40),
	    .last = frame_get_u64(at + 48),
	    .bytes = frame_get_u32(at + 56),
	    .records = frame_get_u32(at + 60),
	};
}

static inline struct frame_record frame_get_record(const uint8_t *at)
{
	return (struct frame_record){
	    frame_get_u16(at), frame_get_u16(at + 2), frame_get_u32(at + 4)};
}

static inline struct frame_stands frame_get_stands(const uint8_t *at)
{
	return (struct frame_stands){
	    frame_get_u32(at + 8), frame_get_u32(at + 12), frame_get_u64(at + 16)};
}

static inline struct frame_has frame_get_has(const uint8_t *at)
{
	return (struct frame_has){
	    frame_get_u32(at + 8), frame_get_u64(at + 16), frame_get_u64(at + 24)};
}

static inline struct frame_step frame_get_step(const uint8_t *at)
{
	return (struct frame_step){frame_get_u32(at + 8), frame_get_u16(at + 12),
	    frame_get_u16(at + 14), frame_get_u64(at + 16), frame_get_u64(at + 24),
	    frame_get_u64(at + 32)};
}

static inline struct frame_piece frame_get_piece(const uint8_t *at)
{
	return (struct frame_piece){frame_get_u32(at), frame_get_u32(at + 4), frame_get_u64(at + 8),
	    frame_get_u32(at + 16), frame_get_u32(at + 20), frame_get_u32(at + 24)};
}

#endif
