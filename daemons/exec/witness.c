/* SPDX-License-Identifier: BSD-3-Clause
 *
 * witness.c - the kernel's records of the CPUs of lanes (core/platform/perf.h). They cost nothing
 * here until a slot is missed. */
#include <errno.h>
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
};

/* ALOE_EVIDENCE=off: to measure what the records of the kernel cost. */
static int why_not(void)
{
	const char *evidence = getenv("ALOE_EVIDENCE");

	if (evidence != NULL && strcmp(evidence, "off") == 0)
		return -ECANCELED;
	return limits_left() >= LIMITS_RESERVE + 2 * PERF_SOURCES ? 0 : -EMFILE;
}

void witness_open(struct exec *exec, uint32_t lane)
{
	struct perf_ring *ring = &exec->lanes[lane].perf;
	const int status = why_not();

	if (ring->map != NULL)
		return;
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
	if (ring->map == NULL)
		return false;
	if (exec->witness == NULL)
		exec->witness = malloc(sizeof(*exec->witness));
	if (exec->witness == NULL)
		return false;
	bytes.bytes = exec->witness->bytes;
	bytes.valid = valid_of(ring);
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
