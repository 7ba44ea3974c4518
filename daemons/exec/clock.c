/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/exec/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/tai.h"
#include "core/image/align.h"
#include "daemons/exec/end.h"
#include "daemons/exec/peers.h"

/* STAND_NS: so long the lanes get to stand; by then a watchdog has taken off what hangs there. */
enum { LOOK_NS = 1000000, STAND_NS = 1000000000 };

/* ---- the new numbers of slots -------------------------------------------------------------- */

static bool is_on_clock(const struct exec_wave *wave)
{
	return wave->view.head != NULL && wave->view.head->clock == IMAGE_TIMER &&
	    wave->places != NULL && !wave->drained;
}

static bool is_live(const struct exec_wave *wave)
{
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct exec_place *place = &wave->places[s];

		if (place->lane != IMAGE_NONE &&
		    atomic_load(&wave->exec->node->lane[place->lane].entry[place->entry].live) != 0)
			return true;
	}
	return false;
}

static bool is_timer(const struct node_timebase *base)
{
	return atomic_load(&base->used) != 0 && base->pace == IMAGE_TIMER;
}

/* Takes the waveforms of the clock off their lanes; true: nobody is at work there any more. */
static bool lanes_stand(struct exec *exec)
{
	bool stand = true;

	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next) {
		if (!is_on_clock(wave) || !is_live(wave))
			continue;
		wave->aligns = true;
		lanes_leave(wave);
	}
	for (uint32_t l = 0; l < exec->node->n_lanes; l++) {
		const uint32_t base = atomic_load(&exec->node->lane[l].timebase);

		if (exec->lanes[l].image == NULL || base >= NODE_TIMEBASES_MAX ||
		    exec->node->timebase[base].pace != IMAGE_TIMER)
			continue;
		lane_tend(exec, l);
		stand =
		    stand && baton_entry(atomic_load(&exec->lanes[l].image->baton)) == BATON_NOBODY;
	}
	return stand;
}

static void wave_renumber(struct exec_wave *wave, uint64_t start_ns, uint64_t now)
{
	const struct node_timebase *base = wave_timebase(wave);
	_Atomic uint64_t *first = &wave_control(wave)->base;
	struct node_timebase after;

	if (base == NULL || wave->control == IMAGE_NONE)
		return;
	after = (struct node_timebase){.slot_ns = base->slot_ns, .start_ns = start_ns};
	atomic_store(first,
	    align_base(atomic_load(first), timebase_slot(base, now), timebase_slot(&after, now)));
}

static void waves_renumber(struct exec *exec, uint64_t epoch_ns)
{
	const uint64_t start_ns = align_start(epoch_ns), now = clock_ns();

	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		if (is_on_clock(wave))
			wave_renumber(wave, start_ns, now);
	atomic_store(&exec->node->epoch_ns, epoch_ns);
	for (uint32_t i = 0; i < NODE_TIMEBASES_MAX; i++)
		if (is_timer(&exec->node->timebase[i]))
			atomic_store(&exec->node->timebase[i].start_ns, start_ns);
}

static void go_on(struct exec *exec)
{
	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next) {
		if (wave->aligns && is_on_clock(wave) && !wave->ended &&
		    wave->state != WAVE_ABNSTOP)
			lanes_live(wave);
		wave->aligns = false;
	}
}

static void clock_align(void *self)
{
	struct exec *exec = self;

	if (!lanes_stand(exec) && clock_ns() < exec->clock.until_ns) {
		loop_timer_start(
		    &exec->daemon.loop, &exec->clock.timer, LOOK_NS, clock_align, exec);
		return;
	}
	exec->clock.until_ns = 0;
	waves_renumber(exec, exec->clock.epoch_ns);
	go_on(exec);
	atomic_store(&exec->node->aligns, 0);
}

static void align_to(struct exec *exec, uint64_t epoch_ns)
{
	exec->clock.epoch_ns = epoch_ns;
	if (exec->clock.until_ns == 0)
		exec->clock.until_ns = clock_ns() + STAND_NS;
	atomic_store(&exec->node->aligns, 1);
	clock_align(exec);
}

/* ---- a clock that was set ------------------------------------------------------------------ */

static void skippers_stop(struct exec *exec, int64_t moved_ns)
{
	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		if (is_on_clock(wave) && wave->view.head->late == IMAGE_SKIP && wave->started &&
		    !wave->ended)
			wave_abort(wave,
			    "the clock of node \"%s\" was set by %+.6f s, and with the overrun "
			    "policy skip every index belongs to a slot of that clock; start the "
			    "waveform again when the clock is right",
			    exec->daemon.args.node, (double)moved_ns * 1e-9);
}

/* From the epoch that the slots have, or are about to get. */
static int64_t moved_to(const struct exec *exec, uint64_t epoch_ns)
{
	return (int64_t)(epoch_ns -
	    (exec->clock.until_ns != 0 ? exec->clock.epoch_ns
	                               : atomic_load(&exec->node->epoch_ns)));
}

static void was_set(struct exec *exec, uint64_t epoch_ns)
{
	const bool follows = atomic_load(&exec->node->follows) != 0;
	const int64_t moved_ns = moved_to(exec, epoch_ns);

	exec->clock.moved_ns = moved_ns;
	atomic_fetch_add(&exec->node->clock_steps, 1);
	log_warning(&exec->daemon.log,
	    "the clock %s node \"%s\"%s was set by %+.6f s: its slots get the numbers and edges of "
	    "the new time",
	    follows ? "that" : "of", exec->daemon.args.node, follows ? " follows" : "",
	    (double)moved_ns * 1e-9);
	skippers_stop(exec, moved_ns);
	align_to(exec, epoch_ns);
}

static void tai_look(struct exec *exec)
{
	uint64_t epoch;
	int64_t moved_ns;

	if (atomic_load(&exec->node->follows) != 0)
		return;
	epoch = tai_epoch_ns();
	moved_ns = moved_to(exec, epoch);
	if (moved_ns >= ALIGN_STEP_NS || moved_ns <= -ALIGN_STEP_NS)
		was_set(exec, epoch);
}

static void set_ready(void *self, short revents)
{
	struct exec *exec = self;

	(void)revents;
	if (tai_watch_take(exec->clock.fd) && exec->node != NULL)
		tai_look(exec);
}

static void watch_start(struct exec *exec)
{
	if (exec->clock.watch.on)
		return;
	exec->clock.fd = tai_watch_open();
	if (exec->clock.fd < 0)
		log_warning(&exec->daemon.log,
		    "the clock cannot be watched (%s), so nothing is noticed when it is set",
		    strerror(-exec->clock.fd));
	else
		loop_watch_start(&exec->daemon.loop, &exec->clock.watch, exec->clock.fd, POLLIN,
		    set_ready, exec);
}

/* An exec that was killed while the lanes stood has left them so. */
static void left_behind(struct exec *exec)
{
	if (atomic_load(&exec->node->aligns) == 0)
		return;
	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		wave->aligns = is_on_clock(wave) && wave->started && !wave->ended &&
		    wave->state != WAVE_PAUSE && !is_live(wave);
	align_to(exec, atomic_load(&exec->node->epoch_ns));
}

void clock_ready(struct exec *exec)
{
	if (exec->daemon.args.node == NULL)
		return;
	watch_start(exec);
	if (atomic_load(&exec->node->epoch_ns) == 0)
		atomic_store(&exec->node->epoch_ns, tai_epoch_ns());
	left_behind(exec);
	tai_look(exec);
}

void clock_close(struct exec *exec)
{
	loop_timer_stop(&exec->daemon.loop, &exec->clock.timer);
	loop_watch_stop(&exec->daemon.loop, &exec->clock.watch);
	if (exec->clock.fd >= 0)
		close(exec->clock.fd);
	exec->clock.fd = -1;
	free(exec->clock.peers);
	exec->clock.peers = NULL;
	exec->clock.n_peers = 0;
}

/* ---- the clock of another node ------------------------------------------------------------- */

/* 0: no time base is in use */
static uint64_t shortest_slot(const struct exec *exec)
{
	uint64_t least = 0;

	for (uint32_t i = 0; i < NODE_TIMEBASES_MAX; i++) {
		const struct node_timebase *base = &exec->node->timebase[i];

		if (is_timer(base) && (least == 0 || base->slot_ns < least))
			least = base->slot_ns;
	}
	return least;
}

static void clock_slew(struct exec *exec, int64_t by_ns)
{
	atomic_fetch_add(&exec->node->epoch_ns, (uint64_t)by_ns);
	for (uint32_t i = 0; i < NODE_TIMEBASES_MAX; i++) {
		struct node_timebase *base = &exec->node->timebase[i];

		if (!is_timer(base))
			continue;
		atomic_store(&base->slack_ns, base->slot_ns / ALIGN_SLACK);
		atomic_fetch_sub(&base->start_ns, (uint64_t)by_ns);
	}
}

static void clock_follow(struct exec *exec, const struct align_offset *offset)
{
	const uint64_t slot_ns = shortest_slot(exec);
	const int64_t off_ns = (int64_t)(offset->epoch_ns - atomic_load(&exec->node->epoch_ns));
	int64_t by_ns = off_ns;

	atomic_store(&exec->node->follows, 1);
	if (exec->clock.until_ns != 0)
		return;
	if (slot_ns != 0 && align_is_far(off_ns, slot_ns)) {
		was_set(exec, offset->epoch_ns);
		return;
	}
	if (slot_ns != 0)
		by_ns = align_slew(off_ns, slot_ns);
	clock_slew(exec, by_ns);
}

/* ---- what the bridge has measured ---------------------------------------------------------- */

static bool peer_read(const struct wire_view *view, unsigned n, struct exec_clock_peer *ret)
{
	*ret = (struct exec_clock_peer){0};
	return peer_get(view, n, ret->name, sizeof(ret->name), &ret->offset, sizeof(ret->offset));
}

static const struct exec_clock_peer *peer_find(const struct exec *exec, const char *name)
{
	for (size_t i = 0; i < exec->clock.n_peers; i++)
		if (strcmp(exec->clock.peers[i].name, name) == 0)
			return &exec->clock.peers[i];
	return NULL;
}

void clock_offsets(struct exec *exec, const struct wire_view *view)
{
	const struct exec_clock_peer *other;
	struct exec_clock_peer one, *more;
	const void *name;
	size_t len;

	exec->clock.n_peers = 0;
	for (unsigned n = 0; exec->node != NULL && peer_read(view, n, &one); n++) {
		more = realloc(exec->clock.peers, (n + 1) * sizeof(*more));
		if (more == NULL)
			break;
		exec->clock.peers = more;
		exec->clock.peers[exec->clock.n_peers++] = one;
	}
	if (exec->node != NULL) /* of an offset between UTC and TAI that was set no watch tells */
		tai_look(exec);
	if (exec->node == NULL || wire_get_bytes(view, WIRE_TAG_STATE, 0, &name, &len) != 0)
		return;
	snprintf(
	    exec->clock.follows, sizeof(exec->clock.follows), "%.*s", (int)len, (const char *)name);
	other = peer_find(exec, exec->clock.follows);
	if (other != NULL)
		clock_follow(exec, &other->offset);
}

/* By how much the clock of the other node is ahead of this one's. */
static int64_t ahead_ns(const struct exec *exec, const struct exec_clock_peer *peer)
{
	return (int64_t)(peer->offset.epoch_ns - atomic_load(&exec->node->epoch_ns));
}

/* ---- waveforms that are loaded ------------------------------------------------------------- */

static bool other_fits(const struct exec_wave *wave, const char *node, char *ret_why, size_t size)
{
	const struct exec_clock_peer *peer = peer_find(wave->exec, node);
	const uint64_t slot_ns = wave->view.head->slot_ns;
	const double most_us = (double)slot_ns / ALIGN_FAR / 1e3;
	uint64_t within_ns;
	double off_us;

	if (peer == NULL) {
		snprintf(ret_why, size,
		    "with the overrun policy skip the clocks of the nodes must agree to %.1f us (a "
		    "quarter of a slot), and the clock of node \"%s\" has not been measured yet; "
		    "load the waveform again in a second, or take --late slip",
		    most_us, node);
		return false;
	}
	off_us = (double)ahead_ns(wave->exec, peer) / 1e3;
	within_ns = align_within(&peer->offset, clock_ns());
	if (align_agrees(ahead_ns(wave->exec, peer), within_ns, slot_ns))
		return true;
	snprintf(ret_why, size,
	    "with the overrun policy skip the clocks of the nodes must agree to %.1f us (a quarter "
	    "of a slot), and the clock of node \"%s\" is %.1f us %s, +- %.1f us; bring the clocks "
	    "together (PTP, chrony), make the slots longer, or take --late slip",
	    most_us, node, off_us < 0 ? -off_us : off_us, off_us < 0 ? "behind" : "ahead",
	    (double)within_ns / 1e3);
	return false;
}

bool clock_fits(const struct exec_wave *wave, char *ret_why, size_t size)
{
	const struct image_view *view = &wave->view;
	uint32_t numbers[IMAGE_NODES_MAX];
	const uint32_t n = view->node != IMAGE_NONE && view->head->clock == IMAGE_TIMER &&
	        view->head->late == IMAGE_SKIP
	    ? image_nodes(view, numbers)
	    : 0;

	for (uint32_t i = 0; i < n; i++)
		if (numbers[i] != view->node &&
		    !other_fits(
		        wave, image_text(view, view->nodes[numbers[i]].name), ret_why, size))
			return false;
	return true;
}

/* ---- the report ---------------------------------------------------------------------------- */

static json_t *peer_report(const struct exec *exec, const struct exec_clock_peer *peer)
{
	return json_pack("{s:s, s:f, s:f}", "node", peer->name, "ahead_us",
	    (double)ahead_ns(exec, peer) / 1e3, "within_us",
	    (double)align_within(&peer->offset, clock_ns()) / 1e3);
}

json_t *clock_report(const struct exec *exec)
{
	const uint64_t steps = atomic_load(&exec->node->clock_steps);
	const struct exec_clock_peer *led = peer_find(exec, exec->clock.follows);
	json_t *clock, *peers;

	if (exec->daemon.args.node == NULL)
		return NULL;
	clock = json_pack(
	    "{s:s, s:I}", "node", exec->daemon.args.node, "clock_steps", (json_int_t)steps);
	peers = json_array();
	if (exec->clock.moved_ns != 0) /* 0: an earlier exec has noticed it */
		json_object_set_new(
		    clock, "moved_s", json_real((double)exec->clock.moved_ns * 1e-9));
	if (led != NULL) {
		json_object_set_new(clock, "follows", json_string(led->name));
		json_object_set_new(
		    clock, "error_us", json_real((double)ahead_ns(exec, led) / 1e3));
		json_object_set_new(clock, "within_us",
		    json_real((double)align_within(&led->offset, clock_ns()) / 1e3));
	}
	for (size_t i = 0; i < exec->clock.n_peers; i++)
		json_array_append_new(peers, peer_report(exec, &exec->clock.peers[i]));
	json_object_set_new(clock, "others", peers);
	return json_pack("[o]", clock);
}
