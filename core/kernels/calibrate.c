/* SPDX-License-Identifier: BSD-3-Clause
 * calibrate - the classes in plain C, and their measurement. */
#include "core/kernels/calibrate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/kernels/calibrate_loops.h"
#include "core/kernels/levels.h"

/* ---- plain C ------------------------------------------------------------------------------------------------------------ */

void calibrate_copy_plain(struct calibrate_data *data)
{
	memcpy(data->out8, data->in8, data->items);
	__asm__ volatile("" : : "r"(data->out8) : "memory");
}

/* Eight bits in eight bytes at once, then the checksum byte by byte. */
static uint32_t pack8(const uint8_t *bits)
{
	uint64_t word;

	memcpy(&word, bits, sizeof(word));
	return (uint32_t)(word * 0x8040201008040201u >> 56);
}

static uint32_t checksum(const uint32_t *table, const uint8_t *bits, uint32_t len)
{
	uint32_t state = 0;

	for (uint32_t i = 0; i < len; i += 8)
		state = (state << 8) ^ table[(state >> 24) ^ pack8(bits + i)];
	return state;
}

static void bits(struct calibrate_data *data)
{
	data->sink = checksum(data->table[0], data->in8, data->block);
}

/* Bit by bit, s1 the newest one. */
struct shift_register {
	uint8_t s1, s2, s3;
};

static inline uint8_t register_step(struct shift_register *r, uint8_t bit)
{
	const uint8_t a = bit ^ r->s2 ^ r->s3, z = a ^ r->s1 ^ r->s3;

	r->s3 = r->s2;
	r->s2 = r->s1;
	r->s1 = a;
	return z;
}

/* Two at a time, as coders have them: one does not wait for the other. */
static void shift_registers(const uint8_t *in, uint32_t n, uint8_t *out)
{
	struct shift_register first = {0}, second = {0};

	for (uint32_t i = 0; i < n; i++) {
		out[2 * i] = register_step(&first, in[i]);
		out[2 * i + 1] = register_step(&second, in[n + i]);
	}
}

static void shift_register(struct calibrate_data *data)
{
	shift_registers(data->in8, data->items / 2, data->out8);
}

static void pick8(const uint32_t *places, uint32_t n, const uint8_t *in, uint8_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = in[places[i]];
}

static void shuffle8(struct calibrate_data *data)
{
	pick8(data->kept, data->items, data->in8, data->out8);
}

static void put16(const uint32_t *places, uint32_t n, const int16_t *in, int16_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[places[i]] = in[i];
}

static void shuffle16(struct calibrate_data *data)
{
	memset(data->out16, 0, data->items * sizeof(*data->out16));
	put16(data->spread, data->n_spread, data->in16, data->out16);
}

enum { COLUMNS = 32 };

static void columns8(const uint8_t *in, uint8_t *out, uint32_t len)
{
	for (uint32_t c = 0; c < COLUMNS; c++)
		for (uint32_t i = c; i < len; i += COLUMNS)
			*out++ = in[i];
}

static void transpose8(struct calibrate_data *data)
{
	columns8(data->in8 + CALIBRATE_BEGIN8, data->out8, data->items);
}

static void rows16(const int16_t *in, int16_t *out, uint32_t len)
{
	for (uint32_t c = 0; c < COLUMNS; c++)
		for (uint32_t i = c; i < len; i += COLUMNS)
			out[i] = *in++;
}

static void transpose16(struct calibrate_data *data)
{
	rows16(data->in16, data->out16 + CALIBRATE_BEGIN16, data->items);
}

static void gather8(const uint16_t *order, uint32_t n, const uint8_t *in, uint8_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = in[order[i]];
}

void calibrate_gather8_plain(struct calibrate_data *data)
{
	gather8(data->order, data->block, data->in8, data->out8);
}

static void gather16(const uint16_t *order, uint32_t n, const int16_t *in, int16_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = in[order[i]];
}

void calibrate_gather16_plain(struct calibrate_data *data)
{
	gather16(data->order, data->block, data->in16, data->out16);
}

static void weave3(const uint8_t *in, uint32_t n, uint8_t *out)
{
	for (uint32_t i = 0; i < n; i++) {
		out[3 * i] = in[i];
		out[3 * i + 1] = in[n + i];
		out[3 * i + 2] = in[2 * n + i];
	}
}

static void weave(struct calibrate_data *data)
{
	weave3(data->in8, data->items / 3, data->out8);
}

static inline int max(int a, int b)
{
	return a > b ? a : b;
}

/* State 0 is what all others are counted from; each state's metrics are a row. */
static inline void metrics_keep(
    int16_t *restrict kept, size_t stride, int m1, int m2, int m3, int m4, int m5, int m6, int m7)
{
	kept[0] = 0;
	kept[stride] = (int16_t)m1;
	kept[2 * stride] = (int16_t)m2;
	kept[3 * stride] = (int16_t)m3;
	kept[4 * stride] = (int16_t)m4;
	kept[5 * stride] = (int16_t)m5;
	kept[6 * stride] = (int16_t)m6;
	kept[7 * stride] = (int16_t)m7;
}

static void backward(
    const int16_t *x, const int16_t *y, uint32_t n, int16_t *restrict kept, size_t stride)
{
	int b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0, b7 = 0;

	for (uint32_t t = n; t-- > 0;) {
		const int gx = x[t], gy = y[t], gxy = gx + gy;
		const int a0 = max(gxy, b4), a1 = max(b4 + gxy, 0), a2 = max(b5 + gx, b1 + gy);
		const int a3 = max(b1 + gx, b5 + gy), a4 = max(b2 + gx, b6 + gy),
		          a5 = max(b6 + gx, b2 + gy);
		const int a6 = max(b7 + gxy, b3), a7 = max(b3 + gxy, b7);

		metrics_keep(kept + t, stride, b1, b2, b3, b4, b5, b6, b7);
		b1 = a1 - a0, b2 = a2 - a0, b3 = a3 - a0, b4 = a4 - a0, b5 = a5 - a0, b6 = a6 - a0,
		b7 = a7 - a0;
	}
}

static void forward(
    const int16_t *x, const int16_t *y, uint32_t n, int16_t *restrict kept, size_t stride)
{
	int a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0;

	for (uint32_t t = 0; t < n; t++) {
		const int gx = x[t], gy = y[t], gxy = gx + gy;
		const int b0 = max(gxy, a1), b4 = max(0, a1 + gxy), b5 = max(a2 + gx, a3 + gy);
		const int b1 = max(a2 + gy, a3 + gx), b2 = max(a4 + gx, a5 + gy),
		          b6 = max(a4 + gy, a5 + gx);
		const int b7 = max(a6 + gxy, a7), b3 = max(a6, a7 + gxy);

		metrics_keep(kept + t, stride, a1, a2, a3, a4, a5, a6, a7);
		a1 = b1 - b0, a2 = b2 - b0, a3 = b3 - b0, a4 = b4 - b0, a5 = b5 - b0, a6 = b6 - b0,
		a7 = b7 - b0;
	}
}

static inline int16_t max4(int16_t a, int16_t b, int16_t c, int16_t d)
{
	const int16_t ab = a > b ? a : b, cd = c > d ? c : d;

	return ab > cd ? ab : cd;
}

static void join(const int16_t *restrict a, const int16_t *restrict b, size_t stride,
    const int16_t *restrict y, size_t n, int16_t *restrict out)
{
#define PATH(from, to) (int16_t)(a[t + (from)*stride] + b[t + (to)*stride])
	for (size_t t = 0; t < n; t++) {
		const int16_t zero = max4(PATH(0, 0), PATH(1, 0), PATH(2, 1), PATH(3, 1));
		const int16_t zero_y = max4(PATH(4, 2), PATH(5, 2), PATH(6, 3), PATH(7, 3));
		const int16_t one = max4(PATH(0, 4), PATH(1, 4), PATH(2, 5), PATH(3, 5));
		const int16_t one_y = max4(PATH(4, 6), PATH(5, 6), PATH(6, 7), PATH(7, 7));
		const int16_t first =
		    (int16_t)(zero + y[t]) > zero_y ? (int16_t)(zero + y[t]) : zero_y;
		const int16_t second =
		    (int16_t)(one_y + y[t]) > one ? (int16_t)(one_y + y[t]) : one;

		out[t] = (int16_t)(first - second);
	}
#undef PATH
}

static void trellis(struct calibrate_data *data)
{
	const int16_t *x = data->in16, *y = data->in16 + 1;

	backward(x, y, data->block, data->metrics[0], data->stride);
	forward(x, y, data->block, data->metrics[1], data->stride);
	join(data->metrics[1], data->metrics[0], data->stride, y, data->block, data->out16);
}

const struct calibrate_kernels calibrate_plain = {{
    [CALIBRATE_ARITHMETIC] = arithmetic,
    [CALIBRATE_COPY] = calibrate_copy_plain,
    [CALIBRATE_BITS] = bits,
    [CALIBRATE_REGISTER] = shift_register,
    [CALIBRATE_SHUFFLE8] = shuffle8,
    [CALIBRATE_SHUFFLE16] = shuffle16,
    [CALIBRATE_TRANSPOSE8] = transpose8,
    [CALIBRATE_TRANSPOSE16] = transpose16,
    [CALIBRATE_GATHER8] = calibrate_gather8_plain,
    [CALIBRATE_GATHER16] = calibrate_gather16_plain,
    [CALIBRATE_WEAVE] = weave,
    [CALIBRATE_TRELLIS] = trellis,
}};

const struct calibrate_kernels *calibrate_kernels(enum simd_level level)
{
	static const struct calibrate_kernels *const tables[SIMD_LEVELS] =
	    KERNEL_LEVELS(&calibrate_plain, &calibrate_sse41, &calibrate_avx2, &calibrate_avx512,
	        &calibrate_neon);

	return tables[level];
}

/* ---- data --------------------------------------------------------------------------------------------------------------- */

static uint32_t random_next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Of five, four are kept; which one is not, changes. */
static bool dropped(uint32_t i)
{
	return i % 5 == i / 5 % 5;
}

/* As many as lie within 16 bytes of the first. */
static void steps8_init(struct calibrate_data *data)
{
	for (uint32_t at = 0; at < CALIBRATE_ITEMS; data->n_steps8++) {
		struct calibrate_step *step = &data->steps8[data->n_steps8];
		uint8_t *places = data->places8 + 16 * (size_t)data->n_steps8;

		step->from = data->kept[at];
		for (; at < CALIBRATE_ITEMS && data->kept[at] < step->from + 16; at++)
			places[step->len++] = (uint8_t)(data->kept[at] - step->from);
	}
}

static void steps16_init(struct calibrate_data *data)
{
	memset(data->places16, 0xff, sizeof(data->places16));
	for (uint32_t i = 0; i < data->n_spread; i++) {
		struct calibrate_step *step = &data->steps16[data->spread[i] / CALIBRATE_STEP16];
		uint8_t *place = data->places16 + 2 * (size_t)data->spread[i];

		if (!step->len++)
			step->from = i;
		place[0] = (uint8_t)(2 * (i - step->from));
		place[1] = (uint8_t)(2 * (i - step->from) + 1);
	}
}

static void shuffles_init(struct calibrate_data *data)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < CALIBRATE_WIDE && n < CALIBRATE_ITEMS; i++) {
		if (dropped(i))
			continue;
		data->masks8[i / 64] |= (uint64_t)1 << i % 64;
		data->kept[n++] = i;
		if (i < CALIBRATE_ITEMS) {
			data->masks16[i / 32] |= 1u << i % 32;
			data->spread[data->n_spread++] = i;
		}
	}
	steps8_init(data);
	steps16_init(data);
}

static void order_init(struct calibrate_data *data, uint32_t *state)
{
	for (uint32_t i = 0; i < CALIBRATE_BLOCK; i++)
		data->order[i] = (uint16_t)i;
	for (uint32_t i = CALIBRATE_BLOCK - 1; i > 0; i--) {
		const uint32_t j = random_next(state) % (i + 1);
		const uint16_t one = data->order[i];

		data->order[i] = data->order[j];
		data->order[j] = one;
	}
	for (uint32_t i = 0; i < CALIBRATE_BLOCK; i++) {
		data->byte[i] = (uint8_t)(data->order[i] / 8 % 256);
		data->bit[i] = (uint8_t)(1u << data->order[i] % 8);
		data->upper[i / 64] |= (uint64_t)(data->order[i] / 8 >= 256) << i % 64;
	}
}

void calibrate_data_init(struct calibrate_data *data)
{
	uint32_t state = 1;

	memset(data, 0, sizeof(*data));
	for (uint32_t i = 0; i < CALIBRATE_WIDE; i++) {
		data->in8[i] = (uint8_t)(random_next(&state) % 2);
		data->in16[i] = (int16_t)((int)(random_next(&state) % 201) - 100);
	}
	for (uint32_t t = 0; t < 4; t++)
		for (uint32_t i = 0; i < 256; i++)
			data->table[t][i] = random_next(&state) << 8 ^ random_next(&state);
	for (uint32_t i = 0; i < CALIBRATE_MESSAGES; i++)
		data->messages[i] = (struct calibrate_message){data->in8, i, i, 2, 0};
	data->made.max = CALIBRATE_MESSAGES;
	data->items = CALIBRATE_ITEMS;
	data->block = CALIBRATE_BLOCK;
	data->stride = CALIBRATE_BLOCK;
	for (uint32_t c = 0; c < COLUMNS; c++)
		data->starts[c] = CALIBRATE_ITEMS / COLUMNS * c;
	shuffles_init(data);
	order_init(data, &state);
}

/* ---- measuring ------------------------------------------------------------------------------------------------------------ */

enum {
	CACHE_LINE = 64,
	PAGE = 4096,
	CALLS = 301,
	BLOCKS = 11,
	BLOCK_NS = 250000,
	PASSES_MAX = 1 << 20
};

/* What work does beside its items: whether all messages are there and whole, which turn it is, what comes out. */
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

static void work(struct calibrate_data *data)
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

/* What other components do to the first cache between two calls of one: neither its tables nor the place of its output are
 * there any more; its input is, for the one before has just written it. */
static void sweep(struct calibrate_data *data, bool numbers)
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

/* So far further down the stack: where what a function keeps there lies beside the data within a page makes some loops a third
 * slower, most of all without optimisation, and in a component that is chance. */
static __attribute__((noinline)) uint64_t passes_ns(void (*run)(struct calibrate_data *),
    struct calibrate_data *data, bool numbers, uint32_t passes, size_t down)
{
	volatile uint8_t *room = __builtin_alloca(down + 1);
	uint64_t ns = 0;

	room[0] = 0;
	for (uint32_t i = 0; i < passes; i++) {
		uint64_t begin;

		sweep(data, numbers);
		begin = clock_ns();
		run(data);
		ns += clock_ns() - begin;
	}
	return ns;
}

static int compare(const void *a, const void *b)
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

/* In units of the scalar class, measured around it: the clock changes meanwhile. The first quartile of the blocks. */
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
	qsort(blocks, BLOCKS, sizeof(blocks[0]), compare);
	*ret_ns = blocks[BLOCKS / 4] * mac_ns;
	return *ret_ns > 0 ? 0 : -EIO;
}

/* A call as it comes in a slot: after others have been run, so that neither its code nor its data are at hand. */
static int call_measure(const struct calibrate_kernels *kernels, struct calibrate_data *data,
    double mac_ns, double *ret_ns)
{
	void (*volatile const call)(struct calibrate_data *) = work;
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
	qsort(ns, CALLS, sizeof(ns[0]), compare);
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
