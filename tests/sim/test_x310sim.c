/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What x310sim measures and what it does on demand, with a host in this process over kernel UDP:
 * latency from antenna to antenna, a response sounded while it changes, faults, two devices, a
 * multicast group. Its clock waits for the host, so that all of it is exact at 100 MSa/s on any
 * machine. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "tests/common/aloe.h"
#include "tests/common/x310_rig.h"

enum { DIVIDE = 2, LATER = 4096, PACKET_TICKS = RIG_SPP * DIVIDE, TAPS = 16, LENGTH = 1024 };
#define PATIENCE_NS 20000000000ull

/* ---- a host ------------------------------------------------------------------------ */

struct host {
	struct x310_rig rig;
	uint32_t packets; /* to be sent back */
	uint32_t heard;
	uint64_t first, next; /* ticks */
	uint32_t gaps, skipped;
	/* samples played = response * samples heard; NULL: as they are */
	const float *responses;
	uint32_t n_responses, every;          /* packets, after which it is the next one's turn */
	double history[2 * (TAPS + RIG_SPP)]; /* the last TAPS of the packet before */
};

static void convolve(struct host *host, const uint8_t *in, uint8_t *ret_out)
{
	const float *taps =
	    host->responses + (size_t)(host->heard / host->every % host->n_responses) * 2 * TAPS;
	double *x = host->history + (size_t)2 * TAPS;

	for (int i = 0; i < 2 * RIG_SPP; i++)
		x[i] = (int16_t)get_le16(in + 2 * i);
	for (int i = 0; i < RIG_SPP; i++) {
		double re = 0, im = 0;

		for (int k = 0; k < TAPS; k++) {
			const double *at = x + 2 * (i - k);
			re += at[0] * taps[2 * k] - at[1] * taps[2 * k + 1];
			im += at[0] * taps[2 * k + 1] + at[1] * taps[2 * k];
		}
		put_le16(ret_out + 4 * i, (uint16_t)lrint(re));
		put_le16(ret_out + 4 * i + 2, (uint16_t)lrint(im));
	}
	memmove(host->history, host->history + (size_t)2 * RIG_SPP, 2 * TAPS * sizeof(double));
}

/* False: the window is shut. */
static bool answer(struct host *host, const struct x310_packet *in)
{
	struct packet out;

	if (x310_get(&host->rig.radio, in->n, &out, 1) == 0)
		return false;
	if (host->responses)
		convolve(host, in->iq, x310_iq(&out));
	else
		memcpy(x310_iq(&out), in->iq, RADIO_IQ * in->n);
	host->first = host->heard ? host->first : in->ticks;
	host->gaps += in->gap;
	host->next = in->ticks + PACKET_TICKS;
	host->heard++;
	x310_send(&host->rig.radio, &out, in->n, in->ticks + LATER * DIVIDE,
	    host->heard == host->packets);
	return true;
}

/* What has come is sent back. */
static void turn(struct host *host)
{
	struct x310_packet in[TRANSPORT_BURST];
	const unsigned n = x310_receive(&host->rig.radio, clock_ns(), in, TRANSPORT_BURST);

	for (unsigned i = 0; i < n && host->heard < host->packets; i++)
		host->skipped += !answer(host, &in[i]);
	x310_release(&host->rig.radio, in, n);
	x310_flush(&host->rig.radio);
	if (x310_failed(&host->rig.radio))
		x310_rig_fail(&host->rig, x310_failed(&host->rig.radio));
}

static bool has_played(const struct host *host)
{
	return host->heard == host->packets &&
	    host->rig.radio.control.events[RADIO_TX_BURST_END] > 0;
}

/* Both, or one alone. */
static void play_both(struct host *host, struct host *other, uint64_t ticks)
{
	const uint64_t end = clock_ns() + PATIENCE_NS;
	struct host *const hosts[] = {host, other};
	unsigned stopped = 0;

	for (unsigned i = 0; i < 2 && hosts[i]; i++)
		x310_start(&hosts[i]->rig.radio, ticks);
	while (!has_played(host) || (other && !has_played(other))) {
		for (unsigned i = 0; i < 2 && hosts[i]; i++) {
			turn(hosts[i]);
			if (hosts[i]->heard < hosts[i]->packets || stopped & 1u << i)
				continue;
			x310_stop(&hosts[i]->rig.radio);
			stopped |= 1u << i;
		}
		if (clock_ns() > end)
			x310_rig_fail(&host->rig, "nothing comes any more");
	}
}

static void play(struct host *host)
{
	play_both(host, NULL, 0);
}

static void host_run(struct host *host, const char *const *more, uint32_t packets)
{
	const struct x310_rig_options options = {.more = more,
	    .source = "ticks",
	    .spp = RIG_SPP,
	    .ticks_per_sample = DIVIDE,
	    .rx = true,
	    .tx = true};
	struct x310_rig_options sound = options;

	sound.source = NULL;
	host->packets = packets;
	x310_rig_start(&host->rig, &x310_rig_wires[0], host->responses ? &sound : &options);
	play(host);
	x310_rig_stop(&host->rig);
}

static const json_t *of_channel(const struct host *host, unsigned channel, const char *group)
{
	const json_t *json = json_array_get(json_object_get(host->rig.said, "channels"), channel);

	return group ? json_object_get(json, group) : json;
}

static double real(const json_t *json, const char *name)
{
	assert_true(json_is_number(json_object_get(json, name)));
	return json_number_value(json_object_get(json, name));
}

static uint64_t whole(const json_t *json, const char *name)
{
	return (uint64_t)real(json, name);
}

static uint64_t struck(const struct host *host, const char *way, const char *kind)
{
	return whole(
	    json_object_get(json_array_get(json_object_get(host->rig.said, "devices"), 0), way),
	    kind);
}

static int host_new(void **state)
{
	*state = calloc(1, sizeof(struct host));
	return *state == NULL;
}

static int host_free(void **state)
{
	x310_rig_close(&((struct host *)*state)->rig);
	free(*state);
	return 0;
}

/* ---- latency ------------------------------------------------------------------------ */

/* Each packet is as old as the host has said, to the sample, and nothing is late, however slow this
 * machine is. */
static void latency_is_what_the_host_said(void **state)
{
	static const char *const more[] = {"--clock", "virtual", NULL};
	struct host *host = *state;
	const json_t *latency;

	host_run(host, more, 1000);
	latency = of_channel(host, 0, "latency");
	assert_true(json_is_true(json_object_get(latency, "simulated")));
	assert_int_equal(whole(latency, "count"), 1000);
	assert_int_equal(
	    whole(latency, "unmarked") + whole(latency, "crossed") + whole(latency, "steps"), 0);
	assert_int_equal(whole(latency, "min"), LATER * 10);
	assert_int_equal(whole(latency, "max"), LATER * 10);
	assert_int_equal(json_array_size(json_object_get(latency, "cells")), 1);
	assert_int_equal(x310_rig_channel(&host->rig, "tx_packets"), 1000);
	assert_int_equal(x310_rig_channel(&host->rig, "tx_late") +
	        x310_rig_channel(&host->rig, "tx_underruns") +
	        x310_rig_channel(&host->rig, "rx_overruns"),
	    0);
	assert_int_equal(x310_rig_said(&host->rig, "clock_excused"), 0);
	assert_int_equal(host->gaps + host->skipped, 0);
	assert_int_equal(host->next - host->first, 1000 * PACKET_TICKS);
}

/* ---- sounding ------------------------------------------------------------------------ */

static void random_taps(float *taps, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < 2 * n; i++) {
		seed = seed * 1664525u + 1013904223u;
		taps[i] = ((float)(seed >> 8) / (float)(1 << 24) - 0.5f) / sqrtf(TAPS);
	}
}

static void a_response_at_rest_and_replaced(void **state)
{
	enum { SETS = 3, PACKETS = 1000, EVERY = 20, PERIOD = LENGTH / RIG_SPP };
	const char *path = aloe_path("responses.f32"), *measured = aloe_path("measured.f32");
	const char *more[] = {"--clock", "virtual", "--sound", "1024", "--expect", path,
	    "--expect-taps", "16", "--response", measured, NULL};
	float taps[SETS * 2 * TAPS], *h;
	struct host *host = *state;
	const json_t *sounding;
	size_t len;

	for (uint32_t i = 0; i < SETS; i++)
		random_taps(taps + (size_t)i * 2 * TAPS, TAPS, i + 1);
	file_make(path, taps, sizeof(taps));
	host->responses = taps;
	host->n_responses = SETS;
	host->every = EVERY;
	host_run(host, more, PACKETS);
	sounding = of_channel(host, 0, "sounding");
	assert_in_range(whole(sounding, "kept"), PACKETS / PERIOD - 3, PACKETS / PERIOD);
	assert_int_equal(whole(sounding, "responses"), SETS);
	assert_int_equal(whole(sounding, "delay"), LATER % LENGTH);
	assert_int_equal(whole(sounding, "delays"), 1);
	assert_in_range(whole(sounding, "changes"), PACKETS / EVERY - 2, PACKETS / EVERY);
	assert_in_range(whole(sounding, "within"), whole(sounding, "kept") - PACKETS / EVERY,
	    whole(sounding, "kept"));
	assert_true(real(sounding, "worst_within_db") < -60);
	assert_int_equal(x310_rig_channel(&host->rig, "tx_packets"), PACKETS);
	h = file_take(measured, &len);
	assert_int_equal(len, LENGTH * 2 * sizeof(float));
	free(h);
}

/* ---- faults ------------------------------------------------------------------------ */

static void lost_to_the_device(void **state)
{
	static const char *const more[] = {
	    "--clock", "virtual", "--fault-tx", "loss=@100+300", NULL};
	struct host *host = *state;

	host_run(host, more, 500);
	assert_int_equal(struck(host, "fault_tx", "packets"), 500);
	assert_int_equal(struck(host, "fault_tx", "loss"), 2);
	assert_int_equal(x310_rig_channel(&host->rig, "tx_packets"), 498);
	assert_int_equal(x310_rig_channel(&host->rig, "tx_sequence_errors"), 2);
	assert_int_equal(host->rig.radio.tx.counts.seqerr, 2);
	/* what comes after is played early by what was lost */
	assert_int_equal(whole(of_channel(host, 0, "latency"), "steps"), 2);
	assert_int_equal(whole(of_channel(host, 0, "latency"), "min"), (LATER - 2 * RIG_SPP) * 10);
}

/* The protocol that the paper wishes for. */
static void lost_to_a_device_that_plays_zeros(void **state)
{
	static const char *const more[] = {
	    "--clock", "virtual", "--fault-tx", "loss=@100+300", "--missing-tx", "zeros", NULL};
	struct host *host = *state;

	host_run(host, more, 500);
	assert_int_equal(x310_rig_channel(&host->rig, "tx_packets"), 498);
	assert_int_equal(x310_rig_channel(&host->rig, "tx_zeros"), 2 * RIG_SPP);
	assert_int_equal(x310_rig_channel(&host->rig, "tx_late"), 0);
	assert_int_equal(whole(of_channel(host, 0, "latency"), "steps"), 0);
	assert_int_equal(whole(of_channel(host, 0, "latency"), "unmarked"), 2); /* the zeros */
}

static void lost_to_the_host(void **state)
{
	static const char *const more[] = {
	    "--clock", "virtual", "--fault-rx", "loss=@50/100,duplicate=@7,reorder=@20", NULL};
	struct host *host = *state;

	host_run(host, more, 500);
	assert_int_equal(struck(host, "fault_rx", "duplicate"), 1);
	assert_int_equal(struck(host, "fault_rx", "reorder"), 1);
	/* the device may have gone on for some time */
	assert_true(struck(host, "fault_rx", "loss") >= 5);
	assert_int_equal(host->rig.radio.rx.counts.old, 1); /* the duplicate */
	assert_int_equal(host->rig.radio.rx.counts.reordered, 1);
	assert_int_equal(host->rig.radio.rx.counts.lost, 5);
	assert_int_equal(host->gaps, 6); /* the one that was overtaken, and the lost ones */
	assert_int_equal(x310_rig_said(&host->rig, "clock_excused"), 0);
}

/* An FPGA of UHD 4.9 that was told to stop on errors discards from the gap on. */
static void stop_on_error(void **state)
{
	static const char *const more[] = {
	    "--clock", "virtual", "--stop-on-error", "--fault-tx", "loss=@100", NULL};
	struct host *host = *state;
	const struct x310_rig_options options = {.more = more,
	    .source = "ticks",
	    .spp = RIG_SPP,
	    .ticks_per_sample = DIVIDE,
	    .rx = true,
	    .tx = true};
	const uint64_t end = clock_ns() + PATIENCE_NS;

	x310_rig_start(&host->rig, &x310_rig_wires[0], &options);
	host->rig.radio.tx.options.stop_on_seqerr = true;
	tx_restart(&host->rig.radio.tx, clock_ns());
	while (!x310_ready(&host->rig.radio) && clock_ns() < end)
		turn(host);
	host->packets = 400;
	host->rig.radio.tx.options.policy = TX_REINIT;
	play(host);
	x310_rig_stop(&host->rig);
	assert_true(x310_rig_channel(&host->rig, "tx_sequence_errors") >= 1);
	assert_true(x310_rig_channel(&host->rig, "tx_discarded") >= 1);
	assert_true(host->rig.radio.tx.counts.seqerr >= 1);
	assert_true(x310_rig_channel(&host->rig, "tx_packets") < 399);
	assert_true(x310_rig_channel(&host->rig, "tx_packets") > 100);
}

/* ---- two devices ------------------------------------------------------------------------ */

enum {
	FIRMWARE_PORT = 49152,
	SPI_DATA = 0xa088,
	TIME_LOW = 0xa190,
	TIME_HIGH = 0xa1a0,
	EVENT_LOW = 0xa1b0,
	EVENT_HIGH = 0xa1c0,
	TIME_CONTROL = 0xa1d0,
	PEEK = 9,
	POKE = 5,
	NOW = 1,
	AT_PULSE = 2
};

/* A register of a device's processor, over UDP as UHD does it. */
static uint32_t ask(unsigned device, uint32_t flags, uint32_t address, uint32_t value)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(0x7f000003 + device),
	    .sin_port = htons(FIRMWARE_PORT)};
	const struct timeval patience = {20, 0};
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);
	uint8_t bytes[16];

	assert_true(
	    fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0);
	put_be32(bytes, flags);
	put_be32(bytes + 4, 1);
	put_be32(bytes + 8, address);
	put_be32(bytes + 12, value);
	assert_int_equal(sendto(fd, bytes, 16, 0, (const struct sockaddr *)&to, sizeof(to)), 16);
	assert_int_equal(recv(fd, bytes, 16, 0), 16);
	close(fd);
	return get_be32(bytes + 12);
}

static uint64_t time_of(unsigned device)
{
	const uint32_t high = ask(device, PEEK, TIME_HIGH, 0), low = ask(device, PEEK, TIME_LOW, 0);

	return ask(device, PEEK, TIME_HIGH, 0) == high ? low | (uint64_t)high << 32
	                                               : time_of(device);
}

static void set_time(unsigned device, uint64_t ticks, uint32_t when)
{
	ask(device, POKE, EVENT_LOW, (uint32_t)ticks);
	ask(device, POKE, EVENT_HIGH, (uint32_t)(ticks >> 32));
	ask(device, POKE, TIME_CONTROL, when);
}

/* Both are given the time at a pulse that they share, and begin at one tick: what they hear bears
 * the same ticks, and what they play has the same age. */
static void two_devices_on_one_clock(void **state)
{
	enum { PACKETS = 400 };
	static const char *const more[] = {
	    "--clock", "virtual", "--devices", "2", "--source", "ticks", NULL};
	const struct x310_rig_options options = {
	    .more = more, .spp = RIG_SPP, .ticks_per_sample = DIVIDE, .rx = true, .tx = true};
	const uint64_t before = 1ull << 40, end = clock_ns() + PATIENCE_NS;
	struct host *host = *state, *other = calloc(1, sizeof(*other));
	uint64_t times[3], begin;

	assert_non_null(other);
	x310_rig_start(&host->rig, &x310_rig_wires[0], &options);
	x310_rig_join(&other->rig, &options);
	set_time(0, before, NOW);
	set_time(1, 2 * before, NOW);
	set_time(0, 0, AT_PULSE);
	set_time(1, 0, AT_PULSE);
	while ((time_of(0) >= before || time_of(1) >= before) && clock_ns() < end)
		usleep(1000);
	for (unsigned i = 0; i < 3; i++)
		times[i] = time_of(i % 2);
	assert_true(times[0] <= times[1] && times[1] <= times[2]);
	host->packets = other->packets = PACKETS;
	begin = times[2] + 200000ull * RIG_TICKS_PER_US;
	play_both(host, other, begin);
	assert_true(host->first == begin && other->first == begin);
	assert_true(host->next == other->next);
	assert_int_equal(host->gaps + other->gaps + host->skipped + other->skipped, 0);
	x310_rig_stop(&host->rig);
	for (unsigned channel = 0; channel < 8; channel += 4) {
		const json_t *latency = of_channel(host, channel, "latency");

		assert_int_equal(whole(latency, "count"), PACKETS);
		assert_int_equal(whole(latency, "min"), LATER * 10);
		assert_int_equal(whole(latency, "max"), LATER * 10);
		assert_int_equal(whole(of_channel(host, channel, NULL), "device"), channel / 4);
	}
	x310_rig_close(&other->rig);
	free(other);
}

/* The second device's clock is 0.1 % fast: its time lies between two looks at the first's, times
 * that. */
static void two_devices_that_drift(void **state)
{
	static const char *const more[] = {
	    "--devices", "2", "--drift-ppm", "0", "--drift-ppm", "1000", NULL};
	const struct x310_rig_options options = {
	    .more = more, .spp = RIG_SPP, .ticks_per_sample = 200, .rx = true};
	const uint64_t end = clock_ns() + PATIENCE_NS;
	struct host *host = *state;
	uint64_t times[3] = {0};

	x310_rig_start(&host->rig, &x310_rig_wires[0], &options);
	while (times[1] <= times[2] && clock_ns() < end) {
		for (unsigned i = 0; i < 3; i++)
			times[i] = time_of(i % 2);
		assert_in_range(
		    times[1], times[0] + times[0] / 1000, times[2] + times[2] / 1000 + 1);
	}
	assert_true(times[1] > times[2]);
}

/* ---- a clock that the host programs ---- */

/* Words for the chip that makes the clock, as UHD 4.3 writes them for 184.32 MHz of 10 MHz:
 * 96 MHz x 2 x 168 x 2 / 25 / 14. */
static void program_clock(unsigned device)
{
	static const uint32_t words[] = {
	    14u << 5, 1u << 29 | 26, 25u << 20 | 28, 2u << 24 | 168u << 5 | 30};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		ask(device, POKE, SPI_DATA, words[i]);
}

/* Before that the device counts 200 MHz, as the other one does on. */
static void a_device_counts_as_its_clock_goes(void **state)
{
	static const char *const more[] = {"--devices", "2", NULL};
	const struct x310_rig_options options = {
	    .more = more, .spp = RIG_SPP, .ticks_per_sample = 200, .rx = true};
	struct host *host = *state;
	uint64_t before[3], after[3];

	x310_rig_start(&host->rig, &x310_rig_wires[0], &options);
	program_clock(1);
	for (unsigned i = 0; i < 3; i++)
		before[i] = time_of(i % 2);
	usleep(300000);
	for (unsigned i = 0; i < 3; i++)
		after[i] = time_of(i % 2);
	assert_true((double)(after[1] - before[1]) <= 0.9217 * (double)(after[2] - before[0]));
	assert_true((double)(after[1] - before[1]) >= 0.9215 * (double)(after[0] - before[2]));
	assert_true(after[0] - before[2] > 20000ull * RIG_TICKS_PER_US);
}

/* ---- discovery ---- */

/* What a host that knows no address says to all devices of a network; the answer comes from the
 * device's own address. */
static void a_device_answers_who_asks_all(void **state)
{
	const struct x310_rig_options options = {
	    .spp = RIG_SPP, .ticks_per_sample = 200, .rx = true};
	const struct sockaddr_in all = {.sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(0x7fffffff),
	    .sin_port = htons(FIRMWARE_PORT)};
	const struct timeval patience = {20, 0};
	const int fd = socket(AF_INET, SOCK_DGRAM, 0), yes = 1;
	uint8_t request[16] = {0, 0, 0, 1}, answer[64] = {0}; /* ACK */
	struct sockaddr_in from = {0};
	struct host *host = *state;

	x310_rig_start(&host->rig, &x310_rig_wires[0], &options);
	assert_true(setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &yes, sizeof(yes)) == 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0);
	assert_int_equal(
	    sendto(fd, request, sizeof(request), 0, (const struct sockaddr *)&all, sizeof(all)),
	    sizeof(request));
	while (ntohl(from.sin_addr.s_addr) != 0x7f000003) { /* others may play devices, too */
		socklen_t size = sizeof(from);

		assert_int_equal(
		    recvfrom(fd, answer, sizeof(answer), 0, (struct sockaddr *)&from, &size),
		    sizeof(request));
	}
	assert_memory_equal(answer, request, 4);
	close(fd);
}

/* ---- a multicast group ---- */

enum { GROUP = 0xefff0a01, GROUP_PORT = 50123 };

static int join(void)
{
	const struct sockaddr_in own = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(GROUP), .sin_port = htons(GROUP_PORT)};
	const struct ip_mreq group = {{htonl(GROUP)}, {htonl(INADDR_LOOPBACK)}};
	const struct timeval patience = {20, 0};
	const int fd = socket(AF_INET, SOCK_DGRAM, 0), yes = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
	    bind(fd, (const struct sockaddr *)&own, sizeof(own)) < 0 ||
	    setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof(group)) < 0) {
		print_message("skip: a multicast group cannot be joined on loopback\n");
		skip();
	}
	return fd;
}

/* Two that listen hear the same packets, without a word to the device; who set the stream up hears
 * none. */
static void two_hosts_hear_the_same(void **state)
{
	enum { PACKETS = 40 }; /* that a socket holds */
	static const char *const more[] = {"--rx-multicast", "239.255.10.1:50123", NULL};
	const struct x310_rig_options options = {
	    .more = more, .spp = RIG_SPP, .ticks_per_sample = 200, .rx = true};
	uint8_t bytes[2][RIG_PACKET];
	struct host *host = *state;
	const int fds[2] = {join(), join()};

	x310_rig_start(&host->rig, &x310_rig_wires[0], &options);
	x310_start(&host->rig.radio, 0);
	turn(host);
	for (unsigned n = 0; n < PACKETS; n++) {
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(recv(fds[i], bytes[i], RIG_PACKET, 0),
			    X310_HEADER + RADIO_IQ * RIG_SPP);
		assert_memory_equal(bytes[0], bytes[1], X310_HEADER + RADIO_IQ * RIG_SPP);
		assert_int_equal(get_le16(bytes[0] + 4), n);
	}
	x310_stop(&host->rig.radio);
	x310_rig_stop(&host->rig);
	assert_int_equal(host->rig.radio.rx.counts.packets, 0);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
#define WITH_HOST(test) cmocka_unit_test_setup_teardown(test, host_new, host_free)
	const struct CMUnitTest tests[] = {
	    WITH_HOST(latency_is_what_the_host_said),
	    WITH_HOST(a_response_at_rest_and_replaced),
	    WITH_HOST(lost_to_the_device),
	    WITH_HOST(lost_to_a_device_that_plays_zeros),
	    WITH_HOST(lost_to_the_host),
	    WITH_HOST(stop_on_error),
	    WITH_HOST(two_devices_on_one_clock),
	    WITH_HOST(two_devices_that_drift),
	    WITH_HOST(a_device_counts_as_its_clock_goes),
	    WITH_HOST(a_device_answers_who_asks_all),
	    WITH_HOST(two_hosts_hear_the_same),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
