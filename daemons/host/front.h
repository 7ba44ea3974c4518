/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/host/front.h - the channels of X310s as one front (core/platform/front.h): each a radio of platforms/x310 over a door
 * of its own, all started at one time.
 *
 * An overrun and a start that came too late are answered by starting the stream again, at a slot's first tick if there is time
 * for that. A channel from which nothing has come for two seconds is set up anew, as at first, until it answers: the device may
 * have been started again. A device that is listened to is left alone. Without flow_control the device sends without asking
 * whether there is room: what is lost is lost alone.
 */
#ifndef ALOE_HOST_FRONT_H
#define ALOE_HOST_FRONT_H

#include "core/image/image.h"
#include "core/platform/front.h"
#include "daemons/host/split.h"
#include "platforms/x310/radio.h"

struct front_channel {
	struct radio radio;
	struct door *door;
	struct packet placed;
	bool has_place, bursting; /* bursting: something was sent, and no end of it */
	uint32_t spp;
	uint64_t heard_ns, heard_ticks; /* of the packet that came last */
	uint64_t events;                /* of the radio's Rx, answered */
	bool again;                     /* it is being set up once more */
	struct front_counts before;     /* of it, until then */
	unsigned tries;                 /* to begin again, and nothing has come yet */
};

struct x310_front {
	struct front front; /* first */
	struct front_channel *channel;
	struct front_port {
		const struct image_radio *row; /* that named it first */
		struct split *split;
	} ports[IMAGE_RADIOS_MAX];
	uint32_t n_ports;
	double tick_ns;
	uint64_t per_slot; /* ticks */
	uint64_t origin;   /* a slot's first tick */
	bool running;
	bool listen; /* somebody else has the devices */
	char note[512];
};

/* front_open opens all channels of `n` radios and waits until their streams stand: 0, or -errno with the reason in ret_why.
 * By the thread that is to use it. */
int front_open(struct x310_front *front, const struct image_view *view, uint32_t packets,
    char *ret_why, size_t size);
/* front_close ends what is being sent and received, and closes. */
void front_close(struct x310_front *front);

#endif
