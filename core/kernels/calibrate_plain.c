/* SPDX-License-Identifier: BSD-3-Clause
 * calibrate - the classes in plain C. */
#include "core/kernels/calibrate_loops.h"
#include "core/kernels/utran_turbo_trellis.h"

void calibrate_copy_plain(struct calibrate_data *data)
{
	memcpy(data->out8, data->in8, data->items);
	__asm__ volatile("" : : "r"(data->out8) : "memory");
}

/* Eight bits in eight bytes at once, then the checksum byte by byte. */
static uint32_t bits_pack8(const uint8_t *bits)
{
	uint64_t word;

	memcpy(&word, bits, sizeof(word));
	return (uint32_t)(word * 0x8040201008040201u >> 56);
}

static uint32_t checksum_of(const uint32_t *table, const uint8_t *bits, uint32_t len)
{
	uint32_t state = 0;

	for (uint32_t i = 0; i < len; i += 8)
		state = (state << 8) ^ table[(state >> 24) ^ bits_pack8(bits + i)];
	return state;
}

static void bits_pack_plain(struct calibrate_data *data)
{
	data->sink = checksum_of(data->table[0], data->in8, data->block);
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

static void bytes_pick(const uint32_t *places, uint32_t n, const uint8_t *in, uint8_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = in[places[i]];
}

static void shuffle8_plain(struct calibrate_data *data)
{
	bytes_pick(data->kept, data->items, data->in8, data->out8);
}

static void numbers_put(const uint32_t *places, uint32_t n, const int16_t *in, int16_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[places[i]] = in[i];
}

static void shuffle16_plain(struct calibrate_data *data)
{
	memset(data->out16, 0, data->items * sizeof(*data->out16));
	numbers_put(data->spread, data->n_spread, data->in16, data->out16);
}

static void columns_read(const uint8_t *in, uint8_t *out, uint32_t len)
{
	for (uint32_t c = 0; c < CALIBRATE_COLUMNS; c++)
		for (uint32_t i = c; i < len; i += CALIBRATE_COLUMNS)
			*out++ = in[i];
}

static void transpose8_plain(struct calibrate_data *data)
{
	columns_read(data->in8 + CALIBRATE_BEGIN8, data->out8, data->items);
}

static void rows_write(const int16_t *in, int16_t *out, uint32_t len)
{
	for (uint32_t c = 0; c < CALIBRATE_COLUMNS; c++)
		for (uint32_t i = c; i < len; i += CALIBRATE_COLUMNS)
			out[i] = *in++;
}

static void transpose16_plain(struct calibrate_data *data)
{
	rows_write(data->in16, data->out16 + CALIBRATE_BEGIN16, data->items);
}

static void bytes_gather(const uint16_t *order, uint32_t n, const uint8_t *in, uint8_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = in[order[i]];
}

void calibrate_gather8_plain(struct calibrate_data *data)
{
	bytes_gather(data->order, data->block, data->in8, data->out8);
}

static void numbers_gather(const uint16_t *order, uint32_t n, const int16_t *in, int16_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = in[order[i]];
}

void calibrate_gather16_plain(struct calibrate_data *data)
{
	numbers_gather(data->order, data->block, data->in16, data->out16);
}

static void streams_weave(const uint8_t *in, uint32_t n, uint8_t *out)
{
	for (uint32_t i = 0; i < n; i++) {
		out[3 * i] = in[i];
		out[3 * i + 1] = in[n + i];
		out[3 * i + 2] = in[2 * n + i];
	}
}

static void weave_plain(struct calibrate_data *data)
{
	streams_weave(data->in8, data->items / 3, data->out8);
}

static inline int16_t max_of4(int16_t a, int16_t b, int16_t c, int16_t d)
{
	const int16_t ab = a > b ? a : b, cd = c > d ? c : d;

	return ab > cd ? ab : cd;
}

static void metrics_join(const int16_t *restrict a, const int16_t *restrict b, size_t stride,
    const int16_t *restrict y, size_t n, int16_t *restrict out)
{
#define PATH(from, to) (int16_t)(a[t + (from)*stride] + b[t + (to)*stride])
	for (size_t t = 0; t < n; t++) {
		const int16_t zero = max_of4(PATH(0, 0), PATH(1, 0), PATH(2, 1), PATH(3, 1));
		const int16_t zero_y = max_of4(PATH(4, 2), PATH(5, 2), PATH(6, 3), PATH(7, 3));
		const int16_t one = max_of4(PATH(0, 4), PATH(1, 4), PATH(2, 5), PATH(3, 5));
		const int16_t one_y = max_of4(PATH(4, 6), PATH(5, 6), PATH(6, 7), PATH(7, 7));
		const int16_t first =
		    (int16_t)(zero + y[t]) > zero_y ? (int16_t)(zero + y[t]) : zero_y;
		const int16_t second =
		    (int16_t)(one_y + y[t]) > one ? (int16_t)(one_y + y[t]) : one;

		out[t] = (int16_t)(first - second);
	}
#undef PATH
}

static void trellis_plain(struct calibrate_data *data)
{
	const int16_t *x = data->in16, *y = data->in16 + 1;
	int a[8] = {0}, b[8] = {0};

	turbo_backward16(x, y, data->block, b, data->metrics[0], data->stride);
	turbo_forward16(x, y, data->block, a, data->metrics[1], data->stride);
	metrics_join(data->metrics[1], data->metrics[0], data->stride, y, data->block, data->out16);
}

const struct calibrate_kernels calibrate_plain = {{
    [CALIBRATE_ARITHMETIC] = arithmetic,
    [CALIBRATE_COPY] = calibrate_copy_plain,
    [CALIBRATE_BITS] = bits_pack_plain,
    [CALIBRATE_REGISTER] = shift_register,
    [CALIBRATE_SHUFFLE8] = shuffle8_plain,
    [CALIBRATE_SHUFFLE16] = shuffle16_plain,
    [CALIBRATE_TRANSPOSE8] = transpose8_plain,
    [CALIBRATE_TRANSPOSE16] = transpose16_plain,
    [CALIBRATE_GATHER8] = calibrate_gather8_plain,
    [CALIBRATE_GATHER16] = calibrate_gather16_plain,
    [CALIBRATE_WEAVE] = weave_plain,
    [CALIBRATE_TRELLIS] = trellis_plain,
}};
