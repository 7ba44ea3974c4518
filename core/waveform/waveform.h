/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/waveform/waveform.h - a waveform file, parsed and validated.
 *
 *   text (libconfig) + overrides --parse--> struct waveform --validate--> types resolved --shape-->
 *   sizes known
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
enum wf_isolation { WF_ISOLATION_WAVEFORM, WF_ISOLATION_COMPONENT, WF_ISOLATION_NONE };
/* Loaded if usual costs fit; if tails fit, all at once; whether it fits or not. */
enum wf_admit { WF_ADMIT_FITS, WF_ADMIT_STRICT, WF_ADMIT_ALWAYS };
enum wf_overrun { WF_OVERRUN_COUNT, WF_OVERRUN_FLAG, WF_OVERRUN_STOP };

/* One parameter as set: by the file, by --set, or the default (then `line` is 0). */
struct wf_value {
	double number; /* REAL, INT, BOOL (0/1), ENUM (position) */
	char *text;    /* TEXT; PATH, made absolute */
	float *reals;  /* REALS */
	uint32_t n_reals;
	bool set;   /* by file or override; false: the descriptor's default */
	bool wrong; /* as set, which was said: only while a file is parsed */
	int line;
};

/* a port of an instance, inputs and outputs each numbered from 0 in the order of the type's
 * table */
struct wf_port {
	uint32_t type; /* exactly one item type; 0 when not connected and not fixed */
	uint32_t max;  /* items in a message; 0 until shaped */
	int link;      /* inputs: the link that feeds it, -1; outputs: the first of its links, -1 */
};

struct wf_instance {
	char *name;
	char *original;                    /* of a copy: its name in the file; else NULL */
	const struct component_type *type; /* the registry's */
	struct wf_value *values;           /* one per parameter of the type */
	struct wf_port in[ALOE_PORTS_MAX], out[ALOE_PORTS_MAX];
	uint32_t n_in, n_out;
	int pin;                     /* lane number (position in the waveform's `lanes`), or -1 */
	char *node;                  /* of the platform, that it must be on; NULL: any */
	enum wf_isolation isolation; /* the waveform's unless it has its own */
	uint32_t period, phase;      /* 1, 0 */
	uint32_t tail;               /* indices, of its parameters; 0 until shaped */
	double budget_us;            /* 0: from profile or default */
	/* a value of it is, which was said: only while a file is parsed */
	bool wrong;
	int line;
};

struct wf_link {
	int from, from_port; /* instance, output */
	int to, to_port;     /* instance, input */
	uint32_t delay;      /* declared, part of the algorithm */
	uint32_t items;      /* 0, or the maximum stated by the file (cycles) */
	int line;
	/* one of its ends was not understood, which was said: only while a file is parsed */
	bool doubtful;
};

struct waveform {
	char *file; /* as named in messages */
	char *name;
	uint64_t slot_ns;
	/* 0: the file counts nanoseconds; else slot_ns is so many at rate_hz, rounded */
	uint32_t slot_samples;
	double rate_hz;
	enum wf_clock clock;
	enum wf_late late;
	enum wf_isolation isolation;
	enum wf_overrun overrun;
	bool pipelined;
	double margin; /* 0..0.9 of the slot kept free */
	enum wf_admit admit;
	int *lanes; /* CPU numbers the user named; NULL: the platform's */
	size_t n_lanes;
	struct wf_instance *instances;
	size_t n_instances;
	struct wf_link *links;
	size_t n_links;
	/* of the platform file, for the clock `radio`; NULL: none was given */
	struct wf_radios *radios;
	bool radio_fast;    /* --clock virtual: slots begin as fast as they are run */
	uint32_t copies;    /* of what the file says, one behind the other; 0 or 1: none */
	bool copies_differ; /* in a text or path, by their number */
};

/* Slots begin when the clock says so: a slot that takes too long is a miss. */
static inline bool waveform_timed(const struct waveform *waveform)
{
	return waveform->clock == WF_CLOCK_TIMER || waveform->clock == WF_CLOCK_RADIO;
}

/* How many instances and links one copy has. */
static inline size_t waveform_originals(const struct waveform *waveform)
{
	return waveform->n_instances / (waveform->copies ? waveform->copies : 1);
}

static inline size_t waveform_original_links(const struct waveform *waveform)
{
	return waveform->n_links / (waveform->copies ? waveform->copies : 1);
}

/* What the command line adds: `inst.param=value` or a waveform key `=value`; applied before
 * validation. */
struct wf_overrides {
	const char *const *sets; /* "inst.param=value" */
	size_t n_sets;
	const char *cwd;   /* relative paths are relative to it */
	const char *clock; /* NULL or "timer", "virtual", "step", "radio" */
	const char *isolation;
	const char *late;
	int pipelined;    /* -1: as in the file */
	uint64_t slot_ns; /* 0: as in the file */
	const int *lanes;
	size_t n_lanes;
	uint32_t copies; /* 0 or 1: none; else `sets` hold for all of them */
	/* platform file with a group `radio`, and what is in it; NULL */
	const char *radio, *radio_text;
};

/* waveform_parse reads `text` (the content of `file`, which is only a name here) and validates it
 * against the registry. 0, or -EINVAL with everything that is wrong in diag (and *ret untouched).
 * Of files it reads those of arrays ("@FILE") and looks whether sinks would share one. */
int waveform_parse(const char *file, const char *text, size_t len, const struct registry *registry,
    const struct wf_overrides *overrides, struct diag *diag, struct waveform **ret);
void waveform_free(struct waveform *waveform);

/* waveform_shape_json / waveform_shape_apply: what a host is asked (`aloe-host --shape`: check()
 * and shape() of every instance in topological order), and its answer. See shape.h for
 * waveform_shape, which runs that host. */
char *waveform_shape_json(const struct waveform *waveform);
int waveform_shape_apply(struct waveform *waveform, const char *answer, struct diag *diag);

/* waveform_shape starts `host` (path of aloe-host) with --shape, asks it and applies the answer:
 * every connected port gets its maximum. -EINVAL with the components' errors in diag; -EPROTO when
 * the host died (which one did is said). */
int waveform_shape(struct waveform *waveform, const char *host, struct diag *diag);

/* waveform_shape_serve is the host's side: JSON in, JSON out (the caller frees it); opens the
 * components named. */
char *waveform_shape_serve(const char *request);

#endif
