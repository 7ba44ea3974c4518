/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/antenna.h - the open radio, for the files of the driver alone: driver.c opens,
 * moves samples and closes, check.c says what speaks against a radio, recover.c looks after streams
 * that are not as they should be.
 */
#ifndef PLATFORMS_X310_ANTENNA_H
#define PLATFORMS_X310_ANTENNA_H

#include "platforms/x310/channel.h"
#include "platforms/x310/driver.h"
#include "platforms/x310/split.h"

struct x310_antenna {
	struct x310_channel radio;
	struct transport *transport;
	struct packet placed;
	bool has_place, bursting; /* bursting: something was sent, and no end of it */
	uint64_t heard_ns,
	    heard_ticks;     /* of the packet that came last; ticks 0: none since set-up */
	uint64_t tried_ns;   /* when it was set up last */
	uint64_t events;     /* of the radio's Rx, answered */
	uint64_t next_ticks; /* behind the packet that came last; 0: none since set-up */
	unsigned wrong;      /* packets in a row that say another rate */
	bool apart; /* of another time than the first device, as far as that was to be heard */
	bool stale; /* the time went back: what comes until it is set up anew is of before */
	bool again; /* it is being set up once more */
	bool anew;  /* and nothing has come since */
	struct radio_counts before; /* of it, until then */
	unsigned tries;             /* to begin again, and nothing has come yet */
};

struct x310_port {
	const struct x310_settings *settings; /* that named it first */
	struct split *split;
};

struct x310_radio {
	struct radio radio; /* first */
	struct x310_antenna antenna[RADIO_CHANNELS_MAX];
	struct x310_port ports[RADIO_DEVICES_MAX];
	uint32_t n_ports;
	const char *port_names[RADIO_DEVICES_MAX + 1]; /* of DPDK, NULL at the end */
	uint32_t channels_wanted;
	uint32_t packets; /* of a channel that the pace may hold */
	double tick_ns;
	uint64_t per_slot; /* ticks */
	uint64_t origin;   /* a slot's first tick */
	bool running, ended;
	bool listen; /* somebody else has the devices */
};

/* x310_turn takes and answers what comes, and throws samples away: so many packets. x310_attend is
 * a turn outside of slots: where what was asked then is not answered promptly and nothing comes,
 * it naps, because a program that plays the device may need this CPU. x310_time_of gives the time
 * of a channel's device, in ticks; 0: it does not say. */
unsigned x310_turn(struct x310_radio *x310);
void x310_attend(struct x310_radio *x310, uint64_t asked_ns);
uint64_t x310_time_of(struct x310_radio *x310, uint32_t c);

/* What the radio has said of Rx, which then does not go on. */
uint64_t x310_complaints(const struct x310_antenna *channel);

/* x310_heard takes note of what has come. False: it is not to be used, because the device's time
 * has gone back, or is another than that of the first device. [slot] */
bool x310_heard(struct x310_radio *x310, uint32_t c, uint64_t now_ns,
    const struct x310_packet *packets, unsigned n);
/* x310_look_after does what has to be done when a stream is not as it should be: begins again after
 * an overrun; sets up anew what is silent, or has failed, every second and without end. [slot] */
void x310_look_after(struct x310_radio *x310, uint32_t c, uint64_t now_ns);
/* x310_owner gives the first antenna of the same block of the same device: that one resets it. */
uint32_t x310_owner(const struct x310_radio *x310, uint32_t c);

/* Of all that has been counted. */
void x310_count(const struct x310_radio *x310, uint32_t c, struct radio_counts *ret);

/* Why an antenna does not stream: the last thing that worked. */
enum x310_trouble {
	X310_WELL,
	X310_NO_ANSWER,    /* not even from the device's network port */
	X310_NO_ROUTE,     /* nothing from behind that port */
	X310_NO_REGISTERS, /* management is answered, register accesses are not */
	X310_NO_USE,       /* all of that is answered, and not what a device says that is known */
	X310_NO_RX,        /* registers answer, the stream of that direction does not begin */
	X310_NO_TX,
	X310_NO_DATA,    /* both streams stand, and no samples come */
	X310_OTHER_RATE, /* samples come, and not so many a second */
	X310_OTHER_TIME, /* samples come, of another time than that of the first device */
	X310_TROUBLES
};

enum x310_trouble x310_trouble_of(const struct x310_channel *radio);
/* x310_trouble_texts writes a text for each, with address, port, channel and what to do, when it is
 * known what the device consists of. */
void x310_trouble_texts(const struct x310_channel *radio, char ret[][RADIO_TROUBLE]);

/* x310_say writes "ADDRESS port PORT, channel N: " before the text. */
__attribute__((format(printf, 4, 5))) void x310_say(
    const struct x310_channel *radio, char *ret, size_t size, const char *format, ...);

/* ---- what speaks against a radio before it is started (check.c): false, with the reason ---- */

/* x310_is_wide: packets of this size go to the device and back, as far as that can be told. */
bool x310_is_wide(
    struct x310_antenna *channel, const struct x310_settings *settings, char *ret_why, size_t size);
/* x310_is_as_said: the device is what the radio file says, and holds what is to be sent ahead. */
bool x310_is_as_said(const struct x310_radio *x310, uint32_t nth,
    const struct x310_settings *settings, uint32_t c, char *ret_why, size_t size);
/* x310_is_one_time: the times of two devices differ by a slot at most. */
bool x310_is_one_time(struct x310_radio *x310, char *ret_why, size_t size);
bool x310_same_device(const struct x310_radio *x310, uint32_t a, uint32_t b);

#endif
