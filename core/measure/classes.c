/* SPDX-License-Identifier: BSD-3-Clause
 * classes - the classes of work, in units of the scalar one. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/kernels/calibrate.h"
#include "core/measure/calibrate.h"

enum {
	CACHE_LINE = 64,
	PAGE = 4096,
	CALLS = 301,
	BLOCKS = 11,
	BLOCK_NS = 250000,
	PASSES_MAX = 1 << 20
};

/* What work does beside its items: whether all messages are there and whole, which turn it is, what
 * comes out. */
static uint32_t messages_state(const struct calibrate_message *messages, uint32_t *missed)
{
	uint32_t state = 2;

	for (uint32_t i = 0; i < CALIBRATE_MESSAGES; i++) {
		uint32_t one = messages[i].max ? messages[i].state : 2;

		if (messages[i].max && one == 2 && messages[i].len != messages[i].max) {
			(*missed)++;
			one = 0;
		}
		state = one < state ? one : state;
	}
	return state;
}

static void messages_visit(struct calibrate_data *data)
{
	struct calibrate_message *made = &data->made;
	uint32_t len = 0;

	made->state = messages_state(data->messages, &made->late);
	if (made->state != 2 || data->sink % made->max == 1)
		return;
	for (uint32_t i = 0; i < CALIBRATE_MESSAGES; i++)
		len += data->messages[i].max;
	made->len = len;
}

/* What other components do to the first cache between two calls of one: neither its tables nor the
 * place of its output are there any more; its input is, for the one before has just written it. */
static void cache_sweep(struct calibrate_data *data, bool numbers)
{
	const uint8_t *in = numbers ? (const uint8_t *)data->in16 : data->in8;
	const size_t size = CALIBRATE_ITEMS * (numbers ? sizeof(int16_t) : 1);
	uint32_t sum = 0;

	for (size_t i = 0; i < sizeof(data->others); i += 2 * CACHE_LINE) {
		data->others[i]++;
		sum += data->others[i + CACHE_LINE];
	}
	for (size_t i = 0; i < size; i += CACHE_LINE)
		sum += in[i];
	data->sink = sum;
}

/* So far further down the stack: where what a function keeps there lies beside the data within a
 * page makes some loops a third slower, most of all without optimisation, and in a component that
 * is chance. */
static __attribute__((noinline)) uint64_t passes_ns(void (*run)(struct calibrate_data *),
    struct calibrate_data *data, bool numbers, uint32_t passes, size_t down)
{
	volatile uint8_t *room = __builtin_alloca(down + 1);
	uint64_t ns = 0;

	room[0] = 0;
	for (uint32_t i = 0; i < passes; i++) {
		uint64_t begin;

		cache_sweep(data, numbers);
		begin = clock_ns();
		run(data);
		ns += clock_ns() - begin;
	}
	return ns;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static uint32_t items_of(enum calibrate_class which)
{
	return which == CALIBRATE_BITS || which == CALIBRATE_GATHER8 ||
	        which == CALIBRATE_GATHER16 || which == CALIBRATE_TRELLIS
	    ? CALIBRATE_BLOCK
	    : CALIBRATE_ITEMS;
}

static bool works_on_numbers(enum calibrate_class which)
{
	return which == CALIBRATE_ARITHMETIC || which == CALIBRATE_SHUFFLE16 ||
	    which == CALIBRATE_TRANSPOSE16 || which == CALIBRATE_GATHER16 ||
	    which == CALIBRATE_TRELLIS;
}

/* As many passes as take about a block. */
static uint32_t passes_of(
    void (*run)(struct calibrate_data *), struct calibrate_data *data, bool numbers)
{
	uint32_t passes = 1;

	while (passes < PASSES_MAX && passes_ns(run, data, numbers, passes, 0) < BLOCK_NS / 2)
		passes *= 2;
	return passes;
}

/* In units of the scalar class, measured around it: the clock changes meanwhile. The first quartile
 * of the blocks. */
static int class_measure(void (*run)(struct calibrate_data *), struct calibrate_data *data,
    enum calibrate_class which, double mac_ns, double *ret_ns)
{
	const bool numbers = works_on_numbers(which);
	const uint32_t passes = passes_of(run, data, numbers);
	double blocks[BLOCKS], before = calibrate_mac_now_ns(), after;

	for (int i = 0; i < BLOCKS; i++) {
		const double ns =
		    (double)passes_ns(run, data, numbers, passes, (size_t)i * (PAGE / BLOCKS)) /
		    passes / items_of(which);

		after = calibrate_mac_now_ns();
		blocks[i] = before > 0 && after > 0 ? ns / ((before + after) / 2) : 0;
		before = after;
	}
	qsort(blocks, BLOCKS, sizeof(blocks[0]), by_value);
	*ret_ns = blocks[BLOCKS / 4] * mac_ns;
	return *ret_ns > 0 ? 0 : -EIO;
}

/* A call as it comes in a slot: after others have been run, so that neither its code nor its data
 * are at hand. */
static int call_measure(const struct calibrate_kernels *kernels, struct calibrate_data *data,
    double mac_ns, double *ret_ns)
{
	void (*volatile const call)(struct calibrate_data *) = messages_visit;
	double ns[CALLS], units = 0;

	for (int i = 0; i < CALLS; i++) {
		uint64_t begin;

		for (int which = CALIBRATE_ARITHMETIC; which < CALIBRATE_TRELLIS; which++)
			kernels->run[which](data);
		begin = clock_ns();
		call(data);
		ns[i] = (double)(clock_ns() - begin);
		units += calibrate_mac_now_ns() / CALLS;
	}
	qsort(ns, CALLS, sizeof(ns[0]), by_value);
	*ret_ns = units > 0 ? ns[CALLS / 2] / units * mac_ns : 0;
	return *ret_ns > 0 ? 0 : -EIO;
}

int calibrate_classes(
    enum simd_level level, const struct calibration *mac, double ret_ns[CALIBRATE_CLASSES])
{
	const struct calibrate_kernels *kernels = calibrate_kernels(level);
	struct calibrate_data *data = aligned_alloc(CACHE_LINE, sizeof(*data));
	double ns[CALIBRATE_CLASSES];
	int rc = data ? 0 : -ENOMEM;

	if (rc == 0) {
		calibrate_data_init(data);
		ns[CALIBRATE_SCALAR] = 1e3 / mac->mmac_per_s;
		rc = call_measure(kernels, data, ns[CALIBRATE_SCALAR], &ns[CALIBRATE_CALL]);
	}
	for (int which = CALIBRATE_ARITHMETIC; rc == 0 && which < CALIBRATE_CLASSES; which++)
		rc = class_measure(kernels->run[which], data, (enum calibrate_class)which,
		    ns[CALIBRATE_SCALAR], &ns[which]);
	free(data);
	if (rc == 0)
		memcpy(ret_ns, ns, sizeof(ns));
	return rc;
}
