/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/fault.h"

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

void faults_init(struct faults *faults, const struct fault_options *options,
		 void (*deliver)(void *self, uint64_t address, const uint8_t *bytes, size_t size), void *self)
{
	*faults = (struct faults){.options = *options, .deliver = deliver, .self = self};
}

void faults_fini(struct faults *faults)
{
	while (faults->held) {
		struct fault_packet *packet = faults->held;

		faults->held = packet->next;
		free(packet);
	}
	free(faults->swapped);
	faults->swapped = NULL;
}

/* ---- whether ------------------------------------------------------------------------------------------------------------- */

/* 0 .. 1, of seed, kind and number (splitmix64). */
static double chance(const struct faults *faults, enum fault_kind kind, uint64_t number)
{
	uint64_t z = faults->options.seed + (number * FAULT_KINDS + kind + 1) * 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static bool happens(const struct faults *faults, enum fault_kind kind, uint64_t number)
{
	const struct fault_rule *rule = &faults->options.rules[kind];

	if (rule->every && number >= rule->from && (number - rule->from) % rule->every == 0)
		return true;
	for (unsigned i = 0; i < rule->n_numbers; i++)
		if (rule->numbers[i] == number)
			return true;
	return rule->chance > 0 && chance(faults, kind, number) < rule->chance;
}

static bool strikes(struct faults *faults, enum fault_kind kind, uint64_t number)
{
	const bool struck = happens(faults, kind, number);

	faults->counts[kind] += struck;
	return struck;
}

/* ---- what ---------------------------------------------------------------------------------------------------------------- */

static struct fault_packet *copy(struct faults *faults, uint64_t due, uint64_t address, const uint8_t *bytes,
				 size_t size)
{
	struct fault_packet *packet = faults->n_held < FAULT_HELD_MAX ? malloc(sizeof(*packet) + size) : NULL;

	if (packet == NULL) {
		faults->overflowed++;
		return NULL;
	}
	*packet = (struct fault_packet){.due = due, .address = address, .size = size};
	memcpy(packet->bytes, bytes, size);
	return packet;
}

/* Behind those that are due at the same tick. */
static void hold(struct faults *faults, struct fault_packet *packet)
{
	struct fault_packet **at = &faults->held;

	if (packet == NULL)
		return;
	while (*at != NULL && (*at)->due <= packet->due)
		at = &(*at)->next;
	packet->next = *at;
	*at = packet;
	faults->n_held++;
}

/* The one that let this one pass. */
static void swap_back(struct faults *faults)
{
	struct fault_packet *packet = faults->swapped;

	faults->swapped = NULL;
	if (packet != NULL)
		faults->deliver(faults->self, packet->address, packet->bytes, packet->size);
	free(packet);
}

static void pass(struct faults *faults, uint64_t tick, uint64_t address, const uint8_t *bytes, size_t size)
{
	if (tick < faults->stalled_until)
		hold(faults, copy(faults, faults->stalled_until, address, bytes, size));
	else
		faults->deliver(faults->self, address, bytes, size);
}

void faults_take(struct faults *faults, uint64_t tick, bool data, uint64_t address, const uint8_t *bytes, size_t size)
{
	const struct fault_options *options = &faults->options;
	uint64_t number, ticks;

	faults_run(faults, tick);
	if (options->of != FAULT_OF_ALL && data != (options->of == FAULT_OF_DATA)) {
		pass(faults, tick, address, bytes, size);
		return;
	}
	number = faults->number++;
	if (strikes(faults, FAULT_STALL, number)) {
		ticks = tick + options->rules[FAULT_STALL].ticks;
		faults->stalled_until = ticks > faults->stalled_until ? ticks : faults->stalled_until;
	}
	if (strikes(faults, FAULT_LOSS, number))
		return;
	if (strikes(faults, FAULT_DELAY, number)) {
		hold(faults, copy(faults, tick + options->rules[FAULT_DELAY].ticks, address, bytes, size));
		return;
	}
	if (faults->swapped == NULL && strikes(faults, FAULT_REORDER, number)) {
		faults->swapped = copy(faults, tick + SWAP_TICKS, address, bytes, size);
		return;
	}
	pass(faults, tick, address, bytes, size);
	if (strikes(faults, FAULT_DUPLICATE, number))
		pass(faults, tick, address, bytes, size);
	if (faults->swapped != NULL && tick >= faults->stalled_until)
		swap_back(faults);
}

void faults_run(struct faults *faults, uint64_t tick)
{
	while (faults->held && faults->held->due <= tick) {
		struct fault_packet *packet = faults->held;

		faults->held = packet->next;
		faults->n_held--;
		faults->deliver(faults->self, packet->address, packet->bytes, packet->size);
		free(packet);
	}
	if (faults->swapped && faults->swapped->due <= tick)
		swap_back(faults);
}

uint64_t faults_next(const struct faults *faults)
{
	const uint64_t held = faults->held ? faults->held->due : UINT64_MAX;
	const uint64_t swapped = faults->swapped ? faults->swapped->due : UINT64_MAX;

	return held < swapped ? held : swapped;
}

void faults_set_time(struct faults *faults, uint64_t from, uint64_t to)
{
	for (struct fault_packet *packet = faults->held; packet; packet = packet->next)
		packet->due += to - from;
	if (faults->swapped)
		faults->swapped->due += to - from;
	if (faults->stalled_until > from)
		faults->stalled_until += to - from;
	else
		faults->stalled_until = 0;
}
