/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/x310_world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "tools/x310sim/device.h"

enum {
	PACKET_BYTES = 8192,
	FLIGHTS = 512, /* each way */
	BUFFERS = 256,
	HOST = 1,          /* address */
	STEP = 32,         /* ticks: how often the host looks */
	OPENING = 2000000, /* ticks at most, to bring the streams up */
	BEFORE = 200,
	AFTER = 500,  /* packets around the fault */
	LEAD = 20000, /* ticks from the first packet's decision to its time */
	END = 40      /* packets before the last, where the slip is looked at */
};

struct flight {
	uint64_t tick;
	uint32_t size;
	uint8_t bytes[PACKET_BYTES];
};

struct flights { /* in order of arrival */
	struct flight ring[FLIGHTS];
	unsigned first, n;
};

struct world {
	struct transport transport; /* the host's; first, so that one is the other */
	const struct x310_trial *trial;
	struct device device;
	struct x310_channel radio;
	uint64_t tick;
	struct flights to_host, to_device;
	uint8_t buffers[BUFFERS][PACKET_BYTES];
	uint8_t *unused[BUFFERS];
	unsigned n_unused;
	bool overflowed; /* more on the wire than there is room for */
	/* the fault */
	uint64_t n_data, held_until;
	struct flight swapped;
	/* what was played */
	uint64_t begin; /* tick of sample 0 */
	uint64_t n_samples;
	uint32_t *played; /* packet + 1 << 16 | sample in it; 0: nothing */
	uint64_t sent, not_sent;
};

static struct world *world_of(struct transport *transport)
{
	return (struct world *)(void *)transport;
}

const char *x310_fault_name(enum x310_fault fault)
{
	static const char *const names[X310_FAULTS] = {
	    "lost", "late", "twice", "swapped", "not sent"};

	return names[fault];
}

/* ---- the wire ------------------------------------------------------------------------ */

static void packet_fly(
    struct world *w, struct flights *flights, uint64_t tick, const uint8_t *bytes, size_t size)
{
	struct flight *flight = &flights->ring[(flights->first + flights->n) % FLIGHTS];

	if (flights->n == FLIGHTS || size > PACKET_BYTES) {
		w->overflowed = true;
		return;
	}
	flight->tick = tick;
	flight->size = (uint32_t)size;
	memcpy(flight->bytes, bytes, size);
	flights->n++;
}

static const struct flight *packet_arrived(struct flights *flights, uint64_t tick)
{
	const struct flight *flight = &flights->ring[flights->first];

	if (flights->n == 0 || flight->tick > tick)
		return NULL;
	flights->first = (flights->first + 1) % FLIGHTS;
	flights->n--;
	return flight;
}

static void packet_depart(struct world *w, const uint8_t *bytes, size_t size)
{
	const uint64_t tick = w->tick + w->trial->wire_ticks;

	packet_fly(w, &w->to_device, tick > w->held_until ? tick : w->held_until, bytes, size);
}

/* The one packet with the fault. */
static void depart_badly(struct world *w, const struct packet *packet)
{
	switch (w->trial->fault) {
	case X310_LATE:
		w->held_until = w->tick + w->trial->wire_ticks + w->trial->advance_ticks +
		    (uint64_t)w->trial->samples * w->trial->divide;
		packet_depart(w, packet->bytes, packet->size);
		break;
	case X310_TWICE:
		packet_depart(w, packet->bytes, packet->size);
		packet_depart(w, packet->bytes, packet->size);
		break;
	case X310_SWAPPED:
		w->swapped.size = packet->size;
		memcpy(w->swapped.bytes, packet->bytes, packet->size);
		break;
	default: /* lost */
		break;
	}
}

static void depart_data(struct world *w, const struct packet *packet)
{
	if (++w->n_data == BEFORE + 1 && w->trial->fault != X310_UNSENT) {
		depart_badly(w, packet);
		return;
	}
	packet_depart(w, packet->bytes, packet->size);
	if (w->swapped.size) {
		packet_depart(w, w->swapped.bytes, w->swapped.size);
		w->swapped.size = 0;
	}
}

/* ---- the host's transport ------------------------------------------------------------ */

static unsigned wire_get(struct transport *transport, struct packet *ret, unsigned n)
{
	struct world *w = world_of(transport);

	n = n < w->n_unused ? n : w->n_unused;
	for (unsigned i = 0; i < n; i++) {
		uint8_t *bytes = w->unused[--w->n_unused];

		ret[i] = (struct packet){.bytes = bytes, .own = bytes};
	}
	return n;
}

static void wire_put(struct transport *transport, const struct packet *packets, unsigned n)
{
	struct world *w = world_of(transport);

	for (unsigned i = 0; i < n; i++)
		w->unused[w->n_unused++] = packets[i].own;
}

static unsigned wire_receive(struct transport *transport, struct packet *ret, unsigned n)
{
	struct world *w = world_of(transport);
	const struct flight *flight;
	unsigned i = 0;

	while (i < n && w->n_unused && (flight = packet_arrived(&w->to_host, w->tick)) != NULL) {
		wire_get(transport, &ret[i], 1);
		memcpy(ret[i].bytes, flight->bytes, flight->size);
		ret[i++].size = flight->size;
	}
	return i;
}

static unsigned wire_send(struct transport *transport, const struct packet *packets, unsigned n)
{
	struct world *w = world_of(transport);

	for (unsigned i = 0; i < n; i++) {
		struct chdr_packet chdr;
		const bool data = chdr_parse(packets[i].bytes, packets[i].size, &chdr) == 0 &&
		    chdr.header.type >= CHDR_DATA;

		if (data)
			depart_data(w, &packets[i]);
		else
			packet_depart(w, packets[i].bytes, packets[i].size);
	}
	wire_put(transport, packets, n);
	return n;
}

static const struct transport_kind wire = {
    .name = "wire", .receive = wire_receive, .put = wire_put, .get = wire_get, .send = wire_send};

/* ---- the device ------------------------------------------------------------------------ */

static void device_sends(void *self, uint64_t address, const uint8_t *bytes, size_t size)
{
	struct world *w = self;

	(void)address;
	packet_fly(w, &w->to_host, w->device.tick + w->trial->wire_ticks, bytes, size);
}

static void device_plays(void *self, unsigned channel, uint64_t tick, const uint8_t *iq, uint32_t n)
{
	struct world *w = self;
	const uint64_t at = (tick - w->begin) / w->trial->divide;

	for (uint32_t i = 0; channel == 0 && i < n; i++)
		if (at + i < w->n_samples)
			w->played[at + i] = (uint32_t)get_le16(iq + RADIO_IQ * i) << 16 |
			    get_le16(iq + RADIO_IQ * i + 2);
}

static void device_hears(void *self, unsigned channel, uint64_t tick, uint8_t *ret_iq, uint32_t n)
{
	(void)self;
	(void)channel;
	(void)tick;
	memset(ret_iq, 0, RADIO_IQ * (size_t)n);
}

/* ---- time ------------------------------------------------------------------------ */

static void send_packet(struct world *w, uint32_t n, uint64_t ticks, bool last)
{
	const uint32_t samples = w->trial->samples;
	struct packet packet;

	if ((w->trial->fault == X310_UNSENT && n == BEFORE) ||
	    x310_get(&w->radio, samples, &packet, 1) == 0) {
		w->not_sent++;
		return;
	}
	for (uint32_t i = 0; i < samples; i++) {
		put_le16(x310_iq(&packet) + RADIO_IQ * i, (uint16_t)(n + 1));
		put_le16(x310_iq(&packet) + RADIO_IQ * i + 2, (uint16_t)i);
	}
	x310_send(&w->radio, &packet, samples, ticks, last);
	x310_flush(&w->radio);
}

static void world_step(struct world *w)
{
	struct x310_packet none[TRANSPORT_BURST];
	const struct flight *flight;

	w->tick += STEP;
	while ((flight = packet_arrived(&w->to_device, w->tick)) != NULL) {
		device_run(&w->device, flight->tick);
		device_take(&w->device, HOST, flight->bytes, flight->size);
	}
	device_run(&w->device, w->tick);
	x310_release(&w->radio, none,
	    x310_receive(&w->radio, w->tick * DEVICE_TICK_NS, none, TRANSPORT_BURST));
}

static int bring_up(struct world *w)
{
	const struct x310_options options = {.own = 0x100,
	    .tx = true,
	    .policy = w->trial->policy,
	    .stop_on_seqerr = w->trial->stop_on_seqerr};

	x310_open(&w->radio, &options, &w->transport, 0);
	x310_configure(&w->radio, w->trial->samples, w->trial->divide);
	while (!x310_ready(&w->radio) && w->tick < OPENING)
		world_step(w);
	return x310_ready(&w->radio) && !x310_failed(&w->radio) ? 0 : -EIO;
}

static void packets_stream(struct world *w)
{
	const uint64_t length = (uint64_t)w->trial->samples * w->trial->divide;

	w->begin = w->tick + LEAD + w->trial->advance_ticks;
	for (uint32_t n = 0; n < BEFORE + AFTER; n++) {
		const uint64_t ticks = w->begin + n * length;

		while (w->tick + w->trial->advance_ticks < ticks)
			world_step(w);
		send_packet(w, n, ticks, n + 1 == BEFORE + AFTER);
	}
	while (w->tick < w->begin + (BEFORE + AFTER) * length)
		world_step(w);
}

/* ---- what came of it ------------------------------------------------------------------------ */

static void samples_compare(const struct world *w, struct x310_outcome *ret)
{
	const uint32_t samples = w->trial->samples;
	const uint64_t first = (uint64_t)BEFORE * samples,
	               end = w->n_samples - (uint64_t)END * samples;
	uint64_t last = first;

	for (uint64_t at = first; at < end; at++) {
		const uint32_t wanted =
		    (uint32_t)(at / samples + 1) << 16 | (uint32_t)(at % samples);

		if (w->played[at] == wanted)
			continue;
		ret->silent += w->played[at] == 0;
		ret->misplaced += w->played[at] != 0;
		last = at + 1;
	}
	ret->restored_ticks = last == end ? UINT64_MAX : (last - first) * w->trial->divide;
	if (last == end && w->played[end - 1]) {
		const uint32_t value = w->played[end - 1];

		ret->slip =
		    (int64_t)((value >> 16) - 1) * samples + (value & 0xffff) - (int64_t)(end - 1);
	}
}

static void repairs_count(const struct world *w, uint64_t inits_before, struct x310_outcome *ret)
{
	const struct sim_endpoint *endpoint = &w->device.endpoints[0];
	const struct tx_counts *tx = &w->radio.tx.counts;

	ret->reports = tx->seqerr;
	ret->inits = tx->inits - inits_before;
	ret->discarded = endpoint->input.discarded + endpoint->radio.tx.late;
	ret->left_out = w->not_sent;
	ret->underruns = endpoint->radio.tx.underruns;
	ret->late = endpoint->radio.tx.late;
	/* half for the report, one for each INIT and its answer, half for the packet that mends
	 * it */
	if (ret->inits || w->radio.counts.realigned)
		ret->round_trips = (unsigned)ret->inits + 1;
}

static int world_run(struct world *w, struct x310_outcome *ret)
{
	const struct device_options options = {.stop_supported = w->trial->stop_on_seqerr,
	    .capacity = DEVICE_CAPACITY,
	    .zeros = w->trial->zeros,
	    .divide = w->trial->divide};
	const struct device_io io = {device_sends, device_plays, device_hears, w};
	uint64_t inits;
	int rc;

	device_init(&w->device, &options, &io);
	rc = bring_up(w);
	inits = w->radio.tx.counts.inits;
	if (rc == 0)
		packets_stream(w);
	*ret = (struct x310_outcome){0};
	samples_compare(w, ret);
	repairs_count(w, inits, ret);
	device_fini(&w->device);
	return w->overflowed ? -EIO : rc;
}

int x310_trial_run(const struct x310_trial *trial, struct x310_outcome *ret)
{
	struct world *w = calloc(1, sizeof(*w));
	int rc = -ENOMEM;

	if (w != NULL) {
		w->transport.kind = &wire;
		w->trial = trial;
		w->n_samples = (uint64_t)(BEFORE + AFTER) * trial->samples;
		w->played = calloc(w->n_samples, sizeof(*w->played));
		for (int i = 0; i < BUFFERS; i++)
			w->unused[w->n_unused++] = w->buffers[i];
		rc = w->played ? world_run(w, ret) : -ENOMEM;
		free(w->played);
	}
	free(w);
	return rc;
}
