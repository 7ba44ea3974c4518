/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/conf.h - waveforms that a benchmark writes for itself, into its own folder.
 */
#ifndef TOOLS_BENCH_CONF_H
#define TOOLS_BENCH_CONF_H

#include "tools/bench/bench.h"

/* conf_write writes the waveform `text` as NAME.conf: 0, or CLI_FAILED after saying why not. */
int conf_write(
    const struct bench *bench, const char *name, const char *text, char *ret_path, size_t size);

/* conf_begin gives a stream for such a text, or NULL; conf_end closes the stream and writes the
 * text as conf_write does. */
struct conf {
	FILE *out;
	char *text;
	size_t len;
};

FILE *conf_begin(struct conf *conf);
int conf_end(
    struct conf *conf, const struct bench *bench, const char *name, char *ret_path, size_t size);

/* conf_chain writes source -> c0 -> c1 -> ... -> sink with n `copy` between, in slots of slot_ns,
 * named NAME. The source is what `source` says of it: CONF_COUNTER sends messages of 4 i16. */
#define CONF_COUNTER "component = \"counter_source\"; length = 4;"
enum { CONF_COUNTER_BYTES = 8 };
int conf_chain(const struct bench *bench, const char *name, uint64_t n, const char *source,
    unsigned slot_ns, char *ret_path, size_t size);

/* conf_interleaver writes source -> interleave1 -> sink, a first interleaver with a TTI of 20 ms
 * and the bits of two of the bearer's radio frames: the bearer's own has 10 ms, where it is the
 * identity. */
int conf_interleaver(const struct bench *bench, char *ret_path, size_t size);

#endif
