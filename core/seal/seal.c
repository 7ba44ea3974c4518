/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/seal/seal.h"

#include <assert.h>
#include <errno.h>
#include <sodium.h>
#include <stdbool.h>
#include <string.h>

enum { MAGIC = 0xa10e, VERSION = 1, WORDS = SEAL_WINDOW / 64 + 1 };

static_assert(SEAL_KEY_BYTES == crypto_aead_chacha20poly1305_IETF_KEYBYTES, "key");
static_assert(SEAL_TAG_BYTES == crypto_aead_chacha20poly1305_IETF_ABYTES, "tag");
static_assert(crypto_aead_chacha20poly1305_IETF_NPUBBYTES == 12, "nonce");
static_assert(SEAL_WINDOW % 64 == 0, "whole words");

/* Which of the last SEAL_WINDOW counters of a sender have come. As RFC 6479 has it: a ring of
 * words, one more than the window needs, of which those that it moves over are cleared. */
struct seal_window {
	uint64_t next; /* one above the largest counter that has come */
	uint64_t floor;
	uint64_t words[WORDS];
};

struct seal {
	uint8_t key[SEAL_KEY_BYTES];
	uint64_t load_id, counter;
	uint16_t node;
	struct seal_counts counts;
	struct seal_window windows[SEAL_NODES_MAX];
};

struct seal_head {
	uint16_t from, to;
	uint64_t load_id, counter;
};

/* ---- bytes ------------------------------------------------------------------------ */

static void number_put(uint8_t *bytes, size_t len, uint64_t number)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(number >> (8 * i));
}

static uint64_t number_get(const uint8_t *bytes, size_t len)
{
	uint64_t number = 0;

	for (size_t i = 0; i < len; i++)
		number |= (uint64_t)bytes[i] << (8 * i);
	return number;
}

static void head_encode(const struct seal_head *head, uint8_t *bytes)
{
	number_put(bytes, 2, MAGIC);
	bytes[2] = VERSION;
	bytes[3] = 0;
	number_put(bytes + 4, 2, head->from);
	number_put(bytes + 6, 2, head->to);
	number_put(bytes + 8, 8, head->load_id);
	number_put(bytes + 16, 8, head->counter);
}

static int head_decode(const uint8_t *bytes, struct seal_head *ret)
{
	if (number_get(bytes, 2) != MAGIC || bytes[2] != VERSION || bytes[3] != 0)
		return -EPROTO;
	*ret = (struct seal_head){
	    .from = (uint16_t)number_get(bytes + 4, 2),
	    .to = (uint16_t)number_get(bytes + 6, 2),
	    .load_id = number_get(bytes + 8, 8),
	    .counter = number_get(bytes + 16, 8),
	};
	return ret->from < SEAL_NODES_MAX ? 0 : -EPROTO;
}

static void nonce_make(const struct seal_head *head, uint8_t *nonce)
{
	number_put(nonce, 4, head->from);
	number_put(nonce + 4, 8, head->counter);
}

/* ---- the window ------------------------------------------------------------------------ */

static bool window_open(const struct seal_window *window, uint64_t counter)
{
	if (counter < window->floor)
		return false;
	if (counter >= window->next)
		return true;
	if (window->next - counter > SEAL_WINDOW)
		return false;
	return !(window->words[counter / 64 % WORDS] >> (counter % 64) & 1);
}

static void window_mark(struct seal_window *window, uint64_t counter)
{
	if (counter >= window->next) {
		const uint64_t last = window->next > 0 ? (window->next - 1) / 64 : 0;
		const uint64_t moved = counter / 64 - last;

		for (uint64_t i = 1; i <= (moved < WORDS ? moved : WORDS); i++)
			window->words[(last + i) % WORDS] = 0;
		window->next = counter + 1;
	}
	window->words[counter / 64 % WORDS] |= 1ull << (counter % 64);
}

/* ---- life ------------------------------------------------------------------------ */

int seal_key_new(uint8_t ret_key[SEAL_KEY_BYTES])
{
	if (sodium_init() < 0)
		return -ENOSYS;
	randombytes_buf(ret_key, SEAL_KEY_BYTES);
	return 0;
}

void seal_key_wipe(void *bytes, size_t len)
{
	sodium_memzero(bytes, len);
}

int seal_new(const struct seal_use *use, struct seal **ret)
{
	struct seal *seal;

	if (use->node >= SEAL_NODES_MAX)
		return -EINVAL;
	if (sodium_init() < 0)
		return -ENOSYS;
	/* locked as far as the limits allow, which is not told */
	seal = sodium_malloc((sizeof(*seal) + 63) / 64 * 64);
	if (!seal)
		return -ENOMEM;
	memset(seal, 0, sizeof(*seal));
	memcpy(seal->key, use->key, sizeof(seal->key));
	seal->load_id = use->load_id;
	seal->node = use->node;
	seal->counter = use->first;
	*ret = seal;
	return 0;
}

void seal_free(struct seal *seal)
{
	sodium_free(seal);
}

/* ---- frames ------------------------------------------------------------------------ */

int seal_put(struct seal *seal, uint16_t to, const void *payload, size_t len, uint8_t *ret_frame,
    size_t size, size_t *ret_len)
{
	const struct seal_head head = {seal->node, to, seal->load_id, seal->counter};
	uint8_t nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES];

	if (to >= SEAL_NODES_MAX || to == seal->node)
		return -EINVAL;
	if (len > SEAL_PAYLOAD_MAX || size < len + SEAL_MORE_BYTES)
		return -EMSGSIZE;
	if (seal->counter == UINT64_MAX)
		return -EOVERFLOW;
	seal->counter++;
	head_encode(&head, ret_frame);
	nonce_make(&head, nonce);
	crypto_aead_chacha20poly1305_ietf_encrypt(ret_frame + SEAL_HEAD_BYTES, NULL, payload, len,
	    ret_frame, SEAL_HEAD_BYTES, NULL, nonce, seal->key);
	seal->counts.put++;
	*ret_len = len + SEAL_MORE_BYTES;
	return 0;
}

/* What can be told before the key is used. */
static int frame_check(
    struct seal *seal, const uint8_t *frame, size_t len, size_t size, struct seal_head *ret_head)
{
	if (len < SEAL_MORE_BYTES || len > SEAL_PAYLOAD_MAX + SEAL_MORE_BYTES ||
	    len - SEAL_MORE_BYTES > size) {
		seal->counts.size++;
		return -EMSGSIZE;
	}
	if (head_decode(frame, ret_head) < 0) {
		seal->counts.foreign++;
		return -EPROTO;
	}
	if (ret_head->load_id != seal->load_id) {
		seal->counts.stale++;
		return -ESTALE;
	}
	if (ret_head->to != seal->node || ret_head->from == seal->node) {
		seal->counts.misdirected++;
		return -EXDEV;
	}
	/* No sender uses the last counter, whose successor is no number. */
	if (ret_head->counter == UINT64_MAX ||
	    !window_open(&seal->windows[ret_head->from], ret_head->counter)) {
		seal->counts.replayed++;
		return -EALREADY;
	}
	return 0;
}

int seal_take(struct seal *seal, const void *frame, size_t len, void *ret_payload, size_t size,
    size_t *ret_len, uint16_t *ret_from)
{
	const uint8_t *bytes = frame;
	uint8_t nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES];
	struct seal_head head;
	int result = frame_check(seal, bytes, len, size, &head);

	if (result < 0)
		return result;
	nonce_make(&head, nonce);
	/* checks the tag over all of it before it writes the first byte */
	if (crypto_aead_chacha20poly1305_ietf_decrypt(ret_payload, NULL, NULL,
	        bytes + SEAL_HEAD_BYTES, len - SEAL_HEAD_BYTES, bytes, SEAL_HEAD_BYTES, nonce,
	        seal->key) != 0) {
		seal->counts.forged++;
		return -EBADMSG;
	}
	window_mark(&seal->windows[head.from], head.counter);
	seal->counts.taken++;
	*ret_len = len - SEAL_MORE_BYTES;
	*ret_from = head.from;
	return 0;
}

void seal_floor(struct seal *seal, uint16_t node, uint64_t counter)
{
	if (node < SEAL_NODES_MAX && seal->windows[node].floor < counter)
		seal->windows[node].floor = counter;
}

uint64_t seal_next(const struct seal *seal)
{
	return seal->counter;
}

struct seal_counts seal_counts(const struct seal *seal)
{
	return seal->counts;
}
