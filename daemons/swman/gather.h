/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/swman/gather.h - one question to the execs of several nodes, and all of their answers.
 */
#ifndef DAEMONS_SWMAN_GATHER_H
#define DAEMONS_SWMAN_GATHER_H

#include "daemons/swman/swman.h"

struct gather_answer {
	uint32_t node;  /* of the platform */
	uint8_t *bytes; /* of the answer; NULL: there is none */
	struct wire_view view;
	bool ok;
	char *why; /* not ok: its text */
	uint64_t code;
	bool away;  /* the node is not there */
	bool again; /* a daemon ended over it: nobody knows what came of it */
};

struct gather {
	uint8_t *request; /* who asked us; NULL: nobody */
	size_t request_len;
	char waveform[64];
	char *text;    /* of who asks: notes */
	uint64_t slot; /* ... and the slot that was named */
	uint32_t at;   /* ... and which node is next, one after another */
	bool force, known;
	/* LOAD (builds.c): the program, builds that were sent to a node, and what follows; failed:
	 * the node that did not take one */
	void *program;
	size_t program_len;
	uint32_t sent;
	void (*then)(
	    struct swman *swman, struct gather *gather, const struct gather_answer *failed);
	struct gather_answer *answers;
	uint32_t n, left;
	void (*done)(struct swman *swman, struct gather *gather);
};

/* gather_new: for the nodes given; NULL: no memory. gather_ask sends a copy of msg to each and
 * calls `done` once, when all have answered, which frees the gather (gather_free) or asks it again.
 * msg is finished. gather_ask_one asks only the node that is the at-th. */
struct gather *gather_new(
    const struct wire_view *request, const char *waveform, const uint32_t *nodes, uint32_t n);
void gather_free(struct gather *gather);
void gather_ask(struct swman *swman, struct gather *gather, struct wire_msg *msg,
    void (*done)(struct swman *swman, struct gather *gather));
void gather_ask_one(struct swman *swman, struct gather *gather, struct wire_msg *msg, uint32_t at,
    void (*done)(struct swman *swman, struct gather *gather));
/* the first answer that is not OK; NULL: all are */
const struct gather_answer *gather_failed(const struct gather *gather);
json_t *gather_json(const struct gather_answer *answer); /* NULL: it has none */
/* The answers to who asked: gather_fail names the node and its reason.
 * Where nobody asked, it is logged. */
void gather_ok(struct swman *swman, const struct gather *gather, struct wire_msg *ret_msg);
void gather_send(struct swman *swman, struct wire_msg *msg);
void gather_why(
    const struct swman *swman, const struct gather_answer *answer, char *ret, size_t size);
void gather_fail(
    struct swman *swman, const struct gather *gather, const struct gather_answer *answer);
__attribute__((format(printf, 4, 5))) void gather_refuse(
    struct swman *swman, const struct gather *gather, int code, const char *format, ...);

#endif
