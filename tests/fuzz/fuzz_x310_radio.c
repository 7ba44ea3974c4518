/* SPDX-License-Identifier: BSD-3-Clause
 * platforms/x310: a host whose streams stand, and a device that sends anything. Whatever comes,
 * what we send is sound CHDR, the window is never exceeded, and no buffer is lost.
 *
 * Input: records of a byte that says what to do, and for a packet 2 bytes of length and the
 * packet. */
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "platforms/x310/channel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFERS = 96, BUFFER = 1100, SAMPLES = 64 };

struct fake {
	struct transport transport;
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

static unsigned fake_receive(struct transport *transport, struct packet *ret, unsigned n)
{
	struct fake *fake = (struct fake *)(void *)transport;

	if (n == 0 || fake->next == NULL || fake->n_unused == 0)
		return 0;
	ret->bytes = ret->own = fake->unused[--fake->n_unused];
	ret->size = fake->size;
	memcpy(ret->bytes, fake->next, fake->size);
	fake->next = NULL;
	return 1;
}

static void fake_put(struct transport *transport, const struct packet *packets, unsigned n)
{
	struct fake *fake = (struct fake *)(void *)transport;

	for (unsigned i = 0; i < n; i++) {
		insist(fake->n_unused < BUFFERS);
		fake->unused[fake->n_unused++] = packets[i].own;
	}
}

static unsigned fake_get(struct transport *transport, struct packet *ret, unsigned n)
{
	struct fake *fake = (struct fake *)(void *)transport;
	unsigned i;

	for (i = 0; i < n && fake->n_unused; i++)
		ret[i].bytes = ret[i].own = fake->unused[--fake->n_unused];
	return i;
}

static unsigned fake_send(struct transport *transport, const struct packet *packets, unsigned n)
{
	struct fake *fake = (struct fake *)(void *)transport;
	struct chdr_packet chdr;

	n = n < fake->takes ? n : fake->takes;
	for (unsigned i = 0; i < n; i++)
		insist(chdr_parse(packets[i].bytes, packets[i].size, &chdr) == 0 &&
		    chdr.header.length == packets[i].size);
	fake_put(transport, packets, n);
	return n;
}

static const struct transport_kind kind = {
    .name = "fake", .receive = fake_receive, .put = fake_put, .get = fake_get, .send = fake_send};

/* From the survey on, or where the streams stand. */
static void begin(struct fake *fake, struct x310_channel *radio, bool stands)
{
	const struct x310_options options = {.own = 0x100,
	    .rx = true,
	    .tx = true,
	    .window = {1 << 20, 0xffffff},
	    .frequency = {1 << 12, 0xffffff},
	    .lossy = true,
	    .policy = TX_REINIT};

	fake->transport = (struct transport){.kind = &kind};
	fake->n_unused = 0;
	fake->takes = TRANSPORT_BURST;
	fake->next = NULL;
	for (int i = 0; i < BUFFERS; i++)
		fake->unused[fake->n_unused++] = fake->buffers[i];
	x310_open(radio, &options, &fake->transport, 1);
	if (!stands)
		return;
	radio->surveyed = true;
	radio->survey.phase = SURVEY_DONE;
	radio->survey.layout = (struct x310_layout){.fpga = &x310_fpgas[2], .protocol = 0x0200};
	radio->control.endpoint = (struct endpoint){0x100, 0, 2, 3, false, 0x0100};
	radio->control.phase = radio->rx.phase = radio->tx.phase = STREAM_READY;
	radio->control.request.open = false;
	radio->rx.options = (struct rx_options){
	    {0x101, 0, 2, 3, false, 0x0100}, options.window, options.frequency, true};
	radio->tx.options.endpoint = (struct endpoint){0x102, 0, 2, 3, false, 0x0100};
	radio->tx.options.policy = options.policy;
	radio->tx.capacity = 65536;
}

static void send_some(struct x310_channel *radio, unsigned n)
{
	struct packet packets[16];
	const unsigned got = x310_get(radio, SAMPLES, packets, n % 16);

	for (unsigned i = 0; i < got; i++) {
		memset(x310_iq(&packets[i]), 0, RADIO_IQ * SAMPLES);
		x310_send(radio, &packets[i], SAMPLES, n & 16 ? UINT64_MAX : 1000, n & 32);
	}
	insist(radio->tx.sent.bytes - radio->tx.acked.bytes <= radio->tx.capacity);
}

static void step(struct fake *fake, struct x310_channel *radio, uint8_t what, uint64_t *now)
{
	struct x310_packet in[TRANSPORT_BURST];
	unsigned n;

	*now += 1ull << (what & 31);
	fake->takes = what & 64 ? what & 3 : TRANSPORT_BURST;
	if (what & 128)
		send_some(radio, what);
	n = x310_receive(radio, *now, in, TRANSPORT_BURST);
	x310_release(radio, in, n);
	insist(radio->n_out + fake->n_unused == BUFFERS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fake fake;
	static struct x310_channel radio;
	uint64_t now = 1;

	begin(&fake, &radio, size % 2);
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
