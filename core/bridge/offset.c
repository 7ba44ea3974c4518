/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/bridge/offset.h"

#include <errno.h>

#include "core/base/bytes.h"
#include "core/image/align.h"

enum { ASKED = 8, TOOK = 16, ANSWERED = 24 };

static uint64_t within(const struct offset_sample *sample, uint64_t now)
{
	const uint64_t age = now > sample->at_ns ? now - sample->at_ns : 0;

	return sample->round_ns / 2 + align_drift(age) + 2;
}

static const struct offset_sample *best_of(const struct offset *offset, uint64_t now)
{
	const uint64_t kept = offset->n > OFFSET_SAMPLES ? offset->n - OFFSET_SAMPLES : 0;
	const struct offset_sample *best = NULL;

	for (uint64_t i = kept > offset->first ? kept : offset->first; i < offset->n; i++) {
		const struct offset_sample *one = &offset->samples[i % OFFSET_SAMPLES];

		if (best == NULL || within(one, now) <= within(best, now))
			best = one;
	}
	return best;
}

static bool agree(const struct offset_sample *a, const struct offset_sample *b, uint64_t now)
{
	const int64_t off = (int64_t)(a->epoch_ns - b->epoch_ns);
	const uint64_t size = off < 0 ? -(uint64_t)off : (uint64_t)off;

	return size <= within(a, now) + within(b, now);
}

int offset_add(struct offset *offset, const struct offset_times *times)
{
	const uint64_t all = times->heard - times->asked, there = times->answered - times->took;
	const struct offset_sample *best;
	struct offset_sample sample;

	if (all > OFFSET_ROUND_MAX_NS || there > all)
		return -EBADMSG;
	sample = (struct offset_sample){
	    .at_ns = times->heard,
	    .round_ns = all - there,
	    .epoch_ns = times->took + there / 2 - (times->asked + all / 2),
	};
	best = best_of(offset, times->heard);
	if (best != NULL && !agree(best, &sample, times->heard)) {
		offset->first = offset->n;
		offset->jumps++;
	}
	offset->samples[offset->n++ % OFFSET_SAMPLES] = sample;
	return 0;
}

bool offset_best(const struct offset *offset, uint64_t now, struct offset_is *ret)
{
	const struct offset_sample *best = best_of(offset, now);

	if (best == NULL)
		return false;
	*ret = (struct offset_is){best->epoch_ns, within(best, now), best->round_ns};
	return true;
}

/* ---- the messages ---- */

int offset_kind(const uint8_t *bytes, size_t len)
{
	const uint32_t magic = len == OFFSET_BYTES ? get_le32(bytes) : 0;

	return magic == OFFSET_ASKS   ? OFFSET_ASK
	    : magic == OFFSET_ANSWERS ? OFFSET_ANSWER
	                              : OFFSET_NONE;
}

static void message_put(
    uint8_t *ret, uint32_t magic, uint64_t asked, uint64_t took, uint64_t answered)
{
	ret = put_le32(ret, magic);
	ret = put_le32(ret, 0);
	ret = put_le64(ret, asked);
	ret = put_le64(ret, took);
	put_le64(ret, answered);
}

void offset_ask_put(uint8_t ret[OFFSET_BYTES], uint64_t asked)
{
	message_put(ret, OFFSET_ASKS, asked, 0, 0);
}

void offset_answer_put(
    uint8_t ret[OFFSET_BYTES], const uint8_t *ask, uint64_t took, uint64_t answered)
{
	message_put(ret, OFFSET_ANSWERS, get_le64(ask + ASKED), took, answered);
}

void offset_answer_get(const uint8_t *bytes, struct offset_times *ret)
{
	*ret = (struct offset_times){.asked = get_le64(bytes + ASKED),
	    .took = get_le64(bytes + TOOK),
	    .answered = get_le64(bytes + ANSWERED)};
}
