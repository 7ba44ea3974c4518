/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/seal/seal.h - frames between nodes, sealed so that only nodes with the key of a load can
 * make or read them (the only room that includes <sodium.h>). Bytes in, bytes out: no socket, no
 * clock; no allocation, lock or system call after seal_new.
 *
 *   frame  magic u16 | version u8 | zero u8 | from u16 | to u16 | load id u64 | counter u64 |
 *          payload, encrypted | tag, 16 bytes                        numbers little endian
 *
 * ChaCha20-Poly1305 (RFC 8439 section 2.8), its 12 bytes of nonce are {from u32, counter u64}, and
 * the head is authenticated with the payload. Every load has a key of its own, which whoever loads
 * makes (seal_key_new) and gives to the nodes over CURVE.
 *
 * A nonce must never be used twice with one key. So a node number belongs to one sender of a load,
 * and a sender that is started again under the same key begins above every counter that it may have
 * used: whoever starts it counts the starts, and gives `first` = start number * SEAL_START.
 */
#ifndef ALOE_SEAL_H
#define ALOE_SEAL_H

#include <stddef.h>
#include <stdint.h>

enum {
	SEAL_KEY_BYTES = 32,
	SEAL_HEAD_BYTES = 24,
	SEAL_TAG_BYTES = 16,
	SEAL_MORE_BYTES =
	    SEAL_HEAD_BYTES + SEAL_TAG_BYTES,       /* what a frame has beside its payload */
	SEAL_PAYLOAD_MAX = 65507 - SEAL_MORE_BYTES, /* the largest datagram of UDP on IPv4 */
	SEAL_NODES_MAX = 256,                       /* node numbers are 0 .. 255 */
	SEAL_WINDOW = 1024 /* a frame may come so many frames of its sender late */
};
#define SEAL_START (1ull << 40)

struct seal_use {
	uint8_t key[SEAL_KEY_BYTES];
	uint64_t load_id;
	uint16_t node;  /* this one */
	uint64_t first; /* counter of the first frame */
};

struct seal;

/* seal_key_new fills a key with random bytes of the kernel: 0, or -ENOSYS where the library cannot
 * be had. seal_key_wipe overwrites bytes that were secret; the compiler does not leave it out. */
int seal_key_new(uint8_t ret_key[SEAL_KEY_BYTES]);
void seal_key_wipe(void *bytes, size_t len);

/* seal_new keeps a copy of the key in memory that is locked, where the limits allow that, and lies
 * between pages that may not be touched. 0, -EINVAL (node number), -ENOMEM, -ENOSYS. seal_free
 * overwrites the key; NULL does nothing. */
int seal_new(const struct seal_use *use, struct seal **ret);
void seal_free(struct seal *seal);

/* seal_put makes the frame of a payload for the node `to`. 0; -EMSGSIZE when the payload is longer
 * than SEAL_PAYLOAD_MAX or the frame than `size`; -EINVAL when there is no such node, or it is this
 * one; -EOVERFLOW when the counters are used up. `ret_frame` must not overlap the payload. */
int seal_put(struct seal *seal, uint16_t to, const void *payload, size_t len, uint8_t *ret_frame,
    size_t size, size_t *ret_len);

/* seal_take checks a frame and gives its payload (at most len - SEAL_MORE_BYTES) and its sender.
 * 0, or why the frame is to be dropped, which is counted:
 *   -EMSGSIZE  shorter than any frame, longer than any, or its payload is longer than `size`
 *   -EPROTO    not a frame of this version, or its sender is no node number
 *   -ESTALE    of another load
 *   -EXDEV     for another node, or from this one
 *   -EALREADY  taken before, or older than SEAL_WINDOW frames of its sender
 *   -EBADMSG   not made with this key, or changed on its way
 * Nothing of the frame is given out unless all of it is right, and only a frame that is right moves
 * the window. */
int seal_take(struct seal *seal, const void *frame, size_t len, void *ret_payload, size_t size,
    size_t *ret_len, uint16_t *ret_from);

/* seal_floor refuses frames of a node with a counter below `counter` from now on: for a receiver
 * that was started again, whose window is empty, once the sender has said how far it is. */
void seal_floor(struct seal *seal, uint16_t node, uint64_t counter);
uint64_t seal_next(const struct seal *seal); /* the counter of the next frame that is put */

struct seal_counts {
	uint64_t put, taken;
	uint64_t size, foreign, stale, misdirected, replayed, forged; /* dropped, as above */
};
struct seal_counts seal_counts(const struct seal *seal);

#endif
