/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/driver.h - the driver of the X310 (core/platform/radio.h): the settings of a radio
 * file, and all channels of one or two devices as one radio. Each channel is one of
 * platforms/x310/channel.h over a transport of its own, and all are started at one time.
 *
 * An overrun and a start that came too late are answered by starting the stream again, at a slot's
 * first tick if there is time for that. A channel from which nothing has come for two seconds, or
 * whose time went back, is set up anew, as at first, once a second until it answers: the device may
 * have been started again (recover.c). A device that
 * is listened to is left alone. Without flow_control the device sends without asking whether there
 * is room: what is lost is lost alone.
 */
#ifndef PLATFORMS_X310_DRIVER_H
#define PLATFORMS_X310_DRIVER_H

#include "core/platform/radio.h"

enum { X310_SPP_MIN = 16, X310_SPP_MAX = 1996, X310_CHANNELS_MAX = 2 };
enum x310_transport { X310_UDP, X310_DPDK };

struct x310_settings { /* as the radio file says, see x310_keys */
	const char *address_text, *own_address_text, *port, *eal, *multicast;
	int transport; /* enum x310_transport */
	int clock_source, time_source;
	int fpga;                             /* of x310_fpgas; negative: not said */
	int64_t sfp, control_endpoint;        /* negative: not said */
	int64_t spp;                          /* 0: not said */
	int64_t tx_advance;                   /* negative: untimed */
	double clock_rate, rate, patience_ms; /* rate 0: not said */
	bool initialised, flow_control, listen;
	struct radio_numbers channel, rx_frequency, rx_gain, tx_frequency, tx_gain;
	struct radio_numbers block, rx_port, tx_port; /* NAN: not said */
	/* made of it by x310_check */
	uint32_t address, own_address, group; /* IPv4, host order; own 0: any; group 0: none */
	uint16_t group_port;
};

extern const struct radio_driver x310_driver;

/* settings.c */
enum { X310_KEYS = 27 };
extern const struct radio_key x310_keys[X310_KEYS];
extern const char *const x310_sources[]; /* of clock and time; "": nobody has said */
extern const char x310_manual[];
void x310_check(void *settings, const struct radio_check *check);
/* x310_packet_samples gives the samples in a packet of a slot of slot_samples. */
uint32_t x310_packet_samples(const struct x310_settings *settings, uint32_t slot_samples);

#endif
