/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/instance.h - one component at work in a host: its state, its spans, its ring to the
 * files.
 */
#ifndef ALOE_SLOT_INSTANCE_H
#define ALOE_SLOT_INSTANCE_H

#include <aloe/component.h>

#include "core/image/image.h"
#include "core/slot/io.h"
#include "core/slot/live.h"

struct instance_input {
	struct image_message *messages; /* NULL: not connected */
	uint8_t *data;
	uint64_t mask, stride, delay;
	uint64_t run_on;             /* of its writer */
	struct image_message *bound; /* the message of this call, to look at its stamp again */
	/* stamp that was not there the last time: come meanwhile, it is late; 0: none */
	uint64_t missed;
	uint32_t max; /* items of a message */
	bool crosses;
};

struct instance_output {
	struct image_message *messages; /* NULL: not connected */
	uint8_t *data;
	uint64_t mask, stride, canary;
	struct image_message *bound;
};

/* What a call touches comes first, and the ports that there are lie together, so that a call in a
 * cold core costs few lines of cache. */
struct instance {
	int (*work)(void *self, struct aloe_slot *slot);
	void *state;
	struct image_instance_state *stats;
	struct hist_head *time;
	/* with the three below: one piece of memory, as many as the component has */
	struct aloe_in *in;
	struct aloe_out *out;
	struct instance_input *input;
	struct instance_output *output;
	uint32_t n_in, n_out;

	/* run_on: indices beyond the waveform's last that it is called for */
	uint32_t lag, period, phase, run_on;
	/* first: step before which it rests, its lag or later */
	uint64_t first, last, budget_ns;
	/* sinks: where the step of their index began */
	const struct image_segment_state *source_state;
	const struct image_var *vars;
	uint32_t n_vars, number, segment; /* numbers in the image */
	uint32_t records;                 /* of an I/O component's ring; 0: it is none */

	struct aloe_slot slot;
	uint64_t work_ns; /* of the last sampled call */

	struct image_latency *latency;
	uint64_t latency_ns; /* last counted */
	uint64_t source_lag;
	struct io_ring io;
	const struct aloe_component *component;
	struct aloe_setup setup;
	struct aloe_format *in_format, *out_format; /* in the piece of the ports */
	struct arena *arena;
	struct live *live; /* NULL: no array of it is live */
	bool initialised;
	/* both: it shares it with others of the segment that it was opened in, */
	bool has_scratch, shares_scratch;
	uint32_t scratch_segment; /* which is this one: none of them may run beside it */
	/* of the last call: as image_run tells, 0: all canaries are whole */
	uint32_t spoiled;
	uint8_t pad[24]; /* so that each of an array begins on a line */
};

static_assert(offsetof(struct instance, work_ns) == 192 && sizeof(struct instance) % 64 == 0,
    "what a call touches are three lines of cache, of each in an array");

/* instance_open sets parameters from the image, runs check and init, makes the I/O ring and fills
 * it for the first time. Its memory is from `arena`, which is the caller's and outlives it; `radio`
 * is the clock's, or NULL. 0, or negative with words for the user in instance->setup.error.
 * [control] */
int instance_open(struct instance *instance, const struct image_view *view, uint32_t number,
    const struct aloe_entry *entry, struct aloe_radio *radio, struct arena *arena);
/* instance_follow takes an instance over to the tables and rings of another image of its waveform,
 * filled by image_carry; its state stays as it is. Texts and arrays of the image that it was opened
 * with must live on. [control] */
void instance_follow(struct instance *instance, const struct image_view *view);
/* instance_close drains, calls close, and frees everything but the arena: 0, or negative with
 * setup.error. [control] */
int instance_close(struct instance *instance);

/* instance_call runs work for index k, of a waveform whose last index is instance->last
 * (IMAGE_FOREVER: not known yet): binds the spans, calls, checks and publishes. 0, or negative: the
 * fault is in instance->slot.why. `recheck`: look at the stamps of messages that cross once more
 * (skip). [slot] */
int instance_call(struct instance *instance, uint64_t k, bool recheck);
/* instance_call_sampled does the same with a clock read around each port and work. [slot] */
int instance_call_sampled(struct instance *instance, uint64_t k, bool recheck);
/* instance_idle publishes IDLE for an index that the period leaves out. [slot] */
void instance_idle(struct instance *instance, uint64_t k);

/* instance_can tells whether an I/O component has its record (space) for the next call; true for
 * all others. [slot] */
static inline bool instance_can(const struct instance *instance)
{
	if (instance->records == 0)
		return true;
	return instance->component->fill != NULL ? io_has_record(&instance->io)
	                                         : io_has_space(&instance->io);
}

/* instance_show_vars shows the variables to tools. [slot] */
static inline void instance_show_vars(struct instance *it)
{
	for (uint32_t i = 0; i < it->n_vars; i++) {
		uint64_t bits;

		memcpy(&bits, (const uint8_t *)it->state + it->vars[i].offset, sizeof(bits));
		atomic_store_explicit(&it->stats->vars[i], bits, memory_order_relaxed);
	}
}

#endif
