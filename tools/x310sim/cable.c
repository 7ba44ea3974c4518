/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/cable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/x310sim/device.h"

struct fault_packet {
	struct fault_packet *next;
	uint64_t due, address;
	size_t size;
	uint8_t bytes[];
};

#define SWAP_TICKS (DEVICE_TICKS_PER_S / 1000)

void cable_init(struct cable *cable, const struct fault_options *options,
    void (*deliver)(void *self, uint64_t address, const uint8_t *bytes, size_t size), void *self)
{
	*cable = (struct cable){.options = *options, .deliver = deliver, .self = self};
}

void cable_fini(struct cable *cable)
{
	while (cable->held) {
		struct fault_packet *packet = cable->held;

		cable->held = packet->next;
		free(packet);
	}
	free(cable->swapped);
	cable->swapped = NULL;
}

/* ---- whether ------------------------------------------------------------------------ */

/* 0 .. 1, of seed, kind and number (splitmix64). */
static double fault_chance(const struct cable *cable, enum fault_kind kind, uint64_t number)
{
	uint64_t z =
	    cable->options.seed + (number * FAULT_KINDS + kind + 1) * 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static bool fault_happens(const struct cable *cable, enum fault_kind kind, uint64_t number)
{
	const struct fault_rule *rule = &cable->options.rules[kind];

	if (rule->every && number >= rule->from && (number - rule->from) % rule->every == 0)
		return true;
	for (unsigned i = 0; i < rule->n_numbers; i++)
		if (rule->numbers[i] == number)
			return true;
	return rule->chance > 0 && fault_chance(cable, kind, number) < rule->chance;
}

static bool fault_strikes(struct cable *cable, enum fault_kind kind, uint64_t number)
{
	const bool struck = fault_happens(cable, kind, number);

	cable->counts[kind] += struck;
	return struck;
}

/* ---- what ------------------------------------------------------------------------ */

static struct fault_packet *packet_copy(
    struct cable *cable, uint64_t due, uint64_t address, const uint8_t *bytes, size_t size)
{
	struct fault_packet *packet =
	    cable->n_held < FAULT_HELD_MAX ? malloc(sizeof(*packet) + size) : NULL;

	if (packet == NULL) {
		cable->overflowed++;
		return NULL;
	}
	*packet = (struct fault_packet){.due = due, .address = address, .size = size};
	memcpy(packet->bytes, bytes, size);
	return packet;
}

/* Behind those that are due at the same tick. */
static void packet_hold(struct cable *cable, struct fault_packet *packet)
{
	struct fault_packet **at = &cable->held;

	if (packet == NULL)
		return;
	while (*at != NULL && (*at)->due <= packet->due)
		at = &(*at)->next;
	packet->next = *at;
	*at = packet;
	cable->n_held++;
}

/* The one that let this one pass. */
static void swap_back(struct cable *cable)
{
	struct fault_packet *packet = cable->swapped;

	cable->swapped = NULL;
	if (packet != NULL)
		cable->deliver(cable->self, packet->address, packet->bytes, packet->size);
	free(packet);
}

static void packet_pass(
    struct cable *cable, uint64_t tick, uint64_t address, const uint8_t *bytes, size_t size)
{
	if (tick < cable->stalled_until)
		packet_hold(cable, packet_copy(cable, cable->stalled_until, address, bytes, size));
	else
		cable->deliver(cable->self, address, bytes, size);
}

void cable_take(struct cable *cable, uint64_t tick, bool data, uint64_t address,
    const uint8_t *bytes, size_t size)
{
	const struct fault_options *options = &cable->options;
	uint64_t number, ticks;

	cable_run(cable, tick);
	if (options->of != FAULT_OF_ALL && data != (options->of == FAULT_OF_DATA)) {
		packet_pass(cable, tick, address, bytes, size);
		return;
	}
	number = cable->number++;
	if (fault_strikes(cable, FAULT_STALL, number)) {
		ticks = tick + options->rules[FAULT_STALL].ticks;
		cable->stalled_until = ticks > cable->stalled_until ? ticks : cable->stalled_until;
	}
	if (fault_strikes(cable, FAULT_LOSS, number))
		return;
	if (fault_strikes(cable, FAULT_DELAY, number)) {
		packet_hold(cable,
		    packet_copy(
		        cable, tick + options->rules[FAULT_DELAY].ticks, address, bytes, size));
		return;
	}
	if (cable->swapped == NULL && fault_strikes(cable, FAULT_REORDER, number)) {
		cable->swapped = packet_copy(cable, tick + SWAP_TICKS, address, bytes, size);
		return;
	}
	packet_pass(cable, tick, address, bytes, size);
	if (fault_strikes(cable, FAULT_DUPLICATE, number))
		packet_pass(cable, tick, address, bytes, size);
	if (cable->swapped != NULL && tick >= cable->stalled_until)
		swap_back(cable);
}

void cable_run(struct cable *cable, uint64_t tick)
{
	while (cable->held && cable->held->due <= tick) {
		struct fault_packet *packet = cable->held;

		cable->held = packet->next;
		cable->n_held--;
		cable->deliver(cable->self, packet->address, packet->bytes, packet->size);
		free(packet);
	}
	if (cable->swapped && cable->swapped->due <= tick)
		swap_back(cable);
}

uint64_t cable_next(const struct cable *cable)
{
	const uint64_t held = cable->held ? cable->held->due : UINT64_MAX;
	const uint64_t swapped = cable->swapped ? cable->swapped->due : UINT64_MAX;

	return held < swapped ? held : swapped;
}

void cable_set_time(struct cable *cable, uint64_t from, uint64_t to)
{
	for (struct fault_packet *packet = cable->held; packet; packet = packet->next)
		packet->due += to - from;
	if (cable->swapped)
		cable->swapped->due += to - from;
	if (cable->stalled_until > from)
		cable->stalled_until += to - from;
	else
		cable->stalled_until = 0;
}
