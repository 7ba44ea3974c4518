/* SPDX-License-Identifier: BSD-3-Clause
 * core/wire: a message from a peer is refused or can be read whole; what was read and written again
 * is the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "core/wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

/* Every byte of every field, so that a sanitizer sees a length that was believed. */
static unsigned fields_read(const struct wire_view *view, enum wire_tag tag)
{
	unsigned n = 0, sum = 0;
	const void *bytes;
	size_t len;

	while (wire_get_bytes(view, tag, n, &bytes, &len) == 0) {
		for (size_t i = 0; i < len; i++)
			sum += ((const uint8_t *)bytes)[i];
		n++;
	}
	insist(sum < UINT32_MAX);
	return n;
}

static void copy_is_the_same(const struct wire_view *view)
{
	struct wire_msg copy;
	const uint8_t *bytes;
	size_t len;

	wire_init_copy(&copy, view, (enum wire_tag)0);
	bytes = wire_bytes(&copy, &len);
	insist(bytes && len == view->len && memcmp(bytes, view->bytes, len) == 0);
	wire_fini(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_view view;
	uint64_t number;
	unsigned n = 0;

	if (wire_decode(data, size, &view) < 0)
		return 0;
	insist(view.len == size && view.source < WIRE_PEERS && view.dest < WIRE_PEERS);
	for (unsigned tag = 1; tag < 64; tag++) {
		char *text = wire_get_text(&view, (enum wire_tag)tag, 0);

		n += fields_read(&view, (enum wire_tag)tag);
		(void)wire_get_u64(&view, (enum wire_tag)tag, &number);
		insist(!text || strlen(text) <= size);
		free(text);
	}
	insist(n <= view.fields);
	insist(wire_type_name(view.type) && wire_peer_name(view.source));
	copy_is_the_same(&view);
	return 0;
}
