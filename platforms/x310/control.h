/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/control.h - registers of a device's blocks, one access after another, and what its
 * radios say of themselves. Pure, like the streams.
 *
 * 	IDLE --open--> ADVERTISE --> OWN --> [CLAIM] --> DEVICE --> READY
 * 	as with a stream, by the same requests
 * 	READY: queue --sent--> acknowledged --> the next one
 * 	                 |  ^ sent again after REQUEST_RETRY_NS
 * 	                 +--> FAILED after REQUEST_TRIES
 *
 * An access whose acknowledgement was lost is carried out twice: for the registers of radio, DDC
 * and DUC that is the same but for RX_CMD, where a second start or stop changes nothing either. A
 * message of a radio is acknowledged at once (it says nothing more before that), so its error
 * registers have to name our endpoint.
 */
#ifndef PLATFORMS_X310_CONTROL_H
#define PLATFORMS_X310_CONTROL_H

#include "platforms/x310/stream.h"

enum { CONTROL_QUEUE = 64, CONTROL_ACKS = 32, CONTROL_EVENTS = RADIO_RX_OVERRUN + 1 };

struct control {
	struct endpoint endpoint;
	struct endpoint claimed; /* the one to be claimed, where that is another */
	enum chdr_dialect dialect;
	enum stream_phase phase, failed_in; /* failed_in: the phase before FAILED */
	const char *why;
	struct request request;
	uint16_t request_seq, seq;
	uint8_t ctrl_seq;
	struct chdr_ctrl queue[CONTROL_QUEUE]; /* a ring */
	unsigned first, n;
	unsigned tries;
	uint64_t next_ns;
	uint32_t value; /* that the last read gave */
	struct chdr_ctrl acks[CONTROL_ACKS];
	unsigned n_acks;
	uint64_t events[CONTROL_EVENTS]; /* messages by enum radio_event */
	uint64_t refused;                /* accesses that were answered with an error */
	uint64_t lost_acks;              /* more messages at once than we can answer */
};

/* control_open: `claimed` is the endpoint that is to be claimed, if it says so: often `endpoint`
 * itself. */
void control_open(struct control *control, const struct endpoint *endpoint,
    const struct endpoint *claimed, enum chdr_dialect dialect, uint64_t now_ns);

/* Accesses wait until READY. `port` is the block's control port. 0 or -ENOSPC. */
int control_write(struct control *control, uint16_t port, uint32_t address, uint32_t value);
int control_read(struct control *control, uint16_t port, uint32_t address);

static inline bool control_idle(const struct control *control)
{
	return control->phase == STREAM_READY && control->n == 0;
}

size_t control_poll(struct control *control, uint64_t now_ns, uint8_t *bytes); /* as rx_poll */

/* control_take takes a packet for our endpoint. True: it was a message of a radio. */
bool control_take(struct control *control, uint64_t now_ns, const struct chdr_packet *packet,
    struct radio_message *ret_message);

#endif
