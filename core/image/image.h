/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/image/image.h - the memory that processes share: its layout, and checked access to it.
 *
 *   program          one per waveform: the compiled tables (program.h). The program is written once
 *                    and then sealed, so that nobody, exec included, can change it. An exec that
 *                    was started again finds everything about the waveform in the program.
 *   waveform image   one per waveform: all data that changes (state.h, radio.h). The first part is
 *                    for all hosts (the steps of segments). Then every host has whole pages: link
 *                    rings, statistics, variables and events of its own instances. A host can write
 *                    the first part and its own pages, and can only read the pages of other hosts.
 *                    exec, stats and tools only read.
 *   node image       time bases, lane tables, and one control block per waveform (node.h). Only
 *                    exec writes it; all others map it read-only.
 *   lane image       the baton of one lane. All hosts on the lane can write it, so nobody trusts it
 *                    (core/slot/baton.h).
 *
 * Each of them is a sealed memfd. They contain offsets, never pointers; the program's offsets into
 * the waveform image count from the start of that image. image_open checks the program once. Every
 * reading of memory that a host can write must be checked like bytes from a peer, because a host
 * may have errors or may be under attack.
 */
#ifndef ALOE_IMAGE_H
#define ALOE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/image/program.h"
#include "core/image/radio.h"
#include "core/image/state.h"

/* The two descriptors of a waveform: program and waveform image. -1: none. */
struct image_files {
	int program, image;
};

/* A mapped waveform image and the mapping of its program, which has been checked and cannot
 * change. */
struct image_view {
	uint8_t *base; /* the waveform image */
	size_t bytes;
	const void *program;
	size_t program_bytes; /* mapped; 0: the program belongs to the caller, see image_bind */
	/* node whose image this is, set by the opener; IMAGE_NONE: the image has all nodes */
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

/* image_check checks that `bytes` (len of them) are a sound program: every table, offset, number
 * and text is inside its limits. Returns 0, or -EBADMSG with the reason in *ret_why (a constant
 * string). */
int image_check(const void *bytes, size_t len, const char **ret_why);

/* image_create checks the program and makes both files of a waveform: the sealed program, and a
 * waveform image of total_bytes, allocated in full and initialised. Returns 0, or -errno (-ENOMEM /
 * -ENOSPC: too little memory) and no file. */
int image_create(const void *program, size_t len, struct image_files *ret);
/* image_create_node is image_create for one of several nodes: the same layout, with memory for the
 * pages of its own hosts, for the steps of all segments, and for the rings that its own instances
 * read. image_bytes_node returns the size of this memory. IMAGE_NONE stands for all nodes. */
int image_create_node(const void *program, size_t len, uint32_t node, struct image_files *ret);
uint64_t image_bytes_node(const void *program, uint32_t node);
void image_files_close(struct image_files *files); /* also where there are none */
/* image_memfd makes an empty memfd of `size` bytes, allocated in full. image_memfd_sealed makes a
 * memfd that holds `bytes` and that nobody can write. Both return the fd, or -errno. */
int image_memfd(const char *name, size_t size);
int image_memfd_sealed(const char *name, const void *bytes, size_t size);

/* image_open maps the waveform image (writable or not) and its program, and checks the program.
 * Returns 0 or -errno. -EBADMSG: the program is not sound or not sealed, or the image is shorter
 * than the program states, or is not sealed against shrinking. */
int image_open(const struct image_files *files, bool writable, struct image_view *ret);
/* image_open_host is image_open for host `host` of the waveform. It maps the pages of other hosts
 * read-only. */
int image_open_host(const struct image_files *files, uint32_t host, struct image_view *ret);
/* image_bind sets up a view of a program in the caller's memory, which was checked. The view need
 * not be closed. */
void image_bind(const void *program, struct image_view *ret);
void image_close(struct image_view *view);
/* image_map returns NULL on failure, or if the file is shorter than `bytes`. */
void *image_map(int fd, size_t bytes, bool writable);

/* always terminated; "" if out of range */
const char *image_text(const struct image_view *view, uint64_t offset);
struct image_run *image_run(const struct image_view *view);
struct image_segment_state *image_segment_state(const struct image_view *view, uint32_t segment);
struct image_instance_state *image_instance_state(const struct image_view *view, uint32_t instance);
struct hist_head *image_time(const struct image_view *view, uint32_t instance);
/* image_time_merge adds the times of the instance's calls to `into`. image_time_quantile is
 * hist_quantile of the times of this instance. */
void image_time_merge(const struct image_view *view, uint32_t instance, struct hist *into);
uint64_t image_time_quantile(const struct image_view *view, uint32_t instance, double q);
/* NULL: no sink */
struct image_latency *image_latency(const struct image_view *view, uint32_t instance);
struct image_lane_state *image_lane_state(const struct image_view *view, uint32_t lane);
struct image_message *image_messages(const struct image_view *view, uint32_t buffer);
uint8_t *image_data(const struct image_view *view, uint32_t buffer);
struct image_event *image_events(const struct image_view *view, uint32_t segment);
const float *image_reals(const struct image_view *view, const struct image_param *param);
/* Arrays in force, for tools; only the host writes them. image_array_show stores an array, and
 * image_array_seen stores the number of the change that set the array. image_array_read copies the
 * array in force to ret (room for items_max) and returns its length. image_array_sequence returns
 * the number of the latest change; 0: none. `param` is a live array. */
void image_array_show(const struct image_view *view, const struct image_param *param,
    const float *data, uint32_t len);
void image_array_seen(
    const struct image_view *view, const struct image_param *param, uint64_t sequence);
uint32_t image_array_read(
    const struct image_view *view, const struct image_param *param, float *ret);
uint64_t image_array_sequence(const struct image_view *view, const struct image_param *param);
/* image_taken_index returns the index at which a change took effect in a segment; false: none. */
bool image_taken_index(
    const struct image_view *view, uint32_t segment, uint64_t sequence, uint64_t *ret_index);
/* image_runs tells whether the segment runs on the view's node. image_node_of returns the number of
 * the node of a segment. image_find_node returns the number of the node of that name, or
 * IMAGE_NONE. */
bool image_runs(const struct image_view *view, uint32_t segment);
uint32_t image_node_of(const struct image_view *view, uint32_t segment);
uint32_t image_find_node(const struct image_view *view, const char *name);
/* image_nodes returns the number of nodes that run a part of the program, nodes with sources
 * first. */
uint32_t image_nodes(const struct image_view *view, uint32_t ret_nodes[IMAGE_NODES_MAX]);
/* image_span_ns returns how long a segment's step may take: as many slots as it has places. */
static inline uint64_t image_span_ns(const struct image_view *view, uint32_t segment)
{
	return view->segments[segment].stride * view->head->slot_ns;
}

/* image_place returns place j of an instance, which is the row of its first place. */
static inline const struct image_instance *image_place(
    const struct image_view *view, const struct image_instance *first, uint32_t j)
{
	return j == 0 ? first : &view->instances[first->rest + j - 1];
}

/* image_beside returns how many instances one call serves, among them this one: 1 if it is on its
 * own. *ret_numbers are their numbers. */
uint32_t image_beside(
    const struct image_view *view, uint32_t instance, const uint32_t **ret_numbers);

/* image_find_instance returns the number of the instance of that name, or IMAGE_NONE. Of one in
 * several places that is its first; the others are nobody's to name. */
uint32_t image_find_instance(const struct image_view *view, const char *name, size_t len);

/* image_layout places all data that changes in the waveform image and writes the offsets into the
 * tables. program_build calls it, and image_fit calls it again after changing the tables. */
void image_layout(void *program);

#endif
