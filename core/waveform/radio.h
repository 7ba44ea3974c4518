/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/waveform/radio.h - the radios of a platform: which devices there are, and how to reach them.
 *
 *	radio: { type = "x310"; transport = "udp"; address = "192.168.40.2"; };
 *	radio = ( { ...; address = "192.168.30.2"; }, { ...; address = "192.168.40.2"; } );     # their channels in this order
 *
 * | key            | default     | what                                                                              |
 * |----------------|-------------|-----------------------------------------------------------------------------------|
 * | type           | -           | "x310"                                                                            |
 * | transport      | -           | "udp": a socket of the kernel; "dpdk": a port that the kernel does not see        |
 * | address        | -           | of the device                                                                     |
 * | own_address    | any         | of this machine; needed with dpdk, where no kernel gives one                      |
 * | port           | -           | dpdk: a virtual device with its arguments ("net_memif0,..."), or a PCI address    |
 * | eal            | ""          | dpdk: options for its environment, before ours                                    |
 * | sfp            | udp 0, dpdk 1 | which of the device's network ports it is                                       |
 * | channel        | 0           | of the device, twice the daughterboard's number and its own; a list: [0, 2]       |
 * | spp            | see below   | samples in a packet, both ways                                                    |
 * | clock_rate     | 200e6       | ticks a second; the sample rate is a whole part of it                             |
 * | tx_advance     | untimed     | samples from a slot's first to what is sent in it: the time of a Tx packet        |
 * | patience_ms    | 1           | without packets for so long the slots go on at the nominal rate                   |
 * | multicast      | -           | "GROUP:PORT" that the device sends its samples to, instead of to who asks for them |
 * | listen         | false       | true: hear them there and say nothing: another node has the device. No Tx          |
 * | flow_control   | false       | true: the device sends what there is room for, and overruns if we stall; else what |
 * |                |             | finds no room is lost, alone                                                      |
 * | initialised    | false       | true: x310-init holds the device, its rate and its first endpoint stay as they are |
 * | rate           | -           | samples a second that it was initialised with: the waveform's has to be the same  |
 * | clock_source, time_source | "" | as the device was set by who initialised it: "internal", "external", "gpsdo"     |
 * | rx_frequency, rx_gain, tx_frequency, tx_gain | - | likewise, in Hz and dB: a number, or a list with one for each channel |
 *
 * spp is, if nothing else is said, the whole slot where it fits into a packet, else its largest part that does.
 *
 * With `multicast` several nodes receive the same slots: one that has the device, starts and stops it, and any number that
 * listen, with the same channels in the same order. Slots begin at whole multiples of their length in the device's ticks, so that they are the
 * same for all. The interface with own_address joins the group, without it the one that the kernel's routes name. Over dpdk
 * nobody reports the membership: a switch that snoops on IGMP has to be told.
 */
#ifndef ALOE_WAVEFORM_RADIO_H
#define ALOE_WAVEFORM_RADIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WF_RADIOS_MAX = 2,
	WF_RADIO_CHANNELS_MAX = 2,
	WF_RADIO_SPP_MIN = 16,
	WF_RADIO_SPP_MAX = 1996
};

/* A device holds 524 287 bytes of what is sent to it (stock images): tx_advance and a slot together are to be less, 131 000
 * samples; and tx_advance more than a slot, the way there and back and what the machine needs for its work. */
enum wf_transport { WF_TRANSPORT_UDP, WF_TRANSPORT_DPDK };

struct wf_radio_channel { /* NaN: nobody has said */
	double rx_frequency, rx_gain, tx_frequency, tx_gain;
};

struct wf_radio {
	enum wf_transport transport;
	uint32_t address, own_address; /* IPv4, host order; own 0: any */
	char *port, *eal;              /* "" */
	uint32_t sfp, spp;             /* spp 0: not said */
	uint32_t n_channels, channels[WF_RADIO_CHANNELS_MAX];
	double clock_rate, rate; /* rate 0: not said */
	int64_t tx_advance;      /* negative: untimed */
	double patience_ms;
	bool flow_control, initialised, listen;
	uint32_t group; /* IPv4, host order; 0: none */
	uint16_t group_port;
	char *clock_source, *time_source; /* "" */
	struct wf_radio_channel settings[WF_RADIO_CHANNELS_MAX];
	int line;
};

struct wf_radios {
	char *file;
	struct wf_radio item[WF_RADIOS_MAX];
	size_t n;
};

struct diag;

/* wf_radios_parse reads the group `radio` of a platform file: 0 (*ret NULL: there is none), or -EINVAL with everything that
 * is wrong in diag. End with wf_radios_free. */
int wf_radios_parse(const char *file, const char *text, struct diag *diag, struct wf_radios **ret);
void wf_radios_free(struct wf_radios *radios);

/* wf_radio_spp gives the samples in a packet of a slot of slot_samples. */
uint32_t wf_radio_spp(const struct wf_radio *radio, uint32_t slot_samples);

#endif
