/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/split: packets of one transport go to the end that they are for, in order; none is
 * lost or kept twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platforms/x310/split.h"

enum { PACKETS = 1000 };

struct fake {
	struct transport transport; /* first */
	uint8_t bytes[PACKETS][4];
	unsigned n, next, out, sent, *closed;
};

static unsigned fake_receive(struct transport *transport, struct packet *ret, unsigned n)
{
	struct fake *fake = (struct fake *)transport;
	unsigned got = 0;

	assert_true(n <= TRANSPORT_BURST);
	for (; got < n && fake->next < fake->n; got++, fake->next++)
		ret[got] = (struct packet){.bytes = fake->bytes[fake->next], .size = 4};
	fake->out += got;
	return got;
}

static void fake_put(struct transport *transport, const struct packet *packets, unsigned n)
{
	(void)packets;
	((struct fake *)transport)->out -= n;
}

static unsigned fake_send(struct transport *transport, const struct packet *packets, unsigned n)
{
	(void)packets;
	((struct fake *)transport)->sent += n;
	return n;
}

static void fake_count(struct transport *transport)
{
	transport->counts = (struct transport_counts){.foreign = 5};
}

static bool fake_up(const struct transport *transport)
{
	(void)transport;
	return true;
}

static void fake_close(struct transport *transport)
{
	assert_int_equal(((struct fake *)transport)->out, 0);
	++*((struct fake *)transport)->closed;
	free(transport);
}

static const struct transport_kind fake_kind = {.name = "fake",
    .close = fake_close,
    .receive = fake_receive,
    .put = fake_put,
    .send = fake_send,
    .count = fake_count,
    .up = fake_up};

static void arrive(struct fake *fake, uint16_t endpoint)
{
	uint8_t *bytes = fake->bytes[fake->n++];

	bytes[0] = (uint8_t)endpoint;
	bytes[1] = (uint8_t)(endpoint >> 8);
	bytes[2] = (uint8_t)fake->n;
	bytes[3] = (uint8_t)(fake->n >> 8);
}

/* All that comes through an end is for endpoints from `first` on, in the order in which it came;
 * how many. */
static unsigned drain(struct transport *end, uint16_t first, unsigned n)
{
	struct packet packets[TRANSPORT_BURST];
	unsigned all = 0, got, last = 0;

	while ((got = transport_receive(end, packets, n)) > 0) {
		for (unsigned i = 0; i < got; i++) {
			const unsigned number =
			    packets[i].bytes[2] | (unsigned)packets[i].bytes[3] << 8;

			assert_in_range(
			    packets[i].bytes[0] | packets[i].bytes[1] << 8, first, first + 15);
			assert_true(number > last);
			last = number;
		}
		all += got;
		transport_put(end, packets, got);
	}
	return all;
}

static void test_split(void **state)
{
	struct fake *fake = calloc(1, sizeof(*fake));
	unsigned closed = 0;
	struct transport *a, *b;
	struct split *split;

	(void)state;
	assert_non_null(fake);
	fake->transport.kind = &fake_kind;
	fake->closed = &closed;
	split = split_new(&fake->transport);
	a = split_end(split, 0x100, 16);
	b = split_end(split, 0x110, 16);
	assert_true(a != NULL && b != NULL && transport_up(a) && transport_up(b));
	for (unsigned i = 0; i < 300; i++)
		/* the third is nobody's */
		arrive(fake, i % 3 == 0 ? 0x101 : i % 3 == 1 ? 0x111 : 0x121);
	assert_int_equal(drain(a, 0x100, 7), 100);
	assert_int_equal(drain(b, 0x110, TRANSPORT_BURST), 100);
	assert_int_equal(fake->out, 0);
	transport_count(a);
	assert_int_equal(a->counts.foreign, 5 + 100);
	/* all for one that does not look: it keeps what it has room for */
	for (unsigned i = 0; i < 600; i++)
		arrive(fake, 0x112);
	assert_int_equal(drain(a, 0x100, TRANSPORT_BURST), 0);
	assert_true(fake->next < fake->n);
	assert_int_equal(drain(b, 0x110, TRANSPORT_BURST), 600);
	assert_int_equal(transport_send(a, &(struct packet){0}, 1), 1);
	assert_int_equal(fake->sent, 1);
	arrive(fake, 0x102);
	assert_int_equal(drain(b, 0x110, TRANSPORT_BURST), 0); /* it waits for the other */
	transport_close(a);
	assert_int_equal(closed, 0);
	arrive(fake, 0x102); /* of one that is closed */
	arrive(fake, 0x110);
	assert_int_equal(drain(b, 0x110, TRANSPORT_BURST), 1);
	transport_close(b);
	assert_int_equal(closed, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_split)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
