/* SPDX-License-Identifier: BSD-3-Clause
 * delay - the stream comes `items` items later: so many zeros go first. Not the delay of a link,
 * which counts messages: here the messages keep their lengths and the items move through them. An
 * ABSENT message leaves the stream as it is. */
#include <aloe/component.h>

struct delay {
	uint32_t items;
	uint32_t at; /* oldest byte of `held` */
	uint32_t size;
	uint32_t item_bytes;
	uint8_t *held;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "items"),
    ALOE_OUT("out", ALOE_ANY, "the same items, delayed"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(
        struct delay, items, 0, 0, 1 << 24, "items", 0, "items by which the stream is delayed"),
};

static int delay_init(void *self, struct aloe_setup *setup)
{
	struct delay *delay = self;

	delay->item_bytes = aloe_item_bytes(setup->in[0].type);
	delay->size = delay->items * delay->item_bytes;
	delay->held = aloe_alloc(setup, delay->size + 1);
	return delay->held ? 0 : aloe_fail(setup, "no memory for %u items", delay->items);
}

/* Swaps `n` bytes with the oldest ones, which are in one piece. */
static void exchange(struct delay *delay, const uint8_t *in, uint8_t *out, uint32_t n)
{
	memcpy(out, delay->held + delay->at, n);
	memcpy(delay->held + delay->at, in, n);
	delay->at = delay->at + n == delay->size ? 0 : delay->at + n;
}

static int delay_work(void *self, struct aloe_slot *slot)
{
	struct delay *delay = self;
	const uint8_t *in = slot->in[0].data;
	uint8_t *out = slot->out[0].data;
	const uint32_t bytes = aloe_pass(slot, 0, 0) * delay->item_bytes;

	for (uint32_t done = 0, n; done < bytes; done += n) {
		n = bytes - done;
		if (delay->size == 0) {
			memcpy(out, in, n);
			continue;
		}
		n = n < delay->size - delay->at ? n : delay->size - delay->at;
		exchange(delay, in + done, out + done, n);
	}
	return 0;
}

static int delay_reset(void *self)
{
	struct delay *delay = self;

	memset(delay->held, 0, delay->size);
	delay->at = 0;
	return 0;
}

ALOE_COMPONENT(delay) = {
    .summary = "delay the stream by a number of items",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct delay),
    .kmac = 2,
    .init = delay_init,
    .work = delay_work,
    .reset = delay_reset,
};
