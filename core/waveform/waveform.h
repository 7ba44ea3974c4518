/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/waveform/waveform.h - a waveform file, parsed and validated.
 *
 *   text (libconfig) + overrides --parse--> struct waveform
 *                                --validate--> item types are known
 *                                --shape--> sizes of messages are known
 *
 * All errors of a file are collected in one run, each as `file:line: what was found, what is
 * allowed`.
 */
#ifndef ALOE_WAVEFORM_H
#define ALOE_WAVEFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/diag.h"
#include "core/registry/registry.h"
#include "core/waveform/radio_file.h"

enum wf_clock { WF_CLOCK_TIMER, WF_CLOCK_VIRTUAL, WF_CLOCK_STEP, WF_CLOCK_RADIO };
enum wf_late { WF_LATE_SLIP, WF_LATE_SKIP };
enum wf_scheduler { WF_SCHEDULER_FIFO, WF_SCHEDULER_RR };
enum wf_isolation { WF_ISOLATION_WAVEFORM, WF_ISOLATION_COMPONENT, WF_ISOLATION_NONE };
/* Admit a waveform if the usual costs fit; if all tails fit at once; always. */
enum wf_admit { WF_ADMIT_FITS, WF_ADMIT_STRICT, WF_ADMIT_ALWAYS };
enum wf_overrun {
	WF_OVERRUN_COUNT,
	WF_OVERRUN_FLAG,
	WF_OVERRUN_CONCEAL,
	WF_OVERRUN_MODE,
	WF_OVERRUN_STOP
};
/* When a node of several is lost: what depends on it waits; the rest is stopped; the waveform is
 * loaded anew on what is left. */
enum wf_node_loss { WF_NODE_LOSS_HOLD, WF_NODE_LOSS_STOP, WF_NODE_LOSS_RESTART };

/* The value of one parameter: from the file, from --set, or the default (then `line` is 0). */
struct wf_value {
	double number; /* REAL, INT, BOOL (0/1), ENUM (position) */
	char *text;    /* TEXT; PATH, made absolute */
	float *reals;  /* REALS */
	uint32_t n_reals;
	bool set;   /* by file or override; false: the descriptor's default */
	bool wrong; /* the value has an error, which was reported; only while a file is parsed */
	int line;
	bool has_mode; /* on_overrun names it: the number while overrun = "mode" holds */
	double mode;
};

/* A port of an instance. Inputs and outputs are numbered from 0 in the order of the table. */
struct wf_port {
	uint32_t type; /* exactly one item type; 0 when not connected and not fixed */
	uint32_t max;  /* items in a message; 0 until shaped */
	int link;      /* inputs: their link; outputs: their first link; -1: none */
	uint32_t tap;  /* outputs: messages that a ring keeps for taps; 0: no tap */
};

/* Of a file, and with all copies and replicas. */
enum { WF_INSTANCES_MAX = 65536, WF_LINKS_MAX = 1 << 18 };
enum { WF_REPLICAS_MAX = 64 }; /* of an instance */

/* Parameters that on_overrun may name, of all copies together. */
enum { WF_MODES_MAX = 32 };

enum { WF_TAP_MAX = 1 << 19 };
#define WF_TAP_USUAL UINT32_MAX /* as many as image_tap_keep says */

struct wf_instance {
	char *name;
	char *original;                    /* of a copy: the name in the file; else NULL */
	const struct component_type *type; /* belongs to the registry */
	struct wf_value *values;           /* one per parameter of the type */
	struct wf_port in[ALOE_PORTS_MAX], out[ALOE_PORTS_MAX];
	uint32_t n_in, n_out;
	int pin;                     /* lane number (position in the waveform's `lanes`), or -1 */
	char *node;                  /* node of the platform; NULL: any node */
	enum wf_isolation isolation; /* the waveform's, unless the instance has its own */
	uint32_t period, phase;      /* default 1, 0 */
	uint32_t tail;               /* indices, as its parameters give; 0 until shaped */
	double budget_us;            /* 0: from profile or default */
	uint32_t tap;                /* as in wf_port, of all outputs that are connected */
	/* on the lane and in the process of the instance that it reads, and in the same slot, also
	 * where links are pipelined: it misses what that instance misses, and nothing else */
	bool beside;
	/* number of the upgrade that has brought its type, and which parameters were set with it
	 * (bit p: parameter p); 0: as loaded. The parser does not set them. */
	uint32_t upgrade, given;
	/* the key "replicas": 0 means "auto", which begins as 1 */
	uint32_t replicas;
	/* after waveform_spread: an instance in r places has r rows, of which place j works on the
	 * indices k with k % r = j. The first is the one that the file names; `rest` is the number
	 * of the second, behind which the others follow. `named` is the number of the first;
	 * places 0: one place */
	uint32_t places, place;
	int named, rest;
	/* a value has an error, which was reported; only while a file is parsed */
	bool wrong;
	int line;
};

struct wf_link {
	int from, from_port; /* instance, output */
	int to, to_port;     /* instance, input */
	uint32_t delay;      /* declared, part of the algorithm */
	uint32_t items;      /* 0, or the maximum stated by the file (cycles) */
	int line;
	/* after waveform_spread: not the first of the rows of a link of the file */
	bool further;
	/* an end has an error, which was reported; only while a file is parsed */
	bool doubtful;
};

/* As many as are worth it (core/map/side.h). */
enum { WF_SIDE_AUTO = 0, WF_SIDE_OFF = 1 };

struct waveform {
	char *file; /* as named in messages */
	char *name;
	uint64_t slot_ns;
	/* length of a slot in samples; slot_ns is computed from it. 0: the file gives slot_ns */
	uint32_t slot_samples;
	double rate_hz;
	enum wf_clock clock;
	enum wf_late late;
	enum wf_isolation isolation;
	enum wf_overrun overrun;
	enum wf_scheduler scheduler; /* of the threads of lanes */
	bool pipelined;
	double margin; /* 0..0.9 of the slot kept free */
	enum wf_admit admit;
	enum wf_node_loss on_node_loss;
	/* WF_NODE_LOSS_RESTART: a node that has no word from the manager for so long holds its part
	 * of the waveform */
	uint32_t lease_ms;
	int *lanes; /* CPU numbers that the user named; NULL: the lanes of the platform */
	size_t n_lanes;
	struct wf_instance *instances;
	size_t n_instances;
	struct wf_link *links;
	size_t n_links;
	/* radios of the radio file, for the clock `radio`; NULL: none was given */
	struct wf_radios *radios;
	bool radio_fast;    /* --clock virtual: slots begin as fast as they are run */
	uint32_t copies;    /* copies of the waveform in the file; 0 or 1: none */
	bool copies_differ; /* a text or path contains the number of the copy */
	/* how many copies may be served by one call (work_many): WF_SIDE_AUTO, WF_SIDE_OFF, or at
	 * most so many */
	uint32_t side;
	/* folders of recordings, where lapses are written and from where they are repeated
	 * (core/slot/lapse.h); NULL: none */
	char *record, *replay;
};

/* waveform_timed tells whether slots begin at given times, so that a long slot is a miss. A radio
 * that waits for its slots gives no times. */
static inline bool waveform_timed(const struct waveform *waveform)
{
	return waveform->clock == WF_CLOCK_TIMER ||
	    (waveform->clock == WF_CLOCK_RADIO && !waveform->radio_fast);
}

/* waveform_lapses tells whether instances may miss an index or a message, which a recording has to
 * say. */
static inline bool waveform_lapses(const struct waveform *waveform)
{
	return waveform_timed(waveform) &&
	    (waveform->late == WF_LATE_SKIP || waveform->overrun == WF_OVERRUN_CONCEAL);
}

/* waveform_beside returns the number of the instance that instance i is beside, or -1. It comes
 * before i in the file. */
static inline int waveform_beside(const struct waveform *waveform, size_t i)
{
	const struct wf_instance *it = &waveform->instances[i];
	const int from =
	    it->beside && it->in[0].link >= 0 ? waveform->links[it->in[0].link].from : -1;

	return from < (int)i ? from : -1;
}

/* waveform_originals and waveform_original_links return the numbers of instances and links of one
 * copy. */
static inline size_t waveform_originals(const struct waveform *waveform)
{
	return waveform->n_instances / (waveform->copies ? waveform->copies : 1);
}

static inline size_t waveform_original_links(const struct waveform *waveform)
{
	return waveform->n_links / (waveform->copies ? waveform->copies : 1);
}

/* An instance that is of another type than the file says. */
struct wf_upgrade {
	const char *instance;
	const struct component_type *type; /* lives as long as the waveform */
};

/* waveform_places returns in how many places an instance runs; waveform_named returns the number of
 * the instance that the file names for row i. */
static inline uint32_t waveform_places(const struct wf_instance *instance)
{
	return instance->places > 1 ? instance->places : 1;
}

static inline int waveform_named(const struct waveform *waveform, int i)
{
	const struct wf_instance *instance = &waveform->instances[i];

	return instance->places > 1 ? instance->named : i;
}

/* waveform_place returns the number of the row of place j of an instance that the file names. */
static inline int waveform_place(const struct wf_instance *instances, int named, uint32_t j)
{
	return j == 0 ? named : instances[named].rest + (int)j - 1;
}

/* waveform_aligned tells whether the ends of a link are in equally many places, more than one, and
 * whatever the one place writes the other reads. */
static inline bool waveform_aligned(const struct waveform *waveform, const struct wf_link *link)
{
	const struct wf_instance *from = &waveform->instances[link->from],
	                         *to = &waveform->instances[link->to];

	return from->places > 1 && from->places == to->places &&
	    ((uint64_t)from->place + link->delay) % from->places == to->place;
}

/* Settings of the command line, which replace values of the file before validation. */
struct wf_overrides {
	const char *const *sets; /* "inst.param=value", or "key=value" of the waveform */
	size_t n_sets;
	const char *cwd;   /* directory of the command, for relative paths */
	const char *clock; /* NULL or "timer", "virtual", "step", "radio" */
	const char *isolation;
	const char *late;
	int pipelined;    /* -1: as in the file */
	uint64_t slot_ns; /* 0: as in the file */
	const int *lanes;
	size_t n_lanes;
	uint32_t copies; /* 0 or 1: no copies; otherwise `sets` apply to all copies */
	/* name of the radio file, and its text; NULL: none */
	const char *radio, *radio_text;
	const char *record, *replay; /* as in struct waveform */
	const struct wf_upgrade *upgrades;
	size_t n_upgrades;
};

/* waveform_parse reads `text`, the content of `file`, and validates it against the registry. `file`
 * is only a name for messages. Returns 0, or -EINVAL with all errors in diag and *ret untouched.
 * The only files that it opens are those of arrays ("@FILE"); it also checks that no two sinks
 * write the same file. */
int waveform_parse(const char *file, const char *text, size_t len, const struct registry *registry,
    const struct wf_overrides *overrides, struct diag *diag, struct waveform **ret);
void waveform_free(struct waveform *waveform);

/* waveform_shape_json returns the question for a host (`aloe-host --shape`), which calls check()
 * and shape() of every instance in topological order. waveform_shape_apply takes the answer. */
char *waveform_shape_json(const struct waveform *waveform);
int waveform_shape_apply(struct waveform *waveform, const char *answer, struct diag *diag);

/* waveform_shape starts `host` (path of aloe-host) with --shape, asks the question and applies the
 * answer, so that every connected port has its maximum. Returns -EINVAL with the components' errors
 * in diag, or -EPROTO if the host died (diag names the component that was called). */
int waveform_shape(struct waveform *waveform, const char *host, struct diag *diag);

/* waveform_spread gives each instance with `replicas` a row for each of its places, and each link a
 * row for each pair of places that meet (spread.c), once sizes are known. Nothing is done twice. 0
 * or -ENOMEM.
 *
 * waveform_spread_rows does the same into arrays of the caller, with room for what
 * waveform_spread_size says; what a row points to (values, node) is that of the first row, and its
 * name is left to the caller. */
struct wf_size {
	size_t n_instances, n_links;
};
int waveform_spread(struct waveform *waveform);
struct wf_size waveform_spread_size(const struct waveform *waveform);
void waveform_spread_rows(
    const struct waveform *waveform, struct wf_instance *instances, struct wf_link *links);

/* waveform_order writes the numbers of all instances in the order of the graph, writers before
 * their readers (links with a delay do not count), in the file's order where there is a choice.
 * 0; -ENOMEM; -EINVAL if a cycle has no delay. */
int waveform_order(const struct waveform *waveform, int *ret_order);

#endif
