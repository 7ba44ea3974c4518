/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/counting.h - how often a program asks the C library for memory, locks and text while
 * `asked.in_slot` is set, on the thread that set it: its own calls and those of the libraries it
 * has loaded. For one source file of a program, which is linked with -rdynamic. With a sanitizer
 * these functions are the sanitizer's, and nothing is counted (COUNTING 0).
 */
#ifndef TESTS_COMMON_COUNTING_H
#define TESTS_COMMON_COUNTING_H

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTING 0
#else
#define COUNTING 1
#endif

static _Thread_local struct {
	bool in_slot;
	unsigned allocations, locks, texts;
} asked;

#if COUNTING
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *old);

void *malloc(size_t size)
{
	asked.allocations += asked.in_slot;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	asked.allocations += asked.in_slot;
	return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	asked.allocations += asked.in_slot;
	return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	asked.allocations += asked.in_slot;
	return __libc_memalign(alignment, size);
}

int posix_memalign(void **ret_memory, size_t alignment, size_t size)
{
	asked.allocations += asked.in_slot;
	*ret_memory = __libc_memalign(alignment, size);
	return *ret_memory != NULL ? 0 : ENOMEM;
}

void free(void *old)
{
	asked.allocations += asked.in_slot;
	__libc_free(old);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	union {
		void *symbol;
		int (*lock)(pthread_mutex_t *);
	} next = {.symbol = dlsym(RTLD_NEXT, "pthread_mutex_lock")};

	asked.locks += asked.in_slot;
	return next.lock(mutex);
}

int vsnprintf(char *to, size_t size, const char *format, va_list args)
{
	union {
		void *symbol;
		int (*print)(char *, size_t, const char *, va_list);
	} next = {.symbol = dlsym(RTLD_NEXT, "vsnprintf")};

	asked.texts += asked.in_slot;
	return next.print(to, size, format, args);
}

int snprintf(char *to, size_t size, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(to, size, format, args);
	va_end(args);
	return len;
}
#endif

#endif
