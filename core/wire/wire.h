/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/wire/wire.h - the control message: a fixed head and tagged fields, bytes in and bytes out,
 * nothing else.
 *
 *   head   magic "ALOE" | version u8 | source u8 | dest u8 | flags u8 | type u16 | fields u16 | seq
 *          u32 | length u32
 *   field  tag u16 | zero u16 | length u32 | bytes, padded with zeros to a multiple of 4
 *
 * All numbers little endian; a number field is 8 bytes. `length` counts everything after the head.
 * A message whose counts, lengths or padding do not agree is -EBADMSG; nothing that a peer sends is
 * asserted.
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

/* type                 from -> to            fields of the request; the reply is OK {...} or FAIL
 *                                            {CODE, TEXT}
 * with the request's seq. WAVEFORM is the waveform's name. */
enum wire_type {
	WIRE_OK = 1,
	/* CODE (exit status: 1 run time, 2 configuration), TEXT (lines for the user), [AGAIN: a
	 * daemon ended before it had answered; nobody knows what came of it, and who asks again
	 * asks the next one] */
	WIRE_FAIL = 2,
	WIRE_HELLO = 3, /* daemon -> frontend: I am `source`, PID */
	WIRE_PING = 4,  /* any -> any: OK {PID, TEXT version} */
	WIRE_DOWN = 5,  /* client -> frontend: stop everything; OK when told, then it ends */
	/* client -> swman: FILE, TEXT, CWD, SET*, [CLOCK, LATE, ISOLATION, PIPELINED, SLOT_NS,
	 * SLOTS, LANES "0,1", COPIES, LOAD_ID] -> OK {WAVEFORM, TEXT notes}; once more with the
	 * same LOAD_ID it is loaded once */
	WIRE_LOAD = 10,
	/* client -> swman -> exec: WAVEFORM, [SLOT: exactly from that one on] -> OK {SLOT} (the
	 * change is in force); FAIL {NEWEST}: it was too late for that slot, and nothing has
	 * changed */
	WIRE_START = 11,
	WIRE_PAUSE = 12, /* the same: SLOT and later ones do not run */
	WIRE_STEP = 13,  /* the same without SLOT, [COUNT = 1] */
	/* the same, [SLOT: the first in which sources work no more], [FORCE]: sinks drain, files
	 * close; the waveform stays for its report */
	WIRE_STOP = 14,
	/* the same; gone afterwards. With FORCE its hosts are killed, whatever its state is */
	WIRE_UNLOAD = 15,
	/* client -> swman -> exec: OK {JSON: array of {name, state, index, lanes}} */
	WIRE_LIST = 16,
	/* client -> swman -> exec: WAVEFORM -> OK {JSON: the report as of now, [STATE "ended"]} */
	WIRE_STATUS = 17,
	/* client -> swman: WAVEFORM, [LANES], SET "inst.pin=lane"*; swman -> exec: WAVEFORM,
	 * PROGRAM -> OK {SLOT from which it goes on, COUNT slots that it stood, STATE, TEXT} */
	WIRE_REMAP = 18,
	/* swman -> exec: WAVEFORM, PROGRAM -> OK {TEXT notes}: allocated, hosts up, all INIT */
	WIRE_PREPARE = 20,
	/* client -> exec: WAVEFORM, CURSOR -> OK {CURSOR, LOST, BYTES: struct image_event[]} */
	WIRE_SAMPLES = 21,
	/* client -> stats: WAVEFORM, [NAME "inst", "inst.variable", "inst.parameter"] -> OK
	 * {JSON} */
	WIRE_GET = 30,
	/* client -> stats -> exec: WAVEFORM, NAME "inst.param", VALUE, [INDEX] -> OK {INDEX};
	 * several NAME and VALUE: all of them from that index on; FAIL {NEWEST}: too late for
	 * that index, and nothing has changed */
	WIRE_SET = 31,
	/* exec -> swman, no reply: WAVEFORM, STATE ("GONE": it is not there any more), TEXT */
	WIRE_EVENT = 40,
	WIRE_DAEMON = 41, /* frontend -> all daemons, no reply: DAEMON, PID, STATE ("up", "down") */
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
	WIRE_TAG_RADIO = 29,      /* text: a platform file */
	WIRE_TAG_RADIO_TEXT = 30, /* text: what is in it */
	WIRE_TAG_AGAIN = 31,      /* number 1 */
	/* text: what the frontend adds to an answer, of the node as a whole */
	WIRE_TAG_NOTE = 34,
	WIRE_TAG_LOAD_ID = 32, /* number: of one wish to load, however often it is sent */
	WIRE_TAG_FORCE = 33,   /* number 1 */
	/* text: of a request, the node for which it is; without it, the one that gets it */
	WIRE_TAG_NODE = 36,
	WIRE_TAG_NEWEST = 35, /* number: the newest slot or index that has begun */
	WIRE_TAG_ORIGIN = 27, /* bytes: frontend's, who asked; comes back in the reply */
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
/* wire_init_copy starts with the head and the fields of a message received, leaving out all fields
 * of one tag (0: none). wire_put_peers changes who it is from and for. */
void wire_init_copy(struct wire_msg *msg, const struct wire_view *view, enum wire_tag without);
void wire_put_peers(struct wire_msg *msg, enum wire_peer source, enum wire_peer dest);
/* wire_put_seq gives the message another number: a request that is sent on has one of its own. */
void wire_put_seq(struct wire_msg *msg, uint32_t seq);
void wire_fini(struct wire_msg *msg); /* may be called again; puts after it are refused */
void wire_put_bytes(struct wire_msg *msg, enum wire_tag tag, const void *bytes, size_t len);
/* NULL: leaves the field out */
void wire_put_text(struct wire_msg *msg, enum wire_tag tag, const char *text);
void wire_put_u64(struct wire_msg *msg, enum wire_tag tag, uint64_t number);
/* complete; NULL on error (msg->error) */
const uint8_t *wire_bytes(struct wire_msg *msg, size_t *ret_len);

/* A message as received: points into the bytes that were decoded. */
struct wire_view {
	const uint8_t *bytes;
	size_t len;
	enum wire_type type;
	enum wire_peer source, dest;
	uint32_t seq;
	uint16_t fields;
};

/* wire_decode checks everything but what the fields mean: 0 or -EBADMSG. A type that this version
 * does not know passes, so that the receiver can answer with its number. */
int wire_decode(const void *bytes, size_t len, struct wire_view *ret);
/* The nth field of a tag: 0, or -ENOENT; -EBADMSG when a number has another length than 8. */
int wire_get_bytes(const struct wire_view *view, enum wire_tag tag, unsigned nth, const void **ret,
    size_t *ret_len);
int wire_get_u64(const struct wire_view *view, enum wire_tag tag, uint64_t *ret);
/* wire_get_text copies the nth field of the tag, terminated (the caller frees); NULL if absent,
 * holding a NUL byte, or no memory. */
char *wire_get_text(const struct wire_view *view, enum wire_tag tag, unsigned nth);
const char *wire_type_name(enum wire_type type);
const char *wire_peer_name(enum wire_peer peer);

#endif
