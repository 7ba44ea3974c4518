/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Windows of a running stream: which of them the device kept its pace in, which were answered,
 * which in time; what is before the first answer or behind the last is none. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/x310sim/steady.h"

enum { SPP = 256, DIVIDE = 2, WINDOW = 400000, PACKETS = 780, MS_2 = 2000000 };

struct world {
	struct device device;
	struct steady steady;
	uint64_t now_ns;
};

static void world_init(struct world *w)
{
	*w = (struct world){.now_ns = 1, .device.tick_ns = DEVICE_TICK_NS};
	w->device.endpoints[0].radio.spp = SPP;
	w->device.endpoints[0].radio.divide = DIVIDE;
	w->device.endpoints[0].radio.rx.running = true;
}

/* A window passes: so many packets are heard, played, dropped as late, in so many ns. */
static void pass(struct world *w, unsigned heard, unsigned played, unsigned late, uint64_t ns)
{
	struct sim_radio *radio = &w->device.endpoints[0].radio;

	radio->rx.samples += (uint64_t)heard * SPP;
	radio->tx.samples += (uint64_t)played * SPP;
	radio->tx.late += late;
	w->device.tick = w->device.tick + WINDOW;
	w->now_ns += ns;
	assert_true(w->device.tick >= w->steady.until);
	steady_look(&w->steady, &w->device, w->now_ns);
}

static void is(
    const struct world *w, uint64_t all, uint64_t paced, uint64_t answered, uint64_t in_time)
{
	assert_int_equal(w->steady.counts.all, all);
	assert_int_equal(w->steady.counts.paced, paced);
	assert_int_equal(w->steady.counts.answered, answered);
	assert_int_equal(w->steady.counts.in_time, in_time);
}

static void from_the_first_answer_to_the_last(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	for (int i = 0; i < 5; i++)
		pass(&w, PACKETS, 0, 0, MS_2);
	is(&w, 0, 0, 0, 0);
	pass(&w, PACKETS, PACKETS / 2, 0, MS_2);
	for (int i = 0; i < 7; i++)
		pass(&w, PACKETS, PACKETS, 0, MS_2);
	is(&w, 7, 7, 7, 7);
	pass(&w, PACKETS, 0, 0, MS_2); /* the host has ended */
	is(&w, 7, 7, 7, 7);
	pass(&w, PACKETS, PACKETS, 0, MS_2); /* or only stood still */
	is(&w, 9, 9, 8, 8);
}

static void what_is_wrong_with_a_window(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	pass(&w, PACKETS, PACKETS, 0, MS_2);
	pass(&w, PACKETS, PACKETS - 2, 0, MS_2); /* a packet, and 0.2 % */
	is(&w, 1, 1, 1, 1);
	pass(&w, PACKETS, PACKETS - 4, 0, MS_2);
	is(&w, 2, 2, 1, 1);
	pass(&w, PACKETS, PACKETS - 2, 2, MS_2); /* a packet, and 0.2 % */
	is(&w, 3, 3, 2, 2);
	pass(&w, PACKETS, PACKETS - 20, 20, MS_2);
	is(&w, 4, 4, 3, 2);
	assert_int_equal(w.steady.counts.late, 22 * SPP);
	pass(&w, PACKETS, PACKETS - 1, 1,
	    MS_2 * 105 / 100); /* the device was not fast enough, so nothing is said of the host */
	is(&w, 5, 4, 3, 3);
	assert_int_equal(w.steady.counts.heard, (uint64_t)4 * PACKETS * SPP);
	assert_int_equal(w.steady.counts.late, 22 * SPP);
	w.device.endpoints[0].radio.rx.running = false;
	pass(&w, PACKETS / 2, PACKETS / 2, 0, MS_2); /* it overran, */
	pass(&w, 0, 0, 0, MS_2);
	is(&w, 5, 4, 3, 3);
	w.device.endpoints[0].radio.rx.running = true;
	pass(&w, PACKETS / 2, PACKETS / 2, 0, MS_2); /* and was begun again */
	is(&w, 8, 7, 3, 3);
}

/* With slow rates a window is as long as packets need that make it one. */
static void windows_of_slow_rates(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	w.device.endpoints[0].radio.divide = 200;
	pass(&w, 8, 8, 0, MS_2);
	assert_int_equal(w.steady.until - w.device.tick, 200 * SPP * STEADY_PACKETS);
}

static void another_stream_and_another_time(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	for (int i = 0; i < 3; i++)
		pass(&w, PACKETS, PACKETS, 0, MS_2);
	is(&w, 2, 2, 2, 2);
	for (int i = 0; i <= (int)(STEADY_PAUSE / WINDOW); i++)
		pass(&w, 0, 0, 0, MS_2);
	for (int i = 0; i < 3; i++)
		pass(&w, PACKETS, PACKETS, 0, MS_2);
	is(&w, 4, 4, 4, 4);
	w.device.tick = 0;
	steady_set_time(&w.steady);
	for (int i = 0; i < 3; i++)
		pass(&w, PACKETS, PACKETS, 0, MS_2);
	is(&w, 6, 6, 6, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(from_the_first_answer_to_the_last),
	    cmocka_unit_test(what_is_wrong_with_a_window),
	    cmocka_unit_test(windows_of_slow_rates),
	    cmocka_unit_test(another_stream_and_another_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
