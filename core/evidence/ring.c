/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/evidence/ring.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <string.h>

enum {
	HEAD = 8, /* type u32, misc u16, size u16 */
	/* of every record but samples, at its end: pid u32, tid u32, time u64, cpu u64, id u64 */
	TAIL = 32,
	SAMPLE = HEAD + 32, /* id u64, pid u32, tid u32, time u64, cpu u64 */
	RAW = SAMPLE + 4,   /* of a source with a value: length u32, bytes */
};

struct ring_reader {
	const struct evidence_bytes *from;
	uint64_t at;
};

/* A field of the record at reader->at; a record may lie across the end of the ring. */
static void field_get(const struct ring_reader *reader, size_t offset, void *ret, size_t len)
{
	uint8_t *to = ret;

	for (size_t i = 0; i < len; i++)
		to[i] = reader->from->bytes[(reader->at + offset + i) & (reader->from->size - 1)];
}

static uint32_t field_u32(const struct ring_reader *reader, size_t offset)
{
	uint32_t value;

	field_get(reader, offset, &value, sizeof(value));
	return value;
}

static uint64_t field_u64(const struct ring_reader *reader, size_t offset)
{
	uint64_t value;

	field_get(reader, offset, &value, sizeof(value));
	return value;
}

static bool source_find(const struct ring_reader *reader, uint64_t id, uint8_t *ret)
{
	for (uint32_t s = 0; s < PERF_SOURCES; s++)
		if ((reader->from->valid >> s & 1) && reader->from->ids[s] == id) {
			*ret = (uint8_t)s;
			return true;
		}
	return false;
}

static void tail_take(const struct ring_reader *reader, size_t size, struct evidence_record *ret)
{
	ret->pid = (int32_t)field_u32(reader, size - TAIL);
	ret->tid = (int32_t)field_u32(reader, size - TAIL + 4);
	ret->ns = field_u64(reader, size - TAIL + 8);
}

static bool switch_take(
    const struct ring_reader *reader, size_t size, uint16_t misc, struct evidence_record *ret)
{
	if (size != HEAD + 8 + TAIL)
		return false;
	tail_take(reader, size, ret);
	ret->kind = misc & PERF_RECORD_MISC_SWITCH_OUT ? EVIDENCE_OUT : EVIDENCE_IN;
	ret->preempted = (misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
	ret->other = (int32_t)field_u32(reader, HEAD + 4);
	return true;
}

static bool name_take(const struct ring_reader *reader, size_t size, struct evidence_record *ret)
{
	size_t len;

	if (size < HEAD + 8 + 8 + TAIL)
		return false;
	tail_take(reader, size, ret);
	ret->kind = EVIDENCE_NAME;
	ret->pid = (int32_t)field_u32(reader, HEAD);
	ret->tid = (int32_t)field_u32(reader, HEAD + 4);
	len = size - HEAD - 8 - TAIL;
	len = len < sizeof(ret->name) ? len : sizeof(ret->name);
	field_get(reader, HEAD + 8, ret->name, len);
	ret->name[len - 1] = 0;
	return true;
}

static bool value_take(
    const struct ring_reader *reader, size_t size, size_t field, uint64_t *ret_value)
{
	const size_t end = field + sizeof(*ret_value);

	if (field == 0)
		return true;
	if (size < RAW + end || field_u32(reader, SAMPLE) < end)
		return false;
	*ret_value = field_u64(reader, RAW + field);
	return true;
}

static bool sample_take(const struct ring_reader *reader, size_t size, struct evidence_record *ret)
{
	if (size < SAMPLE || !source_find(reader, field_u64(reader, HEAD), &ret->source))
		return false;
	ret->kind = EVIDENCE_EVENT;
	ret->pid = (int32_t)field_u32(reader, HEAD + 8);
	ret->tid = (int32_t)field_u32(reader, HEAD + 12);
	ret->ns = field_u64(reader, HEAD + 16);
	return value_take(reader, size, reader->from->fields[ret->source], &ret->value);
}

/* What the record is: 1: one of ours; 0: of no concern here; -1: it makes no sense. */
static int record_take(const struct ring_reader *reader, uint32_t type, uint16_t misc, size_t size,
    struct evidence_record *ret, struct evidence_losses *losses)
{
	*ret = (struct evidence_record){0};
	switch (type) {
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return switch_take(reader, size, misc, ret) ? 1 : -1;
	case PERF_RECORD_COMM:
		return name_take(reader, size, ret) ? 1 : -1;
	case PERF_RECORD_SAMPLE:
		return sample_take(reader, size, ret) ? 1 : -1;
	case PERF_RECORD_LOST:
		if (size < HEAD + 16)
			return -1;
		losses->lost += field_u64(reader, HEAD + 8);
		return 0;
	default:
		return type < PERF_RECORD_MAX ? 0 : -1;
	}
}

static void records_reverse(struct evidence_record *records, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		const struct evidence_record other = records[i];

		records[i] = records[n - 1 - i];
		records[n - 1 - i] = other;
	}
}

/* How many bytes from `head` on are what the kernel wrote. Positions begin at 0 and become smaller,
 * so -head bytes were ever written. */
static uint64_t bytes_sound(const struct evidence_bytes *from)
{
	const uint64_t spoiled = from->head - from->after, written = 0 - from->head,
	               kept = spoiled < from->size ? from->size - spoiled : 0,
	               sound = written < kept ? written : kept;

	return sound < from->copied ? sound : from->copied;
}

size_t evidence_read(const struct evidence_bytes *from, uint64_t from_ns,
    struct evidence_record *ret, size_t max, struct evidence_losses *losses, bool *ret_whole)
{
	struct ring_reader reader = {from, from->head};
	uint64_t left = bytes_sound(from);
	bool reached = false;
	size_t n = 0;

	assert(from->size > 0 && (from->size & (from->size - 1)) == 0);
	while (n < max && left >= HEAD) {
		const uint32_t type = field_u32(&reader, 0), word = field_u32(&reader, 4);
		const size_t len = word >> 16;
		int taken;

		if (len > left) /* the oldest is cut */
			break;
		taken = len < HEAD || len % 8 != 0
		    ? -1
		    : record_take(&reader, type, (uint16_t)word, len, &ret[n], losses);
		losses->corrupt += taken < 0;
		reached = taken > 0 && ret[n].ns < from_ns;
		if (taken < 0 || reached)
			break;
		n += taken > 0;
		reader.at += len;
		left -= len;
	}
	/* or nothing was ever overwritten */
	*ret_whole = reached || reader.at == 0;
	records_reverse(ret, n);
	return n;
}
