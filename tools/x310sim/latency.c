/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/latency.h"

#include "core/base/bytes.h"
#include "tools/x310sim/device.h"

enum { LOW_BITS = 15, TICK_BITS = 27, ZERO = 1 << 14, IQ = 4, ROW = 16 };

static uint32_t mark(unsigned channel, uint64_t tick)
{
	const uint32_t t = (uint32_t)tick & ((1u << TICK_BITS) - 1),
	               low = t & ((1u << LOW_BITS) - 1);
	const uint32_t high = t >> LOW_BITS | (uint32_t)channel << (TICK_BITS - LOW_BITS);

	return ((low - ZERO) & 0xffff) | (high - ZERO) << 16;
}

/* False: nothing that `mark` makes. */
static bool read_mark(const uint8_t *iq, unsigned *ret_channel, uint32_t *ret_tick)
{
	const uint16_t low = (uint16_t)(get_le16(iq) + ZERO),
	               high = (uint16_t)(get_le16(iq + 2) + ZERO);

	*ret_tick = low | (uint32_t)high << LOW_BITS;
	*ret_channel = *ret_tick >> TICK_BITS;
	*ret_tick &= (1u << TICK_BITS) - 1;
	return (low | high) >> LOW_BITS == 0;
}

/* A row of marks whose high parts are alike. */
static void mark_row(uint32_t first, const uint32_t *later, uint8_t *ret_iq)
{
	uint32_t row[ROW];

	for (uint32_t i = 0; i < ROW; i++)
		row[i] = htole32(((first + later[i]) & 0xffff) | (first & 0xffff0000));
	memcpy(ret_iq, row, sizeof(row));
}

void latency_mark(unsigned channel, uint64_t tick, uint32_t divide, uint8_t *ret_iq, uint32_t n)
{
	const uint32_t low_end = 1u << LOW_BITS;
	uint32_t later[ROW];

	for (uint32_t i = 0; i < ROW; i++)
		later[i] = i * divide;
	for (uint32_t i = 0; i < n;) {
		const uint32_t low = (uint32_t)tick & (low_end - 1);
		const bool alike = n - i >= ROW && low + later[ROW - 1] < low_end;

		if (alike)
			mark_row(mark(channel, tick), later, ret_iq);
		else
			put_le32(ret_iq, mark(channel, tick));
		ret_iq += alike ? ROW * IQ : IQ;
		tick += (uint64_t)(alike ? ROW : 1) * divide;
		i += alike ? ROW : 1;
	}
}

void latency_take(struct latency *latency, unsigned channel, uint64_t tick, uint32_t divide,
    const uint8_t *iq, uint32_t n)
{
	const uint32_t turn = (1u << TICK_BITS) - 1;
	unsigned from, last_from;
	uint32_t first, last;
	uint64_t age;

	if (n < 2 || !read_mark(iq, &from, &first) ||
	    !read_mark(iq + IQ * (n - 1), &last_from, &last) || from != last_from ||
	    ((last - first) & turn) != (((n - 1) * divide) & turn)) {
		latency->unmarked++;
		return;
	}
	if (from != channel) {
		latency->crossed++;
		return;
	}
	age = (uint32_t)(tick - first) & turn;
	latency->steps += latency->any && age != latency->last;
	latency->any = true;
	latency->last = age;
	hist_add(&latency->ns,
	    latency->tick_ns > 0 ? (uint64_t)((double)age * latency->tick_ns)
	                         : age * DEVICE_TICK_NS);
}
