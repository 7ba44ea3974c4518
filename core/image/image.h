/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/image/image.h - the memory that processes share: what lies where, and checked access to it.
 *
 *   program          one per waveform: the compiled tables (program.h). It is written once and then
 *                    sealed, so that nobody, exec included, can change it. Everything that exec
 *                    needs to take up a waveform again is in it.
 *   waveform image   one per waveform: what moves (state.h, radio.h). First what all of its hosts
 *                    write (the steps of segments), then whole pages for each host: link rings,
 *                    statistics, variables and events of its own instances. Each host can write the
 *                    first part and its own, and only read the others'; exec, stats and tools only
 *                    read.
 *   node image       written by exec, read-only to all others: time bases, lane tables, one control
 *                    block per waveform (node.h).
 *   lane image       the baton of one lane: writable by the hosts on that lane, hence believed by
 *                    nobody (core/slot/baton.h).
 *
 * Each is a sealed memfd. Offsets, never pointers; the program's offsets into the waveform image
 * count from the start of that image. image_open checks the program once. What a host can write is
 * bytes from a peer at every reading: a host may be in error, or under attack.
 */
#ifndef ALOE_IMAGE_H
#define ALOE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/image/program.h"
#include "core/image/radio.h"
#include "core/image/state.h"

/* The two descriptors that stand for a waveform: its program, and the waveform image. -1: none. */
struct image_files {
	int program, image;
};

/* A mapped waveform image and the mapping of its program, which has been checked and cannot
 * change. */
struct image_view {
	uint8_t *base; /* the waveform image */
	size_t bytes;
	const void *program;
	size_t program_bytes; /* mapped; 0: the program is the caller's, see image_bind */
	/* the node whose image it is; IMAGE_NONE: it has all. Whoever opens it may say so. */
	uint32_t node;
	const struct image_head *head; /* in the program, as are all tables below */
	const struct image_node *nodes;
	const struct image_lane *lanes;
	const struct image_host *hosts;
	const struct image_segment *segments;
	const uint32_t *order;
	const struct image_gate *gates;
	const struct image_instance *instances;
	const struct image_input *inputs;
	const struct image_output *outputs;
	const struct image_buffer *buffers;
	const struct image_param *params;
	const struct image_var *vars;
	const struct image_radio *radios;
	const struct image_hold *holds;
};

/* image_check tells whether `bytes` (len of them) hold a sound program: every table, offset, number
 * and text inside its limits. 0, or -EBADMSG with what is wrong in *ret_why (a constant string). */
int image_check(const void *bytes, size_t len, const char **ret_why);

/* image_create checks the program and makes both files of a waveform: the sealed program, and a
 * waveform image of total_bytes, allocated in full, with what it begins with. 0, or -errno (-ENOMEM
 * / -ENOSPC: too little memory) and no file. */
int image_create(const void *program, size_t len, struct image_files *ret);
/* image_create_node is image_create for one of several nodes: the same layout, with memory for what
 * its own hosts write, for the steps of all segments, and for the rings that its own instances
 * read. image_bytes_node: how much that is. IMAGE_NONE: all of it. */
int image_create_node(const void *program, size_t len, uint32_t node, struct image_files *ret);
uint64_t image_bytes_node(const void *program, uint32_t node);
void image_files_close(struct image_files *files); /* also where there are none */
/* image_memfd makes an empty memfd of `bytes`, allocated in full; image_memfd_sealed one that holds
 * `bytes` and that nobody can write any more. The fd, or -errno. */
int image_memfd(const char *name, size_t size);
int image_memfd_sealed(const char *name, const void *bytes, size_t size);

/* image_open maps the waveform image (writable or not) and its program, and checks the program. 0
 * or -errno; -EBADMSG: the program is not sound or not sealed, or the image is shorter than the
 * program says or not sealed against shrinking. */
int image_open(const struct image_files *files, bool writable, struct image_view *ret);
/* image_open_host is image_open for host `host` of the waveform: what other hosts write is mapped
 * so that this process cannot. */
int image_open_host(const struct image_files *files, uint32_t host, struct image_view *ret);
/* image_bind gives the tables of a program that lies in no file: checked, the caller's. Nothing to
 * close. */
void image_bind(const void *program, struct image_view *ret);
void image_close(struct image_view *view);
/* NULL on failure or when the file is shorter */
void *image_map(int fd, size_t bytes, bool writable);

/* always terminated; "" if out of range */
const char *image_text(const struct image_view *view, uint64_t offset);
struct image_run *image_run(const struct image_view *view);
struct image_segment_state *image_segment_state(const struct image_view *view, uint32_t segment);
struct image_instance_state *image_instance_state(const struct image_view *view, uint32_t instance);
struct hist_head *image_time(const struct image_view *view, uint32_t instance);
/* image_time_merge adds what the instance's calls took to `into`, image_time_quantile is
 * hist_quantile of them alone. */
void image_time_merge(const struct image_view *view, uint32_t instance, struct hist *into);
uint64_t image_time_quantile(const struct image_view *view, uint32_t instance, double q);
/* NULL: no sink */
struct image_latency *image_latency(const struct image_view *view, uint32_t instance);
struct image_lane_state *image_lane_state(const struct image_view *view, uint32_t lane);
struct image_message *image_messages(const struct image_view *view, uint32_t buffer);
uint8_t *image_data(const struct image_view *view, uint32_t buffer);
struct image_event *image_events(const struct image_view *view, uint32_t segment);
const float *image_reals(const struct image_view *view, const struct image_param *param);
/* image_array_show puts an array where tools see it, image_array_seen says up to which change that
 * is so (one writer: the host). image_array_read copies what is in force, as loaded or as set
 * since, into ret (room for items_max): how many. image_array_sequence: the latest change seen, 0:
 * none. `param` is one that has such a place. */
void image_array_show(const struct image_view *view, const struct image_param *param,
    const float *data, uint32_t len);
void image_array_seen(
    const struct image_view *view, const struct image_param *param, uint64_t sequence);
uint32_t image_array_read(
    const struct image_view *view, const struct image_param *param, float *ret);
uint64_t image_array_sequence(const struct image_view *view, const struct image_param *param);
/* image_taken_index: index that the change took in segment; false: not taken yet. */
bool image_taken_index(
    const struct image_view *view, uint32_t segment, uint64_t sequence, uint64_t *ret_index);
/* image_node_of: number of the node that segment is on. image_find_node: number of the node of that
 * name, or IMAGE_NONE. */
/* image_runs: the segment is run on the view's node. */
bool image_runs(const struct image_view *view, uint32_t segment);
uint32_t image_node_of(const struct image_view *view, uint32_t segment);
uint32_t image_find_node(const struct image_view *view, const char *name);
/* image_find_instance: number of the instance of that name, or IMAGE_NONE. */
uint32_t image_find_instance(const struct image_view *view, const char *name, size_t len);

/* image_layout places everything that moves in the waveform image and writes the offsets into the
 * tables: called by program_build, and again by image_fit when it has changed them. */
void image_layout(void *program);

#endif
