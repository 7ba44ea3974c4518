/* SPDX-License-Identifier: BSD-3-Clause
 * calibrate - the choice of a level, and the data that the loops work on. */
#include "core/kernels/calibrate.h"

#include <stdbool.h>
#include <string.h>

#include "core/kernels/levels.h"

const struct calibrate_kernels *calibrate_kernels(enum simd_level level)
{
	static const struct calibrate_kernels *const tables[SIMD_LEVELS] =
	    KERNEL_LEVELS(&calibrate_plain, &calibrate_sse41, &calibrate_avx2, &calibrate_avx512,
	        &calibrate_neon);

	return tables[level];
}

/* ---- data ------------------------------------------------------------------------ */

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
	for (uint32_t c = 0; c < CALIBRATE_COLUMNS; c++)
		data->starts[c] = CALIBRATE_ITEMS / CALIBRATE_COLUMNS * c;
	shuffles_init(data);
	order_init(data, &state);
}
