/* SPDX-License-Identifier: BSD-3-Clause
 * platforms/x310: a frame, and the packet in it, are refused or can be read whole; what was read
 * and written again is read the same. */
#include <stdlib.h>
#include <string.h>

#include "platforms/x310/chdr.h"
#include "platforms/x310/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void read_bytes(const uint8_t *bytes, size_t size)
{
	volatile unsigned sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += bytes[i];
	(void)sum; /* volatile, so that it is done, but clang wants it used */
}

static void ctrl_again(const struct chdr_packet *packet, enum chdr_dialect dialect)
{
	uint8_t bytes[CHDR_CTRL_BYTES_MAX];
	struct chdr_ctrl ctrl, back;
	struct chdr_packet again;
	size_t size;

	memset(&ctrl, 0, sizeof(ctrl));
	memset(&back, 0, sizeof(back));
	if (chdr_ctrl_parse(packet, dialect, &ctrl) < 0)
		return;
	size = chdr_ctrl_write(bytes, 1, 2, dialect, &ctrl);
	insist(size <= sizeof(bytes) && chdr_parse(bytes, size, &again) == 0);
	insist(chdr_ctrl_parse(&again, dialect, &back) == 0 && back.address == ctrl.address &&
	    back.seq == ctrl.seq && back.n_data == ctrl.n_data &&
	    memcmp(back.data, ctrl.data, sizeof(ctrl.data)) == 0);
}

static void mgmt_again(const struct chdr_packet *packet)
{
	uint8_t bytes[CHDR_MGMT_BYTES_MAX];
	struct chdr_mgmt mgmt, back;
	struct chdr_packet again;
	size_t size;

	if (chdr_mgmt_parse(packet, &mgmt) < 0)
		return;
	size = chdr_mgmt_write(bytes, 1, 2, &mgmt);
	insist(size <= sizeof(bytes) && chdr_parse(bytes, size, &again) == 0);
	insist(chdr_mgmt_parse(&again, &back) == 0 && back.n_steps == mgmt.n_steps &&
	    back.n_hops == mgmt.n_hops);
}

static void packet_again(const uint8_t *data, size_t size)
{
	struct chdr_packet packet;
	struct chdr_strs strs;
	struct chdr_strc strc;
	uint8_t bytes[CHDR_STRS_BYTES];

	if (chdr_parse(data, size, &packet) < 0)
		return;
	insist(packet.header.length <= size);
	read_bytes(packet.metadata, 8u * packet.header.n_metadata);
	read_bytes(packet.payload, packet.payload_bytes);
	if (chdr_strs_parse(&packet, &strs) == 0)
		insist(chdr_strs_write(bytes, 0, 0, &strs) == CHDR_STRS_BYTES);
	if (chdr_strc_parse(&packet, &strc) == 0)
		insist(chdr_strc_write(bytes, 0, 0, &strc) == CHDR_STRC_BYTES);
	ctrl_again(&packet, CHDR_V1);
	ctrl_again(&packet, CHDR_V2);
	mgmt_again(&packet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t answer[2048];
	struct frame frame;

	packet_again(data, size);
	if (frame_parse(data, size, &frame) < 0)
		return 0;
	read_bytes(frame.payload, frame.payload_bytes);
	insist(frame_answer(&frame, &frame.to, answer, sizeof(answer)) <= sizeof(answer));
	if (frame.kind == FRAME_IS_UDP)
		packet_again(frame.payload, frame.payload_bytes);
	return 0;
}
