/* SPDX-License-Identifier: BSD-3-Clause
 * tally - counts its calls, and writes the count before what it reads: who takes the count over
 * leaves no gap in it. At an index it can crash, hang, or write something else; or its init, export
 * and import can fail, take half a second, or not return. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <aloe/component.h>

struct tally {
	uint64_t count;
	int64_t at;
	int32_t fault;
	double add;
	_Atomic int *exporting;
	_Atomic int exports;
};

enum {
	FAULT_NONE,
	FAULT_CRASH,
	FAULT_HANG,
	FAULT_DIFFER,
	FAULT_REFUSE,
	FAULT_INIT,
	FAULT_SLOW_EXPORT,
	FAULT_HANG_EXPORT,
	FAULT_HANG_IMPORT
};
static const char *const faults[] = {"none", "crash", "hang", "differ", "refuse", "init",
    "slow_export", "hang_export", "hang_import", NULL};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BIT, "bits"),
    ALOE_OUT("out", ALOE_BYTE, "the count in 8 bytes, low first; the bits"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct tally, fault, faults, "none", 0, "what happens"),
    ALOE_PARAM_INT(struct tally, at, 0, 0, 1e9, "", 0, "at which index"),
    ALOE_PARAM_REAL(struct tally, add, 0, 0, 255, "", ALOE_LIVE, "added to every bit"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct tally, count, "", "calls"),
};

static int tally_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = setup->in[0].max + 8;
	return 0;
}

static int tally_init(void *self, struct aloe_setup *setup)
{
	struct tally *tally = self;

	tally->exporting = &tally->exports;
	return tally->fault == FAULT_INIT ? aloe_fail(setup, "init fails, as asked for") : 0;
}

static void fault_do(const struct tally *tally, uint8_t *out)
{
	if (tally->fault == FAULT_CRASH)
		abort();
	while (tally->fault == FAULT_HANG)
		__asm__ volatile("" ::: "memory");
	if (tally->fault == FAULT_DIFFER)
		out[8] ^= 1;
}

static int tally_work(void *self, struct aloe_slot *slot)
{
	struct tally *tally = self;
	const uint8_t *in = aloe_in_bit(slot, 0);
	uint8_t *out = aloe_out_byte(slot, 0);
	const uint32_t n = aloe_in_len(slot, 0);

	if (atomic_load(tally->exporting) != 0)
		abort(); /* neither works while one exports */
	for (uint32_t i = 0; i < 8; i++)
		out[i] = (uint8_t)(tally->count >> (8 * i));
	for (uint32_t i = 0; i < n; i++)
		out[8 + i] = (uint8_t)(in[i] + tally->add);
	tally->count++;
	aloe_put(slot, 0, n + 8);
	if (tally->fault != FAULT_NONE && slot->index == (uint64_t)tally->at)
		fault_do(tally, out);
	return 0;
}

static int64_t tally_export(const void *self, void *to, size_t size, struct aloe_setup *setup)
{
	const struct tally *tally = self;

	(void)setup;
	atomic_store(tally->exporting, 1);
	if (tally->fault == FAULT_SLOW_EXPORT)
		usleep(500000);
	while (tally->fault == FAULT_HANG_EXPORT)
		pause();
	atomic_store(tally->exporting, 0);
	if (size >= sizeof(tally->count))
		memcpy(to, &tally->count, sizeof(tally->count));
	return sizeof(tally->count);
}

static int tally_import(void *self, const void *from, size_t size, struct aloe_setup *setup)
{
	struct tally *tally = self;

	if (size != sizeof(tally->count))
		return aloe_fail(setup, "the state has %zu bytes, not 8", size);
	if (tally->fault == FAULT_REFUSE)
		return aloe_fail(setup, "the state is refused, as asked for");
	while (tally->fault == FAULT_HANG_IMPORT)
		pause();
	memcpy(&tally->count, from, size);
	return 0;
}

ALOE_COMPONENT(tally) = {
    .summary = "count calls",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct tally),
    .shape = tally_shape,
    .init = tally_init,
    .work = tally_work,
    .export_state = tally_export,
    .import_state = tally_import,
};
