/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/x310_rig.h - x310sim as a process of its own and a host's radio in this one, joined
 * by a transport. For CMocka programs and benchmarks, after aloe_init; what cannot be done fails
 * the test.
 */
#ifndef TESTS_COMMON_X310_RIG_H
#define TESTS_COMMON_X310_RIG_H

#include <sys/types.h>

#include "core/json/json.h"
#include "platforms/x310/channel.h"

enum { RIG_PACKET = 2176, RIG_SPP = 256, RIG_TICKS_PER_US = 200, RIG_WIRES = 3 };

struct x310_rig_wire {
	const char *name;
	/* DPDK ports of both ends, %s: the working folder; NULL: kernel UDP on loopback */
	const char *host, *sim;
	const char *needs; /* a command that must succeed first; NULL */
	const char *undo;
	bool silent;      /* the port does not tell what it dropped */
	uint32_t spp_max; /* samples that its frames hold; 0: as many as there are */
};

extern const struct x310_rig_wire x310_rig_wires[RIG_WIRES]; /* udp, memif, af_packet */

struct x310_rig_options {
	const char *source, *record; /* of x310sim; NULL: tone, nothing */
	const char *const *more;     /* options of x310sim, ended by NULL; or NULL */
	uint32_t queue_bytes;        /* of our socket; 0: as it comes */
	struct stream_total window;  /* 0: what the queue holds */
	uint32_t spp, ticks_per_sample;
	bool rx, tx;
	bool free_running; /* Rx without flow control */
	/* channel ("A:0") that x310-init makes ready first; NULL: the radio does it all */
	const char *uhd;
};

struct x310_rig {
	const struct x310_rig_wire *wire;
	unsigned device; /* of x310sim: 0, 1 */
	pid_t pid;
	struct transport *transport;
	struct x310_channel radio;
	json_t *said; /* what x310sim counted, after x310_rig_stop */
	pid_t init;   /* x310-init */
	json_t *made; /* what it said */
};

/* x310_rig_kind gives the kind of transport of a wire; NULL: it was not built. */
const struct transport_kind *x310_rig_kind(const struct x310_rig_wire *wire);

/* x310_rig_missing says why this wire cannot be had here; NULL: it can. */
const char *x310_rig_missing(const struct x310_rig_wire *wire);

/* x310_rig_start starts x310sim and brings the streams up: x310_ready. */
void x310_rig_start(
    struct x310_rig *rig, const struct x310_rig_wire *wire, const struct x310_rig_options *options);
/* The parts of x310_rig_start, where the two are not to live as long: x310_rig_simulate starts
 * x310sim of rig->wire; x310_rig_attach opens the transport;
 * x310_rig_try brings the streams up over it, also once more: NULL, or why not. */
void x310_rig_simulate(struct x310_rig *rig, const struct x310_rig_options *options);
void x310_rig_attach(struct x310_rig *rig, const struct x310_rig_options *options);
const char *x310_rig_try(struct x310_rig *rig, const struct x310_rig_options *options);
/* x310_rig_join brings up the streams of a second device (`more` of the first: --devices 2), over
 * kernel UDP; to be closed after x310_rig_stop of the first, not stopped. */
void x310_rig_join(struct x310_rig *rig, const struct x310_rig_options *options);
/* x310_rig_stop takes all that is still on its way (nothing streams any more) and ends x310sim:
 * then rig->transport->counts are final and rig->said is there. */
void x310_rig_stop(struct x310_rig *rig);
void x310_rig_close(struct x310_rig *rig); /* also of one that was not started, or is half so */
/* x310_rig_fail fails the test, with what both ends have counted. */
void x310_rig_fail(struct x310_rig *rig, const char *why);

uint64_t x310_rig_said(const struct x310_rig *rig, const char *name); /* of the device */
/* of the port that we are on */
uint64_t x310_rig_port(const struct x310_rig *rig, const char *name);
uint64_t x310_rig_channel(const struct x310_rig *rig, const char *name); /* of channel 0 */

#endif
