/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What measurements are made of: null_source, head, number_check, and packets through
 * packet_forward to packet_sink. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "components/basic/packets.h"
#include "tests/mock/mock.h"

static void check_is(struct mock *m, const char *names[], const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (mock_var(m, names[i]) != values[i])
			fail_msg("%s is %g, not %g", names[i], mock_var(m, names[i]), values[i]);
}

/* ---- numbers ------------------------------------------------------------------------ */

static void zeros_are_zeros(void **state)
{
	const uint8_t zeros[7 * 4] = {0};
	struct mock m;

	(void)state;
	mock_open(&m, "null_source");
	mock_set(&m, "length", "7");
	assert_int_equal(mock_start(&m), 0);
	assert_int_equal(m.format_out[0].type, ALOE_F32);
	memset(m.out[0].data, 0xff, sizeof(zeros));
	assert_int_equal(mock_work(&m, 3), 0);
	assert_int_equal(m.out[0].state, ALOE_VALID);
	assert_int_equal(m.out[0].len, 7);
	assert_memory_equal(m.out[0].data, zeros, sizeof(zeros));
	mock_close(&m);
}

/* Of every type: what the source numbers the check takes, in order and no other way. */
static void numbers_follow(void **state)
{
	static const char *const types[] = {"byte", "i16", "f32", "cf32"};
	static const uint32_t bits[] = {ALOE_BYTE, ALOE_I16, ALOE_F32, ALOE_CF32};
	/* one is left out, one is there twice */
	static const uint64_t indices[] = {0, 1, 2, 4, 4, 5};

	(void)state;
	for (int t = 0; t < 4; t++) {
		struct mock source, check;

		mock_open(&source, "null_source");
		mock_set(&source, "type", types[t]);
		mock_set(&source, "content", "numbers");
		mock_set(&source, "length", "100");
		assert_int_equal(mock_start(&source), 0);
		mock_open(&check, "number_check");
		mock_input(&check, 0, bits[t], 100);
		assert_int_equal(mock_start(&check), 0);
		for (size_t i = 0; i < sizeof(indices) / sizeof(indices[0]); i++) {
			mock_work(&source, indices[i]);
			mock_give(&check, 0, source.out[0].data, source.out[0].len);
			mock_work(&check, i);
		}
		mock_work(&check, 6); /* nothing there */
		check_is(&check, (const char *[]){"messages", "items", "wrong", "absent"},
		    (const double[]){6, 600, 2, 1}, 4);
		mock_close(&source);
		mock_close(&check);
	}
}

static void a_swap_is_seen(void **state)
{
	uint32_t items[100];
	struct mock m;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		items[i] = i == 40 ? 41 : i == 41 ? 40 : i;
	mock_open(&m, "number_check");
	mock_input(&m, 0, ALOE_F32, 100);
	assert_int_equal(mock_start(&m), 0);
	mock_give(&m, 0, items, 100);
	mock_work(&m, 0);
	assert_true(mock_var(&m, "wrong") == 3); /* 41 for 40, 40 for 42, 42 for 41 */
	mock_close(&m);
}

static void head_ends_with_its_last_item(void **state)
{
	int16_t items[40];
	struct mock m;

	(void)state;
	for (int16_t i = 0; i < 40; i++)
		items[i] = i;
	mock_open(&m, "head");
	mock_set(&m, "items", "100");
	mock_input(&m, 0, ALOE_I16, 40);
	assert_int_equal(mock_start(&m), 0);
	for (uint64_t k = 0; k < 3; k++) {
		mock_give(&m, 0, items, 40);
		assert_int_equal(mock_work(&m, k), 0);
		assert_int_equal(m.out[0].len, k < 2 ? 40 : 20);
		assert_memory_equal(m.out[0].data, items, 2 * m.out[0].len);
		assert_int_equal(m.slot_flags & ALOE_SLOT_END, k < 2 ? 0 : ALOE_SLOT_END);
	}
	assert_true(mock_var(&m, "passed") == 100);
	mock_close(&m);

	mock_open(&m, "head"); /* to the item: a whole message is the last */
	mock_set(&m, "items", "40");
	mock_input(&m, 0, ALOE_I16, 40);
	assert_int_equal(mock_start(&m), 0);
	mock_work(&m, 0);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	assert_int_equal(m.slot_flags & ALOE_SLOT_END, 0);
	mock_give(&m, 0, items, 40);
	mock_work(&m, 1);
	assert_int_equal(m.out[0].len, 40);
	assert_int_equal(m.slot_flags & ALOE_SLOT_END, ALOE_SLOT_END);
	mock_close(&m);
}

/* ---- packets ------------------------------------------------------------------------ */

struct packet_chain {
	struct mock source, forward, sink;
};

static void chain_open(
    struct packet_chain *chain, const char *packets, const char *bytes, const char *per_slot)
{
	mock_open(&chain->source, "packet_source");
	mock_set(&chain->source, "packets", packets);
	mock_set(&chain->source, "bytes", bytes);
	mock_set(&chain->source, "per_slot", per_slot);
	assert_int_equal(mock_start(&chain->source), 0);
	mock_open(&chain->forward, "packet_forward");
	mock_input(&chain->forward, 0, ALOE_BYTE, chain->source.format_out[0].max);
	assert_int_equal(mock_start(&chain->forward), 0);
	mock_open(&chain->sink, "packet_sink");
	mock_set(&chain->sink, "check", "true");
	mock_input(&chain->sink, 0, ALOE_BYTE, chain->forward.format_out[0].max);
	assert_int_equal(mock_start(&chain->sink), 0);
}

static void chain_close(struct packet_chain *chain)
{
	mock_close(&chain->source);
	mock_close(&chain->forward);
	mock_close(&chain->sink);
}

static bool chain_step(struct packet_chain *chain, uint64_t k)
{
	mock_work(&chain->source, k);
	mock_give(&chain->forward, 0, chain->source.out[0].data, chain->source.out[0].len);
	mock_work(&chain->forward, k);
	assert_int_equal(chain->forward.out[0].len, chain->source.out[0].len);
	assert_memory_equal(
	    chain->forward.out[0].data, chain->source.out[0].data, chain->source.out[0].len);
	mock_give(&chain->sink, 0, chain->forward.out[0].data, chain->forward.out[0].len);
	mock_work(&chain->sink, k);
	return !(chain->source.slot_flags & ALOE_SLOT_END);
}

/* All lengths, also where "done" goes along with the last packets or has a message for itself. */
static void packets_arrive(void **state)
{
	static const char *const cases[][3] = {
	    {"10", "500", "3"},
	    {"9", "500", "3"},
	    {"11", "4", "4"},
	    {"1", "65536", "1"},
	    {"7", "13", "100"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const double packets = atof(cases[i][0]), per_slot = atof(cases[i][2]);
		struct packet_chain chain;
		uint64_t k = 0;

		chain_open(&chain, cases[i][0], cases[i][1], cases[i][2]);
		while (chain_step(&chain, k))
			k++;
		assert_int_equal(k, (uint64_t)(packets / per_slot));
		check_is(&chain.sink,
		    (const char *[]){"packets", "gaps", "wrong", "malformed", "done"},
		    (const double[]){packets, 0, 0, 0, 1}, 5);
		check_is(&chain.forward, (const char *[]){"packets", "bytes", "gaps", "malformed"},
		    (const double[]){packets + 1, packets * atof(cases[i][1]) + 4, 0, 0}, 4);
		assert_true(mock_var(&chain.source, "sent") == packets + 1);
		chain_close(&chain);
	}
}

/* A packet that is lost, one that is changed, and bytes that are none. */
static void what_is_wrong_is_counted(void **state)
{
	struct packet_chain chain;
	uint8_t bytes[3 * 64];
	uint32_t length = 1000;

	(void)state;
	chain_open(&chain, "9", "48", "3");
	chain_step(&chain, 0);
	mock_work(&chain.source, 1); /* packets 3 .. 5 go astray */
	mock_work(&chain.source, 2);
	memcpy(bytes, chain.source.out[0].data, sizeof(bytes));
	bytes[64 + 16 + 47] ^= 0x80;                  /* the last byte of packet 7 */
	memcpy(bytes + 128, &length, sizeof(length)); /* of packet 8: more than there is */
	mock_give(&chain.forward, 0, bytes, sizeof(bytes));
	mock_work(&chain.forward, 2);
	assert_int_equal(chain.forward.out[0].len, 128);
	check_is(&chain.forward, (const char *[]){"packets", "gaps", "malformed"},
	    (const double[]){5, 1, 1}, 3);
	mock_give(&chain.sink, 0, bytes, sizeof(bytes));
	mock_work(&chain.sink, 2);
	check_is(&chain.sink, (const char *[]){"packets", "gaps", "wrong", "malformed", "done"},
	    (const double[]){5, 1, 1, 1, 0}, 5);
	chain_close(&chain);
}

static void too_much_is_refused(void **state)
{
	struct mock m;

	(void)state;
	mock_open(&m, "packet_source");
	mock_set(&m, "bytes", "65536");
	mock_set(&m, "per_slot", "4096");
	assert_int_not_equal(mock_start(&m), 0);
	assert_non_null(strstr(m.setup.error, "more than 64 MiB"));
	mock_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(zeros_are_zeros),
	    cmocka_unit_test(numbers_follow),
	    cmocka_unit_test(a_swap_is_seen),
	    cmocka_unit_test(head_ends_with_its_last_item),
	    cmocka_unit_test(packets_arrive),
	    cmocka_unit_test(what_is_wrong_is_counted),
	    cmocka_unit_test(too_much_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
