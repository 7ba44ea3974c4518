/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cable of x310sim at its worst, on demand and the same every time; and its sample clocks. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/x310sim/pace.h"

enum { TICKS_PER_US = 200, MANY = 100000 };

struct sink {
	struct cable cable;
	uint64_t tick;
	uint32_t *came; /* numbers, in order */
	uint64_t *at;
	unsigned n;
};

static void came(void *self, uint64_t address, const uint8_t *bytes, size_t size)
{
	struct sink *sink = self;

	assert_int_equal(address, 99);
	assert_int_equal(size, sizeof(sink->came[0]));
	assert_true(sink->n < 2 * MANY);
	memcpy(&sink->came[sink->n], bytes, size);
	sink->at[sink->n++] = sink->tick;
}

static void sink_init(struct sink *sink, const char *description)
{
	struct fault_options options;
	char why[FAULT_WHY] = "";

	*sink = (struct sink){.came = calloc(2 * MANY, sizeof(sink->came[0])),
	    .at = calloc(2 * MANY, sizeof(sink->at[0]))};
	assert_non_null(sink->came);
	assert_non_null(sink->at);
	fault_options_init(&options);
	if (fault_parse(description, &options, why) < 0)
		fail_msg("%s", why);
	cable_init(&sink->cable, &options, came, sink);
}

static void sink_fini(struct sink *sink)
{
	cable_fini(&sink->cable);
	free(sink->came);
	free(sink->at);
}

static void run(struct sink *sink, uint64_t tick)
{
	while (cable_next(&sink->cable) <= tick) {
		sink->tick = cable_next(&sink->cable);
		cable_run(&sink->cable, sink->tick);
	}
	sink->tick = tick;
}

/* Packet i at i us. */
static void send_many(struct sink *sink, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		run(sink, (uint64_t)i * TICKS_PER_US);
		cable_take(&sink->cable, sink->tick, true, 99, (const uint8_t *)&i, sizeof(i));
	}
	run(sink, sink->tick + 10000 * TICKS_PER_US);
	assert_true(cable_next(&sink->cable) == UINT64_MAX);
}

static void is(const struct sink *sink, const uint32_t *want, unsigned n)
{
	assert_int_equal(sink->n, n);
	assert_memory_equal(sink->came, want, n * sizeof(*want));
}

static void no_fault(void **state)
{
	static const uint32_t want[] = {0, 1, 2, 3};
	struct sink sink;

	(void)state;
	sink_init(&sink, "seed=5");
	send_many(&sink, 4);
	is(&sink, want, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(sink.at[i], i * TICKS_PER_US);
	sink_fini(&sink);
}

static void at_stated_numbers(void **state)
{
	static const uint32_t lost[] = {0, 2, 3, 5, 6, 8},
	                      twice[] = {0, 1, 2, 2, 3, 4, 5, 6, 6, 7, 8},
	                      swapped[] = {1, 0, 2, 3, 4, 6, 5, 7};
	struct sink sink;

	(void)state;
	sink_init(&sink, "loss=@1/3");
	send_many(&sink, 9);
	is(&sink, lost, 6);
	assert_int_equal(sink.cable.counts[FAULT_LOSS], 3);
	sink_fini(&sink);
	sink_init(&sink, "duplicate=@2+6+100");
	send_many(&sink, 9);
	is(&sink, twice, 11);
	assert_int_equal(sink.cable.counts[FAULT_DUPLICATE], 2);
	sink_fini(&sink);
	sink_init(&sink, "reorder=@0+5");
	send_many(&sink, 8);
	is(&sink, swapped, 8);
	assert_int_equal(sink.cable.counts[FAULT_REORDER], 2);
	sink_fini(&sink);
}

static void later(void **state)
{
	static const uint32_t delayed[] = {0, 2, 3, 1, 4, 5}, last[] = {0, 1, 2};
	static const uint32_t stalled[] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct sink sink;

	(void)state;
	sink_init(&sink, "delay=@1:2.5");
	send_many(&sink, 6);
	is(&sink, delayed, 6);
	assert_int_equal(sink.at[3], 3.5 * TICKS_PER_US);
	sink_fini(&sink);
	sink_init(&sink, "reorder=@2"); /* nothing follows it */
	send_many(&sink, 3);
	is(&sink, last, 3);
	assert_int_equal(sink.at[2], 1002 * TICKS_PER_US);
	sink_fini(&sink);
	sink_init(&sink, "stall=@2:4.5");
	send_many(&sink, 8);
	is(&sink, stalled, 8);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(sink.at[i] * 2, (i < 2 || i > 6 ? 2 * i : 13) * TICKS_PER_US);
	assert_int_equal(sink.cable.counts[FAULT_STALL], 1);
	sink_fini(&sink);
}

/* As often as was said, and the same again with the same seed. */
static void by_chance(void **state)
{
	struct sink sinks[3];
	char description[64];

	(void)state;
	for (int i = 0; i < 3; i++) {
		snprintf(description, sizeof(description), "loss=0.1,duplicate=0.05,seed=%d",
		    i < 2 ? 3 : 4);
		sink_init(&sinks[i], description);
		send_many(&sinks[i], MANY);
	}
	assert_in_range(sinks[0].cable.counts[FAULT_LOSS], MANY / 10 - 400, MANY / 10 + 400);
	assert_in_range(
	    sinks[0].cable.counts[FAULT_DUPLICATE], MANY * 9 / 200 - 300, MANY * 9 / 200 + 300);
	assert_int_equal(sinks[0].n,
	    MANY - sinks[0].cable.counts[FAULT_LOSS] + sinks[0].cable.counts[FAULT_DUPLICATE]);
	is(&sinks[1], sinks[0].came, sinks[0].n);
	assert_true(
	    sinks[2].n != sinks[0].n || memcmp(sinks[2].came, sinks[0].came, sinks[0].n * 4) != 0);
	for (int i = 0; i < 3; i++)
		sink_fini(&sinks[i]);
}

/* Packets of another sort are neither counted nor hit, but a cable that stands still holds them
 * too. */
static void of_a_sort(void **state)
{
	static const uint32_t want[] = {0, 10, 11, 2};
	const uint32_t numbers[] = {0, 10, 1, 11, 2};
	struct sink sink;

	(void)state;
	sink_init(&sink, "loss=@1,of=data");
	for (unsigned i = 0; i < 5; i++)
		cable_take(&sink.cable, 0, numbers[i] < 10, 99, (const uint8_t *)&numbers[i], 4);
	is(&sink, want, 4);
	assert_int_equal(sink.cable.number, 3);
	sink_fini(&sink);
	sink_init(&sink, "of=control,stall=@0:1");
	for (unsigned i = 0; i < 5; i++)
		cable_take(&sink.cable, 0, numbers[i] < 10, 99, (const uint8_t *)&numbers[i], 4);
	assert_int_equal(sink.n, 1);
	run(&sink, TICKS_PER_US);
	is(&sink, numbers, 5);
	sink_fini(&sink);
}

static void a_time_that_is_set(void **state)
{
	const uint32_t number = 5;
	struct sink sink;

	(void)state;
	sink_init(&sink, "delay=1:10");
	cable_take(&sink.cable, 1000, true, 99, (const uint8_t *)&number, 4);
	cable_set_time(&sink.cable, 1500, 0);
	assert_int_equal(cable_next(&sink.cable), 1000 + 10 * TICKS_PER_US - 1500);
	sink_fini(&sink); /* what it holds goes with it */
}

static void refused(const char *description, const char *word)
{
	struct fault_options options, before;
	char why[FAULT_WHY] = "";

	fault_options_init(&options);
	before = options;
	assert_int_equal(fault_parse(description, &options, why), -EINVAL);
	if (strstr(why, word) == NULL)
		fail_msg("\"%s\": \"%s\" does not say \"%s\"", description, why, word);
	assert_memory_equal(&options, &before, sizeof(options));
}

static void descriptions_that_are_none(void **state)
{
	char many[512] = "loss=@1";

	(void)state;
	refused("", "KIND=WHEN");
	refused("loss", "KIND=WHEN");
	refused("lost=0.1", "loss, reorder");
	refused("loss=1.5", "probability 0 .. 1");
	refused("loss=-1", "probability 0 .. 1");
	refused("loss=", "probability 0 .. 1");
	refused("loss=nan", "probability 0 .. 1");
	refused("loss=@", "@N+N");
	refused("loss=@1+", "@N+N");
	refused("loss=@1/0", "@FROM/EVERY");
	refused("loss=@1/5+2", "@FROM/EVERY");
	refused("loss=@99999999999999999999999", "@N+N");
	refused("loss=0.1:5", "takes no :MICROSECONDS");
	refused("delay=0.1", "needs :MICROSECONDS");
	refused("delay=0.1:", "0 .. 10000000");
	refused("delay=0.1:1e9", "0 .. 10000000");
	refused("seed=x", "whole number");
	refused("of=tx", "data, control or all");
	refused("loss=0.1,of=tx", "of=tx");
	for (int i = 0; i < 40; i++)
		strcat(many, "+2");
	refused(many, "at most 32 packets");
}

/* ---- clocks ------------------------------------------------------------------------ */

/* A clock that drifts by so much goes faster by so much, and events are looked for when they are,
 * not much later. */
static void drift(void **state)
{
	static const int64_t ppb[] = {0, 1, -1, 2500, -2500, 1000000, -1000000};
	const uint64_t hour = 3600ull * DEVICE_TICKS_PER_S;
	const struct device_io io = {.send = NULL};

	(void)state;
	for (size_t i = 0; i < sizeof(ppb) / sizeof(ppb[0]); i++) {
		struct unit unit = {.ppb = ppb[i], .base_ref = 1000, .base_tick = 50000};
		const int64_t want = (int64_t)(hour / 1000000000) * ppb[i] +
		    (int64_t)(hour % 1000000000) * ppb[i] / 1000000000;

		device_init(&unit.device, &unit.options.device, &io);
		assert_int_equal(unit_ticks(&unit, 1000), 50000);
		assert_int_equal(unit_ticks(&unit, 1000 + hour), 50000 + hour + (uint64_t)want);
		unit.device.endpoints[1].radio.tx.phase = SIM_TX_BURST;
		for (uint64_t tick = 60000; tick < 50000 + hour; tick += hour / 977) {
			uint64_t ref;

			unit.device.endpoints[1].radio.tx.tick = tick;
			ref = unit_next(&unit);
			assert_true(unit_ticks(&unit, ref) >= tick);
			assert_true(unit_ticks(&unit, ref - 2) < tick);
		}
		device_fini(&unit.device);
	}
}

/* While nothing streams the virtual clock is the machine's; while something does it goes from event
 * to event. */
static void a_virtual_clock(void **state)
{
	const struct pace_options options = {.is_virtual = true, .lead = 512};
	const uint64_t ms = DEVICE_TICKS_PER_S / 1000;
	const struct device_io io = {.send = NULL};
	static struct unit unit;
	struct pace pace;

	(void)state;
	device_init(&unit.device, &unit.options.device, &io);
	pace_init(&pace, &options, 1000);
	assert_false(pace_turn(&pace, &unit, 1, 1000 + 5000000));
	assert_int_equal(pace_now(&pace), 5 * ms);
	unit.device.tick = 5 * ms;
	unit.device.endpoints[0].radio.rx.running = true;
	unit.device.endpoints[0].radio.rx.tick = 5 * ms;
	unit.device.endpoints[0].radio.spp = 256;
	unit.device.endpoints[0].radio.divide = 2;
	assert_true(pace_turn(&pace, &unit, 1, 1000 + 5000001)); /* at once */
	assert_int_equal(pace_now(&pace), 5 * ms + 512);
	unit.device.tick = pace_now(&pace);
	unit.device.endpoints[0].radio.rx.tick += 512;
	unit.device.endpoints[0].input.controlled = true;
	assert_true(pace_turn(&pace, &unit, 1, 1000 + 5000002));
	/* the host has heard them, and has not answered yet */
	unit.device.endpoints[0].radio.rx.samples = 512;
	assert_false(pace_turn(&pace, &unit, 1, 1000 + 5000003));
	assert_int_equal(pace_now(&pace), 5 * ms + 1024);
	assert_false(pace_turn(&pace, &unit, 1, 1000 + 900000000));
	assert_int_equal(pace_now(&pace), 5 * ms + 1024);
	assert_int_equal(pace.excused, 0);
	unit.answers[0].samples += 256;
	assert_true(pace_turn(&pace, &unit, 1, 1000 + 900000001));
	unit.device.endpoints[0].radio.rx.samples = 1024;
	assert_false(pace_turn(&pace, &unit, 1, 1000 + 900000002));
	assert_true(pace_turn(&pace, &unit, 1, 1000 + 1900000003)); /* no patience any more */
	assert_int_equal(pace.excused, 1);
	assert_true(unit.answers[0].excused);
	device_fini(&unit.device);
}

/* After a standstill of the machine time goes on in small steps, not much faster than it should
 * unless it is far behind. */
static void a_real_clock(void **state)
{
	const struct pace_options options = {.is_virtual = false};
	const uint64_t ms = DEVICE_TICKS_PER_S / 1000, stood = 20 * ms;
	const struct device_io io = {.send = NULL};
	static struct unit unit;
	struct pace pace;
	uint64_t now_ns = 1000000000, before; /* at a pulse: ticks are counted from it */

	(void)state;
	device_init(&unit.device, &unit.options.device, &io);
	pace_init(&pace, &options, now_ns);
	assert_false(pace_turn(&pace, &unit, 1, now_ns += 30000000)); /* nothing streams: at once */
	assert_int_equal(pace.ref, 30 * ms);
	unit.device.endpoints[0].radio.rx.running = true;
	assert_true(pace_turn(&pace, &unit, 1, now_ns += stood * DEVICE_TICK_NS));
	before = pace.ref;
	assert_true(before <= 30 * ms + PACE_STEP);
	for (unsigned i = 0; i < 1000; i++)
		assert_true(pace_turn(&pace, &unit, 1, now_ns += 1000));
	assert_in_range(pace.ref - before, ms + ms / 5, ms + ms / 3);
	before = pace.ref;
	/* further than any ring goes */
	assert_true(pace_turn(&pace, &unit, 1, now_ns += 1000000000));
	for (unsigned i = 0; i < 100; i++)
		assert_true(pace_turn(&pace, &unit, 1, now_ns += 1000));
	assert_int_equal(pace.ref, before + 101 * PACE_STEP);
	device_fini(&unit.device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(no_fault),
	    cmocka_unit_test(at_stated_numbers),
	    cmocka_unit_test(later),
	    cmocka_unit_test(by_chance),
	    cmocka_unit_test(of_a_sort),
	    cmocka_unit_test(a_time_that_is_set),
	    cmocka_unit_test(descriptions_that_are_none),
	    cmocka_unit_test(drift),
	    cmocka_unit_test(a_virtual_clock),
	    cmocka_unit_test(a_real_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
