/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a device consists of is found, not assumed: three FPGA images, both network ports, and
 * wirings by a seed, played by x310sim's device in this process. Then a channel streams in both
 * directions, over what was found. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/x310/antenna.h"
#include "tools/x310sim/device.h"

enum {
	BUFFERS = 512,
	BUFFER = 2304,
	OWN = 0x100,
	SPP = 64,
	DIVIDE = 4,
	STEP = 2000,
	STEPS = 20000,
	SEEDS = 64,
	HELD = 8,
	PEER = 77
};

/* A device and a host, and the wire between them: what one sends the other takes at once. */
struct world {
	struct transport transport; /* first */
	struct device device;
	struct x310_channel radio;
	unsigned sfp; /* by which the host reaches the device */
	uint8_t buffers[BUFFERS][BUFFER];
	uint8_t *unused[BUFFERS];
	unsigned n_unused;
	struct packet to_host[BUFFERS];
	unsigned n_to_host;
	uint16_t deaf_port; /* of the crossbar: what asks it gets no answer; 0: none */
	bool stands_still;  /* instead: when that port is asked, until something else is asked */
	uint8_t held[HELD][BUFFER];
	uint32_t n_held, held_bytes[HELD];
	unsigned elsewhere; /* packets that left by the other SFP */
	uint64_t heard[DEVICE_ENDPOINTS], played[DEVICE_ENDPOINTS];
};

static struct world *world_of(struct transport *transport)
{
	return (struct world *)(void *)transport;
}

static unsigned receive(struct transport *transport, struct packet *ret, unsigned n)
{
	struct world *w = world_of(transport);

	n = n < w->n_to_host ? n : w->n_to_host;
	memcpy(ret, w->to_host, n * sizeof(*ret));
	w->n_to_host -= n;
	memmove(w->to_host, w->to_host + n, w->n_to_host * sizeof(*ret));
	return n;
}

static void put(struct transport *transport, const struct packet *packets, unsigned n)
{
	struct world *w = world_of(transport);

	for (unsigned i = 0; i < n; i++)
		w->unused[w->n_unused++] = packets[i].own;
}

static unsigned get(struct transport *transport, struct packet *ret, unsigned n)
{
	struct world *w = world_of(transport);
	unsigned i;

	for (i = 0; i < n && w->n_unused; i++)
		ret[i].bytes = ret[i].own = w->unused[--w->n_unused];
	return i;
}

static bool is_for_deaf(const struct world *w, const struct packet *packet)
{
	struct chdr_packet chdr;
	struct chdr_mgmt mgmt;

	if (w->deaf_port == 0 || chdr_parse(packet->bytes, packet->size, &chdr) < 0 ||
	    chdr_mgmt_parse(&chdr, &mgmt) < 0)
		return false;
	for (uint32_t i = 0; i < mgmt.n_steps; i++)
		if (mgmt.steps[i].op == CHDR_SEL_DEST && mgmt.steps[i].payload == w->deaf_port)
			return true;
	return false;
}

/* What the device, which stands still, has not taken yet. */
static void device_hold(struct world *w, const struct packet *packet)
{
	assert_true(w->n_held < HELD);
	memcpy(w->held[w->n_held], packet->bytes, packet->size);
	w->held_bytes[w->n_held++] = packet->size;
}

static void device_goes_on(struct world *w, uint64_t from)
{
	if (w->n_held > 0)
		w->deaf_port = 0;
	for (uint32_t i = 0; i < w->n_held; i++)
		device_take(&w->device, from, w->held[i], w->held_bytes[i]);
	w->n_held = 0;
}

static unsigned send_packets(struct transport *transport, const struct packet *packets, unsigned n)
{
	struct world *w = world_of(transport);
	const uint64_t from = (uint64_t)w->sfp << DEVICE_SFP_BIT | PEER;

	for (unsigned i = 0; i < n; i++)
		if (!is_for_deaf(w, &packets[i])) {
			device_goes_on(w, from);
			device_take(&w->device, from, packets[i].bytes, packets[i].size);
		} else if (w->stands_still) {
			device_hold(w, &packets[i]);
		}
	put(transport, packets, n);
	return n;
}

static const struct transport_kind kind = {
    .name = "wire", .receive = receive, .put = put, .get = get, .send = send_packets};

static void device_sends(void *self, uint64_t address, const uint8_t *bytes, size_t size)
{
	struct world *w = self;
	struct packet *packet = &w->to_host[w->n_to_host];

	if (address != ((uint64_t)w->sfp << DEVICE_SFP_BIT | PEER)) {
		w->elsewhere++;
		return;
	}
	assert_int_equal(get(&w->transport, packet, 1), 1);
	assert_true(size <= BUFFER);
	memcpy(packet->bytes, bytes, size);
	packet->size = (uint32_t)size;
	w->n_to_host++;
}

static void device_plays(void *self, unsigned channel, uint64_t tick, const uint8_t *iq, uint32_t n)
{
	(void)tick, (void)iq;
	((struct world *)self)->played[channel] += n;
}

static void device_hears(void *self, unsigned channel, uint64_t tick, uint8_t *ret_iq, uint32_t n)
{
	(void)tick;
	memset(ret_iq, (int)channel + 1, 4 * (size_t)n);
	((struct world *)self)->heard[channel] += n;
}

static struct world *world_new(const struct x310_fpga *fpga, uint64_t seed, unsigned sfp)
{
	const struct device_options options = {
	    .fpga = fpga, .layout_seed = seed, .capacity = 65536, .divide = DIVIDE};
	struct world *w = calloc(1, sizeof(*w));
	const struct device_io io = {device_sends, device_plays, device_hears, w};

	assert_non_null(w);
	w->transport.kind = &kind;
	w->sfp = sfp;
	for (int i = 0; i < BUFFERS; i++)
		w->unused[w->n_unused++] = w->buffers[i];
	device_init(&w->device, &options, &io);
	return w;
}

static void world_free(struct world *w)
{
	device_fini(&w->device);
	free(w);
}

static void open_channel(struct world *w, unsigned number, bool tx)
{
	const struct x310_options options = {.own = OWN,
	    .number = (uint16_t)number,
	    .rx = true,
	    .tx = tx,
	    .window = {1 << 20, 0xffffff},
	    .frequency = {1 << 12, 0xffffff},
	    .lossy = true};

	x310_open(&w->radio, &options, &w->transport, 0);
	x310_configure(&w->radio, SPP, DIVIDE);
}

/* One step of time; data that came is given back, and counted. */
static uint64_t step(struct world *w)
{
	struct x310_packet in[TRANSPORT_BURST];
	uint64_t samples = 0;
	unsigned n;

	device_run(&w->device, w->device.tick + STEP);
	n = x310_receive(&w->radio, w->device.tick * DEVICE_TICK_NS, in, TRANSPORT_BURST);
	for (unsigned i = 0; i < n; i++) {
		const uint8_t channel = (uint8_t)(w->radio.options.number + 1);

		assert_int_equal(in[i].iq[0], channel);
		samples += in[i].n;
	}
	x310_release(&w->radio, in, n);
	return samples;
}

static void bring_up(struct world *w)
{
	for (int i = 0; i < STEPS && !x310_ready(&w->radio) && !x310_failed(&w->radio); i++)
		step(w);
}

/* ---- the tables ------------------------------------------------------------------------ */

/* As they stand in rfnoc_block_radio_regs.vh of UHD v4.3.0.0 and v4.10.0.0. */
static void registers_are_those_of_the_images(void **state)
{
	static const struct radio_registers v0 = {
	    0x80, 0x10, 0x14, 0x18, 0x20, 0x28, 0x2c, 0x3c, 0x70, 0x40, 0x44, 0x48};
	static const struct radio_registers v1 = {0x400, 0x100 + 0x00, 0x100 + 0x04, 0x100 + 0x08,
	    0x100 + 0x10, 0x100 + 0x18, 0x100 + 0x1c, 0x100 + 0x2c, 0x100 + 0x30, 0x200 + 0x00,
	    0x200 + 0x04, 0x200 + 0x08};

	(void)state;
	assert_memory_equal(x310_fpgas[0].radio, &v0, sizeof(v0));
	assert_memory_equal(x310_fpgas[1].radio, &v1, sizeof(v1));
	assert_ptr_equal(x310_fpgas[2].radio, x310_fpgas[1].radio);
	assert_true(x310_fpgas[1].ctrl == CHDR_V1 && x310_fpgas[2].ctrl == CHDR_V2);
}

static void images_by_their_numbers(void **state)
{
	char text[X310_FPGA_TEXT];

	(void)state;
	assert_ptr_equal(x310_fpga_find(0x0100, 0), &x310_fpgas[0]);
	assert_ptr_equal(x310_fpga_find(0x0100, 0x00000001), &x310_fpgas[0]);
	assert_ptr_equal(x310_fpga_find(0x0100, 0x00010003), &x310_fpgas[1]);
	assert_ptr_equal(x310_fpga_find(0x0201, 0x00010000), &x310_fpgas[2]);
	assert_null(x310_fpga_find(0x0200, 0));
	assert_null(x310_fpga_find(0x0100, 0x00020000));
	assert_null(x310_fpga_find(0x0300, 0x00010000));
	assert_int_equal(x310_ctrl_of(0x0300), 0);
	x310_fpga_unknown(0x0100, 0x00020001, text, sizeof(text));
	assert_string_equal(text,
	    "FPGA of another UHD (radio compat 2.1, protocol 1.0): not known, known are 4.0 to 4.9 "
	    "(radio compat 0.x, protocol 1.0), 4.10 (radio compat 1.x, protocol 1.0), 4.11 (radio "
	    "compat 1.x, protocol 2.0); load one of these images (uhd_image_loader)");
}

/* ---- what is found ------------------------------------------------------------------------ */

/* Against the wiring itself, not by the way that the survey took. */
static void check_layout(const struct world *w)
{
	const struct x310_layout *found = x310_layout(&w->radio);
	const struct sim_layout *wired = &w->device.layout;

	assert_non_null(found);
	assert_ptr_equal(found->fpga, w->device.options.fpga);
	assert_int_equal(found->own_port, w->sfp);
	assert_int_equal(found->n_radios, LAYOUT_RADIOS);
	assert_int_equal(wired->seps[found->control_port - LAYOUT_TRANSPORTS].instance, 0);
	for (unsigned r = 0; r < LAYOUT_RADIOS; r++)
		assert_int_equal(
		    found->radios[r].port, 2 + layout_block_of(wired, LAYOUT_RADIO, r));
	for (unsigned c = 0; c < LAYOUT_CHANNELS; c++) {
		const struct x310_path *rx = x310_layout_path(found, c, true),
		                       *tx = x310_layout_path(found, c, false);

		assert_int_equal(wired->seps[rx->endpoint_port - LAYOUT_TRANSPORTS].out, c);
		assert_int_equal(layout_channel(wired, rx->rate_port - 2u, rx->rate_channel), c);
		assert_int_equal(tx != NULL, c % 2 == 0); /* the second of each has no DUC */
		if (tx == NULL)
			continue;
		assert_int_equal(wired->seps[tx->endpoint_port - LAYOUT_TRANSPORTS].in, c);
		assert_int_equal(layout_channel(wired, tx->rate_port - 2u, tx->rate_channel), c);
	}
	assert_null(x310_layout_path(found, LAYOUT_CHANNELS, true));
}

/* Three packets go out, in two bursts: the radio says of each that it has ended, and of the second
 * only when the first was acknowledged. */
static void transmit(struct world *w)
{
	struct packet packet;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(x310_get(&w->radio, SPP, &packet, 1), 1);
		memset(x310_iq(&packet), 7, RADIO_IQ * SPP);
		x310_send(&w->radio, &packet, SPP, UINT64_MAX, i != 1);
		x310_flush(&w->radio);
	}
	for (int i = 0; i < STEPS && w->radio.control.events[RADIO_TX_BURST_END] < 2; i++)
		step(w);
	assert_int_equal(w->radio.control.events[RADIO_TX_BURST_END], 2);
	assert_int_equal(w->played[w->radio.options.number], 3 * SPP);
}

static void check_streams(struct world *w)
{
	const unsigned number = w->radio.options.number;
	uint64_t samples = 0;

	assert_null(x310_failed(&w->radio));
	assert_true(x310_ready(&w->radio));
	assert_int_equal(w->radio.options.tx, number % 2 == 0);
	assert_int_equal(w->device.endpoints[number].radio.spp, SPP);
	assert_int_equal(w->device.endpoints[number].radio.divide, DIVIDE);
	x310_start(&w->radio, 0);
	for (int i = 0; i < 200; i++)
		samples += step(w);
	x310_stop(&w->radio);
	for (int i = 0; i < 20; i++)
		samples += step(w);
	assert_true(samples > 10 * SPP);
	assert_int_equal(samples, w->heard[number]);
	if (w->radio.options.tx)
		transmit(w);
	for (unsigned c = 0; c < DEVICE_ENDPOINTS; c++)
		assert_true(c == number || (w->heard[c] == 0 && w->played[c] == 0));
	assert_int_equal(w->radio.control.refused + w->radio.counts.malformed +
	        w->radio.counts.nobodys + w->elsewhere,
	    0);
	assert_int_equal(
	    w->device.malformed + w->device.unroutable + w->device.no_address + w->device.no_route,
	    0);
}

static void every_image_and_wiring_streams(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		for (int fpga = 0; fpga < X310_FPGAS; fpga++) {
			struct world *w = world_new(&x310_fpgas[fpga], seed, (unsigned)seed % 2);

			open_channel(
			    w, (unsigned)(seed / 2 + (unsigned)fpga) % LAYOUT_CHANNELS, true);
			bring_up(w);
			check_layout(w);
			check_streams(w);
			world_free(w);
		}
	}
}

/* Seeds are told apart, and all there is to permute is permuted by some of them. */
static void wirings_differ(void **state)
{
	struct sim_layout stock, layout;
	unsigned seps = 0, pairs = 0, blocks = 0, rates = 0, ports = 0, more = 0;

	(void)state;
	layout_stock(&stock);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		layout_shuffle(&layout, seed);
		seps += layout.seps[0].instance != 0;
		pairs += layout_sep_of(&layout, 0, true) != layout_sep_of(&layout, 0, false);
		blocks += memcmp(layout.blocks, stock.blocks, sizeof(stock.blocks)) != 0;
		rates += layout.ddc[0] != 0;
		ports += layout.ddc_port[0];
		more += layout.n_seps > stock.n_seps;
	}
	assert_true(seps > SEEDS / 4 && pairs > SEEDS / 4 && blocks > SEEDS / 2);
	assert_true(rates > SEEDS / 8 && ports > SEEDS / 8 && more > SEEDS / 4);
}

/* UHD numbers the endpoints of its second board behind those of the first. */
static void the_number_that_uhd_gave_is_kept(void **state)
{
	struct world *w = world_new(&x310_fpgas[0], 9, 0);
	unsigned first = 0;

	(void)state;
	while (w->device.layout.seps[first].instance != 0)
		first++;
	for (unsigned i = 0; i < w->device.layout.n_seps; i++)
		w->device.epids[i] =
		    i == first ? 5 : (uint16_t)(SURVEY_CLAIMED + LAYOUT_TRANSPORTS + i);
	open_channel(w, 2, true);
	w->radio.options.initialised = true;
	bring_up(w);
	assert_int_equal(x310_layout(&w->radio)->control_endpoint, 5);
	assert_int_equal(w->device.epids[first], 5);
	world_free(w);
}

/* x310-init numbers the endpoints of the channels that it sets up; where it holds the device, a
 * channel without has no rate. */
static void a_channel_that_was_not_set_up(void **state)
{
	struct world *w = world_new(&x310_fpgas[0], 0, 0);

	(void)state;
	open_channel(w, 2, true);
	w->radio.options.initialised = true;
	bring_up(w);
	assert_non_null(x310_failed(&w->radio));
	assert_non_null(strstr(x310_failed(&w->radio),
	    "the stream endpoint behind port 5 of the crossbar, where its samples leave, lacks its "
	    "number"));
	world_free(w);
}

/* Whatever the address, what a table shows of a channel is not cut off. */
static void troubles_fit(void **state)
{
	struct x310_channel radio = {.options = {.device = {0xffffffff, 49153}, .number = 3},
	    .rx_path = {.endpoint_port = 63},
	    .tx_path = {.endpoint_port = 63},
	    .spp = 1996,
	    .ticks_per_sample = 200000};
	static char texts[RADIO_TROUBLES][RADIO_TROUBLE];

	(void)state;
	x310_trouble_texts(&radio, texts);
	assert_string_equal(texts[X310_WELL], "");
	for (unsigned i = X310_WELL + 1; i < X310_TROUBLES; i++) {
		assert_memory_equal(texts[i], "255.255.255.255 port 49153, channel 3: ", 39);
		assert_in_range(strlen(texts[i]), 60, RADIO_TROUBLE - 2);
	}
}

static void a_port_without_a_node_is_passed_over(void **state)
{
	struct world *w = world_new(&x310_fpgas[0], 0, 0);

	(void)state;
	w->deaf_port = LAYOUT_TRANSPORTS + 3; /* of channel 3 */
	open_channel(w, 0, true);
	for (int i = 0; i < 4 * STEPS && !x310_ready(&w->radio); i++)
		step(w);
	check_streams(w);
	assert_null(x310_layout_path(x310_layout(&w->radio), 3, true));
	world_free(w);
}

/* The requests that it was given meanwhile are answered before the question whether it is there. */
static void a_port_of_a_device_that_stood_still_is_found(void **state)
{
	struct world *w = world_new(&x310_fpgas[0], 0, 0);

	(void)state;
	w->deaf_port = LAYOUT_TRANSPORTS + 3;
	w->stands_still = true;
	open_channel(w, 3, true);
	for (int i = 0; i < 4 * STEPS && !x310_ready(&w->radio); i++)
		step(w);
	assert_int_equal(w->n_held, 0);
	check_layout(w);
	world_free(w);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void refused(const struct x310_fpga *fpga, unsigned number, const char *why)
{
	struct world *w = world_new(fpga, 0, 0);

	open_channel(w, number, true);
	bring_up(w);
	assert_non_null(x310_failed(&w->radio));
	assert_memory_equal(x310_failed(&w->radio), why, strlen(why));
	assert_null(x310_layout(&w->radio));
	for (int i = 0; i < 100; i++) /* and nothing more is said */
		assert_int_equal(step(w), 0);
	world_free(w);
}

static void what_is_not_known_or_not_there(void **state)
{
	struct x310_fpga other = x310_fpgas[1];

	(void)state;
	other.radio_compat = 0x00020000;
	refused(&other, 0,
	    "FPGA of another UHD (radio compat 2.0, protocol 1.0): not known, known are");
	other.protocol = 0x0300;
	refused(&other, 0, "FPGA of another UHD (protocol 3.0): not known, known are 4.0 to 4.9");
	refused(&x310_fpgas[0], 4,
	    "channel 4 of the device (radio 2) leads to no stream endpoint; the "
	    "device has 2 radios");
}

/* ---- the crossbar ------------------------------------------------------------------------ */

static void ask(struct world *w, const struct request *request)
{
	uint8_t bytes[CHDR_MGMT_BYTES_MAX];
	const size_t size = chdr_mgmt_write(bytes, 0, 1, &request->message);

	device_take(&w->device, (uint64_t)w->sfp << DEVICE_SFP_BIT | PEER, bytes, size);
}

/* Answers of endpoints leave by the route of who asked. Where that names the other SFP, whose table
 * has us not, they are lost: what a radio file of `sfp = 0` did to a host on SFP1. */
static void a_route_by_the_wrong_port_loses_all(void **state)
{
	struct world *w = world_new(&x310_fpgas[0], 0, 1);
	struct endpoint endpoint = {OWN, 0, 2, 3, false, 0x0100};
	struct request request;

	(void)state;
	request_advertise(&request, &endpoint);
	ask(w, &request);
	request_route_own(&request, &endpoint);
	ask(w, &request);
	assert_int_equal(w->n_to_host, 2); /* of transport and crossbar: the way they came */
	request_route_device(&request, &endpoint);
	ask(w, &request);
	assert_int_equal(w->n_to_host, 2);
	assert_int_equal(w->device.no_address, 1);
	endpoint.own_port = 1;
	request_route_own(&request, &endpoint);
	ask(w, &request);
	request_route_device(&request, &endpoint);
	ask(w, &request);
	assert_int_equal(w->n_to_host, 4);
	assert_int_equal(w->elsewhere, 0);
	world_free(w);
}

/* What has no route leaves by SFP0 (DEFAULT_PORT of the crossbar), and is lost if that one does not
 * know it. */
static void what_has_no_route_leaves_by_sfp0(void **state)
{
	const struct endpoint endpoint = {OWN, 0, 2, 3, false, 0x0100};
	struct request request;

	(void)state;
	for (unsigned sfp = 0; sfp < 2; sfp++) {
		struct world *w = world_new(&x310_fpgas[0], 0, sfp);

		request_advertise(&request, &endpoint);
		ask(w, &request);
		request_route_device(&request, &endpoint);
		ask(w, &request);
		assert_int_equal(w->n_to_host, sfp == 0 ? 2 : 1);
		assert_int_equal(w->device.no_route, sfp);
		world_free(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(registers_are_those_of_the_images),
	    cmocka_unit_test(images_by_their_numbers),
	    cmocka_unit_test(every_image_and_wiring_streams),
	    cmocka_unit_test(wirings_differ),
	    cmocka_unit_test(the_number_that_uhd_gave_is_kept),
	    cmocka_unit_test(a_channel_that_was_not_set_up),
	    cmocka_unit_test(troubles_fit),
	    cmocka_unit_test(a_port_without_a_node_is_passed_over),
	    cmocka_unit_test(a_port_of_a_device_that_stood_still_is_found),
	    cmocka_unit_test(what_is_not_known_or_not_there),
	    cmocka_unit_test(a_route_by_the_wrong_port_loses_all),
	    cmocka_unit_test(what_has_no_route_leaves_by_sfp0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
