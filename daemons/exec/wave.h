/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/wave.h - a waveform of this node: what is known of it, and its steps.
 */
#ifndef DAEMONS_EXEC_WAVE_H
#define DAEMONS_EXEC_WAVE_H

#include "core/bridge/bridge.h"
#include "core/image/image.h"
#include "core/image/node.h"
#include "core/wire/wire.h"
#include "core/base/loop.h"
#include "daemons/common/hostlink.h"

enum {
	PREPARE_S = 30, /* at most so long takes the init of all components */
	REASON_BYTES = 768,
	FOLDER_BYTES = 1024,
};

enum remap_stage {
	REMAP_NONE,
	REMAP_PREPARES,
	REMAP_HALTS,
	REMAP_IMPORTS,
	REMAP_SWITCHES,
	REMAP_RETURNS
};

enum wave_state {
	WAVE_LOADED,
	WAVE_INIT,
	WAVE_RUN,
	WAVE_PAUSE,
	WAVE_STEP,
	WAVE_STOP,
	WAVE_ABNSTOP
};

struct exec;
struct exec_misses;
struct exec_flight;
struct exec_spents;

struct exec_place { /* where a segment is */
	uint32_t lane, entry, seat;
};

struct kept_wave { /* with the frontend, beside the descriptors of its files */
	uint32_t control, n_segments, remaps;
	uint8_t started, ended, drained;
	uint8_t remap; /* REMAP_NONE, REMAP_IMPORTS or REMAP_SWITCHES */
	char reason[REASON_BYTES];
	char notes[HOSTLINK_TEXT], losses[1024], folder[FOLDER_BYTES];
	struct exec_place places[2048];
};

struct exec_peer { /* another node, as the bridge of this one has counted (peers.c) */
	char name[64];
	struct bridge_counts counts;
};

struct exec_progress {
	uint64_t sum, since_ns, looked_ns;
	uint32_t current; /* at work when last looked at */
	uint64_t done;    /* steps when last looked at: they never become fewer */
	uint64_t misses;  /* taken by misses.c */
};

struct exec_pending {   /* a request to be answered later */
	uint8_t *bytes; /* NULL: none */
	size_t len;
	uint64_t until_ns; /* answered with FAIL then */
	uint64_t value;    /* PAUSE, STEP: the limit */
	/* who asked has gone with the frontend: another request may take its place */
	bool nobodys;
};

struct exec_wave {
	struct exec_wave *next;
	struct exec *exec;
	char name[64];
	uint32_t control; /* index of the control block */
	struct image_files files;
	struct image_view view;
	enum wave_state state;
	bool started, ended, drained, unloading;
	bool stopping; /* STOP, or UNLOAD, was ordered */
	bool halts;    /* it is to stand at pending.value before its last index is chosen */
	/* steps and calls since then, and when there was the last one */
	uint64_t stopping_sum, moved_ns;
	bool outdated; /* what was kept of it is from before its last remap */
	bool held;     /* no step begins until GO_ON, see lease.c; then with this limit: */
	uint64_t held_limit;
	bool holds_wake; /* counted in exec->realtime_waves */
	struct exec_host *hosts;
	uint32_t n_hosts;
	struct exec_place *places; /* by segment */
	struct exec_pending pending, set_pending;
	/* array that its host prepares for set_pending; sequence 0: none */
	struct node_change offered;
	struct node_change published; /* what set_pending waits for otherwise */
	struct loop_timer look_timer; /* for what is pending, before everything is looked at */
	uint64_t look_ns;
	char reason[REASON_BYTES];
	char notes[HOSTLINK_TEXT], losses[1024];
	uint64_t first_ns;              /* when the first slot began; 0: not known */
	uint64_t start_ns, progress_ns; /* progress_ns: when it was told to finish */
	struct exec_progress *progress; /* by segment: hang watch without a watchdog */
	uint64_t hang_ns;               /* when the first of them hangs if it does not go on */
	bool rests;        /* it stands, and its entries have been taken off the lanes */
	bool aligns;       /* they have, until the slots have their new numbers (clock.c) */
	uint64_t sequence; /* of changes */
	/* mode.c: what overrun = "mode" has set last, until it is known from which index on */
	struct node_change mode[NODE_MODES];
	uint32_t n_mode;
	struct exec_misses *misses; /* misses.c; NULL: there were none */
	/* slots before this one ran under an exec that has died; 0: there was none */
	uint64_t seen_from;
	struct exec_flight *flight; /* flight.c; NULL: none */
	struct exec_spents *spents; /* spent.c; NULL: not known */
	char folder[FOLDER_BYTES];  /* of the run, for misses.jsonl; "": none on this node */

	enum remap_stage remap;
	/* where it goes to, then where it came from, see remap.c; in no list */
	struct exec_wave *other;
	struct exec_wave *follows; /* of such a one: the waveform */
	struct loop_timer remap_timer;
	uint64_t remap_number, remap_slot; /* which one; the last slot before it stood */
	uint32_t remap_answers, remap_latency;
	uint32_t remaps; /* how often it went over */
	/* the other program has instances of another build: the index at which they are to take
	 * over; IMAGE_FOREVER: the next. upgraded: one of them. shadow: it has rings for a shadow
	 * run, which begins when it is switched to */
	bool upgrades;
	uint64_t upgrade_at;
	uint32_t upgraded;
	bool shadows;
	/* what the hosts said of it; in RETURNS why it was given up, and the code of the answer */
	char import_text[1024];
	int return_code;
	bool deaf; /* a host has not returned from init of a new build: it takes no orders */
	/* shadow.c; NULL: none. shadow_next takes its place when its rings are there. */
	struct exec_shadow *shadow, *shadow_next;
	struct exec_peer *peers;
	size_t n_peers;
};

extern const char *const wave_state_names[];

struct exec_wave *exec_find(struct exec *exec, const char *name, size_t len);
struct exec_wave *wave_new(struct exec *exec, const char *name); /* in no list yet; NULL */
void exec_ok(struct exec *exec, const struct wire_view *request, enum wire_tag tag, uint64_t value);
/* exec_too_late: what was asked for at a slot or index (`what`) cannot be any more. `newest` has
 * begun, `next` is the first that can be asked for. */
void exec_too_late(struct exec *exec, const struct wire_view *request, const char *what,
    uint64_t asked, uint64_t newest, uint64_t next);
__attribute__((format(printf, 4, 5))) void exec_fail(
    struct exec *exec, const struct wire_view *request, int code, const char *format, ...);
/* wave_later keeps the request; wave_answer sends its answer: value with `tag`, or FAIL when why is
 * given. */
void wave_later(struct exec_pending *pending, const struct wire_view *request, uint64_t timeout_ns);
bool wave_busy(const struct exec_pending *pending); /* somebody waits for it */
void wave_busy_fail(const struct exec_wave *wave, const struct wire_view *request);
void wave_answer(struct exec_wave *wave, struct exec_pending *pending, enum wire_tag tag,
    uint64_t value, int code, const char *why);
uint64_t wave_last(const struct exec_wave *wave); /* the last index, IMAGE_FOREVER: not known yet */
/* wave_last_wanted: the last index that was asked for; what goes through behind it is no slot of
 * the run. wave_index: how many indices every instance is done with; those that it runs on for do
 * not count. */
uint64_t wave_last_wanted(const struct exec_wave *wave);
uint64_t wave_index(const struct exec_wave *wave);
void wave_set_state(struct exec_wave *wave, enum wave_state state);
void wave_announce(const struct exec_wave *wave, const char *state); /* the manager, as an event */
struct node_control *wave_control(const struct exec_wave *wave);
void wave_note(struct exec_wave *wave, const char *lines); /* a '!' before a line: a loss */
/* wave_has_host: the host is one of this node. exec_node_in gives the number of this node in a
 * program of several, IMAGE_NONE in one of one node; ret_why is "", or why the program has no part
 * for this node. */
bool wave_has_host(const struct exec_wave *wave, uint32_t host);
uint32_t exec_node_in(
    const struct exec *exec, const struct image_view *view, char *ret_why, size_t size);
/* hosts, places, progress; none of the hosts is there yet. 0 or -ENOMEM */
int wave_tables(struct exec_wave *wave);
void wave_dispose(struct exec_wave *wave); /* only what this process has of it */
/* exec_look_within sees to it that everything is looked at in at most so long. */
enum { EXEC_LOOK_NS = 5000000 };
void exec_look_within(struct exec *exec, uint64_t ns);
/* for what is pending: most of it is done in a slot or two */
void wave_look_soon(struct exec_wave *wave);
/* keep_wave puts the record of the waveform with the frontend, keep_wave_drop takes it from
 * there. */
void keep_wave(const struct exec_wave *wave);
void keep_wave_drop(const struct exec_wave *wave);

/* steps.c */
uint64_t wave_margin(const struct exec_wave *wave);
bool wave_can(
    struct exec_wave *wave, const struct wire_view *request, unsigned states, const char *what);
void wave_limit(struct exec_wave *wave, uint64_t limit); /* steps below it may run */
/* an upgrade waits for its index, and nothing stands yet */
bool wave_waits(const struct exec_wave *wave);
/* PAUSE was ordered, for a step that is still ahead */
bool wave_comes_to_pause(const struct exec_wave *wave);
/* no step is under way, and none begins unless it is told to */
bool wave_stands(const struct exec_wave *wave);
/* wave_run lets it run up to `limit`, from the slot given back on: so many slots from now. */
uint64_t wave_run(struct exec_wave *wave, uint64_t limit, uint64_t margin);
void wave_run_at(struct exec_wave *wave, uint64_t limit, uint64_t slot); /* from that one */
/* wave_hold_below lets no segment begin step `limit` or a later one: true, or false when one may
 * have begun it, and nothing has changed. wave_hold gives a step that none has begun and none
 * begins. Both until wave_limit gives them free. */
bool wave_hold_below(struct exec_wave *wave, uint64_t limit);
uint64_t wave_hold(struct exec_wave *wave);
uint64_t wave_steps_max(const struct exec_wave *wave);
/* wave_steps_begun: nobody has begun a later step than that one */
uint64_t wave_steps_begun(const struct exec_wave *wave);
uint64_t wave_steps_min(const struct exec_wave *wave);
/* wave_halt lets all segments come to one step and no further: pending.value. On the step clock one
 * may have slipped where another has not: wave_step_more lets slots go until they are even. */
void wave_halt(struct exec_wave *wave);
/* all segments stand at pending.value, or at what it must become */
bool wave_limit_reached(struct exec_wave *wave);
/* on the step clock: slots for those that are not there yet */
void wave_step_more(struct exec_wave *wave);

#endif
