/* SPDX-License-Identifier: BSD-3-Clause
 *
 * call.c - one call of an instance: binds the spans, calls work, checks and publishes. [slot] */
#include "core/slot/after.h"
#include "core/slot/instance.h"

#include <assert.h>
#include <errno.h>

#include "core/base/clock.h"

__attribute__((cold, noinline)) static void instance_lacks(struct instance *it)
{
	if (it->lacks != NULL)
		*it->lacks = it->number + 1;
}

/* What input p reads at index k is ABSENT, because its message was not there. */
__attribute__((cold, noinline)) static void input_lacks(struct instance *it, uint32_t p, uint64_t k)
{
	if (it->lapses != NULL)
		lapse_add(it->lapses, LAPSE_ABSENT, k, 1, p);
	instance_lacks(it);
}

/* Counts a message that was absent at the last call and is complete now: it was late. */
static void input_look_back(struct instance *it, struct instance_input *input)
{
	const struct image_message *message = &input->messages[(input->missed - 1) & input->mask];

	assert(input->messages != NULL);
	assert(input->missed != 0);
	if (atomic_load_explicit(&message->stamp, memory_order_relaxed) == input->missed)
		counter_bump(&it->stats->late);
	input->missed = 0;
}

/* Binds message m, which is complete; false if it states a length that no writer writes. */
static inline bool message_bind(
    struct aloe_in *in, struct instance_input *input, struct image_message *message, uint64_t m)
{
	const uint32_t state = atomic_load_explicit(&message->state, memory_order_relaxed);
	const uint32_t len =
	    state == ALOE_VALID ? atomic_load_explicit(&message->len, memory_order_relaxed) : 0;

	if (len > input->max)
		return false;
	if (!input->bound) /* most often so: then the line of cache stays as it is */
		input->bound = true;
	in->data = input_items(input, m);
	in->len = len;
	in->state = state;
	return true;
}

/* What is not a message that is there: the input is not connected, nothing was sent for this index,
 * it was not there at the last call, or is not there now. Returns as input_bind does. */
__attribute__((noinline)) static uint64_t input_bind_rest(
    struct instance *it, uint32_t p, uint64_t k)
{
	struct instance_input *input = &it->input[p];
	struct aloe_in *in = &it->in[p];
	const uint64_t m = k - input->delay;
	struct image_message *message;
	uint64_t stamp;

	assert(p < it->n_in);
	*in = (struct aloe_in){input->data, 0, ALOE_ABSENT};
	input->bound = false;
	if (input->messages == NULL || k < input->delay)
		return 0;
	if (input->missed != 0)
		input_look_back(it, input);
	assert(input->missed == 0);
	/* the writer has ended, even if it has begun a message */
	if (m > it->last && m - it->last > input->run_on) {
		in->state = ALOE_IDLE;
		return 0;
	}
	message = &input->messages[m & input->mask];
	stamp = atomic_load_explicit(&message->stamp, memory_order_acquire);
	if (stamp != m + 1) {
		counter_bump(stamp > m + 1 ? &it->stats->overwritten : &it->stats->absent);
		input->missed = stamp > m + 1 ? 0 : m + 1;
		input_lacks(it, p, k);
		return 0;
	}
	if (message_bind(in, input, message, m))
		return 0;
	it->spoiled = p | IMAGE_SPOILED_INPUT;
	return 1;
}

/* Returns not 0, and binds no message, if the message states a length that no writer writes. */
static inline uint64_t input_bind(struct instance *it, uint32_t p, uint64_t k)
{
	struct instance_input *input = &it->input[p];
	const uint64_t m = k - input->delay;

	if (input->messages != NULL && k >= input->delay && input->missed == 0 &&
	    (m <= it->last || m - it->last <= input->run_on)) {
		struct image_message *message = &input->messages[m & input->mask];

		if (atomic_load_explicit(&message->stamp, memory_order_acquire) == m + 1 &&
		    message_bind(&it->in[p], input, message, m))
			return 0;
	}
	return input_bind_rest(it, p, k);
}

/* Returns image_canaries of the message. */
static inline uint64_t output_bind(struct instance *it, uint32_t p, uint64_t k)
{
	struct instance_output *output = &it->output[p];
	struct aloe_out *out = &it->out[p];

	out->len = 0;
	out->state = ALOE_ABSENT;
	if (output->messages == NULL)
		return 0;
	atomic_store_explicit(&output->messages[k & output->mask].stamp, 0, memory_order_relaxed);
	out->data = output_items(output, k);
	return image_canaries(out->data, output->canary);
}

/* `earlier` (IMAGE_SPOILED_EARLIER): found before the call, so this call has not done it. */
__attribute__((cold, noinline)) static int spoiled_report(
    struct instance *it, uint32_t p, uint64_t k, uint32_t earlier)
{
	const uint8_t *items = it->out[p].data;
	uint64_t before;

	assert(p < it->n_out);
	assert(it->output[p].messages != NULL);
	memcpy(&before, items - sizeof(before), sizeof(before));
	it->spoiled =
	    p | earlier | (before != IMAGE_CANARY ? IMAGE_SPOILED_BEFORE : IMAGE_SPOILED_BEHIND);
	it->slot.index = k;
	it->slot.why = before != IMAGE_CANARY ? "memory before an output message was overwritten"
	                                      : "memory behind an output message was overwritten";
	return -EOVERFLOW;
}

__attribute__((cold, noinline)) static int spoiled_earlier(struct instance *it, uint64_t k)
{
	assert(it->n_out <= ALOE_PORTS_MAX);
	if ((it->spoiled & IMAGE_SPOILED_INPUT) != 0) {
		assert((it->spoiled & IMAGE_SPOILED_PORT) < it->n_in);
		it->slot.index = k;
		it->slot.why = "an input message claims more items than fit";
		return -EOVERFLOW;
	}
	for (uint32_t p = 0; p < it->n_out; p++)
		if (it->output[p].messages != NULL &&
		    image_canaries(it->out[p].data, it->output[p].canary) != 0)
			return spoiled_report(it, p, k, IMAGE_SPOILED_EARLIER);
	return 0; /* whole again: another thread writes there now and will be found again */
}

static inline int output_publish(struct instance *it, uint32_t p, uint64_t k)
{
	struct instance_output *output = &it->output[p];
	const struct aloe_out *out = &it->out[p];
	struct image_message *message;

	if (output->messages == NULL)
		return 0;
	message = &output->messages[k & output->mask];
	if (image_canaries(out->data, output->canary) != 0)
		return spoiled_report(it, p, k, 0);
	if (out->len > out->max) {
		it->slot.why = "an output message claims more items than fit";
		return -EOVERFLOW;
	}
	atomic_store_explicit(
	    &message->len, out->state == ALOE_VALID ? out->len : 0, memory_order_relaxed);
	atomic_store_explicit(&message->state, out->state, memory_order_relaxed);
	atomic_store_explicit(&message->stamp, k + 1, memory_order_release);
	return 0;
}

static inline void record_take(struct instance *it, uint64_t k)
{
	struct io_ring *io = &it->io;

	assert(io->len == it->records);
	assert(it->component->fill != NULL || it->component->drain != NULL);
	it->slot.record = NULL;
	if (it->component->fill != NULL) {
		if (io_has_record(io))
			it->slot.record =
			    &io->records[atomic_load_explicit(&io->tail, memory_order_relaxed) %
			        io->len];
	} else if (io_has_space(io)) {
		it->slot.record =
		    &io->records[atomic_load_explicit(&io->head, memory_order_relaxed) % io->len];
		it->slot.record->index = k;
		it->slot.record->len = 0;
		it->slot.record->state = ALOE_ABSENT;
	}
}

static inline void record_give(struct instance *it)
{
	struct io_ring *io = &it->io;
	_Atomic uint64_t *mine = it->component->fill != NULL ? &io->tail : &io->head;

	assert(it->records > 0);
	assert(it->slot.record != NULL);
	if (it->component->fill != NULL && it->slot.record->end)
		it->slot.flags |= ALOE_SLOT_END;
	atomic_store_explicit(
	    mine, atomic_load_explicit(mine, memory_order_relaxed) + 1, memory_order_release);
}

static int record_copy(struct instance *it)
{
	struct aloe_record *record = it->slot.record;

	assert(record != NULL);
	assert(it->work == NULL);
	if (it->component->fill != NULL) {
		if (it->output[0].messages == NULL)
			return 0;
		memcpy(it->out[0].data, record->data,
		    (size_t)record->len * aloe_item_bytes(it->setup.out[0].type));
		aloe_put(&it->slot, 0, record->len);
		return 0;
	}
	record->state = it->in[0].state;
	record->len = it->in[0].len;
	memcpy(record->data, it->in[0].data,
	    (size_t)record->len * aloe_item_bytes(it->setup.in[0].type));
	return 0;
}

static inline int io_call(struct instance *it, uint64_t k)
{
	int status;

	assert(it->records > 0);
	assert(it->state != NULL);
	if (it->lapses != NULL && lapse_before(it, k))
		return 0;
	record_take(it, k);
	if (it->slot.record == NULL) { /* only under skip; under slip the step waits for it */
		counter_bump(&it->stats->io_lost);
		if (it->lapses != NULL)
			lapse_add(it->lapses, LAPSE_LEFT_OUT, k, 1, 0);
		instance_lacks(it);
		return 0;
	}
	status = it->work != NULL ? it->work(it->state, &it->slot) : record_copy(it);
	record_give(it);
	if (it->lapses != NULL)
		lapse_after(it);
	return status;
}

static inline void slot_set(struct instance *it, uint64_t k)
{
	it->slot.index = k;
	it->slot.flags = k > it->last ? ALOE_SLOT_AFTER : 0;
	it->slot.why = NULL;
}

static inline int work_call(struct instance *it, uint64_t k)
{
	slot_set(it, k);
	if (it->records > 0)
		return io_call(it, k);
	return it->work(it->state, &it->slot);
}

__attribute__((hot)) int instance_call(struct instance *it, uint64_t k, unsigned checks)
{
	uint64_t broken = 0;
	int status;

	for (uint32_t p = 0; p < it->n_in; p++)
		broken |= input_bind(it, p, k);
	for (uint32_t p = 0; p < it->n_out; p++)
		broken |= output_bind(it, p, k);
	if (broken != 0 && (status = spoiled_earlier(it, k)) != 0)
		return status;
	atomic_thread_fence(memory_order_release);
	status = work_call(it, k);
	if (__builtin_expect(checks != 0, 0))
		work_check(it, k, checks);
	for (uint32_t p = 0; p < it->n_out; p++)
		if (output_publish(it, p, k) != 0)
			return -EOVERFLOW;
	instance_show_vars(it);
	return status;
}

static inline uint64_t port_time(struct instance *it, uint32_t port, uint64_t since)
{
	const uint64_t now = clock_ns();
	_Atomic uint64_t *sum = &it->stats->port_ns[port];

	assert(port < 2 * ALOE_PORTS_MAX);
	assert(now >= since);
	atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + now - since,
	    memory_order_relaxed);
	return now;
}

int instance_call_sampled(struct instance *it, uint64_t k, unsigned checks)
{
	uint64_t now = clock_ns(), broken = 0, begin;
	int status;

	assert(it->n_in <= ALOE_PORTS_MAX);
	assert(it->n_out <= ALOE_PORTS_MAX);
	assert(k <= it->last || k - it->last <= it->run_on);
	for (uint32_t p = 0; p < it->n_in; p++) {
		broken |= input_bind(it, p, k);
		now = port_time(it, p, now);
	}
	for (uint32_t p = 0; p < it->n_out; p++) {
		broken |= output_bind(it, p, k);
		now = port_time(it, ALOE_PORTS_MAX + p, now);
	}
	if (broken != 0 && (status = spoiled_earlier(it, k)) != 0)
		return status;
	atomic_thread_fence(memory_order_release);
	begin = now;
	status = work_call(it, k);
	now = clock_ns();
	it->work_ns = now - begin;
	if (checks != 0)
		work_check(it, k, checks);
	for (uint32_t p = 0; p < it->n_out; p++) {
		if (output_publish(it, p, k) != 0)
			return -EOVERFLOW;
		now = port_time(it, ALOE_PORTS_MAX + p, now);
	}
	counter_bump(&it->stats->port_count);
	instance_show_vars(it);
	return status;
}

int instance_bind(struct instance *it, uint64_t k, bool sampled)
{
	uint64_t broken = 0, now = sampled ? clock_ns() : 0;

	assert(it->n_in <= ALOE_PORTS_MAX);
	assert(it->n_out <= ALOE_PORTS_MAX);
	for (uint32_t p = 0; p < it->n_in; p++) {
		broken |= input_bind(it, p, k);
		now = sampled ? port_time(it, p, now) : 0;
	}
	for (uint32_t p = 0; p < it->n_out; p++) {
		broken |= output_bind(it, p, k);
		now = sampled ? port_time(it, ALOE_PORTS_MAX + p, now) : 0;
	}
	slot_set(it, k);
	return broken != 0 ? spoiled_earlier(it, k) : 0;
}

int instance_publish(struct instance *it, uint64_t k, unsigned checks, bool sampled)
{
	uint64_t now = sampled ? clock_ns() : 0;

	assert(it->n_out <= ALOE_PORTS_MAX);
	assert(it->slot.index == k);
	if (checks != 0)
		work_check(it, k, checks);
	for (uint32_t p = 0; p < it->n_out; p++) {
		if (output_publish(it, p, k) != 0)
			return -EOVERFLOW;
		now = sampled ? port_time(it, ALOE_PORTS_MAX + p, now) : 0;
	}
	if (sampled)
		counter_bump(&it->stats->port_count);
	instance_show_vars(it);
	return 0;
}

void instance_idle(struct instance *it, uint64_t k)
{
	for (uint32_t p = 0; p < it->n_out; p++) {
		if (it->output[p].messages == NULL)
			continue;
		output_bind(it, p, k);
		it->out[p].state = ALOE_IDLE;
		output_publish(it, p, k);
	}
	counter_bump(&it->stats->idle);
}
