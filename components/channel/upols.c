/* SPDX-License-Identifier: BSD-3-Clause
 * upols - convolution with long impulse responses by uniformly partitioned overlap-save (Wefers,
 * "Partitioned convolution algorithms for real-time auralization", 2015, chapter 5): the channel
 * emulator.
 *
 * A message is a block of B items (the most that `in0` takes), a response has up to `partitions`
 * blocks of taps. In each slot every input is transformed once, every output is the inverse
 * transform of one sum of products over inputs and partitions: M + N transforms for M inputs, N
 * outputs and M N paths, counted. There is no delay but the response's own.
 *
 * 	out_o[t] = sum over inputs i and k of response_oi[k] in_i[t - k]
 *
 * Inputs and outputs are those that have a link, in order. `response` holds complex taps as re, im,
 * path after path: (out0, in0), (out0, in1), ..., (out1, in0), ...; `taps` for each (0: the array
 * is divided evenly), and zeros where it ends early; from a file, response = "@FILE.f32". It is
 * live; an optional port `response` takes messages of the same order from a fader, `taps` (0: its
 * largest message divided evenly) for each path.
 *
 * A response of another index: up to slot n - 1 all is as if the old one had always been, from n on
 * as if the new one had always been, the inputs before n included. A set is prepared outside of the
 * slot and costs nothing in it. A message of the port costs one transform for each partition of
 * each path, `per_slot` of them at most in a slot (0: all): with T in all it holds from ceil(T /
 * per_slot) - 1 slots after its own, messages that come meanwhile are counted in
 * `responses_missed`. With `fade` the first items of slot n go over linearly, item t having t /
 * fade of the new response: one more sum and inverse transform for each output in that slot. With
 * AVX-512 and blocks of 256 a slot of 1 x 1 and two partitions takes 0.58 us, each partition of the
 * port 0.4 us more, a fade 0.3 us more.
 *
 * An input without a message reads as zeros, and the tail of the response still comes out: for as
 * many slots as there are partitions after the last message, then what comes in (ABSENT, IDLE) goes
 * out. A short message is filled with zeros and counted; the output has the length of the longest
 * input.
 *
 * No item is further than 2e-6 of the output's root mean square from the sum in double precision.
 * Bits are the same in every run with one `transform`, on every vector level; what FFTW transforms
 * (blocks that are no power of two, or `transform = "fftw"`) on CPUs of one kind. */
#include <aloe/component.h>

#include "components/channel/frames.h"

enum { PORTS = 4, PARTITIONS_MAX = 64, REALS_MAX = 1 << 20, PADDING = 32 };
enum { RESPONSE_PORT = PORTS };

/* Spectra of all partitions of all paths; the products of output o are terms[o * n_terms ...]. */
struct response {
	uint32_t used; /* partitions */
	uint32_t n_terms;
	const float **terms;
	float *spectra;
};

struct upols {
	struct aloe_reals response;
	uint32_t taps;
	uint32_t partitions;
	uint32_t fade;
	uint32_t per_slot;
	int32_t transform;
	uint64_t forward_transforms;
	uint64_t inverse_transforms;
	uint64_t response_transforms;
	uint64_t responses;
	uint64_t responses_missed;
	uint64_t response_index;
	uint64_t short_blocks;
	uint64_t tails;

	uint32_t n_in, n_out;
	uint32_t in[PORTS], out[PORTS]; /* ports that have a link */
	uint32_t depth;                 /* partitions that are kept */
	size_t spectrum_floats;         /* from one to the next */
	struct frames frames;
	struct frames_scratch scratch;
	float *history[PORTS];
	float *kept[PORTS]; /* depth spectra of each input */
	uint32_t head;      /* place of the newest */
	uint32_t tail;      /* slots until nothing of the inputs is left */
	const float **inputs;
	float *sum, *padded, *zeros, *faded;
	float *shares; /* of the new response while it fades in, twice for each item */

	const struct response *current;
	const void *seen;
	struct { /* of the port */
		struct response slots[2];
		uint32_t into, taps, done, total;
		float *copy;
	} port;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in0", ALOE_CF32, "samples"),
    ALOE_IN_OPTIONAL("in1", ALOE_CF32, "samples"),
    ALOE_IN_OPTIONAL("in2", ALOE_CF32, "samples"),
    ALOE_IN_OPTIONAL("in3", ALOE_CF32, "samples"),
    ALOE_IN_OPTIONAL("response", ALOE_CF32, "taps of every path, from a fader"),
    ALOE_OUT("out0", ALOE_CF32, "convolved samples"),
    ALOE_OUT_OPTIONAL("out1", ALOE_CF32, "convolved samples"),
    ALOE_OUT_OPTIONAL("out2", ALOE_CF32, "convolved samples"),
    ALOE_OUT_OPTIONAL("out3", ALOE_CF32, "convolved samples"),
};

static const char *const transforms[] = {"auto", "own", "fftw", NULL};

static const struct aloe_param params[] = {
    ALOE_PARAM_REALS(struct upols, response, REALS_MAX, -1e6, 1e6, "", ALOE_LIVE,
        "taps of every path: re, im, re, im, ..."),
    ALOE_PARAM_INT(struct upols, taps, 0, 0, 1 << 24, "items", 0,
        "complex taps of each path; 0: the taps of the response, divided evenly among the paths"),
    ALOE_PARAM_INT(struct upols, partitions, 0, 0, PARTITIONS_MAX, "", 0,
        "blocks of taps that a response may have; 0: as many as the first response needs"),
    ALOE_PARAM_INT(struct upols, fade, 0, 0, 1 << 22, "items", 0,
        "length of the fade from one response to the next; 0: the change is abrupt"),
    ALOE_PARAM_INT(struct upols, per_slot, 0, 0, 1 << 16, "", 0,
        "partitions of a message of port response transformed in a slot; 0: all"),
    ALOE_PARAM_ENUM(struct upols, transform, transforms, "auto", 0,
        "own: blocks of 64 to 4096, powers of two; fftw: blocks of any size; auto: own where "
        "possible"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct upols, forward_transforms, "", "transforms of inputs"),
    ALOE_VAR_U64(struct upols, inverse_transforms, "", "transforms to outputs"),
    ALOE_VAR_U64(struct upols, response_transforms, "", "transforms of responses from the port"),
    ALOE_VAR_U64(struct upols, responses, "", "responses that have come into force"),
    ALOE_VAR_U64(struct upols, responses_missed, "",
        "messages of port response left out while the message before was being transformed"),
    ALOE_VAR_U64(struct upols, response_index, "", "index from which the response holds"),
    ALOE_VAR_U64(
        struct upols, short_blocks, "", "messages shorter than a block, filled with zeros"),
    ALOE_VAR_U64(struct upols, tails, "", "messages made only of the tail of the response"),
};

/* ---- [control] what there is ---- */

static uint32_t ports_linked(const struct aloe_format *formats, uint32_t *ret_ports)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < PORTS; i++) {
		if (!formats[i].type)
			continue;
		if (ret_ports)
			ret_ports[n] = i;
		n++;
	}
	return n;
}

static uint32_t paths_count(const struct aloe_setup *setup)
{
	return ports_linked(setup->in, NULL) * ports_linked(setup->out, NULL);
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

/* taps_of: taps of each path where `items` complex ones are given for all; negative after
 * aloe_fail. */
static int64_t taps_of(
    const struct upols *up, uint32_t items, const char *what, struct aloe_setup *setup)
{
	const uint32_t n = paths_count(setup);

	if (up->taps && items > (uint64_t)up->taps * n)
		return aloe_fail(setup,
		    "%s has %u taps, but the most is %llu, with taps = %u for each path", what,
		    items, (unsigned long long)up->taps * n, up->taps);
	if (!up->taps && items % n)
		return aloe_fail(setup,
		    "the number of taps of %s, %u, does not divide among %u paths; set taps", what,
		    items, n);
	return up->taps ? up->taps : items / n;
}

static uint32_t response_items(const struct upols *up)
{
	return divide_up(up->response.len, 2);
}

/* partitions_needed: partitions that the parameters ask for; negative after aloe_fail. */
static int64_t partitions_needed(const struct upols *up, struct aloe_setup *setup)
{
	int64_t taps = 0, more;

	if (up->response.len)
		taps = taps_of(up, response_items(up), "response", setup);
	if (taps < 0)
		return taps;
	if (setup->in[RESPONSE_PORT].type) {
		const uint32_t items = up->taps ? 0 : setup->in[RESPONSE_PORT].max;
		more = taps_of(up, items, "a message of port response", setup);
		if (more < 0)
			return more;
		taps = more > taps ? more : taps;
	}
	return divide_up((uint32_t)taps, setup->in[0].max);
}

static int check_inputs(struct aloe_setup *setup)
{
	for (uint32_t i = 1; i < PORTS; i++)
		if (setup->in[i].type && setup->in[i].max != setup->in[0].max)
			return aloe_fail(setup,
			    "the messages of in0 have a length up to %u, but those of in%u up to "
			    "%u; all inputs need the same block",
			    setup->in[0].max, i, setup->in[i].max);
	return 0;
}

static int upols_check(void *self, struct aloe_setup *setup)
{
	const struct upols *up = self;

	if (!up->response.len && !setup->in[RESPONSE_PORT].type)
		return aloe_fail(setup,
		    "there is no response; set the parameter response, or link the port response");
	return 0;
}

static int upols_shape(void *self, struct aloe_setup *setup)
{
	const struct upols *up = self;
	int64_t n;

	if (frames_check(setup->in[0].max, (enum frames_transform)up->transform, setup) < 0 ||
	    check_inputs(setup) < 0)
		return -1;
	n = partitions_needed(up, setup);
	if (n < 0)
		return -1;
	if (n > PARTITIONS_MAX || (up->partitions && n > up->partitions))
		return aloe_fail(setup,
		    "the response needs %lld partitions of %u items, but there are %u",
		    (long long)n, setup->in[0].max,
		    up->partitions ? up->partitions : PARTITIONS_MAX);
	if (up->fade > setup->in[0].max)
		return aloe_fail(setup, "fade = %u is more than a block of %u items", up->fade,
		    setup->in[0].max);
	for (uint32_t i = 0; i < PORTS; i++)
		setup->out[i].max = setup->in[0].max;
	return 0;
}

/* ---- responses ---- */

static float *path_spectrum(
    const struct upols *up, const struct response *response, uint32_t path, uint32_t partition)
{
	return response->spectra +
	    ((size_t)path * response->used + partition) * up->spectrum_floats;
}

static int response_alloc(
    const struct upols *up, uint32_t used, struct aloe_setup *setup, struct response *ret)
{
	const uint32_t n = up->n_in * up->n_out * used;

	*ret = (struct response){.used = used, .n_terms = up->n_in * used};
	ret->spectra = aloe_alloc(setup, n * up->spectrum_floats * sizeof(float));
	ret->terms = aloe_alloc(setup, n * sizeof(*ret->terms));
	if (!ret->spectra || !ret->terms)
		return aloe_fail(setup, "no memory for the %u spectra of a response", n);
	for (uint32_t i = 0; i < n; i++)
		ret->terms[i] = path_spectrum(up, ret, i / used, i % used);
	return 0;
}

/* fill_partition: number `at` of all, from `items` complex taps of which each path has `taps`. */
static void fill_partition(const struct upols *up, struct frames_scratch *scratch,
    const float *data, uint32_t items, uint32_t taps, uint32_t at, const struct response *response)
{
	const uint32_t path = at / response->used, partition = at % response->used,
	               block = up->frames.block;
	const uint64_t from = (uint64_t)partition * block, begin = (uint64_t)path * taps + from;
	uint64_t n = from < taps ? taps - from : 0;

	n = n < block ? n : block;
	n = begin >= items ? 0 : begin + n > items ? items - begin : n;
	frames_filter(&up->frames, scratch, data + (n ? 2 * begin : 0), (uint32_t)n,
	    path_spectrum(up, response, path, partition));
}

/* response_make: all of it, from reals of which the last imaginary part may be missing; NULL after
 * aloe_fail. */
static struct response *response_make(
    const struct upols *up, const float *data, uint32_t len, int64_t taps, struct aloe_setup *setup)
{
	const uint32_t items = divide_up(len, 2),
	               used = divide_up((uint32_t)taps, up->frames.block);
	struct response *response = aloe_alloc(setup, sizeof(*response));
	float *whole = aloe_alloc(setup, 2 * (size_t)items * sizeof(float));
	struct frames_scratch scratch;

	if (!response || !whole || frames_scratch_alloc(&up->frames, setup, &scratch) < 0) {
		aloe_fail(setup, "no memory for a response of %u taps", items);
		return NULL;
	}
	if (response_alloc(up, used, setup, response) < 0)
		return NULL;
	memcpy(whole, data, len * sizeof(float));
	for (uint32_t i = 0; i < up->n_in * up->n_out * used; i++)
		fill_partition(up, &scratch, whole, items, (uint32_t)taps, i, response);
	return response;
}

static int upols_prepare(const void *self, const struct aloe_param *param, struct aloe_reals *next,
    struct aloe_setup *setup)
{
	const struct upols *up = self;
	int64_t taps;

	(void)param;
	next->derived = NULL;
	if (next->len == 0 && next->version > 1)
		return aloe_fail(setup, "response is empty");
	if (next->len == 0)
		return 0;
	taps = taps_of(up, divide_up(next->len, 2), "response", setup);
	if (taps < 0)
		return -1;
	if (taps > (int64_t)up->depth * up->frames.block)
		return aloe_fail(setup,
		    "response has %lld taps for each path, but %u partitions of %u items hold "
		    "only %llu",
		    (long long)taps, up->depth, up->frames.block,
		    (unsigned long long)up->depth * up->frames.block);
	next->derived = response_make(up, next->data, next->len, taps, setup);
	return next->derived ? 0 : -1;
}

/* ---- [control] init ---- */

static int init_inputs(struct upols *up, struct aloe_setup *setup)
{
	const size_t block_bytes = 2 * (size_t)up->frames.block * sizeof(float);

	for (uint32_t i = 0; i < up->n_in; i++) {
		up->history[i] =
		    aloe_alloc(setup, frames_history_floats(&up->frames) * sizeof(float));
		up->kept[i] = aloe_alloc(setup, up->depth * up->spectrum_floats * sizeof(float));
		if (!up->history[i] || !up->kept[i])
			return -1;
	}
	up->inputs = aloe_alloc(setup, (size_t)up->n_in * up->depth * sizeof(*up->inputs));
	up->sum = aloe_alloc(setup, up->spectrum_floats * sizeof(float));
	up->padded = aloe_alloc(setup, block_bytes);
	up->zeros = aloe_alloc(setup, block_bytes);
	up->faded = aloe_alloc(setup, block_bytes);
	up->shares = aloe_alloc(setup, block_bytes);
	if (!up->inputs || !up->sum || !up->padded || !up->zeros || !up->faded || !up->shares)
		return -1;
	for (uint32_t i = 0; i < 2 * up->fade; i++)
		up->shares[i] = (float)(i / 2) / (float)up->fade;
	return 0;
}

static int init_port(struct upols *up, struct aloe_setup *setup)
{
	const struct aloe_format *format = &setup->in[RESPONSE_PORT];
	const uint32_t n = up->n_in * up->n_out, block = up->frames.block;

	if (!format->type || !n)
		return 0;
	up->port.taps = up->taps ? up->taps : format->max / n;
	up->port.total = n * divide_up(up->port.taps, block);
	up->port.copy = aloe_alloc(setup, 2 * (size_t)n * up->port.taps * sizeof(float) + 1);
	if (!up->port.copy)
		return aloe_fail(setup, "no memory for %u taps of the port", n * up->port.taps);
	if (response_alloc(up, divide_up(up->port.taps, block), setup, &up->port.slots[0]) < 0)
		return -1;
	return response_alloc(up, divide_up(up->port.taps, block), setup, &up->port.slots[1]);
}

static int upols_init(void *self, struct aloe_setup *setup)
{
	struct upols *up = self;
	const int64_t n = partitions_needed(up, setup);

	if (n < 0)
		return -1;
	up->depth = up->partitions ? up->partitions : n > 0 ? (uint32_t)n : 1;
	up->n_in = ports_linked(setup->in, up->in);
	up->n_out = ports_linked(setup->out, up->out);
	if (frames_init(
	        &up->frames, setup->in[0].max, (enum frames_transform)up->transform, setup) < 0)
		return aloe_fail(setup, "no memory for transforms of %u items", up->frames.size);
	/* Not a power of two apart: else the same few places of the cache would serve all
	 * partitions. */
	up->spectrum_floats = 2 * (size_t)up->frames.bins + PADDING;
	if (frames_scratch_alloc(&up->frames, setup, &up->scratch) < 0 ||
	    init_inputs(up, setup) < 0)
		return aloe_fail(
		    setup, "no memory for %u partitions of %u items", up->depth, up->frames.block);
	if (init_port(up, setup) < 0)
		return -1;
	aloe_note(setup, "%u x %u, block %u, %u partitions, transforms of %u by %s", up->n_in,
	    up->n_out, up->frames.block, up->depth, up->frames.size,
	    up->frames.own ? "own kernels" : "FFTW");
	return 0;
}

static int upols_close(void *self, struct aloe_setup *setup)
{
	struct upols *up = self;

	(void)setup;
	frames_fini(&up->frames);
	return 0;
}

/* ---- [slot] ---- */

/* A message that comes when none is being worked on is taken: copied, where it is not done within
 * this slot. */
static void port_take(struct upols *up, const struct aloe_in *in)
{
	const uint32_t room = up->n_in * up->n_out * up->port.taps,
	               n = in->len < room ? in->len : room;

	if (in->state != ALOE_VALID || up->port.total == 0)
		return;
	if (up->port.done != 0) {
		up->responses_missed++;
		return;
	}
	memcpy(up->port.copy, in->data, (size_t)n * 8);
	memset(up->port.copy + 2 * (size_t)n, 0, (size_t)(room - n) * 8);
	up->port.done = 1; /* one more than is done */
}

/* port_work transforms what may be in this slot; true when that was the last of a response. */
static bool port_work(struct upols *up)
{
	const uint32_t room = up->n_in * up->n_out * up->port.taps, total = up->port.total;
	uint32_t left = up->per_slot ? up->per_slot : total;

	if (up->port.done == 0)
		return false;
	for (; left > 0 && up->port.done <= total; left--, up->port.done++) {
		fill_partition(up, &up->scratch, up->port.copy, room, up->port.taps,
		    up->port.done - 1, &up->port.slots[up->port.into]);
		up->response_transforms++;
	}
	if (up->port.done <= total)
		return false;
	up->port.done = 0;
	return true;
}

/* choose_response says what holds in this slot; true if it is another than before. */
static bool choose_response(struct upols *up, struct aloe_slot *slot)
{
	const struct response *before = up->current;

	if (up->response.derived != up->seen) {
		up->seen = up->response.derived;
		up->current = up->response.derived;
	}
	port_take(up, &slot->in[RESPONSE_PORT]);
	if (port_work(up)) {
		up->current = &up->port.slots[up->port.into];
		up->port.into ^= 1;
	}
	if (up->current == before)
		return false;
	up->responses++;
	up->response_index = slot->index;
	return before != NULL;
}

/* block_of: a whole block of input i, zeros where there is nothing. */
static const float *block_of(struct upols *up, const struct aloe_in *in)
{
	const uint32_t n = in->state == ALOE_VALID ? in->len : 0;

	if (n == up->frames.block)
		return in->data;
	if (n == 0)
		return up->zeros;
	memcpy(up->padded, in->data, (size_t)n * 8);
	memset(up->padded + 2 * (size_t)n, 0, (size_t)(up->frames.block - n) * 8);
	return up->padded;
}

/* take_inputs: true when there is something to compute; *ret_len items of it. */
static bool take_inputs(struct upols *up, const struct aloe_slot *slot, uint32_t *ret_len)
{
	bool valid = false;

	*ret_len = 0;
	for (uint32_t i = 0; i < up->n_in; i++) {
		const struct aloe_in *in = &slot->in[up->in[i]];

		if (in->state != ALOE_VALID)
			continue;
		valid = true;
		up->short_blocks += in->len < up->frames.block;
		*ret_len = in->len > *ret_len ? in->len : *ret_len;
	}
	if (valid) {
		up->tail = up->depth;
		return true;
	}
	if (up->tail == 0)
		return false;
	up->tail--;
	up->tails++;
	*ret_len = up->frames.block;
	return true;
}

static void transform_inputs(struct upols *up, const struct aloe_slot *slot)
{
	up->head = up->head ? up->head - 1 : up->depth - 1;
	for (uint32_t i = 0; i < up->n_in; i++) {
		frames_forward(&up->frames, &up->scratch, block_of(up, &slot->in[up->in[i]]),
		    up->history[i], up->kept[i] + up->head * up->spectrum_floats);
		up->forward_transforms++;
	}
}

/* output_convolve: output o by a response; up->inputs was made for it. */
static void output_convolve(
    struct upols *up, const struct response *response, uint32_t o, float *ret_out)
{
	up->frames.kernels->multiply(up->inputs, response->terms + (size_t)o * response->n_terms,
	    response->n_terms, up->frames.bins, up->sum);
	frames_inverse(&up->frames, &up->scratch, up->sum, ret_out);
	up->inverse_transforms++;
}

/* The spectra of the inputs, newest first, as many as the response has partitions. */
static void line_up_inputs(struct upols *up, const struct response *response)
{
	for (uint32_t i = 0, at = 0; i < up->n_in; i++) {
		for (uint32_t p = 0; p < response->used; p++) {
			const uint32_t place =
			    up->head + p < up->depth ? up->head + p : up->head + p - up->depth;

			up->inputs[at++] = up->kept[i] + place * up->spectrum_floats;
		}
	}
}

static void fade_from(
    const float *restrict old, const float *restrict shares, uint32_t fade, float *restrict out)
{
	for (uint32_t i = 0; i < 2 * fade; i++)
		out[i] = old[i] + shares[i] * (out[i] - old[i]);
}

/* A short message has less room than a block in nothing but its length: spans hold the largest
 * message. */
static void make_outputs(
    struct upols *up, struct aloe_slot *slot, const struct response *before, uint32_t len)
{
	line_up_inputs(up, up->current);
	for (uint32_t o = 0; o < up->n_out; o++) {
		output_convolve(up, up->current, o, slot->out[up->out[o]].data);
		aloe_put(slot, up->out[o], len);
	}
	if (!before || up->fade == 0)
		return;
	line_up_inputs(up, before);
	for (uint32_t o = 0; o < up->n_out; o++) {
		output_convolve(up, before, o, up->faded);
		fade_from(up->faded, up->shares, up->fade, slot->out[up->out[o]].data);
	}
}

static int upols_work(void *self, struct aloe_slot *slot)
{
	struct upols *up = self;
	const struct response *before = up->current;
	const bool changed = choose_response(up, slot);
	uint32_t len;

	if (!take_inputs(up, slot, &len)) {
		for (uint32_t o = 0; o < up->n_out; o++)
			slot->out[up->out[o]].state = slot->in[up->in[0]].state;
		return 0;
	}
	transform_inputs(up, slot);
	if (up->current) {
		make_outputs(up, slot, changed ? before : NULL, len);
		return 0;
	}
	for (uint32_t o = 0; o < up->n_out; o++) { /* a port that has said nothing yet */
		memset(slot->out[up->out[o]].data, 0, (size_t)len * 8);
		aloe_put(slot, up->out[o], len);
	}
	return 0;
}

static int upols_reset(void *self)
{
	struct upols *up = self;

	for (uint32_t i = 0; i < up->n_in; i++) {
		memset(up->history[i], 0, frames_history_floats(&up->frames) * sizeof(float));
		memset(up->kept[i], 0, up->depth * up->spectrum_floats * sizeof(float));
	}
	up->tail = 0;
	up->current = NULL;
	up->seen = NULL;
	up->port.done = 0;
	return 0;
}

ALOE_COMPONENT(upols) = {
    .summary = "convolve with long responses: partitioned overlap-save, up to 4 x 4",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct upols),
    .kmac = 2,
    .check = upols_check,
    .shape = upols_shape,
    .init = upols_init,
    .prepare = upols_prepare,
    .work = upols_work,
    .reset = upols_reset,
    .close = upols_close,
};
