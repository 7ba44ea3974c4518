/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/request.h - a management request and its answer, and the requests that every
 * stream begins with.
 *
 * 	closed --request_open--> open --answer taken--> closed
 * 	                          |  ^ sent again after REQUEST_RETRY_NS
 * 	                          +--> -ETIMEDOUT after REQUEST_TRIES
 *
 * A request goes out of the socket that is to receive the stream: ADVERTISE makes the device send
 * to where it came from. Source: UHD 4.x, mgmt_portal; the order is that of its stream managers.
 */
#ifndef PLATFORMS_X310_REQUEST_H
#define PLATFORMS_X310_REQUEST_H

#include "platforms/x310/chdr.h"

#define REQUEST_RETRY_NS 100000000ull /* UHD takes 0.1 s of silence as "nothing there" */
enum { REQUEST_TRIES = 5 };

/* Stream endpoint registers (byte addresses). */
enum {
	SEP_EPID = 0x00,
	SEP_RESET = 0x04,
	SEP_OUT_CTRL = 0x08,
	SEP_OUT_DST = 0x0c,
	SEP_OUT_FREQ_BYTES = 0x10, /* and 0x14 */
	SEP_OUT_FREQ_PKTS = 0x18,
	SEP_OUT_HEADROOM = 0x1c,
	SEP_OUT_CAPACITY_BYTES = 0x20, /* and 0x24 */
	SEP_OUT_CAPACITY_PKTS = 0x28,
	SEP_IN_CTRL = 0x38
};

enum { SEP_RESET_OUT = 1, SEP_RESET_IN = 2, SEP_RESET_CTRL = 4 };

enum {
	SEP_OUT_START = 0x01,
	SEP_OUT_LOSSY = 0x02,
	SEP_SWAP_U16 = 0x08 /* sc16 in our byte order */
};
#define SEP_OUT_PENDING (1u << 29)
#define SEP_OUT_FAILED (1u << 30)
#define SEP_OUT_FLOW_CONTROL (1u << 31)

/* Who talks to which stream endpoint. */
struct endpoint {
	uint16_t own;         /* our endpoint: any number that nobody else uses */
	uint16_t own_port;    /* crossbar port that we are on: 0 SFP0, 1 SFP1 (survey.h) */
	uint16_t device;      /* endpoint of the device */
	uint16_t device_port; /* crossbar port behind which it lies: 3 and on */
	/* reset it and give it its number first: only where nobody else uses it */
	bool claim;
	uint16_t version; /* protocol: 0x0100, 0x0200 from UHD 4.11 on */
};

struct request {
	struct chdr_mgmt message;
	uint16_t seq;
	unsigned tries;   /* sent so often */
	uint64_t next_ns; /* to be sent then */
	bool open;
};

/* request_open takes what is in request->message, which must end in [.. RETURN][NOP]. */
void request_open(struct request *request, uint16_t seq, uint64_t now_ns);
/* request_poll writes the packet if it is to be sent now: its length, 0 nothing, or -ETIMEDOUT
 * (request closed). */
int request_poll(struct request *request, uint64_t now_ns, uint8_t *bytes);
/* request_take: is this the answer? Then the request is closed. */
bool request_take(
    struct request *request, const struct chdr_packet *packet, struct chdr_mgmt *ret_answer);

/* Each of these begins a message of `own`. The steps that lead to a node are hops of their own. */
void request_advertise(struct request *request, const struct endpoint *endpoint);
/* the answer has the crossbar's INFO */
void request_crossbar(struct request *request, const struct endpoint *endpoint);
void request_route_own(struct request *request, const struct endpoint *endpoint);
void request_claim(struct request *request, const struct endpoint *endpoint);
/* the answer has its INFO */
void request_route_device(struct request *request, const struct endpoint *endpoint);
/* request_to_device begins a list of accesses at the device's endpoint: its INFO, its registers;
 * request_end ends it. */
void request_to_device(struct request *request, const struct endpoint *endpoint);
void request_info(struct request *request);
void request_write(struct request *request, uint16_t address, uint32_t data);
void request_read(struct request *request, uint16_t address);
void request_end(struct request *request);

/* request_register finds what CFG_RD gave. False: not in the answer. */
bool request_register(const struct chdr_mgmt *answer, uint16_t address, uint32_t *ret_data);

#endif
