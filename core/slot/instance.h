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
#include "core/slot/lapse.h"
#include "core/slot/live.h"

struct instance_input {
	struct image_message *messages; /* NULL: not connected */
	uint8_t *data;
	/* stamp that was missing at the last call; if it is there now, the message was late; 0:
	 * none */
	uint64_t missed;
	uint32_t mask, lines;        /* lines: from message to message, of INSTANCE_LINE bytes */
	uint32_t delay, run_on, max; /* run_on: of the writer; max: items of a message */
	bool crosses, bound; /* by another segment; to a message, whose stamp is checked again */
};

struct instance_output {
	struct image_message *messages; /* NULL: not connected */
	uint8_t *data;
	uint64_t canary;
	uint32_t mask, lines; /* as of an input */
};

/* What a call touches comes first, and all ports of the instance lie together: few lines of cache,
 * for cores that are cold or full of messages. A call whose time is not taken touches INSTANCE_CALL
 * bytes here, and writes to the second line alone; another one touches INSTANCE_HOT bytes. */
enum { INSTANCE_BESIDE = 0, INSTANCE_LINE = 64, INSTANCE_CALL = 128, INSTANCE_HOT = 192 };
struct instance {
	int (*work)(void *self, struct aloe_slot *slot);
	void *state;
	struct instance_input *input;
	struct instance_output *output;
	/* first: the first step of the instance, which is its lag or later */
	uint64_t first, last;
	/* run_on: calls for indices after the last index of the waveform. period: INSTANCE_BESIDE:
	 * side by side with others (many.h), in each step; then phase is the position among them */
	uint32_t lag, period, phase, run_on;

	uint8_t n_in, n_out, n_vars;
	uint32_t number;  /* in the image */
	uint32_t records; /* in the ring of an I/O component; 0: no I/O component */
	uint32_t untimed; /* calls that stats->untimed lacks */
	struct aloe_slot slot;

	struct image_instance_state *stats;
	struct hist_head *time;
	const struct image_var *vars;
	/* sinks: segment of the source, which knows when the step of an index began */
	const struct image_segment_state *source_state;
	uint64_t budget_ns;
	uint64_t work_ns; /* of the last sampled call */
	/* as slot.in and slot.out; these arrays, input and output are one piece, by port */
	struct aloe_in *in;
	struct aloe_out *out;

	struct image_latency *latency;
	uint64_t latency_ns; /* last counted */
	uint64_t source_lag;
	struct io_ring io;
	const struct aloe_component *component;
	struct aloe_setup setup; /* setup.in and setup.out are in the piece of the ports */
	/* what the component names to be warm; NULL: nothing */
	const struct aloe_range *warm;
	size_t n_warm;
	struct arena *arena;
	struct live *live; /* NULL: the component has no live array */
	uint32_t named;    /* number of the first of its places, which changes name */
	bool initialised;
	/* shares_scratch: the scratch memory belongs to several instances of scratch_segment, the
	 * segment in which they were opened; these instances may not run at the same time */
	bool has_scratch, shares_scratch;
	uint32_t scratch_segment;
	/* canaries that the last call overwrote, as in image_run; 0: none */
	uint32_t spoiled;
	uint32_t *lacks;       /* of the segment: number + 1 of an instance that lacked a message */
	uint64_t due_ns;       /* INSTANCE_DUE: when the outputs of this call are late */
	struct lapses *lapses; /* recorded or repeated; NULL: neither */
	uint64_t spare;        /* to whole lines of cache */
};

static_assert(sizeof(void *) < 8 ||
        (offsetof(struct instance, n_in) == INSTANCE_LINE &&
            offsetof(struct instance, stats) == INSTANCE_CALL &&
            offsetof(struct instance, latency) == INSTANCE_HOT &&
            sizeof(struct instance) % INSTANCE_LINE == 0),
    "a call touches two or three lines of cache, for every element of an array");

/* instance_open sets the parameters from the image, runs check and init, and creates and fills the
 * I/O ring. The memory of the instance is from `arena`, which belongs to the caller and lives
 * longer than the instance. `radio` is the radio that is the clock, or NULL. Returns 0, or a
 * negative number with words for the user in instance->setup.error. [control] */
int instance_open(struct instance *instance, const struct image_view *view, uint32_t number,
    const struct aloe_entry *entry, struct aloe_radio *radio, struct arena *arena);
/* instance_follow moves an instance to the tables and rings of another image of the waveform, which
 * image_carry has filled. The state of the component does not change. The texts and arrays of the
 * image with which the instance was opened must live on. [control] */
void instance_follow(struct instance *instance, const struct image_view *view);
/* instance_close drains the ring, calls close, and frees everything but the arena. A sink that
 * waits for another program is drained until until_ns (CLOCK_MONOTONIC). Returns 0, or a negative
 * number with setup.error. [control] */
int instance_close(struct instance *instance, uint64_t until_ns);

/* instance_call runs work for index k: binds the spans, calls work, checks and publishes the
 * messages. instance->last is the last index of the waveform (IMAGE_FOREVER: not known yet).
 * Returns 0, or a negative number with the fault in instance->slot.why. `checks` after work:
 * INSTANCE_STAMPS (skip): the stamps of messages from other segments again; INSTANCE_DUE: whether
 * instance->due_ns has passed, then the outputs are ABSENT. [slot] */
enum instance_checks { INSTANCE_STAMPS = 1, INSTANCE_DUE = 2 };
int instance_call(struct instance *instance, uint64_t k, unsigned checks);
/* instance_call_sampled does the same, and reads the clock around each port and work. [slot] */
int instance_call_sampled(struct instance *instance, uint64_t k, unsigned checks);
/* instance_bind and instance_publish are what comes before and after work; between them it is
 * whoever serves several with one call (many.h) who calls. They return as instance_call does.
 * `sampled`: they read the clock at each port. [slot] */
int instance_bind(struct instance *instance, uint64_t k, bool sampled);
int instance_publish(struct instance *instance, uint64_t k, unsigned checks, bool sampled);
/* instance_idle publishes IDLE for an index that the period leaves out. [slot] */
void instance_idle(struct instance *instance, uint64_t k);

/* instance_can tells whether an I/O component has the record (source) or the space (sink) for the
 * next call; true for all other components. [slot] */
static inline bool instance_can(const struct instance *instance)
{
	if (instance->records == 0)
		return true;
	return instance->component->fill != NULL ? io_has_record(&instance->io)
	                                         : io_has_space(&instance->io);
}

/* input_items and output_items give the items of message m. */
static inline uint8_t *input_items(const struct instance_input *input, uint64_t m)
{
	return input->data + (m & input->mask) * input->lines * INSTANCE_LINE;
}

static inline uint8_t *output_items(const struct instance_output *output, uint64_t m)
{
	return output->data + (m & output->mask) * output->lines * INSTANCE_LINE;
}

/* outputs_absent: as if the call had not come. [slot] */
static inline void outputs_absent(struct instance *it)
{
	for (uint32_t p = 0; p < it->n_out; p++) {
		it->out[p].state = ALOE_ABSENT;
		it->out[p].len = 0;
	}
}

/* instance_show_params copies the numbers of parameters to the image. [control] */
void instance_show_params(struct instance *instance);

/* instance_show_vars copies the variables to the image, where tools read them. [slot] */
static inline void instance_show_vars(struct instance *it)
{
	for (uint32_t i = 0; i < it->n_vars; i++) {
		uint64_t bits;

		memcpy(&bits, (const uint8_t *)it->state + it->vars[i].offset, sizeof(bits));
		atomic_store_explicit(&it->stats->vars[i], bits, memory_order_relaxed);
	}
}

#endif
