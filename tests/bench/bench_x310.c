/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_x310 [SECONDS [WIRE]] - a radio's two streams through each kind of door: what is heard is played again 1 ms later, at rates up
 * to 100 MSa/s each way; what would come too late is skipped by the host, what finds the window shut is left out. x310sim is one process, the host another; both look without a pause, so each wants a CPU of its
 * own. For each rate: samples per second that came and that were played; packets that did not, and who says so; the host's
 * delay between the packet's arrival and its being sent (p50, p99, largest), and how long the host's loop stood still at
 * most, which no program can help.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/hist.h"
#include "tests/common/aloe.h"
#include "tests/common/x310_rig.h"

enum { LATER_US = 1000, MARGIN_US = 100, TICK_NS = 1000 / RIG_TICKS_PER_US };

struct passed {
	struct hist delay;
	uint64_t packets, skipped, shut, gap_ns, ns, begin_ns;
};

/* The device's time now, from the packet that came soonest after it was heard. */
static uint64_t device_ticks(struct passed *passed, uint64_t now_ns, uint64_t heard)
{
	const uint64_t begin = now_ns - heard * TICK_NS;

	passed->begin_ns = passed->begin_ns == 0 || begin < passed->begin_ns ? begin : passed->begin_ns;
	return (now_ns - passed->begin_ns) / TICK_NS;
}

/* What could not be played in time any more is left out, so that a stall costs no more than itself. */
static void pass_burst(struct x310_rig *rig, const struct radio_packet *in, unsigned n, uint64_t now_ns,
		       struct passed *passed)
{
	const uint64_t reached = device_ticks(passed, now_ns, in[n - 1].ticks) + MARGIN_US * RIG_TICKS_PER_US;
	const uint64_t later = LATER_US * RIG_TICKS_PER_US;
	struct packet out[DOOR_BURST];
	unsigned skip = 0, got;

	while (skip < n && in[skip].ticks + later < reached)
		skip++;
	got = skip < n ? radio_get(&rig->radio, in[0].n, out, n - skip) : 0;
	for (unsigned i = 0; i < got; i++) {
		memcpy(radio_iq(&out[i]), in[skip + i].iq, RADIO_IQ * in[i].n);
		radio_send(&rig->radio, &out[i], in[i].n, in[skip + i].ticks + later, false);
	}
	radio_flush(&rig->radio);
	passed->packets += n;
	passed->skipped += skip;
	passed->shut += n - skip - got;
}

static void pass(struct x310_rig *rig, double seconds, struct passed *passed)
{
	const uint64_t begin = clock_ns(), end = begin + (uint64_t)(seconds * 1e9);
	uint64_t now = begin;

	radio_start(&rig->radio, 0);
	while (now < end) {
		struct radio_packet in[DOOR_BURST];
		const uint64_t before = now;
		const unsigned n = radio_receive(&rig->radio, now, in, DOOR_BURST);

		now = clock_ns();
		if (n) {
			const uint64_t came = now;

			pass_burst(rig, in, n, came, passed);
			now = clock_ns();
			for (unsigned i = 0; i < n; i++)
				hist_add(&passed->delay, now - came);
			radio_release(&rig->radio, in, n);
		} else if (rig->radio.control.events[RADIO_RX_OVERRUN]) {
			rig->radio.control.events[RADIO_RX_OVERRUN] = 0;
			radio_start(&rig->radio, 0);
		}
		passed->gap_ns = now - before > passed->gap_ns ? now - before : passed->gap_ns;
	}
	passed->ns = now - begin;
}

static void settle(struct x310_rig *rig)
{
	const uint64_t end = clock_ns() + 30000000;
	struct radio_packet in[DOOR_BURST];

	radio_stop(&rig->radio);
	while (clock_ns() < end)
		radio_release(&rig->radio, in, radio_receive(&rig->radio, clock_ns(), in, DOOR_BURST));
}

static void measure(const struct x310_rig_wire *wire, uint32_t spp, uint32_t ticks_per_sample, double seconds)
{
	const struct x310_rig_options options = {.source = "zeros",
						 .window = {8 << 20, 0xffffff},
						 .spp = spp,
						 .ticks_per_sample = ticks_per_sample,
						 .rx = true,
						 .tx = true};
	struct passed *passed = calloc(1, sizeof(*passed));
	struct x310_rig rig;
	double s;

	assert_non_null(passed);
	x310_rig_start(&rig, wire, &options);
	pass(&rig, seconds, passed);
	settle(&rig);
	x310_rig_stop(&rig);
	s = (double)passed->ns * 1e-9;
	printf("%-9s %4u %6.1f | %6.2f %7llu %6llu | %6.2f %7llu %6llu %6llu %6llu | %6.2f %7.2f %8.1f | %8.1f %8.1f\n",
	       wire->name, spp, 200.0 / ticks_per_sample, (double)passed->packets * spp / s * 1e-6,
	       (unsigned long long)(x310_rig_channel(&rig, "rx_packets") - rig.radio.rx.counts.packets),
	       (unsigned long long)x310_rig_channel(&rig, "rx_overruns"),
	       (double)x310_rig_channel(&rig, "tx_samples") / s * 1e-6, (unsigned long long)passed->skipped,
	       (unsigned long long)passed->shut,
	       (unsigned long long)(rig.radio.tx.counts.packets - x310_rig_channel(&rig, "tx_packets") -
				    x310_rig_channel(&rig, "tx_late")),
	       (unsigned long long)x310_rig_channel(&rig, "tx_late"), (double)hist_quantile(&passed->delay, 0.5) * 1e-3,
	       (double)hist_quantile(&passed->delay, 0.99) * 1e-3, (double)hist_max(&passed->delay) * 1e-3,
	       (double)passed->gap_ns * 1e-3, json_number_value(json_object_get(rig.said, "clock_late_us")));
	fflush(stdout);
	x310_rig_close(&rig);
	free(passed);
}

static void table(void **state)
{
	static const uint32_t spps[] = {512, 256}, ticks[] = {16, 8, 4, 2};
	char **argv = *state;
	const double seconds = argv[1] ? atof(argv[1]) : 1;

	printf("                      |         received        |                played                   |   host's "
	       "delay, us       |  stood still, us\n"
	       "door       spp  MSa/s |  MSa/s    lost overrun |  MSa/s skipped   shut   lost   late |    p50     p99  "
	       "    max |     host      sim\n");
	for (int wire = 0; wire < RIG_WIRES; wire++) {
		const char *why = x310_rig_missing(&x310_rig_wires[wire]);

		if (argv[1] && argv[2] && strcmp(argv[2], x310_rig_wires[wire].name) != 0)
			continue;
		if (why)
			printf("%s: %s\n", x310_rig_wires[wire].name, why);
		for (int spp = 0; spp < 2 && !why; spp++) {
			if (x310_rig_wires[wire].spp_max && spps[spp] > x310_rig_wires[wire].spp_max) {
				printf("%-9s %4u: its frames hold %u samples\n", x310_rig_wires[wire].name, spps[spp],
				       x310_rig_wires[wire].spp_max);
				continue;
			}
			for (int rate = 0; rate < 4; rate++)
				measure(&x310_rig_wires[wire], spps[spp], ticks[rate], seconds);
		}
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(table, argv)};

	(void)argc;

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
