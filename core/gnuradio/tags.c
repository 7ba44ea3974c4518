/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/gnuradio/tags.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

enum { MAGIC = 0x5ff0, VERSION = 1 };

enum { /* first byte of a PMT */
	PMT_TRUE = 0,
	PMT_FALSE = 1,
	PMT_SYMBOL = 2,
	PMT_INT32 = 3,
	PMT_DOUBLE = 4,
	PMT_COMPLEX = 5,
	PMT_NIL = 6,
	PMT_PAIR = 7,
	PMT_VECTOR = 8,
	PMT_DICT = 9,
	PMT_UNIFORM = 10,
	PMT_UINT64 = 11,
	PMT_TUPLE = 12,
	PMT_INT64 = 13
};

static uint64_t low_first(const uint8_t *bytes, unsigned n)
{
	uint64_t number = 0;

	while (n-- > 0)
		number = number << 8 | bytes[n];
	return number;
}

static uint64_t high_first(const uint8_t *bytes, unsigned n)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < n; i++)
		number = number << 8 | bytes[i];
	return number;
}

static double high_first_double(const uint8_t *bytes)
{
	const uint64_t bits = high_first(bytes, 8);
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* ---- PMTs ------------------------------------------------------------------------------------ */

/* uniform_bytes: subtype u8, items u32, padding u8, padding, elements. 0: cut off or unknown. */
static size_t uniform_bytes(const uint8_t *bytes, size_t len)
{
	static const uint8_t sizes[12] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16};
	uint64_t all;

	if (len < 7 || bytes[1] >= sizeof(sizes))
		return 0;
	all = 7 + (uint64_t)bytes[6] + high_first(bytes + 2, 4) * sizes[bytes[1]];
	return all <= len ? (size_t)all : 0;
}

/* What a PMT without others inside takes; 0: cut off, unknown, or with others inside. */
static size_t simple_bytes(const uint8_t *bytes, size_t len)
{
	size_t all;

	switch (bytes[0]) {
	case PMT_TRUE:
	case PMT_FALSE:
	case PMT_NIL:
		return 1;
	case PMT_SYMBOL:
		all = len < 3 ? SIZE_MAX : 3 + (size_t)high_first(bytes + 1, 2);
		break;
	case PMT_INT32:
		all = 5;
		break;
	case PMT_DOUBLE:
	case PMT_UINT64:
	case PMT_INT64:
		all = 9;
		break;
	case PMT_COMPLEX:
		all = 17;
		break;
	case PMT_UNIFORM:
		return uniform_bytes(bytes, len);
	default:
		return 0;
	}
	return all <= len ? all : 0;
}

/* pmt_bytes walks one PMT without recursion: `left` counts what is to come at each depth. A list
 * (dict) is pairs in the tail of pairs, which do not deepen. 0: no PMT. */
static size_t pmt_bytes(const uint8_t *bytes, size_t len)
{
	uint64_t left[GR_DEPTH_MAX] = {1};
	size_t at = 0;
	int depth = 0;

	while (depth >= 0) {
		uint64_t inside;
		size_t take;

		if (left[depth] == 0) {
			depth--;
			continue;
		}
		left[depth]--;
		if (at >= len)
			return 0;
		if (bytes[at] == PMT_PAIR || bytes[at] == PMT_DICT) {
			inside = 2;
			take = 1;
		} else if (bytes[at] == PMT_VECTOR || bytes[at] == PMT_TUPLE) {
			if (len - at < 5)
				return 0;
			inside = high_first(bytes + at + 1, 4);
			take = 5;
		} else {
			inside = 0;
			take = simple_bytes(bytes + at, len - at);
			if (take == 0)
				return 0;
		}
		at += take;
		if (inside == 0)
			continue;
		if (left[depth] == 0)
			left[depth] = inside; /* the tail: nothing follows at this depth */
		else if (depth + 1 < GR_DEPTH_MAX)
			left[++depth] = inside;
		else
			return 0;
	}
	return at;
}

bool gr_number(const uint8_t *pmt, size_t len, double *ret)
{
	if (len == 5 && pmt[0] == PMT_INT32)
		*ret = (double)(int32_t)high_first(pmt + 1, 4);
	else if (len == 9 && pmt[0] == PMT_INT64)
		*ret = (double)(int64_t)high_first(pmt + 1, 8);
	else if (len == 9 && pmt[0] == PMT_UINT64)
		*ret = (double)high_first(pmt + 1, 8);
	else if (len == 9 && pmt[0] == PMT_DOUBLE)
		*ret = high_first_double(pmt + 1);
	else
		return false;
	return true;
}

bool gr_time(const uint8_t *pmt, size_t len, double *ret)
{
	double seconds, fraction;

	if (len != 23 || pmt[0] != PMT_TUPLE || high_first(pmt + 1, 4) != 2 ||
	    !gr_number(pmt + 5, 9, &seconds) || !gr_number(pmt + 14, 9, &fraction))
		return false;
	*ret = seconds + fraction;
	return true;
}

/* ---- headers --------------------------------------------------------------------------------- */

/* tag_get reads one tag; what it takes, 0: damaged. */
static size_t tag_get(const uint8_t *bytes, size_t len, struct gr_tag *ret)
{
	size_t key, value, source;

	if (len < 8)
		return 0;
	*ret = (struct gr_tag){.offset = low_first(bytes, 8)};
	key = pmt_bytes(bytes + 8, len - 8);
	value = key > 0 ? pmt_bytes(bytes + 8 + key, len - 8 - key) : 0;
	source = value > 0 ? pmt_bytes(bytes + 8 + key + value, len - 8 - key - value) : 0;
	if (source == 0)
		return 0;
	if (bytes[8] == PMT_SYMBOL) {
		ret->key = (const char *)bytes + 8 + 3;
		ret->key_len = key - 3;
	}
	ret->value = bytes + 8 + key;
	ret->value_len = value;
	return 8 + key + value + source;
}

int gr_head_get(const uint8_t *bytes, size_t len, void (*each)(void *arg, const struct gr_tag *tag),
    void *arg, struct gr_head *ret)
{
	size_t at = GR_HEAD_BYTES;
	uint64_t n;

	if (len < GR_HEAD_BYTES || low_first(bytes, 2) != MAGIC || bytes[2] != VERSION)
		return -EBADMSG;
	n = low_first(bytes + 11, 8);
	if (n > GR_TAGS_MAX)
		return -EBADMSG;
	for (uint64_t i = 0; i < n; i++) {
		struct gr_tag tag;
		const size_t take = tag_get(bytes + at, len - at, &tag);

		if (take == 0)
			return -EBADMSG;
		if (each)
			each(arg, &tag);
		at += take;
	}
	*ret = (struct gr_head){.offset = low_first(bytes + 3, 8), .n_tags = n, .bytes = at};
	return 0;
}

static uint8_t *low_first_put(uint8_t *out, uint64_t number, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		*out++ = (uint8_t)(number >> 8 * i);
	return out;
}

static uint8_t *high_first_put(uint8_t *out, uint64_t number, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		*out++ = (uint8_t)(number >> 8 * (n - 1 - i));
	return out;
}

size_t gr_head_put(uint8_t *ret_bytes, uint64_t offset, const char *key, uint64_t value)
{
	uint8_t *out = low_first_put(ret_bytes, MAGIC, 2);

	*out++ = VERSION;
	out = low_first_put(out, offset, 8);
	out = low_first_put(out, key ? 1 : 0, 8);
	if (key) {
		const size_t len = strlen(key);

		assert(len <= 64);
		out = low_first_put(out, offset, 8);
		*out++ = PMT_SYMBOL;
		out = high_first_put(out, len, 2);
		for (size_t i = 0; i < len; i++)
			*out++ = (uint8_t)key[i];
		*out++ = PMT_UINT64;
		out = high_first_put(out, value, 8);
		*out++ = PMT_FALSE; /* no source */
	}
	return (size_t)(out - ret_bytes);
}
