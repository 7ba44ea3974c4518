/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/bridge/carried.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/base/clock.h"
#include "core/bridge/frame.h"
#include "core/cluster/loss.h"
#include "core/platform/platform.h"

static const char prefix[] = "waveform/";

static uint64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* What exec has read of the clock: all that this node says of times goes by it. */
static uint64_t epoch_of(const struct carried *carried)
{
	return atomic_load(&carried->node->epoch_ns);
}

static uint64_t inode_of(int fd)
{
	struct stat file;

	return fstat(fd, &file) == 0 ? file.st_ino : 0;
}

/* ---- rounds ---- */

static void frame_unsent(
    struct carried *carried, const struct carried_wave *wave, uint32_t peer, size_t len, int error)
{
	const uint64_t n = ++carried->unsent;

	bridge_unsent(wave->bridge, peer, len);
	if (log_counted(n))
		log_warning(carried->log,
		    "frames could not be sent, the last for %s, to node \"%s\": %s (count so far: "
		    "%llu)",
		    wave->name, machines_name(carried->machines, wave->peers[peer].node),
		    strerror(error), (unsigned long long)n);
}

static void round_send(struct carried *carried, struct carried_wave *wave, uint32_t peer)
{
	const uint32_t node = wave->peers[peer].node;
	size_t len;

	wave->peers[peer].sent_ns = clock_ns();
	bridge_round(wave->bridge, peer);
	while ((len = bridge_out(wave->bridge, peer, links_room(&carried->links, node))) > 0) {
		const int rc = links_send_room(&carried->links, node, len);

		if (rc < 0)
			frame_unsent(carried, wave, peer, len, -rc);
	}
}

/* A step may be under way. */
static bool may_run(const struct carried_wave *wave)
{
	return atomic_load(&wave->control->base) != IMAGE_FOREVER;
}

/* ---- silence ---- */

enum { SILENCES_LOGGED = 100 };

/* While it does, its peers send word every CARRIED_WORD_MS. */
static bool is_clocked(const struct carried_wave *wave)
{
	const uint32_t clock = wave->view.head->clock;

	return clock != IMAGE_VIRTUAL && clock != IMAGE_STEP && may_run(wave) && !wave->ended;
}

static void silence_tell(struct carried *carried, const struct carried_wave *wave,
    const struct carried_peer *peer, uint64_t heard_ns, uint64_t now)
{
	const char *node = machines_name(carried->machines, peer->node);

	/* a peer can bring this about as often as it likes */
	if (++carried->silences > SILENCES_LOGGED && !log_counted(carried->silences))
		;
	else if (peer->silent_ns)
		log_warning(carried->log,
		    "%s: nothing has been heard of node \"%s\" for %llu ms; its messages are "
		    "missing",
		    wave->name, node, (unsigned long long)((now - heard_ns) / 1000000));
	else
		log_note(carried->log, "%s: node \"%s\" is heard again, after %llu ms", wave->name,
		    node, (unsigned long long)((now - heard_ns) / 1000000));
	if (carried->silence)
		carried->silence(carried->self);
}

static void silence_look(
    struct carried *carried, struct carried_wave *wave, struct carried_peer *peer, uint64_t now)
{
	const uint64_t heard = links_heard_ns(&carried->links, peer->node),
	               from = heard > wave->runs_ns ? heard : wave->runs_ns,
	               before = peer->silent_ns;
	const bool silent =
	    wave->runs_ns && now > from && now - from > cluster_soon_ns(wave->view.head->slot_ns);

	peer->silent_ns = silent ? from : 0;
	if ((before != 0) != silent)
		silence_tell(carried, wave, peer, silent ? from : before, now);
}

bool carried_silent(const struct carried *carried, uint32_t node)
{
	for (const struct carried_wave *wave = carried->waves; wave; wave = wave->next)
		for (uint32_t p = 0; p < wave->n_peers; p++)
			if (wave->peers[p].node == node && wave->peers[p].silent_ns)
				return true;
	return false;
}

static void wave_look(struct carried *carried, struct carried_wave *wave, uint64_t now)
{
	const uint64_t word_ms = may_run(wave) ? CARRIED_WORD_MS : CARRIED_REST_MS;
	bool news = false;

	bridge_epoch(wave->bridge, epoch_of(carried));
	wave->ended = bridge_ended(wave->bridge); /* before the news of it are looked for */
	wave->runs_ns = !is_clocked(wave) ? 0 : wave->runs_ns ? wave->runs_ns : now;
	for (uint32_t p = 0; p < wave->n_peers; p++) {
		const bool fresh = bridge_news(wave->bridge, p);

		news |= fresh;
		if (fresh || now - wave->peers[p].sent_ns >= word_ms * 1000000ull)
			round_send(carried, wave, p);
		silence_look(carried, wave, &wave->peers[p], now);
	}
	links_flush(&carried->links);
	wave->looks = news ? 0 : wave->looks + 1;
}

/* Without a clock the next step may be done at any time: the pause doubles from look to look. */
static uint64_t pause_of(const struct carried_wave *wave)
{
	const uint64_t soon = (uint64_t)CARRIED_SOON_NS << (wave->looks < 16 ? wave->looks : 16);

	if (!may_run(wave))
		return CARRIED_REST_MS * 1000000ull;
	if (wave->ended)
		return CARRIED_WORD_MS * 1000000ull;
	return wave->view.head->clock == IMAGE_VIRTUAL && soon < CARRIED_LOOK_NS ? soon
	                                                                         : CARRIED_LOOK_NS;
}

static void waves_look(void *self)
{
	struct carried *carried = self;
	const uint64_t now = clock_ns();
	uint64_t pause = CARRIED_REST_MS * 1000000ull;

	for (struct carried_wave *wave = carried->waves; wave; wave = wave->next) {
		wave_look(carried, wave, now);
		pause = pause_of(wave) < pause ? pause_of(wave) : pause;
	}
	if (carried->waves)
		loop_timer_start(carried->loop, &carried->look, pause, waves_look, carried);
}

/* One that is due sooner stays: while frame after frame comes, there are looks, too. */
static void look_within(struct carried *carried, uint64_t ns)
{
	if (!carried->look.on || carried->look.at_ns > clock_ns() + ns)
		loop_timer_start(carried->loop, &carried->look, ns, waves_look, carried);
}

static void stray_log(struct carried *carried, uint32_t node)
{
	const uint64_t n = ++carried->strays;

	if (log_counted(n))
		log_debug(carried->log, "frames of no waveform here, the last of node \"%s\": %llu",
		    machines_name(carried->machines, node), (unsigned long long)n);
}

static void refused_log(struct carried *carried, const struct carried_wave *wave, uint32_t node)
{
	const uint64_t n = ++carried->refused;

	if (log_counted(n))
		log_warning(carried->log,
		    "frames that break the rules were dropped, the last for %s, of node \"%s\" "
		    "(count so far: %llu)",
		    wave->name, machines_name(carried->machines, node), (unsigned long long)n);
}

/* What follows a frame is sent when all that has come with it is taken, in one round instead of one
 * for each frame; without a clock after the steps, too, that it lets run. */
static void wave_take(struct carried *carried, struct carried_wave *wave, uint32_t peer,
    const void *bytes, size_t len)
{
	const uint64_t before = bridge_come(wave->bridge, peer);

	if (bridge_in(wave->bridge, bytes, len) < 0) {
		refused_log(carried, wave, wave->peers[peer].node);
		return;
	}
	if (bridge_come(wave->bridge, peer) != before)
		wave->looks = 0;
	look_within(carried, wave->view.head->clock == IMAGE_VIRTUAL ? CARRIED_SOON_NS : 0);
}

/* A bridge says itself what is not for it. */
static void frame_take(void *self, uint32_t node, const void *bytes, size_t len)
{
	struct carried *carried = self;
	struct frame_head head;

	if (offsets_take(&carried->offsets, node, bytes, len) || len < FRAME_HEAD_BYTES)
		return;
	frame_get_head(bytes, &head);
	for (struct carried_wave *wave = carried->waves; wave; wave = wave->next) {
		if (wave->view.head->load_id != head.load_id)
			continue;
		bridge_epoch(wave->bridge, epoch_of(carried));
		for (uint32_t p = 0; p < wave->n_peers; p++) {
			if (wave->peers[p].node == node)
				wave_take(carried, wave, p, bytes, len);
		}
		return;
	}
	stray_log(carried, node);
}

/* ---- waveforms ---- */

static struct carried_wave **wave_at(struct carried *carried, const char *name)
{
	struct carried_wave **at = &carried->waves;

	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	return at;
}

static void wave_free(struct carried_wave *wave)
{
	bridge_free(wave->bridge);
	image_close(&wave->view);
	free(wave->peers);
	free(wave);
}

static void wave_remove(struct carried *carried, const char *name)
{
	struct carried_wave **at = wave_at(carried, name), *wave = *at;

	if (!wave)
		return;
	*at = wave->next;
	wave_free(wave);
	datagrams_busy(&carried->links.datagrams, carried->waves != NULL);
}

static const struct node_control *control_find(const struct carried *carried, const char *name)
{
	for (uint32_t i = 0; i < NODE_WAVEFORMS_MAX; i++) {
		const struct node_control *control = &carried->node->control[i];

		if (atomic_load(&control->used) &&
		    strncmp(control->name, name, sizeof(control->name)) == 0)
			return control;
	}
	return NULL;
}

/* The nodes of the program that are others, as the platform has them. */
static int peers_find(const struct carried *carried, struct carried_wave *wave,
    struct bridge_peer_options *ret_options)
{
	uint32_t numbers[IMAGE_NODES_MAX];
	const uint32_t n = image_nodes(&wave->view, numbers);

	for (uint32_t i = 0; i < n; i++) {
		const char *name = image_text(&wave->view, wave->view.nodes[numbers[i]].name);
		const uint32_t node = machines_find(carried->machines, name, strlen(name));

		if (node == MACHINES_NONE)
			return -ENOENT;
		if (numbers[i] == wave->view.node)
			continue;
		ret_options[wave->n_peers] = (struct bridge_peer_options){
		    (uint16_t)numbers[i], links_frame_bytes(&carried->links, node)};
		wave->peers[wave->n_peers++].node = node;
	}
	return 0;
}

static int bridge_make(struct carried *carried, struct carried_wave *wave, char *ret_why)
{
	const size_t n = wave->view.head->nodes.count;
	struct bridge_peer_options *peers = calloc(n, sizeof(*peers));
	int rc;

	snprintf(ret_why, BRIDGE_WHY, "not enough memory");
	wave->peers = calloc(n, sizeof(*wave->peers));
	rc = peers && wave->peers ? peers_find(carried, wave, peers) : -ENOMEM;
	if (rc == -ENOENT)
		snprintf(ret_why, BRIDGE_WHY, "the program names a node that the platform has not");
	if (rc == 0) {
		const struct bridge_options options = {.load_id = wave->view.head->load_id,
		    .boot = carried->boot,
		    .node = (uint16_t)wave->view.node,
		    .peers = peers,
		    .n_peers = wave->n_peers,
		    .epoch_ns = epoch_of(carried)};

		wave->bridge = bridge_new(&wave->view, wave->control, &options, ret_why);
		rc = wave->bridge ? 0 : -EINVAL;
	}
	free(peers);
	return rc;
}

/* One that is on this node alone needs no bridge: -EXDEV. */
static int wave_open(struct carried *carried, struct carried_wave *wave,
    const struct image_files *files, char *ret_why)
{
	uint32_t numbers[IMAGE_NODES_MAX];
	int rc = image_open(files, true, &wave->view);

	if (rc < 0) {
		snprintf(ret_why, BRIDGE_WHY, "%s", strerror(-rc));
		return rc;
	}
	wave->view.node =
	    image_find_node(&wave->view, machines_name(carried->machines, carried->machines->self));
	if (wave->view.node == IMAGE_NONE || image_nodes(&wave->view, numbers) <= 1)
		return -EXDEV;
	wave->control = carried->node ? control_find(carried, wave->name) : NULL;
	if (!wave->control) {
		snprintf(ret_why, BRIDGE_WHY, "the node image does not have the waveform");
		return -EINVAL;
	}
	return bridge_make(carried, wave, ret_why);
}

static void wave_add(struct carried *carried, const char *name, const struct image_files *files)
{
	struct carried_wave *wave = *wave_at(carried, name);
	const uint64_t inode = inode_of(files->image);
	char why[BRIDGE_WHY] = "not enough memory";
	int rc;

	if (wave && wave->inode == inode) { /* only what exec knows of it has changed */
		wave->doubtful = false;
		return;
	}
	wave_remove(carried, name);
	wave = calloc(1, sizeof(*wave));
	if (wave) {
		wave->inode = inode;
		snprintf(wave->name, sizeof(wave->name), "%s", name);
	}
	rc = wave ? wave_open(carried, wave, files, why) : -ENOMEM;
	if (rc < 0 && rc != -EXDEV)
		log_error(
		    carried->log, "waveform \"%s\" is not carried to other nodes: %s", name, why);
	if (rc < 0) {
		if (wave)
			wave_free(wave);
		return;
	}
	wave->next = carried->waves;
	carried->waves = wave;
	datagrams_busy(&carried->links.datagrams, true);
	look_within(carried, CARRIED_LOOK_NS);
}

/* ---- what the frontend keeps ---- */

static void node_take(struct carried *carried, int fd)
{
	const uint64_t inode = inode_of(fd);
	struct node_image *node;

	if (carried->node && carried->node_inode == inode)
		return;
	node = image_map(fd, sizeof(struct node_image), false);
	if (!node) {
		log_error(carried->log, "the node image cannot be mapped");
		return;
	}
	while (carried->waves) /* of the one before */
		wave_remove(carried, carried->waves->name);
	carried->node = node;
	carried->node_inode = inode;
	carried->offsets.node = node;
}

void carried_entry(struct carried *carried, struct keep_entry *entry)
{
	const bool put = entry->kind == KEEP_PUT;

	if (put && strcmp(entry->key, "node") == 0 && entry->n_fds == 1)
		node_take(carried, entry->fds[0]);
	else if (strncmp(entry->key, prefix, sizeof(prefix) - 1) == 0 && put && entry->n_fds == 2)
		wave_add(carried, entry->key + sizeof(prefix) - 1,
		    &(struct image_files){entry->fds[0], entry->fds[1]});
	else if (strncmp(entry->key, prefix, sizeof(prefix) - 1) == 0 && !put)
		wave_remove(carried, entry->key + sizeof(prefix) - 1);
	keep_entry_fini(entry);
}

void carried_lost(struct carried *carried)
{
	for (struct carried_wave *wave = carried->waves; wave; wave = wave->next)
		wave->doubtful = true;
}

void carried_settled(struct carried *carried)
{
	struct carried_wave *next;

	for (struct carried_wave *wave = carried->waves; wave; wave = next) {
		next = wave->next;
		if (wave->doubtful)
			wave_remove(carried, wave->name);
	}
}

void carried_tell(const struct carried *carried, struct bus *bus)
{
	for (const struct carried_wave *wave = carried->waves; wave; wave = wave->next) {
		struct wire_msg msg;

		wire_init(&msg, WIRE_COUNTS, WIRE_BRIDGE, WIRE_EXEC, 0);
		wire_put_text(&msg, WIRE_TAG_WAVEFORM, wave->name);
		for (uint32_t p = 0; p < wave->n_peers; p++) {
			wire_put_text(&msg, WIRE_TAG_NAME,
			    machines_name(carried->machines, wave->peers[p].node));
			wire_put_bytes(&msg, WIRE_TAG_BYTES, bridge_counts(wave->bridge, p),
			    sizeof(struct bridge_counts));
		}
		bus_send(bus, &msg);
	}
}

int carried_open(struct carried *carried, const struct machines *machines, struct daemon *daemon,
    void (*silence)(void *self), void *self)
{
	int rc;

	*carried = (struct carried){.machines = machines,
	    .log = &daemon->log,
	    .loop = &daemon->loop,
	    .boot = realtime_ns(),
	    .silence = silence,
	    .self = self};
	platform_no_slack(); /* the usual slack is longer than CARRIED_SOON_NS */
	rc =
	    links_open(&carried->links, machines, &daemon->log, &daemon->loop, frame_take, carried);
	return rc < 0 ? rc : offsets_open(&carried->offsets, machines, daemon, &carried->links);
}

void carried_close(struct carried *carried)
{
	loop_timer_stop(carried->loop, &carried->look);
	offsets_close(&carried->offsets);
	while (carried->waves)
		wave_remove(carried, carried->waves->name);
	links_close(&carried->links);
}
