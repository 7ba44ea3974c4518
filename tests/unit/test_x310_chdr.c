/* SPDX-License-Identifier: BSD-3-Clause
 *
 * CHDR packets and Ethernet frames against tests/vectors/x310/chdr.txt, both ways: what is read
 * from the bytes is written out in the words of the file and must be its words; what was read is
 * written again and must be its bytes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "platforms/x310/chdr.h"
#include "platforms/x310/frame.h"

enum { BYTES = 512, LINE = 4096 };

struct vector {
	char *name, *kind, *dialect, *fields;
	/* exactly `size` of them, on the heap, so that a sanitizer sees a byte too many */
	uint8_t *bytes;
	size_t size;
};

static size_t unhex(const char *hex, uint8_t **ret)
{
	const size_t size = strlen(hex) / 2;

	*ret = malloc(size ? size : 1);
	assert_non_null(*ret);
	for (size_t i = 0; i < size; i++) {
		unsigned byte;
		assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
		(*ret)[i] = (uint8_t)byte;
	}
	return size;
}

/* Calls `each` with every vector of a kind; at least `least` of them. */
static void vectors(const char *kind, unsigned least, void (*each)(const struct vector *))
{
	FILE *file = fopen("tests/vectors/x310/chdr.txt", "r");
	char line[LINE];
	unsigned n = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		char *rest = line;
		struct vector v = {0};

		line[strcspn(line, "\n")] = 0;
		if (line[0] == '#')
			continue;
		v.name = strsep(&rest, ";");
		v.kind = strsep(&rest, ";");
		v.dialect = strsep(&rest, ";");
		v.size = unhex(strsep(&rest, ";"), &v.bytes);
		v.fields = rest;
		if (strcmp(v.kind, kind) == 0) {
			each(&v);
			n++;
		}
		free(v.bytes);
	}
	fclose(file);
	assert_true(n >= least);
}

/* ---- in the words of the file ---- */

static void print_data(FILE *out, const struct chdr_packet *p)
{
	if (p->header.type == CHDR_DATA_TS)
		fprintf(out, " ts=%" PRIu64, p->timestamp);
	for (size_t i = 0; i < p->header.n_metadata; i++)
		fprintf(out, "%s0x%" PRIx64, i ? "," : " mdata=", chdr_word(p->metadata, i));
	for (size_t i = 0; i + 4 <= p->payload_bytes; i += 4)
		fprintf(out, "%s%d:%d", i ? "," : " iq=", (int16_t)get_le16(p->payload + i),
		    (int16_t)get_le16(p->payload + i + 2));
}

static void print_strs(FILE *out, const struct chdr_packet *p)
{
	struct chdr_strs s;

	assert_int_equal(chdr_strs_parse(p, &s), 0);
	fprintf(out,
	    " src=%u status=%u cap_bytes=%" PRIu64 " cap_pkts=%u xfer_pkts=%" PRIu64
	    " xfer_bytes=%" PRIu64 " buff_info=0x%x status_info=0x%" PRIx64,
	    s.src, s.status, s.capacity_bytes, s.capacity_pkts, s.xfer_pkts, s.xfer_bytes, s.fill,
	    s.info);
}

static void print_strc(FILE *out, const struct chdr_packet *p)
{
	struct chdr_strc s;

	assert_int_equal(chdr_strc_parse(p, &s), 0);
	fprintf(out, " src=%u op=%u op_data=%u pkts=%" PRIu64 " bytes=%" PRIu64, s.src, s.op,
	    s.op_data, s.pkts, s.bytes);
}

static void print_ctrl(FILE *out, const struct chdr_packet *p, enum chdr_dialect dialect)
{
	struct chdr_ctrl c;

	assert_int_equal(chdr_ctrl_parse(p, dialect, &c), 0);
	fprintf(out, " dport=%u sport=%u ndata=%u", c.dst_port, c.src_port, c.n_data);
	if (dialect == CHDR_V2)
		fprintf(out, " reqsize=%u", c.request);
	fprintf(out, " cseq=%u has_time=%d ack=%d src=%u", c.seq, c.has_time, c.ack, c.src);
	if (c.has_time)
		fprintf(out, " ctime=%" PRIu64, c.time);
	fprintf(out, " op=%u be=0x%x cstatus=%u addr=0x%x data=", c.op, c.byte_enable, c.status,
	    c.address);
	for (size_t i = 0; i < c.n_data; i++)
		fprintf(out, "%s0x%x", i ? "," : "", c.data[i]);
}

static void print_step(FILE *out, const struct chdr_mgmt_step *step)
{
	const uint64_t p = step->payload;
	const unsigned address = (unsigned)(p & 0xffff);

	switch (step->op) {
	case CHDR_SEL_DEST:
		fprintf(out, "SEL(%u)", address);
		break;
	case CHDR_CFG_RD:
		fprintf(out, "CFG_RD(0x%x)", address);
		break;
	case CHDR_CFG_WR:
	case CHDR_CFG_RD_RESP:
		fprintf(out, "%s(0x%x,0x%x)", step->op == CHDR_CFG_WR ? "CFG_WR" : "CFG_RD_RESP",
		    address, (unsigned)(p >> 16));
		break;
	case CHDR_INFO_RESP:
		fprintf(out, "INFO_RESP(%u,%u,%u,0x%x)", address, (unsigned)(p >> 16 & 15),
		    (unsigned)(p >> 20 & 1023), (unsigned)(p >> 30));
		break;
	default:
		fprintf(
		    out, "%s", (const char *[]){"NOP", "ADV", "?", "RET", "INFO_REQ"}[step->op]);
	}
}

static void print_mgmt(FILE *out, const struct chdr_packet *p)
{
	struct chdr_mgmt m;

	assert_int_equal(chdr_mgmt_parse(p, &m), 0);
	fprintf(
	    out, " src=%u hops=%u chdrw=%u ver=0x%04x ops=[", m.src, m.n_hops, m.width, m.version);
	for (size_t i = 0; i < m.n_steps; i++) {
		print_step(out, &m.steps[i]);
		fputs(!m.steps[i].last ? "+" : i + 1 < m.n_steps ? "][" : "]", out);
	}
}

static char *print_packet(const struct chdr_packet *p, enum chdr_dialect dialect)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const struct chdr_header *h = &p->header;

	assert_non_null(out);
	fprintf(out, "vc=%u eob=%d eov=%d type=%u nm=%u seq=%u len=%u dst=%u", h->vc, h->eob,
	    h->eov, h->type, h->n_metadata, h->seq, h->length, h->dst);
	if (h->type == CHDR_STRS)
		print_strs(out, p);
	else if (h->type == CHDR_STRC)
		print_strc(out, p);
	else if (h->type == CHDR_CTRL)
		print_ctrl(out, p, dialect);
	else if (h->type == CHDR_MGMT)
		print_mgmt(out, p);
	else
		print_data(out, p);
	fclose(out);
	return text;
}

static size_t write_again(const struct chdr_packet *p, enum chdr_dialect dialect, uint8_t *bytes)
{
	const struct chdr_header *h = &p->header;
	struct chdr_strs strs;
	struct chdr_strc strc;
	struct chdr_ctrl ctrl;
	struct chdr_mgmt mgmt;
	size_t at;

	if (h->type == CHDR_STRS && chdr_strs_parse(p, &strs) == 0)
		return chdr_strs_write(bytes, h->dst, h->seq, &strs);
	if (h->type == CHDR_STRC && chdr_strc_parse(p, &strc) == 0)
		return chdr_strc_write(bytes, h->dst, h->seq, &strc);
	if (h->type == CHDR_CTRL && chdr_ctrl_parse(p, dialect, &ctrl) == 0)
		return chdr_ctrl_write(bytes, h->dst, h->seq, dialect, &ctrl);
	if (h->type == CHDR_MGMT && chdr_mgmt_parse(p, &mgmt) == 0)
		return chdr_mgmt_write(bytes, h->dst, h->seq, &mgmt);
	at = chdr_write(bytes, p, p->payload_bytes);
	memcpy(bytes + at, p->payload, p->payload_bytes);
	return at + p->payload_bytes;
}

static void check_chdr(const struct vector *v)
{
	const enum chdr_dialect dialect = strcmp(v->dialect, "v2") == 0 ? CHDR_V2 : CHDR_V1;
	struct chdr_packet packet;
	uint8_t bytes[BYTES];
	char *text;

	assert_int_equal(chdr_parse(v->bytes, v->size, &packet), 0);
	text = print_packet(&packet, dialect);
	assert_string_equal(text, v->fields);
	free(text);
	memset(bytes, 0xa5, sizeof(bytes));
	assert_int_equal(write_again(&packet, dialect, bytes), v->size);
	assert_memory_equal(bytes, v->bytes, v->size);
	assert_int_equal(bytes[v->size], 0xa5);
	for (size_t size = 0; size < v->size; size++) { /* any piece of it is refused */
		uint8_t *piece = malloc(size ? size : 1);
		memcpy(piece, v->bytes, size);
		assert_int_equal(chdr_parse(piece, size, &packet), -EBADMSG);
		free(piece);
	}
}

static void check_bad(const struct vector *v)
{
	struct chdr_packet packet;

	assert_int_equal(chdr_parse(v->bytes, v->size, &packet), -EBADMSG);
}

static void check_eth(const struct vector *v)
{
	const char *chdr = strstr(v->fields, "chdr=") + 5;
	const unsigned ttl = (unsigned)atoi(strstr(v->fields, "ttl=") + 4);
	struct frame frame;
	uint8_t bytes[BYTES], *payload;
	const size_t size = unhex(chdr, &payload);
	char text[LINE];

	assert_int_equal(frame_parse(v->bytes, v->size, &frame), 0);
	assert_int_equal(frame.kind, FRAME_IS_UDP);
	assert_int_equal(frame.payload_bytes, size);
	assert_memory_equal(frame.payload, payload, size);
	snprintf(text, sizeof(text),
	    "dmac=%02x:%02x:%02x:%02x:%02x:%02x smac=%02x:%02x:%02x:%02x:%02x:%02x sip=%u.%u.%u.%u "
	    "dip=%u.%u.%u.%u",
	    frame.to.mac[0], frame.to.mac[1], frame.to.mac[2], frame.to.mac[3], frame.to.mac[4],
	    frame.to.mac[5], frame.from.mac[0], frame.from.mac[1], frame.from.mac[2],
	    frame.from.mac[3], frame.from.mac[4], frame.from.mac[5], frame.from.ip >> 24,
	    frame.from.ip >> 16 & 255, frame.from.ip >> 8 & 255, frame.from.ip & 255,
	    frame.to.ip >> 24, frame.to.ip >> 16 & 255, frame.to.ip >> 8 & 255, frame.to.ip & 255);
	assert_memory_equal(v->fields, text, strlen(text));
	snprintf(text, sizeof(text), "sport=%u dport=%u", frame.from.port, frame.to.port);
	assert_non_null(strstr(v->fields, text));
	frame_udp_write(bytes, &frame.from, &frame.to, (uint8_t)ttl, size);
	memcpy(bytes + FRAME_UDP, payload, size);
	assert_memory_equal(bytes, v->bytes, v->size);
	free(payload);
}

static void chdr_vectors(void **state)
{
	(void)state;
	vectors("chdr", 60, check_chdr);
}

static void bad_vectors(void **state)
{
	(void)state;
	vectors("bad", 9, check_bad);
}

static void eth_vectors(void **state)
{
	(void)state;
	vectors("eth", 2, check_eth);
}

/* ---- more ------------------------------------------------------------------------ */

static void management_that_does_not_add_up(void **state)
{
	struct chdr_mgmt mgmt = {.src = 1, .version = 0x0100}, back;
	uint8_t bytes[CHDR_MGMT_BYTES_MAX], *hop;
	struct chdr_packet packet;

	(void)state;
	for (int i = 0; i < CHDR_MGMT_OPS_MAX; i++)
		assert_int_equal(chdr_mgmt_add(&mgmt, CHDR_CFG_RD, (uint64_t)i, i % 8 == 7), 0);
	assert_int_equal(chdr_mgmt_add(&mgmt, CHDR_NOP, 0, true), -ENOSPC);
	assert_int_equal(chdr_mgmt_write(bytes, 0, 0, &mgmt), sizeof(bytes));
	assert_int_equal(chdr_parse(bytes, sizeof(bytes), &packet), 0);
	assert_int_equal(chdr_mgmt_parse(&packet, &back), 0);
	assert_memory_equal(&back, &mgmt, sizeof(mgmt));

	hop = bytes + 16 + 8 * 3; /* its count of what is pending */
	(*hop)++;
	assert_int_equal(chdr_mgmt_parse(&packet, &back), -EBADMSG);
	(*hop)--;
	bytes[8 + 2]++; /* one hop more than there are */
	assert_int_equal(chdr_mgmt_parse(&packet, &back), -EBADMSG);
	bytes[8 + 2]--;
	packet.payload_bytes -= 8; /* the last hop has no end */
	assert_int_equal(chdr_mgmt_parse(&packet, &back), -EBADMSG);
}

static void what_flow_control_counts(void **state)
{
	(void)state;
	assert_int_equal(chdr_counted(8), 8);
	assert_int_equal(chdr_counted(12), 16);
	assert_int_equal(chdr_counted(8000), 8000);
	assert_int_equal(chdr_counted(65535), 65536);
}

static const struct frame_address host = {{2, 0, 0, 0, 0, 1}, 45000, 0xc0a82801};
static const struct frame_address device = {
    {0, 0x80, 0x2f, 0x11, 0x22, 0x33}, CHDR_PORT, 0xc0a82802};

static void arp(void **state)
{
	uint8_t request[FRAME_ARP], reply[FRAME_ARP];
	struct frame frame;

	(void)state;
	assert_int_equal(frame_arp_request(request, &host, device.ip), FRAME_ARP);
	assert_int_equal(frame_parse(request, sizeof(request), &frame), 0);
	assert_int_equal(frame.kind, FRAME_IS_ARP_REQUEST);
	assert_int_equal(frame_answer(&frame, &host, reply, sizeof(reply)), 0); /* not asked for */
	assert_int_equal(frame_answer(&frame, &device, reply, sizeof(reply) - 1), 0);
	assert_int_equal(frame_answer(&frame, &device, reply, sizeof(reply)), FRAME_ARP);
	assert_int_equal(frame_parse(reply, sizeof(reply), &frame), 0);
	assert_int_equal(frame.kind, FRAME_IS_ARP_REPLY);
	assert_memory_equal(frame.from.mac, device.mac, 6);
	assert_memory_equal(frame.to.mac, host.mac, 6);
	assert_true(frame.from.ip == device.ip && frame.to.ip == host.ip);
}

/* The bytes of a real `ping -c 1 -s 4`, header checksums by hand. */
static void echo(void **state)
{
	uint8_t request[] = {0x00, 0x80, 0x2f, 0x11, 0x22, 0x33, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01,
	    0x08, 0x00, 0x45, 0x00, 0x00, 0x20, 0x00, 0x00, 0x40, 0x00, 0x40, 0x01, 0x69, 0x89,
	    0xc0, 0xa8, 0x28, 0x01, 0xc0, 0xa8, 0x28, 0x02, 0x08, 0x00, 0xf2, 0xf6, 0x00, 0x01,
	    0x00, 0x01, 0x01, 0x02, 0x04, 0x05};
	uint8_t reply[sizeof(request)];
	struct frame frame;

	(void)state;
	assert_int_equal(frame_checksum(request + 14, 20), 0);
	assert_int_equal(frame_checksum(request + 34, 12), 0);
	assert_int_equal(frame_parse(request, sizeof(request), &frame), 0);
	assert_int_equal(frame.kind, FRAME_IS_ECHO_REQUEST);
	assert_int_equal(frame_answer(&frame, &device, reply, sizeof(reply)), sizeof(reply));
	assert_memory_equal(reply, host.mac, 6);
	assert_int_equal(frame_checksum(reply + 14, 20), 0);
	assert_int_equal(frame_checksum(reply + 34, 12), 0);
	assert_int_equal(reply[34], 0);
	assert_memory_equal(reply + 38, request + 38, 8);
	for (size_t size = 0; size < sizeof(request); size++)
		assert_int_equal(frame_parse(request, size, &frame), -EBADMSG);
	request[20] = 0x20; /* a fragment; the checksum does not matter any more */
	assert_int_equal(frame_parse(request, sizeof(request), &frame), 0);
	assert_int_equal(frame.kind, FRAME_IS_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(chdr_vectors),
	    cmocka_unit_test(bad_vectors),
	    cmocka_unit_test(eth_vectors),
	    cmocka_unit_test(management_that_does_not_add_up),
	    cmocka_unit_test(what_flow_control_counts),
	    cmocka_unit_test(arp),
	    cmocka_unit_test(echo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
