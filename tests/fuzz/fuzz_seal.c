/* SPDX-License-Identifier: BSD-3-Clause
 * core/seal: bytes of anybody are dropped, and so is every frame that was changed on its way.
 *
 * Input: as it is, a frame; then a script of {place u16, bits u8} that is laid over a frame which
 * was rightly made. The key is not in the input, so whatever is taken was made by us. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/seal/seal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PAYLOAD = 200, FRAME = PAYLOAD + SEAL_MORE_BYTES };

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static struct seal *seal_of(uint16_t node)
{
	struct seal_use use = {.load_id = 3, .node = node};
	struct seal *seal = NULL;

	for (int i = 0; i < SEAL_KEY_BYTES; i++)
		use.key[i] = (uint8_t)(i * i + 1);
	insist(seal_new(&use, &seal) == 0);
	return seal;
}

static uint64_t dropped(const struct seal *seal)
{
	const struct seal_counts n = seal_counts(seal);

	return n.size + n.foreign + n.stale + n.misdirected + n.replayed + n.forged;
}

/* How many calls there were is how many were counted, and a drop has one cause. */
static int take(struct seal *seal, const uint8_t *frame, size_t len, uint8_t *out)
{
	const uint64_t drops = dropped(seal), takes = seal_counts(seal).taken;
	size_t got = 0;
	uint16_t from = 0;
	const int result = seal_take(seal, frame, len, out, PAYLOAD, &got, &from);

	insist(result == 0 || result == -EMSGSIZE || result == -EPROTO || result == -ESTALE ||
	    result == -EXDEV || result == -EALREADY || result == -EBADMSG);
	insist(dropped(seal) == drops + (result != 0));
	insist(seal_counts(seal).taken == takes + (result == 0));
	insist(result != 0 || (from == 1 && got <= PAYLOAD && got + SEAL_MORE_BYTES == len));
	return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct seal *a, *b; /* locked memory is dear: opened once */
	uint8_t payload[PAYLOAD], frame[FRAME], sent[FRAME], *out = malloc(PAYLOAD);
	size_t len;
	int result;

	a = a ? a : seal_of(1);
	b = b ? b : seal_of(2);
	insist(out && take(b, data, size, out) < 0);
	memset(payload, (int)(size & 0xff), sizeof(payload));
	insist(seal_put(a, 2, payload, PAYLOAD, frame, FRAME, &len) == 0 && len == FRAME);
	memcpy(sent, frame, FRAME);
	for (size_t i = 0; i + 3 <= size; i += 3)
		frame[(data[i] + 256u * data[i + 1]) % FRAME] ^= data[i + 2];
	result = take(b, frame, FRAME, out);
	insist((result == 0) == (memcmp(frame, sent, FRAME) == 0));
	insist(result == 0 || take(b, sent, FRAME, out) == 0);
	insist(memcmp(out, payload, PAYLOAD) == 0);
	insist(take(b, sent, FRAME, out) == -EALREADY);
	free(out);
	return 0;
}
