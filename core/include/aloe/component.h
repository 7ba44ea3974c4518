/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe/component.h - what a component is and what it may ask of the slot it runs in.
 *
 * A component is one const descriptor: ports, parameters and variables are declared once, as
 * tables, and everything else (validation, `--set`, `aloe help`, documentation, contract tests) is
 * derived from them. The worked example is components/basic/gain.c, 35 lines.
 *
 * Callbacks are tagged with the thread that calls them:
 *   [control]  ordinary thread, may allocate, open files, take its time;
 *   [slot]     the lane's pinned thread: no allocation, lock, wait, print, file or system call;
 *   [io]       the host's ordinary-priority I/O thread: may block on files and sockets.
 *
 * This header needs only the C library, compiles alone in C11 and C++20, and leaves no `aloe_`
 * symbol undefined.
 */
#ifndef ALOE_COMPONENT_H
#define ALOE_COMPONENT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
#include <complex>
typedef std::complex<float> cf32;
#define ALOE_NAN __builtin_nan("")
extern "C" {
#else
#include <complex.h>
#include <stdbool.h>
typedef float complex cf32; /* one complex sample, 8 bytes: re, im */
#define ALOE_NAN ((double)__builtin_nanf(""))
#endif

#define ALOE_ABI 5 /* changes whenever a struct below does */

/* ---- item types: a port names one, or the set that it accepts ---- */

#define ALOE_BIT 0x01u   /* uint8_t, one bit per byte, 0 or 1 */
#define ALOE_BYTE 0x02u  /* uint8_t */
#define ALOE_I16 0x04u   /* int16_t, host order */
#define ALOE_LLR16 0x08u /* int16_t soft bit, positive = bit 0, 0 = nothing known */
#define ALOE_F32 0x10u   /* float */
#define ALOE_CF32 0x20u  /* cf32 */
#define ALOE_CI16 0x40u  /* struct aloe_ci16 */
#define ALOE_ANY 0x7fu

struct aloe_ci16 {
	int16_t re;
	int16_t im;
};

/* aloe_item_bytes says how many bytes one item of exactly one type takes; 0 for anything else. */
static inline uint32_t aloe_item_bytes(uint32_t type)
{
	switch (type) {
	case ALOE_BIT:
	case ALOE_BYTE:
		return 1;
	case ALOE_I16:
	case ALOE_LLR16:
		return 2;
	case ALOE_F32:
	case ALOE_CI16:
		return 4;
	case ALOE_CF32:
		return 8;
	default:
		return 0;
	}
}

/* ---- ports ------------------------------------------------------------------------ */

enum { ALOE_PORTS_MAX = 16 }; /* inputs, and as many outputs */

/* port flag: may stay unconnected (an input then reads ABSENT, an output has max 0) */
#define ALOE_OPTIONAL 1u

struct aloe_port {
	const char *name;
	uint32_t types; /* set of the item types accepted */
	uint8_t output; /* 0 input, 1 output */
	uint8_t flags;  /* ALOE_OPTIONAL */
	/* Where `types` is a set: the ALOE_PARAM_ENUM whose value names the type, or NULL: all such
	 * ports of an instance have one type, that of whatever they are linked to. */
	const char *type_param;
	const char *doc;
};

#define ALOE_IN(name, types, doc)                                                                  \
	{                                                                                          \
		name, types, 0, 0, NULL, doc                                                       \
	}
#define ALOE_IN_OPTIONAL(name, types, doc)                                                         \
	{                                                                                          \
		name, types, 0, ALOE_OPTIONAL, NULL, doc                                           \
	}
#define ALOE_OUT(name, types, doc)                                                                 \
	{                                                                                          \
		name, types, 1, 0, NULL, doc                                                       \
	}
#define ALOE_OUT_OPTIONAL(name, types, doc)                                                        \
	{                                                                                          \
		name, types, 1, ALOE_OPTIONAL, NULL, doc                                           \
	}
#define ALOE_OUT_AS(name, types, type_param, doc)                                                  \
	{                                                                                          \
		name, types, 1, 0, type_param, doc                                                 \
	}

/* ---- parameters: plain fields of the state, written by the framework between slots, never
 * during ---- */

enum aloe_kind {
	ALOE_KIND_REAL, /* float or double, by the field's size */
	ALOE_KIND_INT,  /* int32_t, uint32_t, int64_t or uint64_t; values up to 2^53 */
	ALOE_KIND_BOOL, /* bool (1 byte) */
	ALOE_KIND_ENUM, /* int32_t: position in `names` */
	ALOE_KIND_TEXT, /* char[N], always terminated */
	ALOE_KIND_PATH, /* char[N]; a relative path is relative to the directory of the command */
	ALOE_KIND_REALS /* struct aloe_reals; the array belongs to the framework */
};

/* An array belongs to the framework. Where it is ALOE_LIVE it may be another one in the next call
 * of work, never during one: then `version` is larger than before. What a call of work saw before
 * stays as it was until the first call that sees something newer has returned (so that one message
 * can fade from one to the other). */
struct aloe_reals {
	const float *data;
	uint32_t len;
	uint32_t version; /* 1 as loaded, larger with each set */
	void *derived;    /* what `prepare` has made of it; NULL without one */
};

#define ALOE_LIVE 1u     /* may be set while running; takes effect at one index */
#define ALOE_REQUIRED 2u /* has no default */

struct aloe_param {
	const char *name;
	uint8_t kind; /* enum aloe_kind */
	uint8_t flags;
	uint16_t size;   /* of the field, bytes */
	uint32_t offset; /* in the state */
	/* numbers; ALOE_NAN as default = not set. REALS: min and max of each item */
	double def, min, max;
	const char *text;         /* default of ENUM, TEXT and PATH */
	const char *const *names; /* ENUM: what is allowed, NULL-terminated */
	uint32_t items_max;       /* REALS: at most so many */
	const char *unit;         /* "" if it has none */
	const char *doc;
};

#define ALOE_FIELD_(S, field) (uint16_t)sizeof(((S *)0)->field), (uint32_t)offsetof(S, field)
#define ALOE_PARAM_REAL(S, field, def, min, max, unit, flags, doc)                                 \
	{                                                                                          \
#field, ALOE_KIND_REAL, flags, ALOE_FIELD_(S, field), def, min, max, NULL, NULL,   \
		    0, unit, doc                                                                   \
	}
#define ALOE_PARAM_INT(S, field, def, min, max, unit, flags, doc)                                  \
	{                                                                                          \
#field, ALOE_KIND_INT, flags, ALOE_FIELD_(S, field), def, min, max, NULL, NULL, 0, \
		    unit, doc                                                                      \
	}
#define ALOE_PARAM_BOOL(S, field, def, flags, doc)                                                 \
	{                                                                                          \
#field, ALOE_KIND_BOOL, flags, ALOE_FIELD_(S, field), def, 0, 1, NULL, NULL, 0,    \
		    "", doc                                                                        \
	}
#define ALOE_PARAM_ENUM(S, field, names, def, flags, doc)                                          \
	{                                                                                          \
#field, ALOE_KIND_ENUM, flags, ALOE_FIELD_(S, field), 0, 0, 0, def, names, 0, "",  \
		    doc                                                                            \
	}
#define ALOE_PARAM_TEXT(S, field, def, flags, doc)                                                 \
	{                                                                                          \
#field, ALOE_KIND_TEXT, flags, ALOE_FIELD_(S, field), 0, 0, 0, def, NULL, 0, "",   \
		    doc                                                                            \
	}
#define ALOE_PARAM_PATH(S, field, def, flags, doc)                                                 \
	{                                                                                          \
#field, ALOE_KIND_PATH, flags, ALOE_FIELD_(S, field), 0, 0, 0, def, NULL, 0, "",   \
		    doc                                                                            \
	}
#define ALOE_PARAM_REALS(S, field, items_max, min, max, unit, flags, doc)                          \
	{                                                                                          \
#field, ALOE_KIND_REALS, flags, ALOE_FIELD_(S, field), 0, min, max, NULL, NULL,    \
		    items_max, unit, doc                                                           \
	}

/* ---- variables: fields of the state that the framework shows after every call of work ---- */

struct aloe_var {
	const char *name;
	uint8_t real; /* 1: double, 0: uint64_t */
	uint32_t offset;
	const char *unit;
	const char *doc;
};

#define ALOE_VAR_U64(S, field, unit, doc)                                                          \
	{                                                                                          \
#field, 0, (uint32_t)offsetof(S, field), unit, doc                                 \
	}
#define ALOE_VAR_F64(S, field, unit, doc)                                                          \
	{                                                                                          \
#field, 1, (uint32_t)offsetof(S, field), unit, doc                                 \
	}

/* ---- the radio whose samples are the slots' time: pace `radio` ---- */

/* What a channel was set to by whoever initialised the radio; ALOE_NAN: nobody has said. */
struct aloe_radio_channel {
	double rx_frequency_hz, rx_gain_db;
	double tx_frequency_hz, tx_gain_db;
};

/* What has gone wrong since the radio was started. Each packet counts once. */
struct aloe_radio_counts {
	uint64_t rx_lost;      /* packets that did not come; their samples are missing */
	uint64_t rx_overruns;  /* the radio had to stop receiving, and was started again */
	uint64_t tx_no_room;   /* packets that were not sent: the way out was full */
	uint64_t tx_late;      /* packets that the radio got after their time, and left out */
	uint64_t tx_underruns; /* times that the radio had nothing to send, and should have */
	uint64_t tx_sequence;  /* packets that the radio missed, or got out of order */
};

/* Samples are complex, 16 bits real, then 16 bits imaginary, each with its low byte first, as they
 * lie in packets: without any alignment. What is received and what is sent belong to the slot that
 * runs; how long after the one the other leaves is the radio's own constant. Functions are [slot],
 * and never wait. */
struct aloe_radio {
	double rate_hz;        /* samples a second */
	uint32_t slot_samples; /* of each channel */
	uint32_t channels;     /* each has both directions, as far as the radio has them */
	/* samples in a packet: what `received` and `place` give in one piece at most; 0: the radio
	 * cannot send */
	uint32_t rx_packet, tx_packet;
	/* samples from the slot's first to what is sent in it; negative: as soon as it comes */
	int64_t tx_advance;
	/* "internal", "external", "gpsdo"; NULL: nobody has said */
	const char *clock_source, *time_source;
	const struct aloe_radio_channel *channel; /* `channels` of them, or NULL: nobody has said */
	/* `channels` of them, written by the thread that calls work */
	const struct aloe_radio_counts *counts;
	/* received gives the samples of the slot that runs, from number `from` (less than
	 * slot_samples) on, where they lie, and how many there are in one piece; NULL: so many are
	 * missing. They stay until work returns. */
	const uint8_t *(*received)(
	    struct aloe_radio *radio, uint32_t channel, uint32_t from, uint32_t *ret_samples);
	/* place gives room for the next samples of the slot that runs, *ret_samples at most; NULL:
	 * there is none for the rest of the slot (counted). Nothing leaves before `send` says how
	 * many were written. What a slot leaves out is silence. */
	uint8_t *(*place)(struct aloe_radio *radio, uint32_t channel, uint32_t *ret_samples);
	void (*send)(struct aloe_radio *radio, uint32_t channel, uint32_t samples);
	/* samples from the first one of the slot that runs to the end of what the radio receives
	 * (a recording ends); UINT64_MAX: it has no end */
	uint64_t left;
};

/* ---- [control] what check, shape, init and close are given ---- */

struct aloe_format {
	uint32_t type; /* exactly one item type; 0: not connected */
	uint32_t max;  /* most items in a message */
};

struct aloe_setup {
	const char *instance;   /* name in the waveform file */
	uint64_t slot_ns;       /* slot length */
	struct aloe_format *in; /* by port, inputs in the order of the table */
	/* shape writes `max` (and only that); it comes as the largest input */
	struct aloe_format *out;
	/* vector level to use: 0 plain C, 1 SSE4.1, 2 AVX2, 3 AVX-512, 4 NEON (ALOE_SIMD) */
	uint32_t simd;
	void *(*alloc)(struct aloe_setup *setup, size_t size);   /* see aloe_alloc */
	void *arena;                                             /* the framework's */
	char error[256];                                         /* see aloe_fail */
	char note[256];                                          /* see aloe_note */
	void *(*scratch)(struct aloe_setup *setup, size_t size); /* see aloe_scratch; may be NULL */
	uint32_t slot_samples; /* of the radio that is the clock; 0 with another clock */
	/* from init to close; NULL in check and shape, and with another clock */
	struct aloe_radio *radio;
	/* shape may write it, see struct aloe_component; it comes as the descriptor's */
	uint32_t tail;
};

/* aloe_alloc gives zeroed memory, aligned to 64 bytes, that lives as long as the instance; NULL
 * when there is none. */
static inline void *aloe_alloc(struct aloe_setup *setup, size_t size)
{
	return setup->alloc(setup, size);
}

/* aloe_scratch gives memory, aligned to 64 bytes, for use inside one call of work (or reset): what
 * it holds when the next call begins is anything. Instances that run one after another get the
 * same, so that the core's cache holds it once for all of them. Ask once, for all that is needed: a
 * second piece is the instance's own. Not for fill and drain, which run beside work. In init; NULL
 * when there is none. */
static inline void *aloe_scratch(struct aloe_setup *setup, size_t size)
{
	return setup->scratch ? setup->scratch(setup, size) : setup->alloc(setup, size);
}

/* aloe_fail states what is wrong, in words for the user, and returns -1 for `return
 * aloe_fail(...)`. */
__attribute__((format(printf, 2, 3))) static inline int aloe_fail(
    struct aloe_setup *setup, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(setup->error, sizeof(setup->error), format, args);
	va_end(args);
	return -1;
}

/* aloe_note says one line that the user should know ("converted 48000 Hz stereo to 24000 Hz
 * mono"). */
__attribute__((format(printf, 2, 3))) static inline void aloe_note(
    struct aloe_setup *setup, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(setup->note, sizeof(setup->note), format, args);
	va_end(args);
}

/* ---- [slot] what work is given ---- */

enum aloe_state {
	ALOE_ABSENT = 0, /* no message: reads as zero items */
	ALOE_IDLE = 1,   /* nothing by plan (a writer with a period) */
	ALOE_VALID = 2
};

struct aloe_in {
	const void *data;
	uint32_t len;   /* items; 0 unless VALID */
	uint32_t state; /* enum aloe_state */
};

struct aloe_out {
	void *data;
	uint32_t max;   /* items that fit */
	uint32_t len;   /* items written */
	uint32_t state; /* comes as ABSENT; see aloe_put, aloe_pass */
};

/* One message on its way between work and the I/O thread of a component with `fill` or `drain`. */
struct aloe_record {
	uint64_t index; /* what it belongs to */
	void *data;
	uint32_t max; /* items that fit: the maximum of output 0 (fill) or input 0 (drain) */
	uint32_t len; /* items */
	uint32_t state;
	uint32_t end; /* fill: set by the framework on the last record */
};

#define ALOE_SLOT_END 1u   /* see aloe_end */
#define ALOE_SLOT_AFTER 2u /* see aloe_after */

struct aloe_slot {
	uint64_t index; /* what this call works on: 0, 1, 2, ... */
	const struct aloe_in *in;
	struct aloe_out *out;
	/* I/O components: filled (source) or to be written (sink); else NULL */
	struct aloe_record *record;
	const char *why; /* a constant string beside a negative return value */
	uint32_t flags;
};

static inline uint32_t aloe_in_len(const struct aloe_slot *slot, unsigned port)
{
	return slot->in[port].len;
}

static inline bool aloe_in_valid(const struct aloe_slot *slot, unsigned port)
{
	return slot->in[port].state == ALOE_VALID;
}

static inline uint32_t aloe_out_max(const struct aloe_slot *slot, unsigned port)
{
	return slot->out[port].max;
}

/* Spans into the links' rings; reading past the length or writing past the maximum is a fault. */
#define ALOE_SPANS_(name, type)                                                                    \
	static inline const type *aloe_in_##name(const struct aloe_slot *slot, unsigned port)      \
	{                                                                                          \
		return (const type *)slot->in[port].data;                                          \
	}                                                                                          \
	static inline type *aloe_out_##name(const struct aloe_slot *slot, unsigned port)           \
	{                                                                                          \
		return (type *)slot->out[port].data;                                               \
	}
ALOE_SPANS_(bit, uint8_t)
ALOE_SPANS_(byte, uint8_t)
ALOE_SPANS_(i16, int16_t)
ALOE_SPANS_(llr16, int16_t)
ALOE_SPANS_(f32, float)
ALOE_SPANS_(cf32, cf32)
ALOE_SPANS_(ci16, struct aloe_ci16)
#undef ALOE_SPANS_

/* aloe_put makes output `port` a VALID message of `len` items. More than fits is a fault that the
 * engine reports. */
static inline void aloe_put(struct aloe_slot *slot, unsigned port, uint32_t len)
{
	slot->out[port].len = len;
	slot->out[port].state = ALOE_VALID;
}

/* aloe_pass gives output `out` the state of input `in` and returns how many items to process: those
 * of the input, at most what fits out. ABSENT passes as ABSENT, IDLE as IDLE, both with 0 items. */
static inline uint32_t aloe_pass(struct aloe_slot *slot, unsigned in, unsigned out)
{
	const uint32_t len =
	    slot->in[in].len < slot->out[out].max ? slot->in[in].len : slot->out[out].max;

	slot->out[out].state = slot->in[in].state;
	slot->out[out].len = len;
	return len;
}

/* aloe_pass_block is aloe_pass for a component that needs exactly `need` items and makes `make` of
 * them: returns true when there is a whole block to process. Anything else passes as IDLE or
 * ABSENT; a VALID message of another length adds one to *short_blocks. */
static inline bool aloe_pass_block(struct aloe_slot *slot, unsigned in, unsigned out, uint32_t need,
    uint32_t make, uint64_t *short_blocks)
{
	if (slot->in[in].state != ALOE_VALID) {
		slot->out[out].state = slot->in[in].state;
		slot->out[out].len = 0;
		return false;
	}
	if (slot->in[in].len != need) {
		(*short_blocks)++;
		slot->out[out].state = ALOE_ABSENT;
		slot->out[out].len = 0;
		return false;
	}
	aloe_put(slot, out, make);
	return true;
}

/* aloe_end, in a source: its message of this index is the last. The waveform's last index is this
 * one, or a later one: where messages of several sources meet in parts (radio frames of TTIs), the
 * sources go on until the messages that they have begun have met whole. No source is called beyond
 * the last index. Every other instance runs on as long as a message can be on its way to it: for
 * the delays of the links and the tails of the instances (see struct aloe_component) on the longest
 * path to it. What a link brings after its writer's own last index reads as IDLE. */
static inline void aloe_end(struct aloe_slot *slot)
{
	slot->flags |= ALOE_SLOT_END;
}

/* aloe_after: this index lies behind the waveform's last. A component that makes messages of its
 * own where its input is IDLE (a filler) leaves that off then. */
static inline bool aloe_after(const struct aloe_slot *slot)
{
	return (slot->flags & ALOE_SLOT_AFTER) != 0;
}

/* ---- the descriptor ------------------------------------------------------------------------ */

enum { ALOE_STACK_BYTES = 256 * 1024 };

/* fill: there is nothing more; the record before this one was the last */
enum { ALOE_FILL_END = 1 };

struct aloe_list_ports {
	const struct aloe_port *items;
	uint32_t len;
};
struct aloe_list_params {
	const struct aloe_param *items;
	uint32_t len;
};
struct aloe_list_vars {
	const struct aloe_var *items;
	uint32_t len;
};
#define ALOE_LIST(array)                                                                           \
	{                                                                                          \
		array, (uint32_t)(sizeof(array) / sizeof((array)[0]))                              \
	}

/* All callbacks but `work` are optional. `self` is the state: zeroed, then parameters written, then
 * check, shape, init. [control] callbacks return 0, or a negative number after aloe_fail. */
struct aloe_component {
	const char *summary; /* one line */
	const char *doc;     /* more, if needed; NULL */
	struct aloe_list_ports ports;
	struct aloe_list_params params;
	struct aloe_list_vars vars;
	uint32_t state_size;
	/* default cost per slot, thousand MAC-equivalents, until a profile is measured; 0 = 1 */
	uint32_t kmac;
	/* [control] parameters that contradict each other, files that are not there; no side
	 * effect */
	int (*check)(void *self, struct aloe_setup *setup);
	/* [control] pure: from parameters and setup->in[] to setup->out[].max. Default: out =
	 * largest in */
	int (*shape)(void *self, struct aloe_setup *setup);
	/* [control] allocate, compute tables, open */
	int (*init)(void *self, struct aloe_setup *setup);
	/* [control] For components that need something costly made of an ALOE_LIVE array (a
	 * transform, a filter object): sets next->derived before next->data takes effect. Called
	 * for each such array once after init, and for each value set later, then on another thread
	 * while work runs: of *self it may read what check, shape and init have left and nobody
	 * writes any more. aloe_alloc gives memory that lives as long as the value. Negative after
	 * aloe_fail: that value is refused, the one in force stays. */
	int (*prepare)(const void *self, const struct aloe_param *param, struct aloe_reals *next,
	    struct aloe_setup *setup);
	/* [control] mirror of prepare, for what is not from aloe_alloc: when work has passed on to
	 * a newer value, and before close */
	void (*release)(const void *self, const struct aloe_param *param, struct aloe_reals *old);
	/* work, reset, fill and drain run on stacks of ALOE_STACK_BYTES: large tables belong to
	 * aloe_alloc. [slot] 0, or negative: the waveform is stopped. slot->why says why; beside it
	 * the number is reported, by its name where it is a negative errno (-EIO), but for -1,
	 * which means no more than that it failed. I/O components may leave it out: the record is
	 * then copied to output 0 (fill) or from input 0 (drain), with its state. */
	int (*work)(void *self, struct aloe_slot *slot);
	int (*reset)(void *self); /* [slot] forget history */
	/* [control] after the last drain; patch headers, sync */
	int (*close)(void *self, struct aloe_setup *setup);
	/* [io] sources: write up to record->max items, set record->len; 0, ALOE_FILL_END, or
	 * negative after aloe_fail */
	int (*fill)(void *self, struct aloe_record *record, struct aloe_setup *setup);
	/* [io] sinks: take one record (any state); 0, or negative after aloe_fail */
	int (*drain)(void *self, const struct aloe_record *record, struct aloe_setup *setup);
	/* What work is made of, to tell its time on one machine from that on another: classes of
	 * core/kernels/calibrate.h and how many items of each go together ("bits 1, copy 1"). NULL:
	 * one of scalar. */
	const char *mix;
	/* For how many indices after a message an instance may still send items of it, with nothing
	 * more coming in: a block that leaves in four parts has a tail of 3. At the end of a run an
	 * instance is called for so many indices more. The figure is the largest for any
	 * parameters; where it depends on them, shape writes the exact one into setup->tail, never
	 * a larger one. What leaves only because other items come in is no tail (the items in a
	 * delay line or a resampler), nor is what a filter sends beyond the items that it was given
	 * (its ringing). A source has none. */
	uint32_t tail;
	/* Reserved: must be 0 and NULL. A component that sets one of them is refused. */
	uint32_t stateless;
	void (*warm)(void);
	void (*export_state)(void); /* `export` and `import` are words of C++ */
	void (*import_state)(void);
	void (*work_many)(void);
};

struct aloe_entry {
	uint32_t abi; /* first, so that another number can be refused by name */
	const char *name;
	const struct aloe_component *component;
};

/* ALOE_COMPONENT(gain) = { .summary = ..., }; defines the one visible symbol
 * `aloe_component_gain`. */
#define ALOE_COMPONENT(name)                                                                       \
	extern const struct aloe_component aloe_descriptor_##name                                  \
	    __attribute__((visibility("hidden")));                                                 \
	extern const struct aloe_entry aloe_component_##name                                       \
	    __attribute__((visibility("default")));                                                \
	const struct aloe_entry aloe_component_##name = {                                          \
	    ALOE_ABI, #name, &aloe_descriptor_##name};                                             \
	const struct aloe_component aloe_descriptor_##name

#ifdef __cplusplus
}
#endif

#endif
