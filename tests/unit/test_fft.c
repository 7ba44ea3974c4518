/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/fft: against a double-precision transform, for sizes of every kind; plans are repeatable,
 * and executing one asks nobody for memory. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>

#include "core/fft/fft.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static _Thread_local struct {
	bool counting;
	unsigned calls;
} allocations;

#if !SANITIZED /* else the sanitizer has the allocator, and nothing is counted */
void *__libc_malloc(size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *old);

void *malloc(size_t size)
{
	allocations.calls += allocations.counting;
	return __libc_malloc(size);
}

void *memalign(size_t alignment, size_t size)
{
	allocations.calls += allocations.counting;
	return __libc_memalign(alignment, size);
}

int posix_memalign(void **ret_memory, size_t alignment, size_t size)
{
	allocations.calls += allocations.counting;
	*ret_memory = __libc_memalign(alignment, size);
	return *ret_memory ? 0 : ENOMEM;
}

void free(void *old)
{
	allocations.calls += allocations.counting;
	__libc_free(old);
}
#endif

static float *floats(size_t n)
{
	float *memory = aligned_alloc(64, (n * sizeof(float) + 63) / 64 * 64);

	assert_non_null(memory);
	return memory;
}

static void randomize(float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (float)rand() / (float)RAND_MAX - 0.5f;
}

/* Relative error of `got` against the definition, over some of the bins. */
static double error_of(const float *in, const float *got, uint32_t size, double sign)
{
	const uint32_t step = size > 512 ? size / 61 : 1;
	double wrong = 0, power = 0;

	for (uint32_t k = 0; k < size; k += step) {
		double complex sum = 0;

		for (uint32_t i = 0; i < size; i++)
			sum += (in[2 * i] + I * in[2 * i + 1]) *
			    cexp(sign * 2 * M_PI * I * ((double)((uint64_t)i * k % size) / size));
		wrong += pow(cabs(sum - (got[2 * k] + I * got[2 * k + 1])), 2);
		power += pow(cabs(sum), 2);
	}
	return sqrt(wrong / power);
}

static void transforms_are_right(void **state)
{
	static const uint32_t sizes[] = {
	    1, 2, 3, 5, 7, 16, 100, 127, 128, 243, 512, 1000, 2430, 4096, 8192};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int direction = FFT_FORWARD; direction <= FFT_INVERSE; direction++) {
			float *in = floats(2 * sizes[i]), *copy = floats(2 * sizes[i]),
			      *out = floats(2 * sizes[i]);
			struct fft *fft = NULL;

			randomize(in, 2 * sizes[i]);
			memcpy(copy, in, 2 * sizes[i] * sizeof(float));
			assert_int_equal(
			    fft_new(sizes[i], (enum fft_direction)direction, FFT_SAME, &fft), 0);
			fft_execute(fft, copy, out);
			assert_true(
			    error_of(in, out, sizes[i], direction == FFT_FORWARD ? -1 : 1) < 1e-6);
			fft_free(fft);
			free(in);
			free(copy);
			free(out);
		}
	}
}

/* One transform of random numbers of this size: how many allocations it took. */
static unsigned execute_counted(uint32_t size, const float *in, float *out)
{
	float *copy = floats(2 * size);
	struct fft *fft = NULL;

	memcpy(copy, in, 2 * size * sizeof(float));
	assert_int_equal(fft_new(size, FFT_FORWARD, FFT_SAME, &fft), 0);
	allocations.calls = 0;
	allocations.counting = true;
	fft_execute(fft, copy, out);
	allocations.counting = false;
	fft_free(fft);
	free(copy);
	return allocations.calls;
}

/* Every size that a component asks for, up to 20 000; then some large ones. */
static void executing_allocates_nothing(void **state)
{
	static const uint32_t large[] = {32768, 65536, 76800, 131072, 262144};
	float *in = floats(2 * 262144), *out = floats(2 * 262144);
	unsigned sizes = 0;

	(void)state;
	randomize(in, 2 * 262144);
	for (uint32_t size = 1; size < 20000; size = fft_size_above(size + 1), sizes++)
		if (execute_counted(size, in, out) != 0)
			fail_msg("size %u: %u allocations", size, allocations.calls);
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		if (execute_counted(large[i], in, out) != 0)
			fail_msg("size %u: %u allocations", large[i], allocations.calls);
	print_message("%u sizes\n", sizes);
	free(in);
	free(out);
}

/* The counter itself: it sees what FFTW asks for while it plans. */
static void allocations_are_seen(void **state)
{
	struct fft *fft = NULL;

	(void)state;
	allocations.calls = 0;
	allocations.counting = true;
	assert_int_equal(fft_new(1024, FFT_FORWARD, FFT_SAME, &fft), 0);
	allocations.counting = false;
	assert_true(SANITIZED || allocations.calls > 4);
	fft_free(fft);
}

static void plans_are_repeatable(void **state)
{
	float *in = floats(2 * 9600), *one = floats(2 * 9600), *two = floats(2 * 9600);

	(void)state;
	randomize(in, 2 * 9600);
	execute_counted(9600, in, one);
	execute_counted(2048, in, two);
	execute_counted(9600, in, two);
	assert_memory_equal(one, two, 2 * 9600 * sizeof(float));
	free(in);
	free(one);
	free(two);
}

static void *plan_many(void *unused)
{
	(void)unused;
	for (uint32_t size = 64; size < 264; size++) {
		struct fft *fft = NULL;

		if (fft_new(size, FFT_FORWARD, FFT_SAME, &fft) != 0)
			return NULL;
		fft_free(fft);
	}
	return &allocations;
}

static void threads_may_plan(void **state)
{
	pthread_t threads[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, plan_many, NULL), 0);
	for (int i = 0; i < 4; i++) {
		void *done = NULL;

		pthread_join(threads[i], &done);
		assert_non_null(done);
	}
}

static void limits(void **state)
{
	struct fft *fft = NULL;

	(void)state;
	assert_int_equal(fft_new(0, FFT_FORWARD, FFT_SAME, &fft), -EINVAL);
	assert_int_equal(fft_new(FFT_SIZE_MAX + 1, FFT_FORWARD, FFT_SAME, &fft), -EINVAL);
	assert_null(fft);
	fft_free(NULL);
	assert_int_equal(fft_size_above(0), 1);
	assert_int_equal(fft_size_above(11), 12);
	assert_int_equal(fft_size_above(2424), 2430);
	assert_int_equal(fft_size_above(4096), 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(transforms_are_right),
	    cmocka_unit_test(executing_allocates_nothing),
	    cmocka_unit_test(plans_are_repeatable),
	    cmocka_unit_test(threads_may_plan),
	    cmocka_unit_test(limits),
	    cmocka_unit_test(allocations_are_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
