/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/bridge/delays.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_MAGIC 0x31525041u /* "APR1" */

void delays_add(struct delays *delays, uint64_t round_ns)
{
	if (round_ns <= DELAYS_MOST_NS)
		delays->round_ns[delays->n++ % DELAYS_SAMPLES] = round_ns;
}

static int by_size(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t delays_one_way(const struct delays *delays)
{
	const size_t n = delays->n < DELAYS_SAMPLES ? delays->n : DELAYS_SAMPLES;
	uint64_t sorted[DELAYS_SAMPLES];

	if (n < DELAYS_FEW)
		return 0;
	memcpy(sorted, delays->round_ns, n * sizeof(sorted[0]));
	qsort(sorted, n, sizeof(sorted[0]), by_size);
	return sorted[(n * 999 + 999) / 1000 - 1] - sorted[0] / 2;
}

void probe_put(uint8_t ret_bytes[PROBE_BYTES], enum probe_kind kind, uint64_t stamp)
{
	const uint32_t head[] = {htole32(PROBE_MAGIC), htole32((uint32_t)kind)};

	stamp = htole64(stamp);
	memcpy(ret_bytes, head, sizeof(head));
	memcpy(ret_bytes + sizeof(head), &stamp, sizeof(stamp));
}

bool probe_get(const void *bytes, size_t len, enum probe_kind *ret_kind, uint64_t *ret_stamp)
{
	uint32_t head[2];

	if (len != PROBE_BYTES)
		return false;
	memcpy(head, bytes, sizeof(head));
	if (le32toh(head[0]) != PROBE_MAGIC ||
	    (le32toh(head[1]) != PROBE_ASK && le32toh(head[1]) != PROBE_ANSWER))
		return false;
	*ret_kind = (enum probe_kind)le32toh(head[1]);
	memcpy(ret_stamp, (const uint8_t *)bytes + sizeof(head), sizeof(*ret_stamp));
	*ret_stamp = le64toh(*ret_stamp);
	return true;
}
