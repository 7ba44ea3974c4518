/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>

#include "core/image/image.h"

static struct image_array *array_of(const struct image_view *view, const struct image_param *param)
{
	assert(param->array != 0);
	assert(view->base != NULL);
	return (void *)(view->base + param->array);
}

void image_array_show(
    const struct image_view *view, const struct image_param *param, const float *data, uint32_t len)
{
	struct image_array *array = array_of(view, param);
	const uint64_t edits = atomic_load(&array->edits);
	uint32_t bits;

	if (len > param->items_max)
		return;
	atomic_store(&array->edits, edits + 1);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&array->len, len, memory_order_relaxed);
	for (uint32_t i = 0; i < len; i++) {
		memcpy(&bits, &data[i], sizeof(bits));
		atomic_store_explicit(&array->items[i], bits, memory_order_relaxed);
	}
	atomic_store_explicit(&array->edits, edits + 2, memory_order_release);
}

void image_array_seen(
    const struct image_view *view, const struct image_param *param, uint64_t sequence)
{
	struct image_array *array = array_of(view, param);

	if (sequence > atomic_load_explicit(&array->sequence, memory_order_relaxed))
		atomic_store_explicit(&array->sequence, sequence, memory_order_release);
}

static uint32_t array_copy(
    const struct image_array *array, const struct image_param *param, float *ret)
{
	uint32_t len = atomic_load_explicit(&array->len, memory_order_relaxed), bits;

	if (len > param->items_max)
		len = param->items_max;
	for (uint32_t i = 0; i < len; i++) {
		bits = atomic_load_explicit(&array->items[i], memory_order_relaxed);
		memcpy(&ret[i], &bits, sizeof(bits));
	}
	atomic_thread_fence(memory_order_acquire);
	return len;
}

uint32_t image_array_read(
    const struct image_view *view, const struct image_param *param, float *ret)
{
	enum { TRIES = 1000 }; /* the writer may have died in the middle */
	const struct image_array *array = array_of(view, param);
	uint64_t edits = atomic_load_explicit(&array->edits, memory_order_acquire);
	uint32_t len = 0;

	if (edits == 0) {
		memcpy(ret, image_reals(view, param), param->n_reals * sizeof(*ret));
		return param->n_reals;
	}
	for (int i = 0; i < TRIES; i++) {
		len = array_copy(array, param, ret);
		if (edits % 2 == 0 &&
		    atomic_load_explicit(&array->edits, memory_order_relaxed) == edits)
			break;
		edits = atomic_load_explicit(&array->edits, memory_order_acquire);
	}
	return len;
}

uint64_t image_array_sequence(const struct image_view *view, const struct image_param *param)
{
	return atomic_load_explicit(&array_of(view, param)->sequence, memory_order_acquire);
}
