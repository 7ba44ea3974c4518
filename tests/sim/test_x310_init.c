/* SPDX-License-Identifier: BSD-3-Clause
 *
 * UHD makes the device ready (x310-init), then our own streams run beside it, from another
 * socket: all that is received is there, all that is sent is played, and the device is UHD's
 * until the end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "tests/common/aloe.h"
#include "tests/common/x310_rig.h"

enum { PACKETS = 600, DIVIDE = 200, LATER = 100000 * RIG_TICKS_PER_US };
#define PATIENCE_NS 10000000000ull

/* Sends each packet back, LATER ticks after it was heard. */
static uint64_t pass(struct x310_rig *rig, uint64_t *ret_samples)
{
	struct x310_packet in[TRANSPORT_BURST];
	uint64_t packets = 0, next = 0, jumps = 0;
	struct packet out;

	*ret_samples = 0;
	x310_start(&rig->radio, 0);
	while (packets < PACKETS) {
		const unsigned n = x310_receive(&rig->radio, clock_ns(), in, TRANSPORT_BURST);

		for (unsigned i = 0; i < n && packets < PACKETS; i++) {
			assert_int_equal(x310_get(&rig->radio, in[i].n, &out, 1), 1);
			jumps += packets && in[i].ticks != next;
			next = in[i].ticks + (uint64_t)in[i].n * DIVIDE;
			memcpy(x310_iq(&out), in[i].iq, RADIO_IQ * in[i].n);
			*ret_samples += in[i].n;
			x310_send(
			    &rig->radio, &out, in[i].n, in[i].ticks + LATER, ++packets == PACKETS);
		}
		x310_release(&rig->radio, in, n);
		x310_flush(&rig->radio);
		assert_null(x310_failed(&rig->radio));
	}
	return jumps;
}

/* The end of the burst is said to us: the radio's messages come here, not to UHD. */
static void await_end(struct x310_rig *rig)
{
	const uint64_t end = clock_ns() + PATIENCE_NS;
	struct x310_packet in[TRANSPORT_BURST];

	x310_stop(&rig->radio);
	while (clock_ns() < end &&
	    (!x310_ready(&rig->radio) || !rig->radio.control.events[RADIO_TX_BURST_END]))
		x310_release(
		    &rig->radio, in, x310_receive(&rig->radio, clock_ns(), in, TRANSPORT_BURST));
}

static uint64_t of_channel(const struct x310_rig *rig, int channel, const char *name)
{
	const json_t *channels = json_object_get(rig->said, "channels");

	return (uint64_t)json_integer_value(
	    json_object_get(json_array_get(channels, (size_t)channel), name));
}

static void uhd_initialises_and_we_stream(struct x310_rig *rig, const char *subdev, int channel)
{
	const struct x310_rig_options options = {
	    .spp = RIG_SPP, .ticks_per_sample = DIVIDE, .rx = true, .tx = true, .uhd = subdev};
	uint64_t jumps, samples;

	if (access(aloe_program("x310-init"), X_OK) < 0) {
		print_message(
		    "skip: x310-init was not built: libuhd-dev or libboost-dev is not installed\n");
		skip();
	}
	x310_rig_start(rig, &x310_rig_wires[0], &options);
	jumps = pass(rig, &samples);
	await_end(rig);
	x310_rig_stop(rig);
	assert_int_equal(samples, PACKETS * RIG_SPP); /* as UHD has set them */
	if (rig->radio.control.events[RADIO_TX_LATE] + of_channel(rig, channel, "rx_overruns") +
	    rig->transport->counts.dropped)
		print_message("this machine stood still for longer than %d ms\n",
		    LATER / RIG_TICKS_PER_US / 1000);
	else
		assert_int_equal(of_channel(rig, channel, "tx_samples"), samples);
	assert_true(
	    jumps == 0 || rig->radio.rx.counts.lost || of_channel(rig, channel, "rx_overruns"));
	assert_int_equal(of_channel(rig, channel, "tx_sequence_errors"), 0);
	assert_true(rig->radio.control.events[RADIO_TX_BURST_END] ||
	    rig->radio.control.events[RADIO_TX_LATE]);
	assert_int_equal(
	    rig->radio.control.refused + rig->radio.counts.malformed + rig->radio.counts.nobodys,
	    0);
}

static void on_the_first_radio(void **state)
{
	uhd_initialises_and_we_stream(*state, "A:0", 0);
}

/* UHD has left its endpoint without a number, and registers are behind another. */
static void on_the_second_radio(void **state)
{
	uhd_initialises_and_we_stream(*state, "B:0", 2);
}

static int rig_close(void **state)
{
	x310_rig_close(*state);
	return 0;
}

int main(void)
{
	struct x310_rig first = {.wire = &x310_rig_wires[0]}, second = first;
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_prestate_setup_teardown(on_the_first_radio, NULL, rig_close, &first),
	    cmocka_unit_test_prestate_setup_teardown(on_the_second_radio, NULL, rig_close, &second),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
