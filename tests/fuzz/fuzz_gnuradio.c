/* SPDX-License-Identifier: BSD-3-Clause
 * core/gnuradio: a message of any bytes has no tag header, or one that lies inside with all of its
 * tags; what is written is read again. */
#include <stdlib.h>
#include <string.h>

#include "core/gnuradio/tags.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	const uint8_t *data;
	size_t size, tags;
};

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void tag_see(void *arg, const struct gr_tag *tag)
{
	struct seen *seen = arg;
	const size_t at = (size_t)(tag->value - seen->data);
	double number = 0;

	insist(at < seen->size && tag->value_len > 0 && tag->value_len <= seen->size - at);
	insist(!tag->key || (const uint8_t *)tag->key + tag->key_len <= tag->value);
	if (!gr_number(tag->value, tag->value_len, &number))
		gr_time(tag->value, tag->value_len, &number);
	seen->tags++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen seen = {data, size, 0};
	uint8_t again[GR_HEAD_BYTES + GR_TAG_BYTES_MAX];
	struct gr_head head, read;
	size_t len;

	if (gr_head_get(data, size, tag_see, &seen, &head) != 0)
		return 0;
	insist(head.bytes <= size && head.n_tags == seen.tags);
	len = gr_head_put(again, head.offset, head.n_tags ? "key" : NULL, size);
	insist(len <= sizeof(again));
	insist(gr_head_get(again, len, NULL, NULL, &read) == 0);
	insist(read.offset == head.offset && read.bytes == len);
	return 0;
}
