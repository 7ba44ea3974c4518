/* SPDX-License-Identifier: BSD-3-Clause
 * scribble - items passed on unchanged, and at a stated index bytes all over what the host can
 * write of its waveform's memory. For tests; never installed. */
#include <aloe/component.h>

#include <stdio.h>

struct scribble {
	int32_t how;
	uint64_t at;
	uint32_t item_bytes;
};

enum { NOTHING, RANDOM, ZERO };

static const char *const hows[] = {"nothing", "random", "zero", NULL};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "items of any type"),
    ALOE_OUT("out", ALOE_ANY, "the same items"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct scribble, how, hows, "nothing", 0, "what it writes"),
    ALOE_PARAM_INT(
        struct scribble, at, 100, 0, 9007199254740992.0, "", 0, "index at which it does it"),
};

static int scribble_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = setup->in[0].max;
	return 0;
}

static int scribble_init(void *self, struct aloe_setup *setup)
{
	((struct scribble *)self)->item_bytes = aloe_item_bytes(setup->in[0].type);
	return 0;
}

static void fill(uint8_t *at, size_t bytes, bool random)
{
	uint64_t word = 88172645463325252ull;

	for (size_t i = 0; i + sizeof(word) <= bytes; i += sizeof(word)) {
		word ^= word << 13;
		word ^= word >> 7;
		word ^= word << 17;
		if (random)
			memcpy(at + i, &word, sizeof(word));
		else
			memset(at + i, 0, sizeof(word));
	}
}

static void scribble_all(bool random)
{
	FILE *file = fopen("/proc/self/maps", "re");
	unsigned long from, to;
	char line[512], rights[8];

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strstr(line, "memfd:aloe-waveform") != NULL &&
		    sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 && rights[1] == 'w')
			fill((uint8_t *)from, to - from, random);
	if (file != NULL)
		fclose(file);
}

static int scribble_work(void *self, struct aloe_slot *slot)
{
	const struct scribble *scribble = self;
	const uint32_t n = aloe_pass(slot, 0, 0);

	if (n)
		memcpy(slot->out[0].data, slot->in[0].data, (size_t)n * scribble->item_bytes);
	if (slot->index == scribble->at && scribble->how != NOTHING)
		scribble_all(scribble->how == RANDOM);
	return 0;
}

ALOE_COMPONENT(scribble) = {
    .summary = "passes items on, and writes over its waveform's memory",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct scribble),
    .shape = scribble_shape,
    .init = scribble_init,
    .work = scribble_work,
};
