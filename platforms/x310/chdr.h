/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/chdr.h - CHDR packets of RFNoC as an X310 speaks them (64-bit CHDR,
 * little-endian): bytes to structures and back. Pure: no socket, no clock. Nothing a peer sends is
 * trusted: what does not hold together is -EBADMSG and is never read past `size`.
 *
 * Source: RFNoC Specification (Ettus Research), "CHDR Overview", "Stream Status Packets", "Stream
 * Command Packets", "Management Packets"; UHD 4.x. One packet is one UDP payload on port CHDR_PORT.
 *
 *         word 0   VC 6 | EOB 1 | EOV 1 | type 3 | metadata words 5 | sequence 16 | length 16 |
 *                  destination endpoint 16
 * 	type 7   timestamp, ticks of the device, 64 bit
 * 	         metadata words, then the payload
 *
 * `length` counts the whole packet in bytes, exactly; flow control counts it rounded up to 8
 * (chdr_counted).
 */
#ifndef PLATFORMS_X310_CHDR_H
#define PLATFORMS_X310_CHDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHDR_PORT = 49153, CHDR_HEADER = 8, CHDR_TIMESTAMP = 8, CHDR_PACKET_MAX = 8192 };

enum chdr_type {
	CHDR_MGMT = 0,
	CHDR_STRS = 1,
	CHDR_STRC = 2,
	CHDR_CTRL = 4,
	CHDR_DATA = 6,
	CHDR_DATA_TS = 7 /* with a timestamp */
};

struct chdr_header {
	uint8_t vc;   /* virtual channel, 0 .. 63; 0 in practice */
	bool eob;     /* end of burst */
	bool eov;     /* end of vector */
	uint8_t type; /* enum chdr_type */
	uint8_t n_metadata;
	uint16_t seq;    /* per stream and class: data (both types), STRS, STRC, CTRL, MGMT */
	uint16_t length; /* written by the functions below */
	uint16_t dst;    /* endpoint; 0 with MGMT */
};

struct chdr_packet {
	struct chdr_header header;
	uint64_t timestamp;      /* CHDR_DATA_TS */
	const uint8_t *metadata; /* n_metadata words, unaligned */
	const uint8_t *payload;
	size_t payload_bytes;
};

/* chdr_parse looks at one UDP payload: 0, or -EBADMSG: shorter than a header, a length that is less
 * than the header, timestamp and metadata, or more than `size`, a reserved type, data without
 * payload, or a STRS, STRC, CTRL or MGMT packet without its words. Bytes behind the length are not
 * looked at. */
int chdr_parse(const uint8_t *bytes, size_t size, struct chdr_packet *ret);

/* chdr_write writes header, timestamp (CHDR_DATA_TS) and metadata of a packet with payload_bytes of
 * payload, and gives the place of the payload in bytes: 8 .. 264. The whole packet must not exceed
 * 65535 bytes. */
size_t chdr_write(uint8_t *bytes, const struct chdr_packet *packet, size_t payload_bytes);

/* chdr_counted is what flow control counts for a packet. */
static inline uint32_t chdr_counted(uint32_t length)
{
	return (length + 7) & ~7u;
}

/* chdr_word gives a metadata word. */
uint64_t chdr_word(const uint8_t *words, size_t n);

/* ---- stream status: the sink of the data to its source ---- */

enum { CHDR_STRS_BYTES = 40, CHDR_STRC_BYTES = 24 };

enum chdr_status {
	CHDR_OKAY = 0,
	CHDR_CMDERR = 1,
	CHDR_SEQERR = 2,
	CHDR_DATAERR = 3,
	CHDR_RTERR = 4
};

/* In `info`, FPGA of UHD 4.9 and later. OKAY: command received | data expected << 16. SEQERR:
 * received | expected << 16 | type << 32. RTERR: received | own << 16. */
#define CHDR_INFO_STOP_ON_SEQERR (1ull << 44)
#define CHDR_INFO_SEQERR_LATCHED (1ull << 45)
/* sent because as much as was asked for has been consumed */
#define CHDR_INFO_FLOW_CONTROL (1ull << 47)

struct chdr_strs {
	uint16_t src;            /* who says so: the sink of the data */
	uint8_t status;          /* enum chdr_status */
	uint64_t capacity_bytes; /* 40 bit */
	uint32_t capacity_pkts;  /* 24 bit */
	uint64_t xfer_pkts;      /* 40 bit: consumed since INIT */
	uint64_t xfer_bytes;
	uint16_t fill; /* device: of its buffer, 32768 = 100 % */
	uint64_t info; /* 48 bit */
};

/* -EBADMSG if it is no STRS */
int chdr_strs_parse(const struct chdr_packet *packet, struct chdr_strs *ret);
/* CHDR_STRS_BYTES */
size_t chdr_strs_write(uint8_t *bytes, uint16_t dst, uint16_t seq, const struct chdr_strs *strs);

/* ---- stream command: the source of the data to its sink ---- */

enum chdr_op { CHDR_INIT = 0, CHDR_PING = 1, CHDR_RESYNC = 2 };

enum { CHDR_INIT_STOP_ON_SEQERR = 1 }; /* op_data of INIT, FPGA of UHD 4.9 and later */

struct chdr_strc {
	uint16_t src;
	uint8_t op;      /* enum chdr_op */
	uint8_t op_data; /* 4 bit */
	uint64_t pkts;   /* 40 bit. INIT: how often the sink reports; RESYNC: sent so far */
	uint64_t bytes;
};

int chdr_strc_parse(const struct chdr_packet *packet, struct chdr_strc *ret);
/* CHDR_STRC_BYTES */
size_t chdr_strc_write(uint8_t *bytes, uint16_t dst, uint16_t seq, const struct chdr_strc *strc);

/* ---- control: registers and asynchronous messages ---- */

/* Layouts: 1 up to UHD 4.10, 2 from UHD 4.11 on. The protocol version of the device says which
 * (0x0100, 0x0200). */
enum chdr_dialect { CHDR_V1 = 1, CHDR_V2 = 2 };

enum chdr_ctrl_op {
	CHDR_CTRL_SLEEP = 0,
	CHDR_CTRL_WRITE = 1,
	CHDR_CTRL_READ = 2,
	CHDR_CTRL_READ_WRITE = 3,
	CHDR_CTRL_BLOCK_WRITE = 4,
	CHDR_CTRL_BLOCK_READ = 5,
	CHDR_CTRL_POLL = 6
};

enum chdr_ctrl_status {
	CHDR_CTRL_OKAY = 0,
	CHDR_CTRL_CMDERR = 1,
	CHDR_CTRL_TSERR = 2,
	CHDR_CTRL_WARNING = 3
};

enum {
	CHDR_CTRL_DATA_MAX = 15,
	CHDR_CTRL_BYTES_MAX = CHDR_HEADER + 16 + 4 * (CHDR_CTRL_DATA_MAX + 2)
};

struct chdr_ctrl {
	uint16_t dst_port, src_port; /* 10 bit: blocks behind the endpoints */
	uint16_t src;                /* endpoint */
	uint8_t seq;                 /* V1 6 bit, V2 8 bit; a counter for each block port */
	uint8_t n_data;              /* 0 .. 15 words */
	uint8_t request;             /* V2: words asked for by a read */
	bool ack, has_time;
	uint8_t op, status, byte_enable;
	uint32_t address; /* 20 bit */
	uint64_t time;
	uint32_t data[CHDR_CTRL_DATA_MAX];
};

int chdr_ctrl_parse(
    const struct chdr_packet *packet, enum chdr_dialect dialect, struct chdr_ctrl *ret);
/* at most CHDR_CTRL_BYTES_MAX */
size_t chdr_ctrl_write(uint8_t *bytes, uint16_t dst, uint16_t seq, enum chdr_dialect dialect,
    const struct chdr_ctrl *ctrl);

/* ---- management: routes, endpoints' own registers ---- */

enum chdr_mgmt_op {
	CHDR_NOP = 0,
	CHDR_ADVERTISE = 1,
	CHDR_SEL_DEST = 2, /* output port of the crossbar */
	CHDR_RETURN = 3,
	CHDR_INFO_REQ = 4,
	CHDR_INFO_RESP = 5, /* device 16 | node type 4 | instance 10 | extended 18 */
	CHDR_CFG_WR = 6,    /* address 16 | data 32 */
	CHDR_CFG_RD = 7,
	CHDR_CFG_RD_RESP = 8
};

enum { CHDR_MGMT_OPS_MAX = 64, CHDR_MGMT_BYTES_MAX = CHDR_HEADER + 8 + 8 * CHDR_MGMT_OPS_MAX };

struct chdr_mgmt_step {
	uint8_t op;       /* enum chdr_mgmt_op */
	bool last;        /* of its hop */
	uint64_t payload; /* 48 bit */
};

struct chdr_mgmt {
	uint16_t src;     /* endpoint that asks; 0 in an answer */
	uint8_t width;    /* of CHDR: 0 = 64 bit */
	uint16_t version; /* 0x0100, 0x0200 */
	uint16_t n_hops;
	uint32_t n_steps;
	struct chdr_mgmt_step steps[CHDR_MGMT_OPS_MAX];
};

/* A packet is written step by step: chdr_mgmt_add appends to the last hop, `last` ends it. -ENOSPC
 * when it is full. */
int chdr_mgmt_add(struct chdr_mgmt *mgmt, enum chdr_mgmt_op op, uint64_t payload, bool last);
/* What INFO_RESP says of a node. */
struct chdr_node {
	uint16_t device;
	uint8_t type;      /* 1 crossbar, 2 stream endpoint, 3 transport */
	uint16_t instance; /* of the crossbar: the port by which the request came in */
	uint32_t extended; /* 18 bit, by type */
};
/* chdr_mgmt_info finds it in an answer. False: it is not there. */
bool chdr_mgmt_info(const struct chdr_mgmt *answer, struct chdr_node *ret);

static inline uint64_t chdr_mgmt_register(uint16_t address, uint32_t data)
{
	return address | (uint64_t)data << 16;
}

/* -EBADMSG also when the hops do not fill the packet, or steps are missing or more than
 * CHDR_MGMT_OPS_MAX. */
int chdr_mgmt_parse(const struct chdr_packet *packet, struct chdr_mgmt *ret);
/* at most CHDR_MGMT_BYTES_MAX; the last step must be the last of its hop */
size_t chdr_mgmt_write(uint8_t *bytes, uint16_t dst, uint16_t seq, const struct chdr_mgmt *mgmt);

#endif
