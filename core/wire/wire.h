/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/wire/wire.h - the control message: a fixed head and tagged fields. Pure functions on bytes.
 *
 *   head   magic "ALOE" | version u8 | source u8 | dest u8 | flags u8 | type u16 | fields u16
 *          | seq u32 | length u32
 *   field  tag u16 | zero u16 | length u32 | bytes, padded with zeros to a multiple of 4
 *
 * All numbers are little endian; a field with a number has 8 bytes. `length` counts all bytes after
 * the head. If counts, lengths or padding of a message do not agree, the result is -EBADMSG. No
 * assertion depends on what a peer sends.
 */
#ifndef ALOE_WIRE_H
#define ALOE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_VERSION = 1, WIRE_HEAD_BYTES = 20, WIRE_BYTES_MAX = 256 << 20 };

enum wire_peer {
	WIRE_CLIENT = 0,
	WIRE_FRONTEND = 1,
	WIRE_EXEC = 2,
	WIRE_STATS = 3,
	WIRE_SWMAN = 4,
	WIRE_BRIDGE = 5,   /* aloe-bridge: links to other nodes */
	WIRE_STATSMAN = 6, /* aloe-statsman: variables of all nodes */
	WIRE_PEERS
};

/* Each type is described as `from -> to: fields of the request -> fields of the answer`. Fields in
 * brackets are optional, and * means any number. The answer is OK with these fields, or FAIL with
 * CODE and TEXT; it has the seq of the request. WAVEFORM is the name of the waveform. */
enum wire_type {
	WIRE_OK = 1,
	/* CODE (exit status: 1 run time, 2 configuration), TEXT (lines for the user), [AGAIN: a
	 * daemon ended before it had answered, so nobody knows whether the request was carried out;
	 * a repeated request goes to the next daemon] */
	WIRE_FAIL = 2,
	WIRE_HELLO = 3, /* daemon -> frontend: PID; `source` says which daemon it is */
	WIRE_PING = 4,  /* any -> any: OK {PID, TEXT version} */
	WIRE_DOWN = 5,  /* client -> frontend: stop everything; after OK the node ends */
	/* client -> swman: FILE, TEXT, CWD, SET*, [CLOCK, LATE, ISOLATION, PIPELINED, SLOT_NS,
	 * SLOTS, LANES "0,1", COPIES, LOAD_ID] -> OK {WAVEFORM, TEXT notes}; a repeated LOAD with
	 * the same LOAD_ID does not load the waveform twice */
	WIRE_LOAD = 10,
	/* client -> swman -> exec: WAVEFORM, [SLOT: the first slot that runs] -> OK {SLOT}, when
	 * the change is in force; or FAIL {NEWEST}: it was too late for that slot, and nothing has
	 * changed */
	WIRE_START = 11,
	WIRE_PAUSE = 12, /* like START; SLOT is the first slot that does not run */
	WIRE_STEP = 13,  /* like START, without SLOT; [COUNT = 1] */
	/* like START; [SLOT: the first slot in which the sources do not run], [FORCE]. Sinks drain
	 * and files are closed; the waveform stays loaded with its report. swman -> exec: [TEXT:
	 * why it is stopped as it is; messages that are on their way to the sinks are lost] */
	WIRE_STOP = 14,
	/* like STOP; the waveform is removed. With FORCE its hosts are killed in any state */
	WIRE_UNLOAD = 15,
	/* client -> swman -> exec: OK {JSON: array of {name, state, index, lanes}} */
	WIRE_LIST = 16,
	/* client -> swman -> exec: WAVEFORM -> OK {JSON: the report as of now, [STATE "ended"]} */
	WIRE_STATUS = 17,
	/* client -> swman: WAVEFORM, [LANES], SET "inst.pin=lane"*; swman -> exec: WAVEFORM,
	 * PROGRAM -> OK {SLOT in which the waveform goes on, COUNT slots of the pause, STATE,
	 * TEXT} */
	WIRE_REMAP = 18,
	/* swman -> exec: WAVEFORM, PROGRAM, [NOTE] -> OK {TEXT notes}, when memory is allocated,
	 * all hosts run, and all instances are initialised */
	WIRE_PREPARE = 20,
	/* client -> exec: WAVEFORM, CURSOR -> OK {CURSOR, LOST, BYTES: struct image_event[]} */
	WIRE_SAMPLES = 21,
	/* client -> swman -> exec: WAVEFORM, [SLOT] -> OK {JSON: the record of that slot, or all
	 * that are kept} */
	WIRE_MISSES = 22,
	/* client -> swman -> exec: WAVEFORM, COUNT (ns to look back), [VALUE "json"] -> OK {BYTES:
	 * a file of core/trace, TEXT: what is in it and what is missing}; with FILE (a folder):
	 * from now on such a file is written there around each miss -> OK {COUNT: at most so many}
	 */
	WIRE_TRACE = 23,
	/* client -> swman: WAVEFORM -> OK {TEXT: what was loaded as one waveform file}; with
	 * RECORD, a folder: its control.jsonl gets a line of each change of a parameter that holds,
	 * and from now on of what happens; with STATE "end" too: not any more */
	WIRE_RECORD = 24,
	/* client -> swman: WAVEFORM, NAME "inst", FILE (component, or path of its .so), SET*,
	 * [INDEX: the first that the new build works on], [SLOTS: shadow it for so many, VALUE:
	 * within so many dB]; or WAVEFORM, NAME, STATE "commit", "rollback" or "status", [INDEX].
	 * swman -> exec: WAVEFORM, NAME, PROGRAM, [COUNT: number of the upgrade, INDEX, SLOTS,
	 * VALUE, STATE] -> OK {INDEX, SLOT, COUNT slots of the pause, STATE, TEXT}; or FAIL {STATE
	 * "none"}: the instance has no such shadow run, nor an upgrade that waits */
	WIRE_UPGRADE = 25,
	/* client -> statsman -> stats of each node: WAVEFORM, [NAME "inst", "inst.variable",
	 * "inst.parameter"] -> OK {JSON, INDEX, NEWEST: index that has begun}. The stats of a node
	 * that does not run the instance: FAIL {NODE: the node that does} */
	WIRE_GET = 30,
	/* client -> statsman -> stats -> exec: WAVEFORM, NAME "inst.param", VALUE, [INDEX] -> OK
	 * {INDEX}.
	 * Several pairs of NAME and VALUE take effect at one index. FAIL {NEWEST}: it was too late
	 * for that index, and nothing has changed */
	WIRE_SET = 31,
	/* client -> statsman -> stats: WAVEFORM, NAME "inst" or "inst.variable", COUNT (one row for
	 * so many indices), [CURSOR of an earlier answer] -> OK {CURSOR, JSON: the names, and the
	 * rows since the last answer with that CURSOR} */
	WIRE_LOG = 32,
	/* client -> statsman -> stats: WAVEFORM, [NAME "inst.port", CURSOR: an index, or SLOTS: how
	 * many of the last messages, COUNT: one message of so many indices, PART: not more of each
	 * message] -> OK {LOAD_ID, CURSOR
	 * of the next question, BYTES: frames of core/tap/frame.h, [STATE "ended"], JSON: the
	 * output}; without NAME {JSON: all outputs}. The stats of a node that does not run the
	 * instance: FAIL {NODE: the node that does} */
	WIRE_TAP = 33,
	/* client -> exec: WAVEFORM, NAME "inst.port", COUNT: messages that the ring of this output
	 * keeps for taps from now on -> OK as of REMAP, onto the same lanes */
	WIRE_RING = 34,
	/* exec -> swman, no reply: WAVEFORM, STATE ("GONE": the waveform was removed; "HELD": it
	 * waits for GO_ON; "SET": NAME and VALUE of each parameter that changes at INDEX; "REMAP"),
	 * INDEX, TEXT, [LOAD_ID: of a program of a platform]. bridge -> swman, every second: NAME
	 * and VALUE, of each node what a message takes to it in ns */
	WIRE_EVENT = 40,
	/* frontend -> all daemons, no reply: DAEMON, PID, STATE ("up", "down"); of another node:
	 * NODE, and with "down" WORD_NS, when it was heard last */
	WIRE_DAEMON = 41,
	/* frontend -> the manager's frontend, every half second: NAME (of the node), JSON (what
	 * kind of node it is) -> OK: it belongs to the platform; FAIL: why not */
	WIRE_JOIN = 50,
	/* any -> the manager's frontend: OK {JSON: array of the platform's nodes} */
	WIRE_NODES = 51,
	/* bridge -> bridge, no reply: NAME (of the sender's node), [BYTES: a frame of core/bridge],
	 * [KEY: of the datagrams between the two from now on] */
	WIRE_FRAME = 52,
	/* exec -> frontend, no reply: LEASE_MS, the shortest lease of its waveforms (0: none);
	 * frontend -> exec, no reply: WORD_NS, each time that the manager has answered JOIN */
	WIRE_LEASE = 53,
	/* swman -> exec: WAVEFORM, LOAD_ID -> OK: a waveform that is held, because there was no
	 * word from the manager, goes on if it is this load */
	WIRE_GO_ON = 54,
	/* swman -> a node's frontend: NAME, BUILD (of a component), both any number of times -> OK
	 * {[NAME, BUILD: the first that the node has not]} */
	WIRE_BUILDS = 55,
	/* swman -> a node's frontend: NAME, BUILD, BYTES (of the file) -> OK */
	WIRE_BUILD = 56,
	/* bridge -> exec, no reply: how the clocks of other nodes stand: [STATE: name of the node
	 * whose clock this one follows], NAME and BYTES (struct align_offset) for each that is
	 * known */
	WIRE_OFFSETS = 57,
	/* bridge -> exec, every second, no reply: WAVEFORM, then NAME and BYTES (struct
	 * bridge_counts) of each other node that the waveform is on */
	WIRE_COUNTS = 58,
};

enum wire_tag {
	WIRE_TAG_CODE = 1,        /* number */
	WIRE_TAG_TEXT = 2,        /* text, without terminator */
	WIRE_TAG_WAVEFORM = 3,    /* text */
	WIRE_TAG_FILE = 4,        /* text */
	WIRE_TAG_CWD = 5,         /* text */
	WIRE_TAG_SET = 6,         /* text "inst.param=value", repeated */
	WIRE_TAG_CLOCK = 7,       /* text */
	WIRE_TAG_LATE = 8,        /* text */
	WIRE_TAG_ISOLATION = 9,   /* text */
	WIRE_TAG_PIPELINED = 10,  /* number 0/1 */
	WIRE_TAG_SLOT_NS = 11,    /* number */
	WIRE_TAG_SLOTS = 12,      /* number: run indices 0..N-1 */
	WIRE_TAG_LANES = 13,      /* text "0,1" */
	WIRE_TAG_JSON = 14,       /* text */
	WIRE_TAG_PROGRAM = 15,    /* bytes, core/image */
	WIRE_TAG_COUNT = 16,      /* number */
	WIRE_TAG_SLOT = 17,       /* number */
	WIRE_TAG_INDEX = 18,      /* number */
	WIRE_TAG_NAME = 19,       /* text */
	WIRE_TAG_VALUE = 20,      /* text */
	WIRE_TAG_STATE = 21,      /* text */
	WIRE_TAG_PID = 22,        /* number */
	WIRE_TAG_CURSOR = 23,     /* number */
	WIRE_TAG_LOST = 24,       /* number */
	WIRE_TAG_BYTES = 25,      /* bytes */
	WIRE_TAG_DAEMON = 26,     /* number, enum wire_peer */
	WIRE_TAG_COPIES = 28,     /* number */
	WIRE_TAG_RADIO = 29,      /* text: name of the radio file */
	WIRE_TAG_RADIO_TEXT = 30, /* text: content of the radio file */
	WIRE_TAG_AGAIN = 31,      /* number 1 */
	/* text: a line about the whole node, which the frontend adds to an answer */
	WIRE_TAG_NOTE = 34,
	WIRE_TAG_LOAD_ID = 32, /* number of a LOAD, the same each time that the LOAD is sent */
	WIRE_TAG_FORCE = 33,   /* number 1 */
	/* text: node for which a request is; without it, the node that gets the request */
	WIRE_TAG_NODE = 36,
	WIRE_TAG_KEY = 38,      /* bytes: of core/seal */
	WIRE_TAG_HOME = 37,     /* text: of a LOAD, the node from which it comes */
	WIRE_TAG_LEASE_MS = 39, /* number */
	/* number: CLOCK_MONOTONIC of the last word of, or to, another node */
	WIRE_TAG_WORD_NS = 40,
	WIRE_TAG_PART = 45,   /* number: bytes of a message, from its beginning, that are wanted */
	WIRE_TAG_BUILD = 41,  /* text: SHA-256 of a component's file, in hexadecimal digits */
	WIRE_TAG_RECORD = 50, /* text: folder of a recording */
	WIRE_TAG_REPLAY = 51, /* text: folder of the recording whose lapses a LOAD repeats */
	WIRE_TAG_NEWEST = 35, /* number: the newest slot or index that has begun */
	WIRE_TAG_ORIGIN = 27, /* bytes: for the frontend, who asked; comes back in the answer */
};

struct wire_view;

/* A message being written into a growing buffer. After -ENOMEM or -EMSGSIZE every further put is
 * refused, and wire_bytes returns NULL: errors need to be looked at only once. */
struct wire_msg {
	uint8_t *bytes;
	size_t len, size;
	uint16_t fields;
	int error;
};

void wire_init(struct wire_msg *msg, enum wire_type type, enum wire_peer source,
    enum wire_peer dest, uint32_t seq);
/* wire_init_copy starts with the head and the fields of a received message, without the fields of
 * one tag (0: with all fields). wire_put_peers changes the sender and the receiver. */
void wire_init_copy(struct wire_msg *msg, const struct wire_view *view, enum wire_tag without);
void wire_put_peers(struct wire_msg *msg, enum wire_peer source, enum wire_peer dest);
/* wire_put_seq changes the sequence number, because a request that is passed on has its own. */
void wire_put_seq(struct wire_msg *msg, uint32_t seq);
void wire_fini(struct wire_msg *msg); /* may be called again; puts after it are refused */
void wire_put_bytes(struct wire_msg *msg, enum wire_tag tag, const void *bytes, size_t len);
/* wire_put_room adds a field of `len` bytes, which the caller writes: where, until the next put, or
 * NULL on error. wire_room_used makes that field, the last one, as long as what was written; again
 * for what is written there next. */
uint8_t *wire_put_room(struct wire_msg *msg, enum wire_tag tag, size_t len);
void wire_room_used(struct wire_msg *msg, const uint8_t *room, size_t len);
/* wire_put_text leaves the field out if text is NULL. */
void wire_put_text(struct wire_msg *msg, enum wire_tag tag, const char *text);
void wire_put_u64(struct wire_msg *msg, enum wire_tag tag, uint64_t number);
/* wire_bytes returns the complete message, or NULL on error (msg->error). wire_take does the same,
 * finishes msg, and the caller frees the bytes. */
const uint8_t *wire_bytes(struct wire_msg *msg, size_t *ret_len);
uint8_t *wire_take(struct wire_msg *msg, size_t *ret_len);

/* A message as received: points into the bytes that were decoded. */
struct wire_view {
	const uint8_t *bytes;
	size_t len;
	enum wire_type type;
	enum wire_peer source, dest;
	uint32_t seq;
	uint16_t fields;
};

/* wire_decode checks everything except the meaning of the fields. Returns 0 or -EBADMSG. A type
 * that this version does not know passes, so that the receiver can name the type in its answer. */
int wire_decode(const void *bytes, size_t len, struct wire_view *ret);
/* wire_get_bytes and wire_get_u64 find the nth (the first) field of a tag. They return 0, -ENOENT,
 * or -EBADMSG if a number does not have 8 bytes. */
int wire_get_bytes(const struct wire_view *view, enum wire_tag tag, unsigned nth, const void **ret,
    size_t *ret_len);
int wire_get_u64(const struct wire_view *view, enum wire_tag tag, uint64_t *ret);
/* wire_get_text returns a terminated copy of the nth field of a tag, which the caller frees. NULL:
 * there is no such field, the field contains a NUL byte, or there is no memory. */
char *wire_get_text(const struct wire_view *view, enum wire_tag tag, unsigned nth);
const char *wire_type_name(enum wire_type type);
const char *wire_peer_name(enum wire_peer peer);

#endif
