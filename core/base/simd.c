/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/simd.c - see simd.h. */
#include "core/base/simd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *simd_name(enum simd_level level)
{
	static const char *const names[SIMD_LEVELS] = {[SIMD_PLAIN] = "plain",
	    [SIMD_SSE41] = "sse41",
	    [SIMD_AVX2] = "avx2",
	    [SIMD_AVX512] = "avx512",
	    [SIMD_NEON] = "neon"};

	return names[level];
}

#if defined(__x86_64__)
static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
	    __builtin_cpu_supports("pclmul");
}

static bool has_avx512(void)
{
	return has_avx2() && __builtin_cpu_supports("avx512f") &&
	    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
	    __builtin_cpu_supports("avx512vbmi2");
}

bool simd_has(enum simd_level level)
{
	switch (level) {
	case SIMD_PLAIN:
		return true;
	case SIMD_SSE41:
		return __builtin_cpu_supports("sse4.1");
	case SIMD_AVX2:
		return has_avx2();
	case SIMD_AVX512:
		return has_avx512();
	default:
		return false;
	}
}
#elif defined(__aarch64__)
bool simd_has(enum simd_level level)
{
	return level == SIMD_PLAIN || level == SIMD_NEON;
}
#else
bool simd_has(enum simd_level level)
{
	return level == SIMD_PLAIN;
}
#endif

enum simd_level simd_best(void)
{
	for (int level = SIMD_LEVELS - 1; level > SIMD_PLAIN; level--) {
		if (simd_has((enum simd_level)level))
			return (enum simd_level)level;
	}
	return SIMD_PLAIN;
}

static void explain(const char *text, char *ret_why, size_t size)
{
	size_t at = (size_t)snprintf(
	    ret_why, size, "ALOE_SIMD=%s is not available on this machine; allowed are", text);

	for (int level = 0; level < SIMD_LEVELS && at < size; level++) {
		if (simd_has((enum simd_level)level))
			at += (size_t)snprintf(
			    ret_why + at, size - at, " %s", simd_name((enum simd_level)level));
	}
}

int simd_choose(enum simd_level *ret_level, char *ret_why, size_t size)
{
	const char *text = getenv("ALOE_SIMD");
	int level = 0;

	if (text == NULL || *text == '\0') {
		*ret_level = simd_best();
		return 0;
	}
	while (level < SIMD_LEVELS && strcmp(text, simd_name((enum simd_level)level)) != 0)
		level++;
	if (level < SIMD_LEVELS && simd_has((enum simd_level)level)) {
		*ret_level = (enum simd_level)level;
		return 0;
	}
	explain(text, ret_why, size);
	return level < SIMD_LEVELS ? -ENOTSUP : -EINVAL;
}
