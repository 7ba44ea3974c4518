/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/gnuradio/tags.h - the header with stream tags that GNU Radio's ZeroMQ blocks put before the
 * items of a message (pass_tags): bytes in, struct out; struct in, bytes out. Pure.
 *
 * (GNU Radio 3.10, gr-zeromq/lib/tag_headers.cc and gnuradio-runtime/lib/pmt/pmt_serial_tags.h.)
 *
 *   magic 0x5ff0 u16 | version 1 u8 | offset u64 | tags u64 |       numbers little endian
 *   then for each tag: offset u64, key, value, source as PMTs       numbers of PMTs big endian
 *
 * `offset` is the number of the first item of the message in its stream, and a tag's offset that of
 * the item that the tag is on.
 */
#ifndef ALOE_GNURADIO_TAGS_H
#define ALOE_GNURADIO_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GR_HEAD_BYTES = 19,               /* without tags */
	GR_DEPTH_MAX = 16,                /* of PMTs that hold PMTs */
	GR_TAGS_MAX = 65536,              /* of a message */
	GR_TAG_BYTES_MAX = 8 + 80 + 9 + 1 /* of a tag that gr_head_put writes */
};

struct gr_tag {
	uint64_t offset;
	const char *key; /* not terminated; NULL if the key is no symbol */
	size_t key_len;
	const uint8_t *value; /* the PMT, serialised */
	size_t value_len;
};

struct gr_head {
	uint64_t offset;
	uint64_t n_tags;
	size_t bytes; /* of header and tags: items begin there */
};

/* gr_head_get reads the header of a message and calls `each` (may be NULL) for every tag, in order.
 * 0, or -EBADMSG: no header, cut off, too deep, too many. */
int gr_head_get(const uint8_t *bytes, size_t len, void (*each)(void *arg, const struct gr_tag *tag),
    void *arg, struct gr_head *ret);

/* gr_number gives the number that a PMT is (int32, int64, uint64, double): false if it is none. */
bool gr_number(const uint8_t *pmt, size_t len, double *ret);
/* gr_time gives the seconds of an rx_time, a tuple of whole seconds and their fraction. */
bool gr_time(const uint8_t *pmt, size_t len, double *ret);

/* gr_head_put writes a header without tags, or with one: `key` (at most 64 characters, NULL: no
 * tag) on the first item, a uint64. The number of bytes, at most GR_HEAD_BYTES and
 * GR_TAG_BYTES_MAX. */
size_t gr_head_put(uint8_t *ret_bytes, uint64_t offset, const char *key, uint64_t value);

#endif
