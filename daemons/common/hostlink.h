/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/common/hostlink.h - between exec and a host: fixed messages with descriptors over a
 * SOCK_SEQPACKET pair.
 *
 *   exec -> host   ATTACH  open these instances, make threads     -> READY notes | FAILED why
 *                  FINISH  drain, close everything of a waveform   -> FINISHED notes | FAILED why
 *                  OFFER   prepare an array, in a descriptor of its own -> OFFERED | REFUSED why
 *                  FORGET  an array offered that will not be published
 *                  REMAP   as ATTACH, for instances that are open: get other tables ready ->
 *                          REMAPPABLE | STUCK why
 *                  IMPORT  while the waveform stands, of a REMAP with other builds of instances:
 *                          they take over the state -> IMPORTED notes | STUCK why
 *                  EXPORT  while the waveform stands: write the state of an instance into the
 *                          descriptor -> EXPORTED (param: 1 if there is a state) | STUCK why
 *                  SWITCH  while the waveform stands: run by the tables that are ready -> SWITCHED
 *                  REMAIN  they are not needed -> REMAINED, when no IMPORT or EXPORT is under way
 *                  WATCHED by whom the host's lanes are: a pidfd of exec, and an eventfd, the bell
 *                          that this exec hears (core/slot/tell.h)
 *                  GRANTED what the lane's thread has got: sequence 1: real-time priority
 *                  TIMER   of the watchdog of lane lanes[0], which the lane's thread puts off while
 *                          all is well (core/slot/lane.h): a timerfd
 *   host -> exec   FAULT   something happened outside the slot (an I/O error), why
 *                  THREAD  runs lane lanes[0], sequence: its number. Only exec can give it its
 *                          priority -> GRANTED. Without a lane: the I/O thread
 */
#ifndef ALOE_DAEMON_HOSTLINK_H
#define ALOE_DAEMON_HOSTLINK_H

#include <stddef.h>
#include <stdint.h>

enum { HOSTLINK_SEGMENTS_MAX = 128, HOSTLINK_LANES_MAX = 14, HOSTLINK_TEXT = 4096 };

/* Descriptors that come with ATTACH and REMAP, in this order; then one lane image for each of
 * `lanes`. */
enum {
	HOSTLINK_NODE_FD, /* read-only */
	HOSTLINK_PROGRAM_FD,
	HOSTLINK_IMAGE_FD,
	HOSTLINK_LANE_FDS,
	HOSTLINK_FDS_MAX = HOSTLINK_LANE_FDS + HOSTLINK_LANES_MAX
};

enum hostlink_type {
	HOSTLINK_ATTACH = 1,
	HOSTLINK_FINISH,
	HOSTLINK_READY,
	HOSTLINK_FAILED,
	HOSTLINK_FINISHED,
	HOSTLINK_FAULT,
	HOSTLINK_OFFER,
	HOSTLINK_OFFERED,
	HOSTLINK_REFUSED,
	HOSTLINK_FORGET,
	HOSTLINK_REMAP,
	HOSTLINK_REMAPPABLE,
	HOSTLINK_SWITCH,
	HOSTLINK_SWITCHED,
	HOSTLINK_REMAIN,
	HOSTLINK_STUCK,
	HOSTLINK_THREAD,
	HOSTLINK_GRANTED,
	HOSTLINK_WATCHED,
	HOSTLINK_IMPORT,
	HOSTLINK_IMPORTED,
	HOSTLINK_EXPORT,
	HOSTLINK_EXPORTED,
	HOSTLINK_REMAINED,
	HOSTLINK_TIMER,
};

struct hostlink_segment {
	uint32_t segment; /* in the waveform image */
	uint32_t lane;    /* of the node */
	uint32_t entry;   /* in the lane's table */
	uint32_t seat;    /* of this host on that lane */
};

struct hostlink_msg {
	uint32_t type;
	uint32_t control; /* the waveform's control block in the node image */
	uint32_t host;    /* which of the waveform's hosts this is */
	uint32_t n_segments;
	uint32_t n_lanes;
	/* OFFER and its answers, FORGET; OFFER's descriptor: a memfd of floats */
	uint32_t instance, param, n_items;
	uint64_t sequence; /* of the change */
	uint32_t lanes[HOSTLINK_LANES_MAX];
	struct hostlink_segment segments[HOSTLINK_SEGMENTS_MAX];
	/* lines: a note each; a line that begins with '!' says what is lost */
	char text[HOSTLINK_TEXT];
};

/* hostlink_send sends with up to HOSTLINK_FDS_MAX descriptors: 0 or -errno. hostlink_recv: 0,
 * -EPIPE at the end, -EBADMSG, -errno; the descriptors are close-on-exec, and the caller's only on
 * 0. */
int hostlink_send(int fd, const struct hostlink_msg *msg, const int *fds, size_t n_fds);
int hostlink_recv(int fd, struct hostlink_msg *ret, int *ret_fds, size_t *ret_n_fds);

#endif
