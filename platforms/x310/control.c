/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/x310/control.h"

#include <errno.h>

enum { ALL_BYTES = 15, CTRL_SEQ = 63 };

static void control_fail(struct control *control, const char *why)
{
	control->failed_in = control->phase;
	control->phase = STREAM_FAILED;
	control->why = why;
	control->request.open = false;
}

static void control_enter(struct control *control, enum stream_phase phase, uint64_t now_ns)
{
	const struct endpoint *endpoint =
	    phase == STREAM_CLAIM ? &control->claimed : &control->endpoint;

	control->phase = phase;
	if (stream_ask(&control->request, endpoint, phase))
		request_open(&control->request, control->request_seq++, now_ns);
	else
		control->phase = STREAM_READY;
}

void control_open(struct control *control, const struct endpoint *endpoint,
    const struct endpoint *claimed, enum chdr_dialect dialect, uint64_t now_ns)
{
	*control = (struct control){.endpoint = *endpoint, .claimed = *claimed, .dialect = dialect};
	control_enter(control, STREAM_ADVERTISE, now_ns);
}

/* ---- what is asked ------------------------------------------------------------------------ */

static int request_push(
    struct control *control, enum chdr_ctrl_op op, uint16_t port, uint32_t address, uint32_t value)
{
	if (control->n == CONTROL_QUEUE)
		return -ENOSPC;
	control->queue[(control->first + control->n++) % CONTROL_QUEUE] = (struct chdr_ctrl){
	    .dst_port = port,
	    .src_port = port,
	    .src = control->endpoint.own,
	    .n_data = control->dialect == CHDR_V1 || op == CHDR_CTRL_WRITE,
	    .request = op == CHDR_CTRL_READ,
	    .op = (uint8_t)op,
	    .byte_enable = ALL_BYTES,
	    .address = address,
	    .data = {value},
	};
	return 0;
}

int control_write(struct control *control, uint16_t port, uint32_t address, uint32_t value)
{
	return request_push(control, CHDR_CTRL_WRITE, port, address, value);
}

int control_read(struct control *control, uint16_t port, uint32_t address)
{
	return request_push(control, CHDR_CTRL_READ, port, address, 0);
}

/* ---- what comes ------------------------------------------------------------------------ */

static void request_acknowledged(struct control *control, const struct chdr_ctrl *ctrl)
{
	const struct chdr_ctrl *asked = &control->queue[control->first];

	if (control->n == 0 || control->tries == 0 || ctrl->seq != asked->seq ||
	    ctrl->address != asked->address)
		return; /* of an access that was sent twice */
	control->refused += ctrl->status != CHDR_CTRL_OKAY;
	if (asked->op == CHDR_CTRL_READ && ctrl->n_data)
		control->value = ctrl->data[0];
	control->first = (control->first + 1) % CONTROL_QUEUE;
	control->n--;
	control->tries = 0;
	control->next_ns = 0;
}

static void message_take(struct control *control, struct chdr_ctrl *ctrl, struct radio_message *ret)
{
	*ret = radio_message_parse(ctrl);
	control->events[ret->event]++;
	if (control->n_acks == CONTROL_ACKS) {
		control->lost_acks++;
		return;
	}
	radio_message_ack(ctrl, control->endpoint.own, control->dialect);
	control->acks[control->n_acks++] = *ctrl;
}

bool control_take(struct control *control, uint64_t now_ns, const struct chdr_packet *packet,
    struct radio_message *ret_message)
{
	struct chdr_mgmt answer;
	struct chdr_ctrl ctrl;

	if (request_take(&control->request, packet, &answer)) {
		control_enter(control, stream_after(&control->endpoint, control->phase), now_ns);
		return false;
	}
	if (packet->header.dst != control->endpoint.own ||
	    chdr_ctrl_parse(packet, control->dialect, &ctrl) < 0)
		return false;
	if (ctrl.ack) {
		request_acknowledged(control, &ctrl);
		return false;
	}
	message_take(control, &ctrl, ret_message);
	return true;
}

/* ---- what goes ------------------------------------------------------------------------ */

static size_t write_ctrl(struct control *control, const struct chdr_ctrl *ctrl, uint8_t *bytes)
{
	return chdr_ctrl_write(
	    bytes, control->endpoint.device, control->seq++, control->dialect, ctrl);
}

static size_t poll_queue(struct control *control, uint64_t now_ns, uint8_t *bytes)
{
	struct chdr_ctrl *ctrl = &control->queue[control->first];

	if (control->phase != STREAM_READY || control->n == 0 || now_ns < control->next_ns)
		return 0;
	if (control->tries == REQUEST_TRIES) {
		control_fail(control, "the device does not acknowledge a register access");
		return 0;
	}
	if (control->tries++ == 0)
		ctrl->seq = control->ctrl_seq++ & CTRL_SEQ;
	control->next_ns = now_ns + REQUEST_RETRY_NS;
	return write_ctrl(control, ctrl, bytes);
}

size_t control_poll(struct control *control, uint64_t now_ns, uint8_t *bytes)
{
	const int rc = request_poll(&control->request, now_ns, bytes);

	if (rc == -ETIMEDOUT)
		control_fail(control, "the device does not answer a management request");
	if (rc > 0)
		return (size_t)rc;
	if (control->n_acks)
		return write_ctrl(control, &control->acks[--control->n_acks], bytes);
	return poll_queue(control, now_ns, bytes);
}
