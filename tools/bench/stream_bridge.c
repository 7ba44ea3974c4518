/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stream_bridge.c - a waveform of two instances on two nodes, and the bridges of both nodes: that
 * of aloe-bridge (daemons/bridge/carried.h) with its sockets, its loop and its core/bridge over an
 * image. In the place of lanes and hosts, this file takes the steps of the two segments. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <aloe/component.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "daemons/bridge/carried.h"
#include "tools/bench/stream.h"

enum { ENDS = 2, PATH = 4096, DISTANCE = 1, TURN_MS = 1, TEXT = 64 };

static const char *const node_names[ENDS] = {"a", "b"};

/* The tables of the program: writer (segment 0, node a) -> reader (segment 1, node b). */
struct tables {
	struct image_head head;
	struct image_node nodes[ENDS];
	struct image_lane lanes[ENDS];
	struct image_host hosts[ENDS];
	struct image_segment segments[ENDS];
	uint32_t order[ENDS];
	struct image_gate gates[ENDS];
	struct image_instance instances[ENDS];
	struct image_input input;
	struct image_output output;
	struct image_buffer buffer;
	_Alignas(8) char text[TEXT];
};

struct bridge_end {
	struct machines machines;
	struct daemon daemon; /* its log and its loop only */
	struct carried carried;
	bool is_open;
	struct image_files files;
	struct image_view view;
	struct node_image *node;
};

struct bridges {
	char platform[PATH], state[ENDS][PATH];
	struct tables *program;
	struct bridge_end end; /* of this process */
};

/* ---- the program ------------------------------------------------------------------------ */

static uint32_t text_add(struct tables *tables, const char *text)
{
	const uint32_t at = (uint32_t)tables->head.text.count;

	memcpy(tables->text + at, text, strlen(text) + 1);
	tables->head.text.count += strlen(text) + 1;
	return at;
}

static void head_fill(struct tables *tables)
{
#define TABLE(name) .name = {offsetof(struct tables, name), ENDS}
#define NO_TABLE(name) .name = {sizeof(*tables), 0}
	tables->head = (struct image_head){.magic = IMAGE_MAGIC,
	    .version = IMAGE_VERSION,
	    .static_bytes = (sizeof(*tables) + 63) & ~(size_t)63,
	    .late = IMAGE_SLIP,
	    .clock = IMAGE_VIRTUAL,
	    .n_hosts = ENDS,
	    .copies = 1,
	    .latency_slots = DISTANCE,
	    .slot_ns = 1000000,
	    .slots = IMAGE_FOREVER,
	    .load_id = 1,
	    TABLE(nodes),
	    TABLE(lanes),
	    TABLE(hosts),
	    TABLE(segments),
	    TABLE(order),
	    TABLE(gates),
	    TABLE(instances),
	    .inputs = {offsetof(struct tables, input), 1},
	    .outputs = {offsetof(struct tables, output), 1},
	    .buffers = {offsetof(struct tables, buffer), 1},
	    NO_TABLE(params),
	    NO_TABLE(vars),
	    NO_TABLE(reals),
	    NO_TABLE(radios),
	    NO_TABLE(holds),
	    .text = {offsetof(struct tables, text), 0}};
}

/* As program_build has it: a step of the reader needs the step of the writer, and the writer a
 * place in the ring. */
static void rows_fill(struct tables *tables, const struct stream *stream)
{
	static const char *const names[ENDS] = {"writer", "reader"};

	for (uint32_t i = 0; i < ENDS; i++) {
		tables->nodes[i].name = text_add(tables, node_names[i]);
		tables->lanes[i] = (struct image_lane){.last = i, .node = i};
		tables->hosts[i].node = i;
		tables->order[i] = i;
		tables->segments[i] = (struct image_segment){.lane = i,
		    .host = i,
		    .order = i,
		    .n_instances = 1,
		    .gates = i,
		    .n_gates = 1,
		    .lag_max = i * DISTANCE,
		    .n_events = 1,
		    .stride = 1,
		    .end = i * DISTANCE};
		tables->instances[i] = (struct image_instance){.name = text_add(tables, names[i]),
		    .segment = i,
		    .lag = i * DISTANCE,
		    .period = 1,
		    .places = 1,
		    .named = i,
		    .n_inputs = i,
		    .n_outputs = 1 - i,
		    .source = 1 - i};
	}
	tables->gates[0] = (struct image_gate){1, 1 + DISTANCE - (int32_t)stream->depth};
	tables->gates[1] = (struct image_gate){0, 1 - DISTANCE};
	tables->buffer = (struct image_buffer){
	    .type = ALOE_BYTE, .max = (uint32_t)stream->bytes, .depth = stream->depth};
	tables->input = (struct image_input){
	    .type = ALOE_BYTE, .max = (uint32_t)stream->bytes, .delay = 0, .crosses = 1};
	tables->output = (struct image_output){.type = ALOE_BYTE, .max = (uint32_t)stream->bytes};
}

static int program_make(struct bridges *bridges, struct stream *stream)
{
	const size_t size = (sizeof(struct tables) + 63) & ~(size_t)63;
	struct tables *tables = aligned_alloc(64, size);
	const char *why = "";

	bridges->program = tables;
	if (!tables)
		return -ENOMEM;
	memset(tables, 0, size);
	head_fill(tables);
	text_add(tables, "");
	rows_fill(tables, stream);
	tables->head.name = text_add(tables, "bench");
	image_layout(tables);
	if (image_check(tables, tables->head.static_bytes, &why) == 0)
		return 0;
	snprintf(stream->why, STREAM_WHY, "the program of the waveform: %s", why);
	return -EINVAL;
}

/* ---- the platform ------------------------------------------------------------------------ */

/* Two ports that are free now. */
static int ports_find(uint16_t ret_ports[ENDS])
{
	int fds[ENDS] = {-1, -1}, rc = 0;

	for (int i = 0; i < ENDS && rc == 0; i++) {
		struct sockaddr_in at = {
		    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		socklen_t size = sizeof(at);

		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fds[i] < 0 || bind(fds[i], (const struct sockaddr *)&at, sizeof(at)) < 0 ||
		    getsockname(fds[i], (struct sockaddr *)&at, &size) < 0)
			rc = -errno;
		ret_ports[i] = ntohs(at.sin_port);
	}
	for (int i = 0; i < ENDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return rc;
}

/* The port of a bridge is that after the port of its node. */
static int platform_write(struct bridges *bridges, const char *transport, bool secure)
{
	uint16_t ports[ENDS] = {0, 0};
	char text[1024];
	int rc = 0;

	while (rc == 0 &&
	    (ports[0] == ports[1] || ports[0] + 1 == ports[1] || ports[1] + 1 == ports[0]))
		rc = ports_find(ports);
	snprintf(text, sizeof(text),
	    "name = \"bench\";\n%snodes: {\n"
	    "\ta: { mmac_per_s = 1.0; address = \"127.0.0.1:%d\"; manager = true; lanes = [0]; };\n"
	    "\tb: { mmac_per_s = 1.0; address = \"127.0.0.1:%d\"; lanes = [0]; };\n};\n"
	    "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = 1e6; transport = \"%s\"; } );\n",
	    secure ? "" : "secure = false;\n", ports[0] - 1, ports[1] - 1, transport);
	return rc ? rc : file_write(bridges->platform, text, strlen(text));
}

/* Each node has a key, and lets the other one in; once for all streams. */
static int keys_make(const struct bridges *bridges, struct diag *diag)
{
	char folders[ENDS][KEYS_PATH];
	struct keys_own own[ENDS];
	int rc = 0;

	for (int i = 0; i < ENDS && rc == 0; i++) {
		rc = path_print(folders[i], KEYS_PATH, "%s/keys", bridges->state[i]);
		rc = rc ? rc : keys_own_load(folders[i], diag, &own[i]);
		if (rc != -ENOENT) /* of the stream before */
			continue;
		rc = keys_new(folders[i], node_names[i], false, diag);
		rc = rc ? rc : keys_own_load(folders[i], diag, &own[i]);
	}
	for (int i = 0; i < ENDS && rc == 0; i++)
		rc = keys_allow(folders[i], node_names[1 - i], own[1 - i].key, diag);
	for (int i = 0; i < ENDS; i++)
		keys_own_wipe(&own[i]);
	return rc;
}

static int bridges_new(struct stream *stream, const char *transport, bool secure)
{
	struct bridges *bridges = calloc(1, sizeof(*bridges));
	struct diag diag;
	int rc = bridges ? 0 : -ENOMEM;

	stream->own = bridges;
	if (rc == 0)
		rc = path_print(bridges->platform, PATH, "%s/bridges.conf", stream->dir);
	for (int i = 0; i < ENDS && rc == 0; i++) {
		rc = path_print(bridges->state[i], PATH, "%s/node-%s", stream->dir, node_names[i]);
		if (rc == 0 && mkdir(bridges->state[i], 0700) < 0 && errno != EEXIST)
			rc = -errno;
	}
	rc = rc ? rc : platform_write(bridges, transport, secure);
	diag_init(&diag);
	if (rc == 0 && secure && keys_make(bridges, &diag) < 0) {
		snprintf(stream->why, STREAM_WHY, "%s", diag.len > 0 ? diag.lines[0] : "keys");
		rc = -EINVAL;
	}
	diag_fini(&diag);
	return rc ? rc : program_make(bridges, stream);
}

/* ---- an end ------------------------------------------------------------------------ */

static int entry_put(struct bridge_end *end, const char *key, const int *fds, size_t n)
{
	struct keep_entry entry = {.kind = KEEP_PUT, .n_fds = n};

	snprintf(entry.key, sizeof(entry.key), "%s", key);
	for (size_t i = 0; i < n; i++)
		entry.fds[i] = dup(fds[i]);
	carried_entry(&end->carried, &entry); /* which closes them */
	return 0;
}

/* What exec would have made, and the frontend given to the bridge. */
static int images_make(struct bridges *bridges, uint32_t node)
{
	struct bridge_end *end = &bridges->end;
	const int node_fd = image_memfd("node", sizeof(struct node_image));
	int rc = node_fd < 0 ? node_fd : 0;

	end->node = rc == 0 ? image_map(node_fd, sizeof(struct node_image), true) : NULL;
	if (end->node) {
		struct node_control *control = &end->node->control[0];

		snprintf(control->name, sizeof(control->name), "bench");
		atomic_store(&control->last, IMAGE_FOREVER);
		atomic_store(&control->used, 1);
		rc = image_create_node(
		    bridges->program, bridges->program->head.static_bytes, node, &end->files);
		rc = rc ? rc : image_open(&end->files, true, &end->view);
	}
	if (rc == 0 && end->node) {
		const int files[] = {end->files.program, end->files.image};

		entry_put(end, "node", &node_fd, 1);
		entry_put(end, "waveform/bench", files, 2);
	}
	if (node_fd >= 0)
		close(node_fd);
	return rc ? rc : end->carried.waves ? 0 : -EINVAL;
}

static int end_open(struct bridges *bridges, uint32_t node)
{
	struct bridge_end *end = &bridges->end;
	const struct daemon_args args = {.node = node_names[node],
	    .platform = bridges->platform,
	    .state = bridges->state[node],
	    .dir = bridges->state[node]};
	int rc;

	log_init(&end->daemon.log, "aloe-bench");
	end->daemon.log.level = LOG_LEVEL_ERROR;
	loop_init(&end->daemon.loop);
	end->files = (struct image_files){-1, -1};
	end->is_open = true;
	rc = machines_open(&end->machines, &args, &end->daemon.log);
	rc = rc ? rc : carried_open(&end->carried, &end->machines, &end->daemon, NULL, NULL);
	return rc ? rc : images_make(bridges, node);
}

static void end_close(struct bridge_end *end)
{
	if (end->carried.loop)
		carried_close(&end->carried);
	if (end->view.base)
		image_close(&end->view);
	if (end->is_open)
		image_files_close(&end->files);
	if (end->node)
		munmap(end->node, sizeof(*end->node));
	machines_close(&end->machines);
	loop_fini(&end->daemon.loop);
}

/* ---- the segments ------------------------------------------------------------------------ */

static bool gate_open(const struct bridge_end *end, uint32_t segment, uint64_t step)
{
	const struct image_gate *gate = &end->view.gates[end->view.segments[segment].gates];
	const struct image_segment_state *other = image_segment_state(&end->view, gate->segment);

	return (int64_t)atomic_load_explicit(&other->done, memory_order_acquire) >=
	    (int64_t)step + gate->offset;
}

static struct image_message *message_at(
    const struct bridge_end *end, uint64_t index, uint8_t **ret_items)
{
	const struct image_buffer *buffer = &end->view.buffers[0];
	const uint64_t at = index & (buffer->depth - 1);

	*ret_items = image_data(&end->view, 0) + at * buffer->stride;
	return &image_messages(&end->view, 0)[at];
}

static void steps_write(const struct bridge_end *end)
{
	struct image_segment_state *state = image_segment_state(&end->view, 0);
	const uint32_t bytes = end->view.buffers[0].max;
	uint64_t step = atomic_load(&state->done);

	for (; gate_open(end, 0, step); step++) {
		struct image_message *message;
		uint8_t *items;

		message = message_at(end, step, &items);
		atomic_store(&message->stamp, 0);
		memcpy(items, &step, sizeof(step));
		atomic_store(&message->len, bytes);
		atomic_store(&message->state, ALOE_VALID);
		atomic_store_explicit(&message->stamp, step + 1, memory_order_release);
		atomic_store(&state->done, step + 1);
	}
}

static void steps_read(struct stream *stream, const struct bridge_end *end)
{
	struct image_segment_state *state = image_segment_state(&end->view, 1);
	uint64_t step = atomic_load(&state->done);

	for (; gate_open(end, 1, step); step++) {
		if (step >= DISTANCE) {
			const struct image_message *message;
			uint8_t *items;

			message = message_at(end, step - DISTANCE, &items);
			if (atomic_load(&message->stamp) != step - DISTANCE + 1)
				atomic_fetch_add(&stream->count->wrong, 1);
			stream_got(stream, step - DISTANCE, items);
		}
		atomic_store(&state->done, step + 1);
	}
}

static void bridge_receive(struct stream *stream)
{
	struct bridges *bridges = stream->own;
	struct bridge_end *end = &bridges->end;

	if (end_open(bridges, 1) < 0)
		return;
	while (loop_step(&end->daemon.loop, TURN_MS) == 0)
		steps_read(stream, end);
}

static int bridge_connect(struct stream *stream)
{
	return end_open(stream->own, 0);
}

static int bridge_send(struct stream *stream, uint64_t until_ns)
{
	struct bridge_end *end = &((struct bridges *)stream->own)->end;
	int rc = 0;

	while (rc == 0 && clock_ns() < until_ns) {
		steps_write(end);
		rc = loop_step(&end->daemon.loop, TURN_MS);
	}
	return rc;
}

static void bridge_close(struct stream *stream)
{
	struct bridges *bridges = stream->own;

	if (!bridges)
		return;
	end_close(&bridges->end);
	free(bridges->program);
	free(bridges);
}

static int tcp_open(struct stream *stream)
{
	return bridges_new(stream, "tcp", false);
}

static int curve_open(struct stream *stream)
{
	return bridges_new(stream, "tcp", true);
}

static int udp_open(struct stream *stream)
{
	return bridges_new(stream, "udp", true);
}

const struct stream_way stream_bridge_tcp = {"bridge_tcp", "bridge, TCP", tcp_open, bridge_receive,
    bridge_connect, bridge_send, bridge_close};
const struct stream_way stream_bridge_curve = {"bridge_curve", "bridge, TCP with CURVE", curve_open,
    bridge_receive, bridge_connect, bridge_send, bridge_close};
const struct stream_way stream_bridge_udp = {"bridge_udp", "bridge, UDP sealed", udp_open,
    bridge_receive, bridge_connect, bridge_send, bridge_close};
