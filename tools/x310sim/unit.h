/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/unit.h - a device on the network: its processor's UDP ports, its two 10 Gbit/s
 * ports, the faults of the wire, its sample clock.
 *
 * 	SFP0   an IPv4 address of this machine, over the kernel: firmware, MTU, CHDR
 * 	SFP1   another such address, with all of it; or CHDR alone, over whatever port it is
 * 	       given: for a host whose own port the kernel does not see
 *
 *         transport --> [cable of Tx] --> device --> [cable of Rx] --> transport
 *                                                       samples may go to a multicast group by SFP0
 *
 * All devices share a reference of 200 MHz, in ticks since the beginning, and its pulse per second;
 * each has ticks of its own, at the rate that its host has programmed (clock_chip.h), which go
 * faster by drift_ppb and may be set: at once, or at the next pulse, so that several devices have
 * one time.
 */
#ifndef TOOLS_X310SIM_UNIT_H
#define TOOLS_X310SIM_UNIT_H

#include "core/platform/transport.h"
#include "tools/x310sim/analog.h"
#include "tools/x310sim/device.h"
#include "tools/x310sim/cable.h"
#include "tools/x310sim/firmware.h"
#include "tools/x310sim/steady.h"

/* sockets: firmware and MTU of each SFP; then what hosts broadcast to the firmware, of each */
enum { UNIT_OWN_SOCKETS = 4, UNIT_SOCKETS = 6, UNIT_TRANSPORTS = DEVICE_SFPS };

enum unit_way { UNIT_TX, UNIT_RX, UNIT_WAYS }; /* from the host, to it */

struct unit_options {
	struct device_options device;
	uint32_t ip;                       /* SFP0, host order */
	bool is_hg;                        /* SFP0 has 1 Gbit/s */
	uint32_t frame_bytes[DEVICE_SFPS]; /* largest datagram that passes, either way */
	const struct transport_kind *sfp1; /* or NULL */
	struct transport_options sfp1_options;
	struct fault_options faults[UNIT_WAYS];
	int64_t drift_ppb;
	struct transport_address group; /* that samples are sent to; ip 0: to the host that asked */
	unsigned number;
};

struct
    unit_out { /* what goes through a transport, until its burst is full or nothing more is due */
	struct packet packets[TRANSPORT_BURST];
	unsigned n;
	bool full; /* the way out, as it was said in this turn */
};

/* How far the host has answered an endpoint's samples with samples (pace.h). */
struct unit_answer {
	uint64_t samples; /* of those that it was given */
	uint64_t next;    /* tick at which its next packet begins; 0: it said none */
	bool excused;     /* it does not answer: not waited for until it sends samples */
};

struct unit {
	struct device device;
	struct firmware firmware;
	struct analog *analog;
	struct cable cables[UNIT_WAYS];
	struct unit_options options;
	int sockets[UNIT_SOCKETS];                     /* firmware, MTU */
	struct transport *transports[UNIT_TRANSPORTS]; /* SFP0, SFP1; NULL: not there */
	/* nothing has come through it, as its descriptor said last: not looked at */
	bool is_quiet[UNIT_TRANSPORTS];
	struct unit_out out[UNIT_TRANSPORTS];
	struct unit_answer answers[DEVICE_ENDPOINTS];
	uint64_t base_ref, base_tick; /* at that reference it was that tick */
	double clock_hz;              /* of its sample clock, as the host has set it */
	int64_t ppb;                  /* by which it differs from the reference, drift and all */
	uint64_t pps_ref;             /* the time is set then; 0: it is not to be */
	struct steady steady;
	uint64_t reply_failed; /* of firmware and MTU detection */
	uint64_t wire_full;    /* packets that found no room on their way out */
	uint64_t too_long;     /* packets that their SFP does not pass */
	uint64_t behind_max;   /* ticks: how late the clock was looked at */
};

/* unit_open: 0, or -errno with the reason in ret_why (TRANSPORT_WHY bytes); to be closed in either
 * case. */
int unit_open(
    struct unit *unit, const struct unit_options *options, struct analog *analog, char *ret_why);
void unit_close(struct unit *unit);

uint64_t unit_ticks(const struct unit *unit, uint64_t ref);

/* unit_run lets time pass. unit_take takes what has come through its transports, at most a burst
 * each; false: nothing has. `now` is asked for each packet. */
void unit_run(struct unit *unit, uint64_t ref);
bool unit_take(struct unit *unit, uint64_t (*now)(void *self), void *self);
void unit_datagrams(struct unit *unit, int which, uint64_t ref);
void unit_flush(struct unit *unit);

/* unit_next gives the reference at which something will happen by itself; UINT64_MAX: nothing. */
uint64_t unit_next(const struct unit *unit);

/* ---- for a clock that waits for the host ---- */

bool unit_streams(const struct unit *unit); /* samples are heard or played */
/* unit_waits: the host has to do something before time may go on: open the window of Rx, or send
 * what answers all but the last `lead` samples that it was given. unit_excuse goes on without. */
bool unit_waits(struct unit *unit, uint64_t lead);
/* unit_unanswered: somebody could answer, and has been excused. */
bool unit_unanswered(const struct unit *unit);
void unit_excuse(struct unit *unit);
/* unit_starves gives the last reference at which no transmitter has run out of samples. */
uint64_t unit_starves(const struct unit *unit);

#endif
