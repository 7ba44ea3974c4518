/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310-init/initialise.h - a device made ready by UHD, up to the stream endpoints and no
 * further.
 *
 *         UHD's here:   clocks, converters, daughterboards, DDC, DUC, the claim (renewed each
 *                       second while it is open)
 *         not UHD's:    no streamer is made, so the endpoints' data sides, sequence numbers and
 *                       flow control are as after reset, and whoever streams has nothing to take
 *                       over
 */
#ifndef TOOLS_X310_INIT_INITIALISE_H
#define TOOLS_X310_INIT_INITIALISE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { INITIALISE_CHANNELS = 4, INITIALISE_BOARDS = 2, INITIALISE_WHY = 640 };

struct initialise_options {
	/* of UHD: "type=x300,addr=192.168.40.2", or with addr0= and addr1=: two devices as one */
	const char *args;
	/* "A:0", "A:0 B:0": radios and their channels, of both directions; NULL: the first; of each
	 * device */
	const char *subdev;
	double rate_hz;
	double rx_hz, tx_hz; /* NAN: as it is */
	double rx_gain_db, tx_gain_db;
	double bandwidth_hz;                 /* of both directions */
	const char *rx_antenna, *tx_antenna; /* NULL: as it is */
	const char *clock_source, *time_source;
	uint32_t samples; /* per packet */
};

struct initialise_channel {
	char name[16];           /* "A:0" */
	unsigned board;          /* which device */
	unsigned radio, channel; /* block Radio#radio, its channel */
	unsigned block;          /* its control port, as UHD's graph has it */
	/* instance of the endpoint from which the samples come, and to which they go; -1: none */
	int rx_endpoint, tx_endpoint;
	uint32_t ticks_per_sample;
	double rx_hz, tx_hz, rx_gain_db, tx_gain_db; /* as they became */
	double rx_bandwidth_hz, tx_bandwidth_hz;     /* NAN: not asked for */
	char rx_antenna[16], tx_antenna[16];
};

struct initialised {
	void *self; /* UHD's */
	char device[64];
	double tick_rate_hz, rate_hz;
	char clock_source[16], time_source[16];
	unsigned n_boards;
	double apart_s; /* two devices: by how much their times differ */
	unsigned n_channels;
	struct initialise_channel channels[INITIALISE_CHANNELS];
};

/* initialise_uhd gives the version of UHD that is installed: "4.3.0.0-3". */
const char *initialise_uhd(void);

/* initialise: true; or false with the reason in ret_why (INITIALISE_WHY bytes). */
bool initialise(const struct initialise_options *options, char *ret_why, struct initialised *ret);
void initialise_end(struct initialised *initialised);

#ifdef __cplusplus
}
#endif

#endif
