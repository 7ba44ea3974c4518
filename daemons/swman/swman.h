/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/swman/swman.h - the waveform manager: from a file to a program, and from a run to text
 * files.
 *
 *   LOAD    which lanes are in use (exec) -> parse -> shape (aloe-host) -> profile -> plan ->
 *           program -> PREPARE to exec -> the answer to who asked
 *   START, PAUSE, STEP, STOP, LIST, SAMPLES    passed on to exec, which answers who asked
 *   STATUS  asked of exec; when the waveform has ended, the run is saved before the answer goes out
 *   UNLOAD  the run is saved, then passed on; with FORCE also where exec or we do not know the
 *           waveform
 *   REMAP   the LOAD that is kept with the run, mapped again with what is known by now -> REMAP to
 *           exec -> the answer
 *   EVENT   from exec: a waveform has stopped: its run is saved; or is gone: it is forgotten.
 *           From a bridge: how long messages take to other nodes
 *
 * One thread, one loop; nothing waits for exec: what is to be done with an answer is kept in a
 * struct swman_call.
 */
#ifndef DAEMONS_SWMAN_SWMAN_H
#define DAEMONS_SWMAN_SWMAN_H

#include <limits.h>

#include "core/cluster/loss.h"
#include "core/json/json.h"
#include "core/measure/local.h"
#include "core/waveform/shape.h"
#include "core/waveform/waveform.h"
#include "daemons/common/machines.h"

struct swman;
struct gather;

struct swman_call { /* a question to exec that is not answered yet */
	struct swman_call *next;
	uint32_t seq;
	uint64_t until_ns;
	uint64_t prepares; /* LOAD, REMAP: as many had been sent when the question was asked */
	uint8_t *request;  /* who asked us, NULL: nobody, it is our own */
	size_t request_len;
	char *waveform;
	char *notes;
	/* answer NULL: there will be none, `lost` says why. The call is freed afterwards. */
	void (*done)(struct swman *swman, struct swman_call *call, const struct wire_view *answer);
	const char *lost;
	bool again;      /* because exec or the frontend has ended: the next one may be asked */
	bool force;      /* UNLOAD with FORCE: goes on whatever the answer is */
	bool known;      /* ... and somebody has known the waveform so far */
	uint64_t number; /* UPGRADE: which of the list; 0: none */
	struct gather *gather; /* of which the question is one; NULL: of none */
	uint32_t gather_at;
};

struct swman_run { /* of a waveform that is loaded */
	struct swman_run *next;
	char waveform[64];
	char dir[PATH_MAX]; /* below the state directory */
	bool saved;
	bool unrecorded; /* its recording could not be written any more */
	char *record;    /* folder of a recording that was begun while it runs; NULL */
	json_t *sets;    /* changes of parameters that hold or will; NULL: not known */
	bool ending;     /* has stopped; asked for its report until it is final */
	bool asking;     /* such a question is under way */
	uint8_t *load;   /* the LOAD request, for a remap; NULL: not known */
	size_t load_len;
	struct shape_kept shape; /* what its components said */
	/* upgrades.h: builds that instances have got, or were to get; what exec's last report says
	 * of them (NULL: nothing is known); and which is tried */
	json_t *upgrades, *builds;
	uint64_t tried;
	char tried_instance[64];
	uint64_t learned_ns; /* when its costs were last taken down, 0: never */
	uint32_t *nodes;     /* of the platform, that it is on; without one NULL */
	bool *empty;         /* ... by its list, the node has no part of it */
	uint32_t n_nodes;
	uint64_t load_id;
	enum image_node_loss on_loss;
	uint64_t lease_ns;
	bool settled;     /* all its nodes were ready once */
	bool acting;      /* a loss is being dealt with */
	bool starts;      /* loaded anew: what it was loaded instead of ran */
	char *note;       /* loaded anew: why; NULL */
	uint64_t slot_ns; /* on a clock; 0: on none */
};

struct swman_node {  /* of the platform */
	bool silent; /* nothing is heard of it */
	uint64_t heard_ns;
};

struct swman_way {           /* from one node to another, by the bridge of the first */
	uint64_t one_way_ns; /* of a message; 0: not known */
	uint64_t silent_ns;  /* since when nothing is heard of the other node; 0: it is heard */
};

struct swman {
	struct daemon daemon;
	struct machines machines; /* that this one manages */
	char state[PATH_MAX];
	struct swman_call *calls;
	uint64_t prepares; /* and remaps, sent to exec */
	struct swman_run *runs;
	struct swman_way *ways;    /* from node to node, as bridges say; NULL: nothing is known */
	struct registry *registry; /* as of registry_stamp; NULL: not read yet */
	uint64_t registry_stamp;
	struct swman_node nodes[PLATFORM_NODES_MAX];
	struct loop_timer loss;                  /* when one of them is lost */
	struct loop_timer learn;                 /* of the nodes of a platform, what they have */
	struct loop_timer sweep;                 /* calls that time out, runs that end */
	void (*runs_sweep)(struct swman *swman); /* swman_runs_sweep */
	void (*remap)(struct swman *swman, const struct wire_view *request); /* swman_remap */
	/* of a platform: several_prepare, several_ending */
	void (*prepare_on)(struct swman *swman, const struct wire_view *request,
	    const char *waveform, const char *notes, const void *program, size_t len);
	void (*ending_on)(struct swman *swman, struct swman_run *run);
};

/* swman.c */
int swman_ready(void *self); /* a frontend is there: what has exec? */
void swman_lost(void *self);
void swman_fini(struct swman *swman);
void swman_handle(void *self, const struct wire_view *view);

/* call.c: swman_ask sends `msg` to exec; `request` (may be NULL) is copied for the answer. */
struct swman_call *swman_call_new(const struct wire_view *request, const char *waveform);
void swman_call_free(struct swman_call *call);
void swman_ask(struct swman *swman, struct swman_call *call, struct wire_msg *msg,
    void (*done)(struct swman *swman, struct swman_call *call, const struct wire_view *answer));
void swman_answered(struct swman *swman, const struct wire_view *answer);
/* swman_sweep_start looks after calls and runs until there is nothing to look after. */
void swman_sweep_start(struct swman *swman);
void swman_calls_lose(struct swman *swman, const char *why); /* all of them */
/* The answer to who asked: FAIL with text, or exec's answer as it is with more text in front or a
 * field added; without an answer why there is none. */
void swman_fail(struct swman *swman, const struct swman_call *call, int code, const char *text);
void swman_pass(struct swman *swman, const struct swman_call *call, const struct wire_view *answer,
    const char *file);

/* several.c: the same for the waveforms of a platform, whose parts are on several nodes.
 * several_handle does with a message what swman_handle does without a platform. several_prepare
 * sends the program to the nodes that it names, and answers LOAD when all are ready. */
void several_handle(struct swman *swman, const struct wire_view *view);
void several_load(struct swman *swman, const struct wire_view *request);
void several_learn(void *swman);
void several_ending(struct swman *swman, struct swman_run *run); /* asks for its last report */
void several_prepare(struct swman *swman, const struct wire_view *request, const char *waveform,
    const char *notes, const void *program, size_t len);

/* load.c. swman_load_on loads what `request` says on the platform, beside what its nodes have in
 * `list` (exec's lists, each waveform with its node). */
void swman_load_on(struct swman *swman, const struct wire_view *request, const json_t *list);
void swman_load(struct swman *swman, const struct wire_view *request);
/* swman_load_anew loads what `request` says once more, on the nodes that are there; nobody gets an
 * answer. dry: it is only planned, and `done` is told of it; otherwise `done` is told where it is
 * refused. why NULL: there is a plan. */
struct load_anew {
	const char *waveform; /* its name, also where the text cannot be read any more */
	bool dry;
	bool starts;      /* it is started when all nodes are ready */
	const char *note; /* for its report */
	void (*done)(struct swman *swman, const char *waveform, const char *why);
};
void swman_load_anew(struct swman *swman, const struct wire_view *request, const json_t *list,
    const struct load_anew *anew);
/* swman_load_text gives what `request` loads as the text of one file, with --set and all else; the
 * caller frees it. NULL: it cannot be read any more. */
char *swman_load_text(struct swman *swman, const struct wire_view *request);
/* swman_load_again maps what was loaded with `request` once more, as `remap` wants it, on the same
 * CPUs (NULL: as the request says), beside what else exec has in `list`; `send` follows, or the
 * answer that says why not. */
typedef void swman_send(struct swman *swman, const struct wire_view *remap,
    const struct waveform *waveform, const struct plan *plan, const void *program, size_t len);
void swman_load_again(struct swman *swman, const struct wire_view *request,
    const struct wire_view *remap, const char *cpus, const json_t *list, swman_send *send);

/* delays.c. swman_delays_take takes what a bridge has measured and heard: false, the event is
 * another one. swman_silent_ns gives since when the bridge of `by` hears nothing of a node; 0: it
 * does. swman_silence_forget: nothing is heard of that bridge itself.
 * swman_delays_apply gives the model links of its own (the caller frees them), with the delays that
 * were measured where the platform file gives none, and says so; a given delay is kept, and diag
 * says if it is too small. 0 or -ENOMEM. */
bool swman_delays_take(struct swman *swman, const struct wire_view *event);
uint64_t swman_silent_ns(const struct swman *swman, uint32_t by, uint32_t node);
void swman_silence_forget(struct swman *swman, uint32_t by);
int swman_delays_apply(const struct swman *swman, const struct waveform *waveform,
    struct platform_model *model, struct platform_link **ret_links, struct diag *diag);

/* record.c: what an event says is kept with the recording of the run, if there is one. */
void swman_record_event(struct swman *swman, struct swman_run *run, const struct wire_view *event);
/* swman_record_begin keeps it with a recording in *folder, too, from now on, and takes *folder;
 * swman_record_end does not any more. 0 or -errno; -ENOENT: it was not kept there. */
int swman_record_begin(struct swman_run *run, char **folder);
int swman_record_end(struct swman_run *run, const char *folder);

/* recording.c */
void swman_record(struct swman *swman, const struct wire_view *request);

/* remap.c, also of an UPGRADE */
void swman_remap(struct swman *swman, const struct wire_view *request);

/* upgrade.c, upgrade_send.c */
void swman_upgrade(struct swman *swman, const struct wire_view *request);
void swman_upgrade_send(struct swman *swman, const struct wire_view *request,
    const struct waveform *waveform, const struct plan *plan, const void *program, size_t len);

/* run.c */
struct swman_run *swman_run_find(struct swman *swman, const char *waveform);
/* swman_run_known also looks for the folder that an earlier swman has left of a waveform that exec
 * has; NULL: none. */
struct swman_run *swman_run_known(struct swman *swman, const char *waveform);
/* swman_run_begin makes the folder of a run with the waveform's text, and keeps how it was loaded.
 * 0 or -errno. swman_run_replan puts its plan there (NULL: there was no memory for it), first or in
 * the place of another.
 * swman_run_learn looks at a report, so that plans that are made from now on go by what it has
 * measured. */
int swman_run_begin(
    struct swman *swman, const char *waveform, const char *text, const struct wire_view *load);
void swman_run_replan(struct swman *swman, const char *waveform, const char *plan);
void swman_run_learn(struct swman *swman, const struct wire_view *status);
/* forget it; the folder too, unless keep */
void swman_run_drop(struct swman *swman, const char *waveform, bool keep);
void swman_status(struct swman *swman, const struct wire_view *request);
void swman_unload(struct swman *swman, const struct wire_view *request);
void swman_event(struct swman *swman, const struct wire_view *event);
void swman_runs_sweep(struct swman *swman);
/* after a restart: what exec has, and which folders belong to it */
void swman_runs_learn(struct swman *swman);
/* swman_run_list takes exec's list: what is new is known from now on, what it has not is forgotten
 * if the list is the whole of it.
 * swman_run_report takes a report of a waveform: saved, once, when it is over; it is no report:
 * NULL. */
void swman_run_list(struct swman *swman, const json_t *list, bool whole);
struct swman_run *swman_run_report(
    struct swman *swman, const char *waveform, const json_t *report, bool over);

#endif
