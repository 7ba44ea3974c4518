/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe/component.h - what a component is, and what it may use in the slot in which it runs.
 *
 * A component is one constant descriptor. The descriptor declares ports, parameters and variables
 * once, as tables. ALOE derives everything else from these tables: validation, `--set`, `aloe
 * help`, documentation and contract tests. The component `gain` is the smallest example (36 lines);
 * `aloe new component NAME` writes a component that works.
 *
 * Every callback has a tag, which says which thread calls the callback:
 *   [control]  an ordinary thread: may allocate memory, open files and take time;
 *   [slot]     the lane's pinned thread: no allocation, lock, wait, print, file or system call;
 *   [io]       the host's I/O thread of ordinary priority: may block on files and sockets.
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

#define ALOE_ABI 5 /* changes whenever a struct of this header changes */

/* ---- item types: a port names one type, or the set of types that it accepts ---- */

#define ALOE_BIT 0x01u   /* uint8_t, one bit per byte, 0 or 1 */
#define ALOE_BYTE 0x02u  /* uint8_t */
#define ALOE_I16 0x04u   /* int16_t, host order */
#define ALOE_LLR16 0x08u /* int16_t soft bit: positive = bit 0, negative = bit 1, 0 = unknown */
#define ALOE_F32 0x10u   /* float */
#define ALOE_CF32 0x20u  /* cf32 */
#define ALOE_CI16 0x40u  /* struct aloe_ci16 */
#define ALOE_ANY 0x7fu

struct aloe_ci16 {
	int16_t re;
	int16_t im;
};

/* aloe_item_bytes returns the number of bytes of an item; 0 if `type` is not exactly one type. */
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

enum { ALOE_PORTS_MAX = 16 }; /* most inputs, and most outputs */

/* Port flag: the port may stay unconnected. An unconnected input reads ABSENT, an unconnected
 * output has max 0. */
#define ALOE_OPTIONAL 1u

struct aloe_port {
	const char *name;
	uint32_t types; /* set of the accepted item types */
	uint8_t output; /* 0 input, 1 output */
	uint8_t flags;  /* ALOE_OPTIONAL */
	/* If `types` is a set: the name of the ALOE_PARAM_ENUM whose value names the type. NULL:
	 * all such ports of an instance have the same type, which the linked ports decide. */
	const char *type_param;
	const char *doc;
};

/* clang-format off */
#define ALOE_IN(name, types, doc) {name, types, 0, 0, NULL, doc}
#define ALOE_IN_OPTIONAL(name, types, doc) {name, types, 0, ALOE_OPTIONAL, NULL, doc}
#define ALOE_OUT(name, types, doc) {name, types, 1, 0, NULL, doc}
#define ALOE_OUT_OPTIONAL(name, types, doc) {name, types, 1, ALOE_OPTIONAL, NULL, doc}
#define ALOE_OUT_AS(name, types, type_param, doc) {name, types, 1, 0, type_param, doc}
/* clang-format on */

/* ---- parameters: plain fields of the state, which ALOE writes between slots only ---- */

enum aloe_kind {
	ALOE_KIND_REAL, /* float or double, by the size of the field */
	ALOE_KIND_INT,  /* int32_t, uint32_t, int64_t or uint64_t; values up to 2^53 */
	ALOE_KIND_BOOL, /* bool (1 byte) */
	ALOE_KIND_ENUM, /* int32_t: position in `names` */
	ALOE_KIND_TEXT, /* char[N], always terminated */
	ALOE_KIND_PATH, /* char[N]; a relative path is relative to the directory of the command */
	ALOE_KIND_REALS /* struct aloe_reals; ALOE owns the array */
};

/* ALOE owns the array. If the parameter is ALOE_LIVE, the next call of work may get a new array,
 * with a larger `version`; an array never changes during a call. The old array stays valid until
 * the first call that gets the new array has returned, so that this call can fade from one to the
 * other. */
struct aloe_reals {
	const float *data;
	uint32_t len;
	uint32_t version; /* 1 as loaded, larger with each set */
	void *derived;    /* what `prepare` has made of the array; NULL without `prepare` */
};

#define ALOE_LIVE 1u     /* may be set while the waveform runs; takes effect at one index */
#define ALOE_REQUIRED 2u /* has no default */

struct aloe_param {
	const char *name;
	uint8_t kind; /* enum aloe_kind */
	uint8_t flags;
	uint16_t size;   /* of the field, in bytes */
	uint32_t offset; /* of the field in the state */
	/* of numbers; the default ALOE_NAN means: not set. REALS: min and max of each item */
	double def, min, max;
	const char *text;         /* default of ENUM, TEXT and PATH */
	const char *const *names; /* ENUM: the allowed words, NULL at the end */
	uint32_t items_max;       /* REALS: most items */
	const char *unit;         /* "": no unit */
	const char *doc;
};

/* clang-format off */
#define ALOE_FIELD_(S, field) (uint16_t)sizeof(((S *)0)->field), (uint32_t)offsetof(S, field)
#define ALOE_PARAM_REAL(S, field, def, min, max, unit, flags, doc)                                 \
	{#field, ALOE_KIND_REAL, flags, ALOE_FIELD_(S, field), def, min, max, NULL, NULL, 0,       \
	    unit, doc}
#define ALOE_PARAM_INT(S, field, def, min, max, unit, flags, doc)                                  \
	{#field, ALOE_KIND_INT, flags, ALOE_FIELD_(S, field), def, min, max, NULL, NULL, 0,        \
	    unit, doc}
#define ALOE_PARAM_BOOL(S, field, def, flags, doc)                                                 \
	{#field, ALOE_KIND_BOOL, flags, ALOE_FIELD_(S, field), def, 0, 1, NULL, NULL, 0, "", doc}
#define ALOE_PARAM_ENUM(S, field, names, def, flags, doc)                                          \
	{#field, ALOE_KIND_ENUM, flags, ALOE_FIELD_(S, field), 0, 0, 0, def, names, 0, "", doc}
#define ALOE_PARAM_TEXT(S, field, def, flags, doc)                                                 \
	{#field, ALOE_KIND_TEXT, flags, ALOE_FIELD_(S, field), 0, 0, 0, def, NULL, 0, "", doc}
#define ALOE_PARAM_PATH(S, field, def, flags, doc)                                                 \
	{#field, ALOE_KIND_PATH, flags, ALOE_FIELD_(S, field), 0, 0, 0, def, NULL, 0, "", doc}
#define ALOE_PARAM_REALS(S, field, items_max, min, max, unit, flags, doc)                          \
	{#field, ALOE_KIND_REALS, flags, ALOE_FIELD_(S, field), 0, min, max, NULL, NULL,           \
	    items_max, unit, doc}
/* clang-format on */

/* ---- variables: fields of the state that ALOE shows to tools after every call of work ---- */

struct aloe_var {
	const char *name;
	uint8_t real; /* 1: double, 0: uint64_t */
	uint32_t offset;
	const char *unit;
	const char *doc;
};

/* clang-format off */
#define ALOE_VAR_U64(S, field, unit, doc) {#field, 0, (uint32_t)offsetof(S, field), unit, doc}
#define ALOE_VAR_F64(S, field, unit, doc) {#field, 1, (uint32_t)offsetof(S, field), unit, doc}
/* clang-format on */

/* ---- the radio that is the clock of the waveform (clock = "radio") ---- */

/* Settings of a channel as the radio was initialised; ALOE_NAN: not known. */
struct aloe_radio_channel {
	double rx_frequency_hz, rx_gain_db;
	double tx_frequency_hz, tx_gain_db;
};

/* Errors since the radio was started. Each packet counts once. */
struct aloe_radio_counts {
	uint64_t rx_lost;     /* packets that did not arrive; their samples are missing */
	uint64_t rx_overruns; /* times that the radio stopped receiving and was started again */
	uint64_t tx_no_room;  /* packets that were not sent, because the output was full */
	uint64_t tx_late;     /* packets that reached the radio after their time and were dropped */
	uint64_t tx_underruns; /* times that the radio should have sent and had no samples */
	uint64_t tx_sequence;  /* packets that the radio missed or got out of order */
};

/* A sample has 16 bits real, then 16 bits imaginary, each with the low byte first, without any
 * alignment, as in a packet. Samples that a component receives and sends belong to the slot that
 * runs; the radio transmits them tx_advance samples after the slot starts. Functions are [slot] and
 * never wait. */
struct aloe_radio {
	double rate_hz;        /* samples per second */
	uint32_t slot_samples; /* of each channel */
	uint32_t channels;     /* every channel has the directions that the radio has */
	/* samples in a packet, which is the most that `received` and `place` return in one piece;
	 * tx_packet 0: the radio cannot send */
	uint32_t rx_packet, tx_packet;
	/* samples from the start of a slot to the transmission of its output; negative: the output
	 * is transmitted at once */
	int64_t tx_advance;
	/* "internal", "external", "gpsdo"; NULL: not known */
	const char *clock_source, *time_source;
	const struct aloe_radio_channel *channel; /* an array of `channels`; NULL: not known */
	/* an array of `channels`, written by the thread that calls work */
	const struct aloe_radio_counts *counts;
	/* received returns samples of the slot that runs, from number `from` (less than
	 * slot_samples) on, in place, and how many there are in one piece. NULL: *ret_samples
	 * samples are missing. The samples stay until work returns. */
	const uint8_t *(*received)(
	    struct aloe_radio *radio, uint32_t channel, uint32_t from, uint32_t *ret_samples);
	/* place returns room for the next samples of the slot that runs, at most *ret_samples.
	 * NULL: there is no room for the rest of the slot (counted). `send` sends the samples that
	 * were written there. The radio transmits silence for samples that a slot leaves out. */
	uint8_t *(*place)(struct aloe_radio *radio, uint32_t channel, uint32_t *ret_samples);
	void (*send)(struct aloe_radio *radio, uint32_t channel, uint32_t samples);
	/* samples from the start of the slot that runs to the end of a recording; UINT64_MAX: the
	 * radio has no end */
	uint64_t left;
};

/* ---- [control] what check, shape, init and close get ---- */

struct aloe_format {
	uint32_t type; /* exactly one item type; 0: not connected */
	uint32_t max;  /* most items in a message */
};

struct aloe_setup {
	const char *instance;   /* name in the waveform file */
	uint64_t slot_ns;       /* slot length */
	struct aloe_format *in; /* by port, inputs in the order of the table */
	/* by port; shape may write `max` and nothing else; `max` begins as the largest input */
	struct aloe_format *out;
	/* vector level to use: 0 plain C, 1 SSE4.1, 2 AVX2, 3 AVX-512, 4 NEON (ALOE_SIMD) */
	uint32_t simd;
	void *(*alloc)(struct aloe_setup *setup, size_t size);   /* see aloe_alloc */
	void *arena;                                             /* for ALOE only */
	char error[256];                                         /* see aloe_fail */
	char note[256];                                          /* see aloe_note */
	void *(*scratch)(struct aloe_setup *setup, size_t size); /* see aloe_scratch; may be NULL */
	uint32_t slot_samples; /* of the radio that is the clock; 0 with another clock */
	/* valid from init to close; NULL in check and shape, and with another clock */
	struct aloe_radio *radio;
	/* shape may write it (see struct aloe_component); it begins as the descriptor's tail */
	uint32_t tail;
};

/* aloe_alloc returns zeroed memory, aligned to 64 bytes, that lives as long as the instance; NULL
 * if there is no memory. */
static inline void *aloe_alloc(struct aloe_setup *setup, size_t size)
{
	return setup->alloc(setup, size);
}

/* aloe_scratch is called in init. It returns memory, aligned to 64 bytes, for use inside one call
 * of work (or reset); the content is undefined when the next call begins. Instances that run one
 * after another share this memory, so that the core's cache holds it once. Ask once for all that is
 * needed: a second piece is not shared. fill and drain may not use it, because they run at the same
 * time as work. NULL if there is no memory. */
static inline void *aloe_scratch(struct aloe_setup *setup, size_t size)
{
	return setup->scratch ? setup->scratch(setup, size) : setup->alloc(setup, size);
}

/* aloe_fail states what is wrong, in words for the user, and returns -1, so that a callback can end
 * with `return aloe_fail(...)`. */
__attribute__((format(printf, 2, 3))) static inline int aloe_fail(
    struct aloe_setup *setup, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(setup->error, sizeof(setup->error), format, args);
	va_end(args);
	return -1;
}

/* aloe_note adds one line to the report that the user should read ("converted 48000 Hz stereo to
 * 24000 Hz mono"). */
__attribute__((format(printf, 2, 3))) static inline void aloe_note(
    struct aloe_setup *setup, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(setup->note, sizeof(setup->note), format, args);
	va_end(args);
}

/* ---- [slot] what work gets ---- */

enum aloe_state {
	ALOE_ABSENT = 0, /* the message should exist and does not; it reads as 0 items */
	ALOE_IDLE = 1,   /* no message by plan, such as between two messages of a TTI; 0 items */
	ALOE_VALID = 2   /* the message has items */
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
	uint32_t state; /* begins as ABSENT; see aloe_put, aloe_pass */
};

/* A message on its way between work and the I/O thread of a component with `fill` or `drain`. */
struct aloe_record {
	uint64_t index; /* index of the message */
	void *data;
	uint32_t max;   /* items that fit: the maximum of output 0 (fill) or input 0 (drain) */
	uint32_t len;   /* items */
	uint32_t state; /* enum aloe_state */
	uint32_t end;   /* fill: ALOE sets it on the last record */
};

#define ALOE_SLOT_END 1u   /* see aloe_end */
#define ALOE_SLOT_AFTER 2u /* see aloe_after */

struct aloe_slot {
	uint64_t index; /* index on which this call works: 0, 1, 2, ... */
	const struct aloe_in *in;
	struct aloe_out *out;
	/* I/O components: a filled record (source), or a record to write (sink); else NULL */
	struct aloe_record *record;
	const char *why; /* reason of a negative return value, a constant string */
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

/* aloe_in_cf32(slot, port) and its like return the items of a port, which lie in the ring of the
 * link. It is a fault to read beyond the length or to write beyond the maximum. */
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

/* aloe_put makes output `port` a VALID message of `len` items. If `len` is more than fits, the
 * engine reports a fault. */
static inline void aloe_put(struct aloe_slot *slot, unsigned port, uint32_t len)
{
	slot->out[port].len = len;
	slot->out[port].state = ALOE_VALID;
}

/* aloe_pass gives output `out` the state of input `in` and returns how many items to process: the
 * length of the input, at most what fits into the output. ABSENT passes as ABSENT and IDLE as IDLE,
 * both with 0 items. */
static inline uint32_t aloe_pass(struct aloe_slot *slot, unsigned in, unsigned out)
{
	const uint32_t len =
	    slot->in[in].len < slot->out[out].max ? slot->in[in].len : slot->out[out].max;

	slot->out[out].state = slot->in[in].state;
	slot->out[out].len = len;
	return len;
}

/* aloe_pass_block is aloe_pass for a component that makes `make` items of exactly `need` items. It
 * returns true if there is a whole block to process. Otherwise the output is IDLE or ABSENT as the
 * input is; a VALID message of another length becomes ABSENT and adds one to *short_blocks. */
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

/* aloe_end is called by a source whose message of this index is the last. The last index of the
 * waveform is this index or a later index: if messages of several sources meet in parts (radio
 * frames of TTIs), the sources go on until the messages that they have begun are complete. No
 * source is called after the last index. Every other instance is called as long as a message can be
 * on its way to the instance: for the delays of the links and the tails of the instances (see
 * struct aloe_component) on the longest path. After the last index of its writer an input reads
 * IDLE. */
static inline void aloe_end(struct aloe_slot *slot)
{
	slot->flags |= ALOE_SLOT_END;
}

/* aloe_after tells whether this index is after the last index of the waveform. A component that
 * sends messages while its input is IDLE (a filler) must not send them then. */
static inline bool aloe_after(const struct aloe_slot *slot)
{
	return (slot->flags & ALOE_SLOT_AFTER) != 0;
}

/* ---- [control] what warm gets ---- */

enum { ALOE_WARM_MAX = 40 }; /* ranges of an instance */

struct aloe_range {
	const void *at;
	size_t bytes; /* 1 or more */
};

/* After a sleep the core's caches are cold, and a call would wait for one line of memory after the
 * other. Before the edge of a slot the lane only spins; it reads these ranges then, which changes
 * nothing, as far as there is time and room in the cache, the first ones first. So name what is
 * used in each call, and of much data what is used first. The ranges must stay readable until
 * close. */
struct aloe_warm {
	struct aloe_range ranges[ALOE_WARM_MAX];
	uint32_t len;
};

/* aloe_warm names `bytes` bytes of memory. No bytes, and what is too many, are left out. */
static inline void aloe_warm(struct aloe_warm *warm, const void *at, size_t bytes)
{
	if (bytes == 0 || warm->len == ALOE_WARM_MAX)
		return;
	warm->ranges[warm->len].at = at;
	warm->ranges[warm->len++].bytes = bytes;
}

/* aloe_warm_code names the first `bytes` bytes of a function that work calls, as far as its page of
 * 4096 bytes goes: aloe_warm_code(warm, (uintptr_t)kernels->sum, 512). */
static inline void aloe_warm_code(struct aloe_warm *warm, uintptr_t function, size_t bytes)
{
	const size_t left = 4096 - (size_t)(function % 4096);

	aloe_warm(warm, (const void *)function, bytes < left ? bytes : left);
}

/* ---- the descriptor ------------------------------------------------------------------------ */

enum { ALOE_STACK_BYTES = 256 * 1024 };
enum { ALOE_EXPORT_MAX = 1 << 28 }; /* bytes, see export_state */

enum { ALOE_MANY_MAX = 16 }; /* instances in one call of work_many */

/* returned by fill: there are no more items; the record before this record was the last */
enum { ALOE_FILL_END = 1 };
/* returned by fill and drain: not now, because the other end (a socket) has nothing or takes
 * nothing. ALOE asks again soon, with the same record, whose data stay. The I/O thread serves other
 * instances meanwhile, so a callback that would have to wait for somebody returns this instead. If
 * a source that has returned it ends, an IDLE message is its last one. */
enum { ALOE_IO_LATER = 2 };

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
/* clang-format off */
#define ALOE_LIST(array) {array, (uint32_t)(sizeof(array) / sizeof((array)[0]))}
/* clang-format on */

/* All callbacks but `work` are optional. `self` is the state: ALOE zeroes the state and writes the
 * parameters, then calls check, shape and init. [control] callbacks return 0, or a negative number
 * after aloe_fail. work, work_many, reset, fill and drain run on a stack of ALOE_STACK_BYTES, so
 * large tables belong in memory from aloe_alloc. */
struct aloe_component {
	const char *summary; /* one line */
	const char *doc;     /* more, if needed; NULL: none */
	struct aloe_list_ports ports;
	struct aloe_list_params params;
	struct aloe_list_vars vars;
	uint32_t state_size;
	/* cost per slot in thousand MAC-equivalents, used until the cost is measured; 0 means 1 */
	uint32_t kmac;
	/* [control] checks whether parameters contradict each other and whether files exist; has no
	 * side effect */
	int (*check)(void *self, struct aloe_setup *setup);
	/* [control] computes setup->out[].max from the parameters and setup->in[], and nothing
	 * else. Default: every output has the maximum of the largest input */
	int (*shape)(void *self, struct aloe_setup *setup);
	/* [control] allocates memory, computes tables, opens files */
	int (*init)(void *self, struct aloe_setup *setup);
	/* [control] For a component that has to compute something costly from an ALOE_LIVE array (a
	 * transform, a filter object). prepare sets next->derived before next->data takes effect.
	 * ALOE calls prepare once for each such array after init, and again for each new array; the
	 * later calls are on another thread while work runs, so prepare may read only those fields
	 * of *self that nothing writes after init. Memory from aloe_alloc lives as long as the
	 * array. After aloe_fail the new array is refused, and the present array stays. */
	int (*prepare)(const void *self, const struct aloe_param *param, struct aloe_reals *next,
	    struct aloe_setup *setup);
	/* [control] mirror of prepare, for what is not from aloe_alloc. ALOE calls release when
	 * work uses a newer array, and before close */
	void (*release)(const void *self, const struct aloe_param *param, struct aloe_reals *old);
	/* [slot] processes one index and returns 0. A negative number stops the waveform: the
	 * report gives slot->why and the number, by its name if the number is a negative errno
	 * (-EIO); -1 means only that work has failed. An I/O component may leave work out: ALOE
	 * then copies the record, with its state, to output 0 (fill) or from input 0 (drain). */
	int (*work)(void *self, struct aloe_slot *slot);
	int (*reset)(void *self); /* [slot] forgets all history */
	/* [control] after the last drain: finishes and closes files */
	int (*close)(void *self, struct aloe_setup *setup);
	/* [io] sources: writes up to record->max items and sets record->len. Returns 0,
	 * ALOE_FILL_END, ALOE_IO_LATER, or a negative number after aloe_fail */
	int (*fill)(void *self, struct aloe_record *record, struct aloe_setup *setup);
	/* [io] sinks: takes one record of any state. Returns 0, ALOE_IO_LATER, or a negative number
	 * after aloe_fail. At the end of a run ALOE asks for two seconds at most */
	int (*drain)(void *self, const struct aloe_record *record, struct aloe_setup *setup);
	/* The kinds of work that `work` does, by which ALOE predicts its time on another machine:
	 * classes of work and their proportions ("bits 1, copy 1"). `execinfo --calibrate` lists
	 * the classes. NULL: "scalar 1". */
	const char *mix;
	/* The number of indices after a message at which an instance may still send items of this
	 * message without further input: a block that leaves in four parts has a tail of 3. At the
	 * end of a run every instance is called for `tail` more indices. The number is the largest
	 * for any parameters; shape may write a smaller number into setup->tail. Items that leave
	 * only because new items arrive are no tail (a delay line, a resampler), and neither is the
	 * ringing of a filter. A source has no tail. */
	uint32_t tail;
	/* 1: what work makes of an index depends on the messages of this index, on the index and on
	 * the parameters alone, never on other indices or on how often work was called. Variables
	 * may count; whole numbers of several places are added up. Such an instance may run in
	 * several places ("replicas" in the waveform file): each has its own state and works on
	 * some of the indices, in order. It has a tail of 0, no array that is ALOE_LIVE, and never
	 * calls aloe_end: nobody would know of it in time. */
	uint32_t stateless;
	/* [control] names, by aloe_warm and aloe_warm_code, the memory that any call of work reads
	 * or writes beside its messages, the first 256 bytes of the state, and what ALOE_LIVE
	 * arrays are or become: tables, histories, scratch memory. Called after init; each call
	 * names the same. NULL: names nothing. */
	void (*warm)(const void *self, struct aloe_warm *warm);
	/* [control] What a new build of a running instance takes over from the old one (`aloe
	 * upgrade`); `export` and `import` are words of C++. No work runs meanwhile.
	 *
	 * export_state writes what work keeps from one index to the next, in a form of the
	 * component's own, which begins best with a number of that form. It returns how many bytes
	 * that takes, 0 to ALOE_EXPORT_MAX, and writes them to `to` if they are not more than
	 * `size`; ALOE asks with size 0 first. Negative after aloe_fail.
	 *
	 * import_state is called after init and takes these bytes, which another build has written
	 * and which it has to check. It returns 0, or a negative number after aloe_fail: then the
	 * upgrade is refused, and the old build goes on. Numbers that are ALOE_LIVE parameters are
	 * carried by ALOE; import_state need not set them.
	 *
	 * If the old build has no export_state or the new one no import_state, the new build starts
	 * fresh, as after init. */
	int64_t (*export_state)(const void *self, void *to, size_t size, struct aloe_setup *setup);
	int (*import_state)(void *self, const void *from, size_t size, struct aloe_setup *setup);
	/* [slot] `work` for up to ALOE_MANY_MAX instances of this component at once, if that is
	 * faster than one call after the other: instance i is at self[i], and slot[i] is what work
	 * would get. All have the same item types, maxima and parameters, but for those that are
	 * ALOE_LIVE; all are of one host and work on one index, and each has its own messages, of
	 * any state. What comes out, what variables say and what is remembered must be, instance by
	 * instance, what n calls of work in this order make; the instances' scratch memory is one.
	 * Returns 0, or a negative number if work would for any of them, with `why` in that one's
	 * slot. `work` must be there, too. NULL: the component has no such call. */
	int (*work_many)(void *const *self, struct aloe_slot *const *slot, uint32_t n);
};

struct aloe_entry {
	uint32_t abi; /* first, so that ALOE can read it in an entry of any version */
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
