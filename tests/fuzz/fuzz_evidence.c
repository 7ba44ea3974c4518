/* SPDX-License-Identifier: BSD-3-Clause
 * core/evidence: whatever the bytes of a ring are, the records are within them and in a number that
 * the ring can hold, and a slot that is joined with them has shares that add up to its lateness. */
#include <stdlib.h>
#include <string.h>

#include "core/evidence/evidence.h"
#include "core/image/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RING = 8192, RECORDS = RING / 40, FACTS = 64 };

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static uint64_t fact(const uint8_t *data, size_t n)
{
	uint64_t value;

	memcpy(&value, data + 8 * n, sizeof(value));
	return value;
}

static void slot_join(const uint8_t *data, const struct evidence_record *records, size_t n)
{
	const uint64_t at = n > 0 ? records[0].ns % (UINT64_MAX / 4) : 1000000;
	struct evidence_call call = {.start_ns = at + fact(data, 2) % 1000,
	    .ns = fact(data, 3) % 1000000,
	    .usual_ns = fact(data, 4) % 1000000,
	    .rare_ns = fact(data, 5) % 1000000};
	struct evidence_slot slot = {.kind = data[48] % IMAGE_MISS_KINDS,
	    .edge_ns = at,
	    .slot_ns = 1000,
	    .start_ns = at + fact(data, 2) % 1000,
	    .from_ns = fact(data, 7),
	    .cpu_ns = fact(data, 7) / 2,
	    .tid = data[49],
	    .cpu = data[50] % 2,
	    .calls = &call,
	    .n_calls = 1,
	    .records = records,
	    .n_records = n,
	    .recorded = data[51] % 2,
	    .alone = data[53] % 2,
	    .switches = data[54]};
	struct evidence_cause causes[EVIDENCE_CAUSES];
	uint64_t sum = 0;
	size_t n_causes;

	slot.end_ns = call.start_ns + call.ns;
	slot.late_ns = slot.end_ns - at;
	n_causes = evidence_join(&slot, causes);
	for (size_t c = 0; c < n_causes; c++)
		sum += causes[c].share_ns;
	insist(n_causes <= EVIDENCE_CAUSES && (n_causes == 0 || sum == slot.late_ns));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t ids[PERF_SOURCES] = {
	    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
	static const uint16_t fields[PERF_SOURCES] = {[PERF_WORK] = 16, [PERF_NMI] = 16};
	struct evidence_record records[RECORDS];
	struct evidence_losses losses = {0};
	struct evidence_bytes from = {
	    .size = RING, .ids = ids, .fields = fields, .valid = (1u << PERF_SOURCES) - 1};
	uint8_t *ring;
	bool whole;
	size_t n;

	if (size < FACTS)
		return 0;
	ring = calloc(1, RING);
	if (ring == NULL)
		return 0;
	memcpy(ring, data + FACTS, size - FACTS < RING ? size - FACTS : RING);
	from.bytes = ring;
	from.copied = RING;
	from.head = 0 - fact(data, 0) % (4 * RING);
	from.after = from.head - fact(data, 1) % (2 * RING);
	n = evidence_read(&from, fact(data, 6), records, RECORDS, &losses, &whole);
	insist(n <= RECORDS && losses.corrupt <= 1);
	slot_join(data, records, n);
	free(ring);
	return 0;
}
