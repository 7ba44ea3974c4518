/* SPDX-License-Identifier: BSD-3-Clause
 *
 * witness.c - the kernel's records of the CPUs of lanes (core/platform/perf.h). They cost nothing
 * here until a slot is missed. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/limits.h"
#include "daemons/exec/misses.h"

enum {
	COPY_FIRST = 64 << 10,
	RECORDS_MAX = PERF_RING_BYTES / 40, /* the shortest record has 40 bytes */
};

struct exec_witness {
	uint8_t bytes[PERF_RING_BYTES];
	struct evidence_record records[RECORDS_MAX];
	/* by a thread, once, because it takes 0.1 s; the table is there when has_symbols says so */
	pthread_t reader;
	bool has_reader;
	atomic_bool has_symbols;
	struct platform_symbol *symbols;
	size_t n_symbols;
};

/* ALOE_EVIDENCE=off: to measure what the records of the kernel cost. */
static int why_not(void)
{
	const char *evidence = getenv("ALOE_EVIDENCE");

	if (evidence != NULL && strcmp(evidence, "off") == 0)
		return -ECANCELED;
	return limits_left() >= LIMITS_RESERVE + 2 * PERF_SOURCES ? 0 : -EMFILE;
}

static void *symbols_main(void *self)
{
	struct exec_witness *witness = self;

	witness->n_symbols = platform_kernel_table(&witness->symbols);
	atomic_store(&witness->has_symbols, true);
	return NULL;
}

/* From the first late slot on, and only where there are records of what the kernel's threads do: a
 * run without one shall not be disturbed by the reading. */
static void symbols_read(struct exec_witness *witness, const struct perf_ring *ring)
{
	if (!witness->has_reader && ring->fd[PERF_WORK] >= 0)
		witness->has_reader =
		    pthread_create(&witness->reader, NULL, symbols_main, witness) == 0;
}

void witness_open(struct exec *exec, uint32_t lane)
{
	struct perf_ring *ring = &exec->lanes[lane].perf;
	const int status = why_not();

	if (ring->map != NULL)
		return;
	if (exec->witness == NULL)
		exec->witness = calloc(1, sizeof(*exec->witness));
	if (exec->lanes[lane].counters == NULL)
		exec->lanes[lane].counters = status == 0
		    ? platform_perf_counters(exec->node->lane[lane].cpu)
		    : platform_perf_reason(PERF_SWITCHES, status);
	if (status == 0)
		platform_perf_open(exec->node->lane[lane].cpu, ring);
	for (int s = 0; s < PERF_SOURCES && status != 0; s++)
		ring->status[s] = status;
}

void witness_close(struct exec *exec, uint32_t lane)
{
	if (exec->lanes[lane].perf.map != NULL)
		platform_perf_close(&exec->lanes[lane].perf);
}

static uint32_t valid_of(const struct perf_ring *ring)
{
	uint32_t valid = 0;

	for (int s = 0; s < PERF_SOURCES; s++)
		valid |= ring->fd[s] >= 0 ? 1u << s : 0;
	return valid;
}

bool witness_records(
    struct exec *exec, uint32_t lane, uint64_t from_ns, struct witness_records *ret)
{
	const struct perf_ring *ring = &exec->lanes[lane].perf;
	struct evidence_bytes bytes = {.size = PERF_RING_BYTES, .ids = ring->id};

	*ret = (struct witness_records){0};
	if (ring->map == NULL || exec->witness == NULL)
		return false;
	symbols_read(exec->witness, ring);
	bytes.bytes = exec->witness->bytes;
	bytes.valid = valid_of(ring);
	bytes.fields = ring->field;
	ret->records = exec->witness->records;
	for (bytes.copied = COPY_FIRST; bytes.copied <= PERF_RING_BYTES && !ret->whole;
	     bytes.copied *= 4) {
		ret->losses = (struct evidence_losses){0};
		bytes.head =
		    platform_perf_copy(ring, exec->witness->bytes, bytes.copied, &bytes.after);
		ret->n = evidence_read(&bytes, from_ns, exec->witness->records, RECORDS_MAX,
		    &ret->losses, &ret->whole);
	}
	return true;
}

void witness_fini(struct exec *exec)
{
	struct exec_witness *witness = exec->witness;

	if (witness == NULL)
		return;
	if (witness->has_reader)
		pthread_join(witness->reader, NULL);
	free(witness->symbols);
	free(witness);
	exec->witness = NULL;
}

const char *witness_symbol(const struct exec *exec, uint64_t address)
{
	const struct exec_witness *witness = exec->witness;
	size_t least = 0, end;

	if (witness == NULL || !atomic_load(&witness->has_symbols))
		return NULL;
	for (end = witness->n_symbols; least < end;) {
		const size_t middle = least + (end - least) / 2;

		if (witness->symbols[middle].address < address)
			least = middle + 1;
		else
			end = middle;
	}
	return least < witness->n_symbols && witness->symbols[least].address == address
	    ? witness->symbols[least].name
	    : "";
}
