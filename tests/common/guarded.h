/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/guarded.h - memory between two pages that may not be touched, to hold kernels to
 * their lengths: what is read or written behind the end (or before the beginning) of a buffer that
 * lies at that edge stops the program, and what is written beside it on the other side is found.
 *
 * 	struct guarded in, out;
 * 	guarded_new(&in, 4096);
 * 	guarded_new(&out, 4096);
 * 	for (int edge = 0; edge < GUARDED_EDGES; edge++) {
 * 		const uint8_t *from = guarded_at(&in, edge, n);		// random bytes
 * 		uint8_t *to = guarded_fresh(&out, edge, n);		// all 0xa5
 * 		kernel(from, to, n);
 * 		guarded_check(&out, to, n);				// the rest is still 0xa5
 * 	}
 *
 * At the end edge a buffer's alignment follows from its length, so lengths that go up by one see
 * every alignment.
 */
#ifndef TESTS_COMMON_GUARDED_H
#define TESTS_COMMON_GUARDED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/simd.h"

enum guarded_edge { GUARDED_END, GUARDED_BEGIN, GUARDED_EDGES };

struct guarded {
	uint8_t *begin;
	size_t size; /* whole pages */
};

static inline uint32_t guarded_draw(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* guarded_new makes room for buffers of up to `size` bytes, filled with random ones. */
static inline void guarded_new(struct guarded *g, size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t seed = 1;
	uint8_t *pages;

	g->size = (size + page - 1) / page * page;
	pages = mmap(NULL, g->size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	g->begin = pages + page;
	assert_int_equal(mprotect(g->begin, g->size, PROT_READ | PROT_WRITE), 0);
	for (size_t i = 0; i < g->size; i++)
		g->begin[i] = (uint8_t)(guarded_draw(&seed) >> 8);
}

static inline void guarded_free(struct guarded *g)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	munmap(g->begin - page, g->size + 2 * page);
}

/* guarded_at gives a buffer of `size` bytes at an edge, with what is there. */
static inline void *guarded_at(struct guarded *g, enum guarded_edge edge, size_t size)
{
	assert_true(size <= g->size);
	return edge == GUARDED_BEGIN ? g->begin : g->begin + g->size - size;
}

static inline void *guarded_fresh(struct guarded *g, enum guarded_edge edge, size_t size)
{
	memset(g->begin, 0xa5, g->size);
	return guarded_at(g, edge, size);
}

/* guarded_check fails if anything but the buffer was written since guarded_fresh. */
static inline void guarded_check(const struct guarded *g, const void *buffer, size_t size)
{
	const size_t first = (size_t)((const uint8_t *)buffer - g->begin);

	for (size_t i = 0; i < g->size; i++)
		if ((i < first || i >= first + size) && g->begin[i] != 0xa5)
			fail_msg("byte %ld beside a buffer of %zu was written",
			    (long)i - (long)first, size);
}

/* guarded_bits makes every byte 0 or 1. */
static inline void guarded_bits(struct guarded *g)
{
	for (size_t i = 0; i < g->size; i++)
		g->begin[i] &= 1;
}

/* guarded_level skips to the next level, after `level`, that this machine runs; SIMD_LEVELS when
 * there is none. Begin with -1. */
static inline int guarded_level(int level)
{
	do
		level++;
	while (level < SIMD_LEVELS && !simd_has((enum simd_level)level));
	return level;
}

#define GUARDED_EACH_LEVEL(level)                                                                  \
	for (int level = guarded_level(-1); level < SIMD_LEVELS; (level) = guarded_level(level))

/* Lengths around every vector width, and longer ones. */
static inline uint32_t guarded_next_length(uint32_t n)
{
	return n < 200 ? n + 1 : n < 700 ? n + 29 : n + 1117;
}

#endif
