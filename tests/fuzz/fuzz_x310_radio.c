/* SPDX-License-Identifier: BSD-3-Clause
 * platforms/x310: a host whose streams stand, and a device that sends anything. Whatever comes, what we send is sound CHDR,
 * the window is never exceeded, and no buffer is lost.
 *
 * Input: records of a byte that says what to do, and for a packet 2 bytes of length and the packet. */
#include <stdlib.h>
#include <string.h>

#include "platforms/x310/bytes.h"
#include "platforms/x310/radio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFERS = 96, BUFFER = 1100, SAMPLES = 64 };

struct fake {
	struct door door;
	uint8_t buffers[BUFFERS][BUFFER];
	uint8_t *unused[BUFFERS];
	unsigned n_unused, takes; /* of what is sent */
	const uint8_t *next;      /* that comes */
	uint32_t size;
};

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static unsigned fake_receive(struct door *door, struct packet *ret, unsigned n)
{
	struct fake *fake = (struct fake *)(void *)door;

	if (n == 0 || fake->next == NULL || fake->n_unused == 0)
		return 0;
	ret->bytes = ret->own = fake->unused[--fake->n_unused];
	ret->size = fake->size;
	memcpy(ret->bytes, fake->next, fake->size);
	fake->next = NULL;
	return 1;
}

static void fake_put(struct door *door, const struct packet *packets, unsigned n)
{
	struct fake *fake = (struct fake *)(void *)door;

	for (unsigned i = 0; i < n; i++) {
		insist(fake->n_unused < BUFFERS);
		fake->unused[fake->n_unused++] = packets[i].own;
	}
}

static unsigned fake_get(struct door *door, struct packet *ret, unsigned n)
{
	struct fake *fake = (struct fake *)(void *)door;
	unsigned i;

	for (i = 0; i < n && fake->n_unused; i++)
		ret[i].bytes = ret[i].own = fake->unused[--fake->n_unused];
	return i;
}

static unsigned fake_send(struct door *door, const struct packet *packets, unsigned n)
{
	struct fake *fake = (struct fake *)(void *)door;
	struct chdr_packet chdr;

	n = n < fake->takes ? n : fake->takes;
	for (unsigned i = 0; i < n; i++)
		insist(chdr_parse(packets[i].bytes, packets[i].size, &chdr) == 0 &&
		    chdr.header.length == packets[i].size);
	fake_put(door, packets, n);
	return n;
}

static const struct door_kind kind = {
    .name = "fake", .receive = fake_receive, .put = fake_put, .get = fake_get, .send = fake_send};

static void begin(struct fake *fake, struct radio *radio)
{
	const struct radio_options options = {.endpoint = {0x100, 0, 2, 3, false, 0x0100},
	    .block = 4,
	    .rx = true,
	    .tx = true,
	    .window = {1 << 20, 0xffffff},
	    .frequency = {1 << 12, 0xffffff},
	    .lossy = true,
	    .policy = TX_REINIT};

	fake->door = (struct door){.kind = &kind};
	fake->n_unused = 0;
	fake->takes = DOOR_BURST;
	fake->next = NULL;
	for (int i = 0; i < BUFFERS; i++)
		fake->unused[fake->n_unused++] = fake->buffers[i];
	radio_open(radio, &options, &fake->door, 1);
	radio->control.phase = radio->rx.phase = radio->tx.phase = STREAM_READY;
	radio->control.request.open = false;
	radio->rx.options = (struct rx_options){
	    {0x101, 0, 2, 3, false, 0x0100}, options.window, options.frequency, true};
	radio->tx.options.endpoint = (struct endpoint){0x102, 0, 2, 3, false, 0x0100};
	radio->tx.options.policy = options.policy;
	radio->tx.capacity = 65536;
}

static void send_some(struct radio *radio, unsigned n)
{
	struct packet packets[16];
	const unsigned got = radio_get(radio, SAMPLES, packets, n % 16);

	for (unsigned i = 0; i < got; i++) {
		memset(radio_iq(&packets[i]), 0, RADIO_IQ * SAMPLES);
		radio_send(radio, &packets[i], SAMPLES, n & 16 ? UINT64_MAX : 1000, n & 32);
	}
	insist(radio->tx.sent.bytes - radio->tx.acked.bytes <= radio->tx.capacity);
}

static void step(struct fake *fake, struct radio *radio, uint8_t what, uint64_t *now)
{
	struct radio_packet in[DOOR_BURST];
	unsigned n;

	*now += 1ull << (what & 31);
	fake->takes = what & 64 ? what & 3 : DOOR_BURST;
	if (what & 128)
		send_some(radio, what);
	n = radio_receive(radio, *now, in, DOOR_BURST);
	radio_release(radio, in, n);
	insist(radio->n_out + fake->n_unused == BUFFERS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fake fake;
	static struct radio radio;
	uint64_t now = 1;

	begin(&fake, &radio);
	for (size_t at = 0; at + 3 <= size; at += 3) {
		const uint32_t length = get_le16(data + at + 1);

		if (length <= BUFFER && length <= size - at - 3) {
			fake.next = data + at + 3;
			fake.size = length;
			at += length;
		}
		step(&fake, &radio, data[at], &now);
	}
	return 0;
}
