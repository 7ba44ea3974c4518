/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/x310loop/loop.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/diag.h"
#include "core/registry/registry.h"
#include "platforms/udp/udp.h"

enum {
	PACKETS = 8192,
	AT_ONCE = 8, /* packets, which wait for the last of them */
	PACKET_LEAST = 2176,
	QUEUE = 32 << 20,
	OWN_ENDPOINT = 0x100
};
#define PATIENCE_NS 10000000000ull
#define QUIET_NS 30000000ull

/* ---- open ------------------------------------------------------------------------ */

static const struct transport_kind *kind_of(const struct loop_options *options, char *ret_why)
{
	const void *symbol;
	struct diag diag;

	if (options->port == NULL)
		return &transport_udp;
	diag_init(&diag);
	symbol = library_find("dpdk", "transport_dpdk", &diag);
	diag_fini(&diag);
	if (symbol == NULL)
		snprintf(ret_why, TRANSPORT_WHY,
		    "a port needs the library aloe-transports/dpdk.so, which needs libdpdk-dev");
	return symbol;
}

static int open_transport(struct x310_loop *loop, char *ret_why)
{
	const uint32_t bytes = X310_HEADER + RADIO_IQ * loop->options.samples;
	const struct transport_options options = {.own = loop->options.own,
	    .packets = PACKETS,
	    .packet_bytes = bytes > PACKET_LEAST ? bytes : PACKET_LEAST,
	    .queue_bytes = QUEUE,
	    .port = loop->options.port,
	    .eal = loop->options.eal};
	const struct transport_kind *kind = kind_of(&loop->options, ret_why);
	const uint64_t end = clock_ns() + PATIENCE_NS;
	int rc = kind ? transport_open(kind, &options, ret_why, &loop->transport) : -ENOENT;

	while (rc == 0 && !transport_up(loop->transport) && clock_ns() < end)
		usleep(1000);
	return rc;
}

static void loop_turn(struct x310_loop *loop)
{
	struct x310_packet packets[TRANSPORT_BURST];

	x310_release(&loop->radio, packets,
	    x310_receive(&loop->radio, clock_ns(), packets, TRANSPORT_BURST));
}

static int streams_stand(struct x310_loop *loop, char *ret_why)
{
	const uint64_t end = clock_ns() + PATIENCE_NS;

	while (!x310_ready(&loop->radio)) {
		loop_turn(loop);
		if (x310_failed(&loop->radio) == NULL && clock_ns() < end)
			continue;
		snprintf(ret_why, TRANSPORT_WHY, "%s",
		    x310_failed(&loop->radio) ? x310_failed(&loop->radio)
		                              : "the radio's streams were not established");
		return -EIO;
	}
	return 0;
}

int loop_open(struct x310_loop *loop, const struct loop_options *options, char *ret_why)
{
	/* the device sends without asking for room: what the way cannot hold is lost, and nothing
	 * else */
	const struct x310_options radio = {
	    .device = options->device,
	    .own = OWN_ENDPOINT,
	    .initialised = options->initialised,
	    .rx = true,
	    .tx = true,
	    .window = {1 << 20, 0xffffff},
	    .policy = TX_REALIGN,
	};
	int rc;

	*loop = (struct x310_loop){.options = *options};
	rc = open_transport(loop, ret_why);
	if (rc < 0)
		return rc;
	x310_open(&loop->radio, &radio, loop->transport, clock_ns());
	x310_configure(&loop->radio, options->samples, options->ticks_per_sample);
	return streams_stand(loop, ret_why);
}

void loop_close(struct x310_loop *loop)
{
	transport_close(loop->transport);
	loop->transport = NULL;
}

/* ---- run ------------------------------------------------------------------------ */

/* Those of a burst that would come too late are left out: the device is at least where its last
 * packet ends. */
static unsigned too_late(const struct x310_loop *loop, const struct x310_packet *in, unsigned n)
{
	const uint64_t reached =
	    in[n - 1].ticks + (uint64_t)in[n - 1].n * loop->options.ticks_per_sample;
	unsigned skip = 0;

	while (skip < n && in[skip].ticks + loop->options.advance_ticks <= reached)
		skip++;
	return skip;
}

/* What ALOE does before the edge, between two looks. */
static void packet_hold(struct x310_loop *loop)
{
	if (!loop->holds)
		loop->holds = x310_get(&loop->radio, loop->options.samples, &loop->held, 1) == 1;
	if (loop->holds)
		transport_warm(loop->transport, &loop->held);
}

static void packet_answer(
    struct x310_loop *loop, const struct x310_packet *from, struct packet *answer)
{
	const struct loop_work *work = loop->options.work;

	if (work)
		work->pass(work->self, from->iq, x310_iq(answer), from->n);
	else
		memcpy(x310_iq(answer), from->iq, RADIO_IQ * (size_t)from->n);
	x310_send(&loop->radio, answer, from->n, from->ticks + loop->options.advance_ticks, false);
}

static void packets_pass(struct x310_loop *loop, const struct x310_packet *in, unsigned n)
{
	const unsigned skip = too_late(loop, in, n);
	struct packet out[TRANSPORT_BURST];
	unsigned at = skip, got;

	if (at < n && loop->holds && x310_has_room(&loop->radio, loop->options.samples)) {
		loop->holds = false;
		packet_answer(loop, &in[at++], &loop->held);
	}
	got = at < n ? x310_get(&loop->radio, loop->options.samples, out, n - at) : 0;
	for (unsigned i = 0; i < got; i++)
		packet_answer(loop, &in[at + i], &out[i]);
	x310_flush(&loop->radio);
	loop->skipped += skip;
	loop->shut += n - at - got;
}

static void packets_take(
    struct x310_loop *loop, const struct x310_packet *in, unsigned n, uint64_t looked_ns)
{
	const uint64_t had_ns = clock_ns();
	uint64_t sent_ns;

	packets_pass(loop, in, n);
	sent_ns = clock_ns();
	for (unsigned i = 0; i < n; i++) {
		hist_add(&loop->delay, sent_ns - had_ns);
		hist_add(&loop->whole, sent_ns - looked_ns);
		loop->samples += in[i].n;
	}
	loop->packets += n;
	x310_release(&loop->radio, in, n);
}

static void loop_start(struct x310_loop *loop)
{
	loop->radio.control.events[RADIO_RX_OVERRUN] = 0;
	x310_start(&loop->radio, 0);
	loop->starts++;
}

static void count_look(struct x310_loop *loop, uint64_t ns)
{
	loop->looks++;
	loop->looks_long += ns > LOOP_LONG_NS;
	loop->look_max_ns = ns > loop->look_max_ns ? ns : loop->look_max_ns;
}

/* The end of the burst is a sample of silence; without it the device would say that it ran dry. */
static void loop_finish(struct x310_loop *loop)
{
	uint64_t quiet = clock_ns();

	x310_stop(&loop->radio);
	if (x310_has_room(&loop->radio, 1) &&
	    (loop->holds || x310_get(&loop->radio, 1, &loop->held, 1) == 1)) {
		loop->holds = false;
		memset(x310_iq(&loop->held), 0, RADIO_IQ);
		x310_send(&loop->radio, &loop->held, 1, UINT64_MAX, true);
		x310_flush(&loop->radio);
	}
	/* until it has heard us */
	while (clock_ns() - quiet < (x310_ready(&loop->radio) ? QUIET_NS : PATIENCE_NS)) {
		const uint64_t before = loop->radio.rx.counts.packets;

		loop_turn(loop);
		quiet = loop->radio.rx.counts.packets != before ? clock_ns() : quiet;
	}
	transport_count(loop->transport);
}

void loop_pass(struct x310_loop *loop)
{
	const uint64_t begin = clock_ns(), end = begin + loop->options.ns;
	struct x310_packet in[TRANSPORT_BURST];
	uint64_t now = begin;

	loop_start(loop);
	while (now < end && x310_failed(&loop->radio) == NULL) {
		const uint64_t looked = now;
		const unsigned n = x310_receive(&loop->radio, looked, in, AT_ONCE);

		if (n)
			packets_take(loop, in, n, looked);
		else if (loop->radio.control.events[RADIO_RX_OVERRUN])
			loop_start(loop);
		else
			packet_hold(loop);
		now = clock_ns();
		if (n == 0)
			count_look(loop, now - looked);
	}
	loop->ns = now - begin;
	loop_finish(loop);
}
