/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/x310/chdr.h"

#include <assert.h>
#include <errno.h>

#include "core/base/bytes.h"

static_assert(CHDR_STRS_BYTES == CHDR_HEADER + 4 * 8, "stream status: four words");
static_assert(CHDR_STRC_BYTES == CHDR_HEADER + 2 * 8, "stream command: two words");
static_assert(CHDR_HEADER + CHDR_TIMESTAMP + 31 * 8 == 264, "the longest header: all metadata");

static uint64_t bits_of(uint64_t word, unsigned low, unsigned width)
{
	return word >> low & (width < 64 ? (1ull << width) - 1 : ~0ull);
}

static uint64_t in_bits(uint64_t value, unsigned low, unsigned width)
{
	return bits_of(value, 0, width) << low;
}

uint64_t chdr_word(const uint8_t *words, size_t n)
{
	return get_le64(words + 8 * n);
}

/* ---- the header ------------------------------------------------------------------------ */

static struct chdr_header header_of(uint64_t word)
{
	return (struct chdr_header){
	    .dst = (uint16_t)bits_of(word, 0, 16),
	    .length = (uint16_t)bits_of(word, 16, 16),
	    .seq = (uint16_t)bits_of(word, 32, 16),
	    .n_metadata = (uint8_t)bits_of(word, 48, 5),
	    .type = (uint8_t)bits_of(word, 53, 3),
	    .eov = bits_of(word, 56, 1),
	    .eob = bits_of(word, 57, 1),
	    .vc = (uint8_t)bits_of(word, 58, 6),
	};
}

static uint64_t header_word(const struct chdr_header *header, size_t length)
{
	return in_bits(header->dst, 0, 16) | in_bits(length, 16, 16) |
	    in_bits(header->seq, 32, 16) | in_bits(header->n_metadata, 48, 5) |
	    in_bits(header->type, 53, 3) | in_bits(header->eov, 56, 1) |
	    in_bits(header->eob, 57, 1) | in_bits(header->vc, 58, 6);
}

/* The fewest bytes of payload; CHDR_PACKET_MAX + 1 for a reserved type. */
static size_t payload_min(uint8_t type)
{
	switch (type) {
	case CHDR_MGMT:
		return 16;
	case CHDR_STRS:
		return CHDR_STRS_BYTES - CHDR_HEADER;
	case CHDR_STRC:
		return CHDR_STRC_BYTES - CHDR_HEADER;
	case CHDR_CTRL:
		return 12;
	case CHDR_DATA:
	case CHDR_DATA_TS:
		return 1;
	default:
		return SIZE_MAX;
	}
}

int chdr_parse(const uint8_t *bytes, size_t size, struct chdr_packet *ret)
{
	struct chdr_packet packet = {0};
	size_t at = CHDR_HEADER;

	if (size < CHDR_HEADER)
		return -EBADMSG;
	packet.header = header_of(get_le64(bytes));
	if (packet.header.length > size)
		return -EBADMSG;
	at += packet.header.type == CHDR_DATA_TS ? CHDR_TIMESTAMP : 0;
	at += 8u * packet.header.n_metadata;
	if (at > packet.header.length ||
	    packet.header.length - at < payload_min(packet.header.type))
		return -EBADMSG;
	packet.timestamp = packet.header.type == CHDR_DATA_TS ? get_le64(bytes + CHDR_HEADER) : 0;
	packet.metadata = bytes + at - 8u * packet.header.n_metadata;
	packet.payload = bytes + at;
	packet.payload_bytes = packet.header.length - at;
	*ret = packet;
	return 0;
}

size_t chdr_write(uint8_t *bytes, const struct chdr_packet *packet, size_t payload_bytes)
{
	const size_t metadata = 8u * packet->header.n_metadata;
	size_t at = CHDR_HEADER;

	if (packet->header.type == CHDR_DATA_TS) {
		put_le64(bytes + at, packet->timestamp);
		at += CHDR_TIMESTAMP;
	}
	if (metadata)
		memcpy(bytes + at, packet->metadata, metadata);
	at += metadata;
	put_le64(bytes, header_word(&packet->header, at + payload_bytes));
	return at;
}

/* Header of a packet without timestamp and metadata. */
static void write_plain(
    uint8_t *bytes, enum chdr_type type, uint16_t dst, uint16_t seq, size_t length)
{
	const struct chdr_header header = {.type = (uint8_t)type, .dst = dst, .seq = seq};

	put_le64(bytes, header_word(&header, length));
}

/* ---- stream status and command ---- */

int chdr_strs_parse(const struct chdr_packet *packet, struct chdr_strs *ret)
{
	uint64_t words[4];

	if (packet->header.type != CHDR_STRS || packet->payload_bytes < sizeof(words))
		return -EBADMSG;
	for (size_t i = 0; i < 4; i++)
		words[i] = chdr_word(packet->payload, i);
	*ret = (struct chdr_strs){
	    .src = (uint16_t)bits_of(words[0], 0, 16),
	    .status = (uint8_t)bits_of(words[0], 16, 4),
	    .capacity_bytes = bits_of(words[0], 24, 40),
	    .capacity_pkts = (uint32_t)bits_of(words[1], 0, 24),
	    .xfer_pkts = bits_of(words[1], 24, 40),
	    .xfer_bytes = words[2],
	    .fill = (uint16_t)bits_of(words[3], 0, 16),
	    .info = bits_of(words[3], 16, 48),
	};
	return 0;
}

size_t chdr_strs_write(uint8_t *bytes, uint16_t dst, uint16_t seq, const struct chdr_strs *strs)
{
	write_plain(bytes, CHDR_STRS, dst, seq, CHDR_STRS_BYTES);
	put_le64(bytes + 8,
	    in_bits(strs->src, 0, 16) | in_bits(strs->status, 16, 4) |
	        in_bits(strs->capacity_bytes, 24, 40));
	put_le64(
	    bytes + 16, in_bits(strs->capacity_pkts, 0, 24) | in_bits(strs->xfer_pkts, 24, 40));
	put_le64(bytes + 24, strs->xfer_bytes);
	put_le64(bytes + 32, in_bits(strs->fill, 0, 16) | in_bits(strs->info, 16, 48));
	return CHDR_STRS_BYTES;
}

int chdr_strc_parse(const struct chdr_packet *packet, struct chdr_strc *ret)
{
	uint64_t word;

	if (packet->header.type != CHDR_STRC || packet->payload_bytes < 16)
		return -EBADMSG;
	word = chdr_word(packet->payload, 0);
	*ret = (struct chdr_strc){
	    .src = (uint16_t)bits_of(word, 0, 16),
	    .op = (uint8_t)bits_of(word, 16, 4),
	    .op_data = (uint8_t)bits_of(word, 20, 4),
	    .pkts = bits_of(word, 24, 40),
	    .bytes = chdr_word(packet->payload, 1),
	};
	return 0;
}

size_t chdr_strc_write(uint8_t *bytes, uint16_t dst, uint16_t seq, const struct chdr_strc *strc)
{
	write_plain(bytes, CHDR_STRC, dst, seq, CHDR_STRC_BYTES);
	put_le64(bytes + 8,
	    in_bits(strc->src, 0, 16) | in_bits(strc->op, 16, 4) | in_bits(strc->op_data, 20, 4) |
	        in_bits(strc->pkts, 24, 40));
	put_le64(bytes + 16, strc->bytes);
	return CHDR_STRC_BYTES;
}

/* ---- control ------------------------------------------------------------------------ */

static void ctrl_first_v1(const uint8_t *at, struct chdr_ctrl *ctrl)
{
	const uint64_t word = get_le64(at);

	ctrl->dst_port = (uint16_t)bits_of(word, 0, 10);
	ctrl->src_port = (uint16_t)bits_of(word, 10, 10);
	ctrl->n_data = (uint8_t)bits_of(word, 20, 4);
	ctrl->seq = (uint8_t)bits_of(word, 24, 6);
	ctrl->has_time = bits_of(word, 30, 1);
	ctrl->ack = bits_of(word, 31, 1);
	ctrl->src = (uint16_t)bits_of(word, 32, 16);
}

static void ctrl_first_v2(const uint8_t *at, struct chdr_ctrl *ctrl)
{
	const uint64_t word = get_le64(at);

	ctrl->dst_port = (uint16_t)bits_of(word, 0, 10);
	ctrl->n_data = (uint8_t)bits_of(word, 10, 4);
	ctrl->has_time = bits_of(word, 14, 1);
	ctrl->ack = bits_of(word, 15, 1);
	ctrl->src = (uint16_t)bits_of(word, 16, 16);
	ctrl->src_port = (uint16_t)bits_of(word, 32, 10);
	ctrl->seq = (uint8_t)bits_of(word, 52, 8);
	ctrl->request = (uint8_t)bits_of(word, 60, 4);
}

static uint64_t ctrl_first_word(const struct chdr_ctrl *ctrl, enum chdr_dialect dialect)
{
	if (dialect == CHDR_V1)
		return in_bits(ctrl->dst_port, 0, 10) | in_bits(ctrl->src_port, 10, 10) |
		    in_bits(ctrl->n_data, 20, 4) | in_bits(ctrl->seq, 24, 6) |
		    in_bits(ctrl->has_time, 30, 1) | in_bits(ctrl->ack, 31, 1) |
		    in_bits(ctrl->src, 32, 16);
	return in_bits(ctrl->dst_port, 0, 10) | in_bits(ctrl->n_data, 10, 4) |
	    in_bits(ctrl->has_time, 14, 1) | in_bits(ctrl->ack, 15, 1) |
	    in_bits(ctrl->src, 16, 16) | in_bits(ctrl->src_port, 32, 10) |
	    in_bits(ctrl->seq, 52, 8) | in_bits(ctrl->request, 60, 4);
}

int chdr_ctrl_parse(
    const struct chdr_packet *packet, enum chdr_dialect dialect, struct chdr_ctrl *ret)
{
	const uint8_t *at = packet->payload, *end = at + packet->payload_bytes;
	struct chdr_ctrl ctrl = {0};
	uint32_t op;

	if (packet->header.type != CHDR_CTRL || packet->payload_bytes < 12)
		return -EBADMSG;
	(dialect == CHDR_V1 ? ctrl_first_v1 : ctrl_first_v2)(at, &ctrl);
	at += 8;
	if (ctrl.has_time) {
		if ((size_t)(end - at) < 12)
			return -EBADMSG;
		ctrl.time = get_le64(at);
		at += 8;
	}
	op = get_le32(at);
	at += 4;
	if ((size_t)(end - at) < 4u * ctrl.n_data)
		return -EBADMSG;
	ctrl.address = (uint32_t)bits_of(op, 0, 20);
	ctrl.byte_enable = (uint8_t)bits_of(op, 20, 4);
	ctrl.op = (uint8_t)bits_of(op, 24, 4);
	ctrl.status = (uint8_t)bits_of(op, 30, 2);
	for (size_t i = 0; i < ctrl.n_data; i++)
		ctrl.data[i] = get_le32(at + 4 * i);
	*ret = ctrl;
	return 0;
}

size_t chdr_ctrl_write(uint8_t *bytes, uint16_t dst, uint16_t seq, enum chdr_dialect dialect,
    const struct chdr_ctrl *ctrl)
{
	const size_t n_data = ctrl->n_data < CHDR_CTRL_DATA_MAX ? ctrl->n_data : CHDR_CTRL_DATA_MAX;
	uint8_t *at = bytes + CHDR_HEADER;

	put_le64(at, ctrl_first_word(ctrl, dialect));
	at += 8;
	if (ctrl->has_time) {
		put_le64(at, ctrl->time);
		at += 8;
	}
	put_le32(at,
	    (uint32_t)(in_bits(ctrl->address, 0, 20) | in_bits(ctrl->byte_enable, 20, 4) |
	        in_bits(ctrl->op, 24, 4) | in_bits(ctrl->status, 30, 2)));
	at += 4;
	for (size_t i = 0; i < n_data; i++, at += 4)
		put_le32(at, ctrl->data[i]);
	if (dialect == CHDR_V1 && (at - bytes) % 8) { /* whole words */
		put_le32(at, 0);
		at += 4;
	}
	write_plain(bytes, CHDR_CTRL, dst, seq, (size_t)(at - bytes));
	return (size_t)(at - bytes);
}

/* ---- management ------------------------------------------------------------------------ */

int chdr_mgmt_add(struct chdr_mgmt *mgmt, enum chdr_mgmt_op op, uint64_t payload, bool last)
{
	if (mgmt->n_steps == CHDR_MGMT_OPS_MAX)
		return -ENOSPC;
	mgmt->steps[mgmt->n_steps++] =
	    (struct chdr_mgmt_step){(uint8_t)op, last, bits_of(payload, 0, 48)};
	mgmt->n_hops += last;
	return 0;
}

bool chdr_mgmt_info(const struct chdr_mgmt *answer, struct chdr_node *ret)
{
	for (size_t i = 0; i < answer->n_steps; i++) {
		const uint64_t payload = answer->steps[i].payload;

		if (answer->steps[i].op != CHDR_INFO_RESP)
			continue;
		*ret = (struct chdr_node){(uint16_t)bits_of(payload, 0, 16),
		    (uint8_t)bits_of(payload, 16, 4), (uint16_t)bits_of(payload, 20, 10),
		    (uint32_t)bits_of(payload, 30, 18)};
		return true;
	}
	return false;
}

/* The operations that are still to come in its hop must count down to 0, the hops must be as many
 * as announced. */
static int mgmt_steps(const struct chdr_packet *packet, struct chdr_mgmt *mgmt)
{
	const size_t n = packet->payload_bytes / 8 - 1;
	uint64_t pending = 0;
	uint16_t hops = 0;

	if (n > CHDR_MGMT_OPS_MAX || packet->payload_bytes % 8)
		return -EBADMSG;
	for (size_t i = 0; i < n; i++) {
		const uint64_t word = chdr_word(packet->payload, 1 + i);
		const bool first = i == 0 || mgmt->steps[i - 1].last;

		if (!first && bits_of(word, 0, 8) != pending - 1)
			return -EBADMSG;
		pending = bits_of(word, 0, 8);
		mgmt->steps[i] = (struct chdr_mgmt_step){
		    (uint8_t)bits_of(word, 8, 8), pending == 0, bits_of(word, 16, 48)};
		hops += pending == 0;
	}
	mgmt->n_steps = (uint32_t)n;
	return pending == 0 && hops == mgmt->n_hops ? 0 : -EBADMSG;
}

int chdr_mgmt_parse(const struct chdr_packet *packet, struct chdr_mgmt *ret)
{
	struct chdr_mgmt mgmt = {0};
	uint64_t word;
	int rc;

	if (packet->header.type != CHDR_MGMT || packet->payload_bytes < 16)
		return -EBADMSG;
	word = chdr_word(packet->payload, 0);
	mgmt.src = (uint16_t)bits_of(word, 0, 16);
	mgmt.n_hops = (uint16_t)bits_of(word, 16, 10);
	mgmt.width = (uint8_t)bits_of(word, 45, 3);
	mgmt.version = (uint16_t)bits_of(word, 48, 16);
	rc = mgmt_steps(packet, &mgmt);
	if (rc == 0)
		*ret = mgmt;
	return rc;
}

size_t chdr_mgmt_write(uint8_t *bytes, uint16_t dst, uint16_t seq, const struct chdr_mgmt *mgmt)
{
	const size_t length = CHDR_HEADER + 8 + 8 * mgmt->n_steps;
	uint64_t pending = 0;

	write_plain(bytes, CHDR_MGMT, dst, seq, length);
	put_le64(bytes + 8,
	    in_bits(mgmt->src, 0, 16) | in_bits(mgmt->n_hops, 16, 10) |
	        in_bits(mgmt->width, 45, 3) | in_bits(mgmt->version, 48, 16));
	for (size_t i = mgmt->n_steps; i-- > 0;) {
		const struct chdr_mgmt_step *step = &mgmt->steps[i];

		pending = step->last ? 0 : pending + 1;
		put_le64(bytes + 16 + 8 * i,
		    in_bits(pending, 0, 8) | in_bits(step->op, 8, 8) |
		        in_bits(step->payload, 16, 48));
	}
	return length;
}
