/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/image/align.h"

#include "core/image/node.h"

#define YEAR_NS (366ull * 24 * 3600 * 1000000000ull)

/* A baton has 48 bits for its slot, and the fresh baton is one ahead. */
uint64_t align_slot_least(uint64_t shared_ns)
{
	const uint64_t most = BATON_SLOT_MAX - 1, last = shared_ns + ALIGN_YEARS * YEAR_NS;

	return (last + most - 1) / most;
}

uint64_t align_base(uint64_t base, uint64_t slot_before, uint64_t slot_after)
{
	if (base == IMAGE_FOREVER || base > slot_before)
		return base;
	return base + (slot_after - slot_before);
}

static uint64_t size_of(int64_t off_ns)
{
	return off_ns < 0 ? -(uint64_t)off_ns : (uint64_t)off_ns;
}

bool align_is_far(int64_t off_ns, uint64_t slot_ns)
{
	return size_of(off_ns) > slot_ns / ALIGN_FAR;
}

int64_t align_slew(int64_t off_ns, uint64_t slot_ns)
{
	const uint64_t part = slot_ns / ALIGN_SLEW,
	               most = part < ALIGN_SLEW_NS ? part : ALIGN_SLEW_NS;

	if (size_of(off_ns) <= most)
		return off_ns;
	return off_ns < 0 ? -(int64_t)most : (int64_t)most;
}

bool align_agrees(int64_t off_ns, uint64_t within_ns, uint64_t slot_ns)
{
	const uint64_t most = slot_ns / ALIGN_FAR;

	return within_ns <= most && size_of(off_ns) <= most - within_ns;
}
