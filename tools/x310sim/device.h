/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/device.h - the device's end of the wire: an X310 as its host sees it, as pure
 * functions of packets and ticks. Two transports (SFP0, SFP1), a crossbar, stream endpoints, and
 * the channels of two radios, wired to the endpoints as layout.h says.
 *
 *         host -> transport (learns addresses by ADVERTISE) -> crossbar (routes) -> stream endpoint
 *         -> DUC -> radio Tx host <- transport <----------------------------- crossbar <- stream
 *         endpoint <- DDC <- radio Rx
 *
 * Time is the radio's 64-bit tick counter (200 MHz); the caller says how far it has got, in steps
 * of any size: everything happens at its own tick, packets that are taken in between arrive at the
 * tick of the last device_run.
 *
 * What is left out: real converters, the timing of words inside a packet, half-band filters
 * (samples pass through DDC and DUC as they are). Source: UHD 4.x FPGA sources
 * (chdr_stream_input.v, chdr_stream_output.v, radio_tx_core.v, radio_rx_core.v,
 * chdr_mgmt_pkt_handler.v; chdr_crossbar_nxn.v: a packet whose endpoint has no route leaves by port
 * 0, DEFAULT_PORT; chdr_xport_adapter.sv: what an SFP's own table of addresses has not is lost).
 */
#ifndef TOOLS_X310SIM_DEVICE_H
#define TOOLS_X310SIM_DEVICE_H

#include "platforms/x310/fpga.h"
#include "platforms/x310/request.h"
#include "tools/x310sim/layout.h"

enum {
	DEVICE_ENDPOINTS = LAYOUT_CHANNELS,
	/* crossbar: 0 SFP0, 1 SFP1, 2 PCIe, then the endpoints */
	DEVICE_FIRST_PORT = LAYOUT_TRANSPORTS,
	DEVICE_SFPS = 2,
	DEVICE_SFP_BIT = 48,  /* and up, of an address: the SFP by which it is reached */
	DEVICE_TABLE = 64,    /* addresses, routes: the oldest makes room */
	DEVICE_MESSAGES = 32, /* of a radio, until acknowledged */
	DEVICE_COMMANDS = 32, /* of a radio's Rx */
	DEVICE_CAPACITY = 524287,
	DEVICE_RX_PACKETS = 8 /* between radio and host while the window is shut */
};

#define DEVICE_TICKS_PER_S 200000000ull
#define DEVICE_TICK_NS (1000000000ull / DEVICE_TICKS_PER_S)
#define DEVICE_FLUSH_TICKS 17476ull /* 2^14 cycles of 187.5 MHz */

/* ---- what the caller gives ---- */

struct device_io {
	/* Who sent the packet that is being taken, and who is to get one that goes out: the
	 * caller's own numbers. */
	void (*send)(void *self, uint64_t address, const uint8_t *bytes, size_t size);
	/* The analog side: n complex int16 (re, im) of a channel, the first at `tick`. */
	void (*transmit)(
	    void *self, unsigned channel, uint64_t tick, const uint8_t *iq, uint32_t n);
	void (*receive)(void *self, unsigned channel, uint64_t tick, uint8_t *ret_iq, uint32_t n);
	void *self;
};

struct device_options {
	const struct x310_fpga *fpga; /* NULL: of UHD 4.3 */
	uint64_t layout_seed;         /* 0: the stock image */
	bool stop_supported;          /* FPGA of UHD 4.9 and later */
	uint32_t capacity;            /* bytes an endpoint holds; DEVICE_CAPACITY */
	/* not in any FPGA: a Tx packet that is missing becomes zeros in its place */
	bool zeros;
	bool daughterboard; /* a UBX-160 in each radio (board.h) */
	bool unlocked;      /* whose oscillators do not lock */
	uint32_t divide;    /* ticks per sample until the host says otherwise: 2 = 100 MSa/s */
	/* after so many data packets an endpoint's side towards the radio is wedged, once */
	uint64_t wedge;
};

/* ---- a packet queue ------------------------------------------------------------------------ */

struct sim_packet {
	struct sim_packet *next;
	uint32_t size;
	uint32_t missing; /* packets before it that never came */
	uint8_t bytes[];
};

struct sim_queue {
	struct sim_packet *first, **last;
	uint64_t bytes; /* counted, rounded up */
};

void sim_queue_init(struct sim_queue *queue);
void sim_queue_clear(struct sim_queue *queue);
int sim_queue_push(struct sim_queue *queue, const uint8_t *bytes, size_t size); /* 0 or -ENOMEM */
struct sim_packet *sim_queue_pop(struct sim_queue *queue);

/* ---- the parts ------------------------------------------------------------------------ */

struct sim_total {
	uint64_t bytes, pkts;
};

enum sim_input_phase { SIM_INPUT_IDLE, SIM_INPUT_FLUSH };

/* The endpoint's data side towards the radio.
 * 	IDLE: DATA -> sequence, destination -> to the DUC when it takes it; STRC -> done at once
 *         INIT -> FLUSH: everything is discarded until it has been silent for DEVICE_FLUSH_TICKS,
 *         then one STRS -> IDLE */
struct sim_input {
	enum sim_input_phase phase;
	struct sim_queue queue;
	uint16_t own, report_to; /* from INIT */
	bool controlled, first_strc, first_data;
	bool stop_on_seqerr, latched;
	uint16_t data_seq, strc_seq, strs_seq; /* next */
	struct sim_total every, consumed, reported;
	uint64_t silent_until;
	uint64_t discarded, discarded_bytes, overflowed;
	uint64_t seqerr, rterr;
	uint64_t taken; /* data packets */
	bool wedged;    /* it takes nothing and answers nothing, until it is reset */
};

/* The endpoint's data side towards the host. */
struct sim_output {
	uint32_t control; /* as written: start, lossy, swap units */
	uint16_t dst;
	uint32_t every_low, every_high, every_pkts, headroom;
	bool pending, failed, controlled, started;
	struct sim_total sent, acked, capacity;
	uint64_t since_resync_bytes, since_resync_pkts;
	uint16_t data_seq, strc_seq;
	struct sim_queue queue; /* whole packets that wait for window */
	uint64_t packets;       /* data, given to the wire */
	unsigned waiting;
};

enum sim_tx_phase { SIM_TX_IDLE, SIM_TX_BURST };

struct sim_tx { /* radio_tx_core */
	enum sim_tx_phase phase;
	struct sim_packet *packet; /* next to be played, or being played */
	bool playing;
	uint64_t tick; /* of the sample after what is being played */
	uint64_t underruns, late, bursts, samples, zeros, played;
};

struct sim_command {
	uint64_t time, words;
	bool timed;
	uint8_t mode; /* 0 stop, 1 finite, 2 continuous */
};

struct sim_rx { /* radio_rx_core */
	struct sim_command commands[DEVICE_COMMANDS];
	unsigned n_commands;
	bool running, finite, blocked; /* blocked: an error that has not been acknowledged */
	uint64_t left;                 /* finite: samples */
	uint64_t tick;                 /* of the next sample */
	uint64_t overruns, late, samples;
};

struct sim_message {
	uint32_t address, code;
	uint64_t tick;
};

enum { SIM_REGISTERS = 0x400 }; /* bytes of a channel, at most */

struct sim_radio {
	struct sim_tx tx;
	struct sim_rx rx;
	uint32_t spp;
	uint32_t divide;                       /* ticks per sample */
	const struct radio_registers *map;     /* where the registers are */
	uint32_t registers[SIM_REGISTERS / 4]; /* of the channel, as written */
	/* one place is for Rx, whose message waits for its acknowledgement */
	struct sim_message messages[DEVICE_MESSAGES + 1];
	unsigned n_messages;
	uint64_t lost_messages; /* there were DEVICE_MESSAGES already */
	bool awaits_ack;
	uint8_t ctrl_seq;
};

/* Pins of a radio: those of its daughterboard, those of the front panel; each bank has what is put
 * out while idle, receiving, transmitting, both; which pins are outputs; which stay as while idle
 * (fpga/usrp3/lib/control/gpio_atr.v, UHD 4.3). */
enum { SIM_GPIO_BANKS = 2, SIM_GPIO_REGISTERS = 6 };

struct sim_converters { /* of a radio, behind SPI */
	uint32_t spi_control, spi_back;
	uint8_t adc[256];
	uint32_t gpio[SIM_GPIO_BANKS][SIM_GPIO_REGISTERS];
};

/* A channel of a radio, with the data sides of the endpoints that serve it. */
struct sim_endpoint {
	bool drops; /* the DUC is flushed: what leaves for the radio is dropped */
	struct sim_input input;
	struct sim_output output;
	struct sim_radio radio;
};

struct sim_table {
	struct {
		uint16_t key;
		uint64_t value;
		uint64_t age;
	} rows[DEVICE_TABLE];
	unsigned n;
	uint64_t age;
};

struct device {
	struct device_options options;
	uint32_t block_controls[LAYOUT_BLOCKS]; /* of client zero, as written */
	bool has_wedged;
	struct device_io io;
	uint64_t tick;
	double tick_ns;          /* as its sample clock goes */
	uint64_t from;           /* address of the packet being taken */
	uint16_t id;             /* 1, until its host gives it another one to tell devices apart */
	struct sim_queue within; /* from an endpoint of the device to another */
	struct sim_table addresses[DEVICE_SFPS], routes;
	struct sim_layout layout;
	const struct radio_registers *map;
	uint16_t epids[LAYOUT_SEPS];                     /* in the order of the crossbar's ports */
	struct sim_endpoint endpoints[DEVICE_ENDPOINTS]; /* 0, 1: radio 0; 2, 3: radio 1 */
	struct sim_converters converters[2];
	uint16_t ctrl_seq;
	uint64_t malformed, unroutable;
	/* no_route: had no route, left by SFP0 and was not known there; no_address: had one,
	 * and was not known to the SFP to which it led */
	uint64_t no_route, no_address;
};

void device_init(
    struct device *device, const struct device_options *options, const struct device_io *io);
void device_fini(struct device *device);

/* device_take takes one CHDR packet that came from `from`, at the tick that device_run has got
 * to. */
void device_take(struct device *device, uint64_t from, const uint8_t *bytes, size_t size);
/* device_run lets time pass up to `tick`. */
void device_run(struct device *device, uint64_t tick);
/* device_set_time makes it another tick from now on; what streams goes on, under its new time. */
void device_set_time(struct device *device, uint64_t tick);
/* device_next gives the tick at which something will happen by itself; UINT64_MAX: nothing. */
uint64_t device_next(const struct device *device);

/* device_endpoint gives the channel whose samples go to the endpoint that an EPID leads to (or,
 * with `receives`, come from it); NULL: it leads to none. */
struct sim_endpoint *device_endpoint(struct device *device, uint16_t epid, bool receives);
/* device_control gives the number of the endpoint that takes register accesses. */
uint16_t device_control(const struct device *device);

/* ---- between the parts ---- */

void sim_table_set(struct sim_table *table, uint16_t key, uint64_t value);
bool sim_table_get(const struct sim_table *table, uint16_t key, uint64_t *ret_value);

/* Sends a packet by the route of the endpoint that its header names; lost if that one has not
 * advertised itself at the SFP to which the route leads. sim_send sends by an SFP. */
void device_send(struct device *device, const uint8_t *bytes, size_t size);
void sim_send(
    struct device *device, unsigned sfp, uint16_t epid, const uint8_t *bytes, size_t size);
unsigned sim_sfp(uint64_t address);

void sim_mgmt(struct device *device, const struct chdr_packet *packet);
void sim_ctrl(struct device *device, const struct chdr_packet *packet);

/* Registers of the block behind a control port; false: there is none. */
bool sim_block_read(struct device *device, uint16_t port, uint32_t address, uint32_t *ret_value);
bool sim_block_write(struct device *device, uint16_t port, uint32_t address, uint32_t value);
/* which radio it is; -1: none */
int sim_block_radio(const struct device *device, uint16_t port);

void sim_input_init(struct sim_input *input);
void sim_input_fini(struct sim_input *input);
void sim_input_take(struct device *device, struct sim_endpoint *endpoint,
    const struct chdr_packet *packet, const uint8_t *bytes);
/* The next data packet for the radio, no later than `tick`: the caller's; NULL: none. */
struct sim_packet *sim_input_next(
    struct device *device, struct sim_endpoint *endpoint, uint64_t tick);
void sim_input_run(struct device *device, struct sim_endpoint *endpoint, uint64_t tick);

void sim_output_init(struct sim_output *output);
void sim_output_fini(struct sim_output *output);
uint32_t sim_output_status(const struct sim_output *output);
void sim_output_control(struct device *device, struct sim_endpoint *endpoint, uint32_t value);
void sim_output_strs(
    struct device *device, struct sim_endpoint *endpoint, const struct chdr_strs *strs);
/* False: there is no room, the radio has to stop. */
bool sim_output_data(
    struct device *device, struct sim_endpoint *endpoint, const uint8_t *bytes, size_t size);

void sim_radio_init(struct sim_radio *radio, const struct radio_registers *map, uint32_t divide);
void sim_radio_fini(struct sim_radio *radio);
/* As the block's CHDR reset does: nothing is played, received or said, registers are as first. */
void sim_radio_reset(struct sim_radio *radio);
void sim_radio_run(struct device *device, struct sim_endpoint *endpoint, uint64_t tick);
uint64_t sim_radio_next(const struct device *device, const struct sim_endpoint *endpoint);
/* The tick at which the transmitter runs out of samples in the middle of a burst; UINT64_MAX: none
 * that is known. */
uint64_t sim_radio_starves(const struct sim_endpoint *endpoint);
uint32_t sim_radio_read(const struct sim_radio *radio, uint32_t offset);
void sim_radio_write(struct sim_radio *radio, uint32_t offset, uint32_t value);
void sim_radio_acked(struct device *device, struct sim_endpoint *endpoint);
/* Address to which the message that waits for its acknowledgement was sent. */
uint32_t sim_radio_told(const struct sim_radio *radio);
unsigned sim_channel(const struct device *device, const struct sim_endpoint *endpoint);

#endif
