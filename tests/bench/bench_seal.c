/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What it costs to seal a frame and to open one, beside the bare call of libsodium on the same
 * bytes: head, window and counts are the rest. Then the other ciphers of libsodium, for the choice
 * of this one: AES-256-GCM exists there only where the CPU has AES instructions (1.0.18: x86).
 */
#include <sodium.h>

#include "core/seal/seal.h"
#include "tests/bench/pairs.h"

enum { TURN_BYTES = 4 << 20, FRAME_MAX = SEAL_PAYLOAD_MAX + SEAL_MORE_BYTES };

struct bench {
	struct seal *a, *b;
	size_t len;
	unsigned frames;
	uint8_t *payload, *out, *ring; /* `frames` frames behind each other */
	uint8_t key[32];
	crypto_aead_aes256gcm_state aes;
};

static uint8_t *frame_at(const struct bench *bench, unsigned i)
{
	return bench->ring + i * (bench->len + SEAL_MORE_BYTES);
}

static double put(void *context)
{
	struct bench *bench = context;
	const uint64_t begin = clock_ns();
	size_t len;

	for (unsigned i = 0; i < bench->frames; i++)
		if (seal_put(bench->a, 2, bench->payload, bench->len, frame_at(bench, i), FRAME_MAX,
		        &len) < 0)
			exit(1);
	return (double)(clock_ns() - begin) / bench->frames;
}

/* Fresh frames each turn, for each is taken once. */
static double take(void *context)
{
	struct bench *bench = context;
	const size_t sealed = bench->len + SEAL_MORE_BYTES;
	uint64_t begin;
	uint16_t from;
	size_t len;

	put(bench);
	begin = clock_ns();
	for (unsigned i = 0; i < bench->frames; i++)
		if (seal_take(bench->b, frame_at(bench, i), sealed, bench->out, bench->len, &len,
		        &from) < 0)
			exit(1);
	return (double)(clock_ns() - begin) / bench->frames;
}

static double bare_put(void *context)
{
	struct bench *bench = context;
	const uint64_t begin = clock_ns();
	uint8_t nonce[12] = {0};

	for (unsigned i = 0; i < bench->frames; i++) {
		uint8_t *frame = frame_at(bench, i);

		memcpy(nonce, &i, sizeof(i));
		crypto_aead_chacha20poly1305_ietf_encrypt(frame + SEAL_HEAD_BYTES, NULL,
		    bench->payload, bench->len, frame, SEAL_HEAD_BYTES, NULL, nonce, bench->key);
	}
	return (double)(clock_ns() - begin) / bench->frames;
}

static double bare_take(void *context)
{
	struct bench *bench = context;
	const size_t sealed = bench->len + SEAL_TAG_BYTES;
	uint8_t nonce[12] = {0};
	uint64_t begin;

	bare_put(bench);
	begin = clock_ns();
	for (unsigned i = 0; i < bench->frames; i++) {
		uint8_t *frame = frame_at(bench, i);

		memcpy(nonce, &i, sizeof(i));
		if (crypto_aead_chacha20poly1305_ietf_decrypt(bench->out, NULL, NULL,
		        frame + SEAL_HEAD_BYTES, sealed, frame, SEAL_HEAD_BYTES, nonce,
		        bench->key) != 0)
			exit(1);
	}
	return (double)(clock_ns() - begin) / bench->frames;
}

static double bare_xchacha(void *context)
{
	struct bench *bench = context;
	const uint64_t begin = clock_ns();
	const uint8_t nonce[24] = {0};

	for (unsigned i = 0; i < bench->frames; i++)
		crypto_aead_xchacha20poly1305_ietf_encrypt(frame_at(bench, i) + SEAL_HEAD_BYTES,
		    NULL, bench->payload, bench->len, frame_at(bench, i), SEAL_HEAD_BYTES, NULL,
		    nonce, bench->key);
	return (double)(clock_ns() - begin) / bench->frames;
}

static double bare_aes(void *context)
{
	struct bench *bench = context;
	const uint64_t begin = clock_ns();
	const uint8_t nonce[12] = {0};

	for (unsigned i = 0; i < bench->frames; i++)
		crypto_aead_aes256gcm_encrypt_afternm(frame_at(bench, i) + SEAL_HEAD_BYTES, NULL,
		    bench->payload, bench->len, frame_at(bench, i), SEAL_HEAD_BYTES, NULL, nonce,
		    &bench->aes);
	return (double)(clock_ns() - begin) / bench->frames;
}

static void line(struct bench *bench, const char *what, pairs_measure *thing, const char *peer_name,
    pairs_measure *peer)
{
	char name[48];
	double us;

	snprintf(name, sizeof(name), "%s, %zu bytes", what, bench->len);
	us = pairs_run(name, thing, bench, peer_name, peer, bench, 0);
	printf("%30s%.0f ns a frame, %.2f Gbit/s\n", "", us * 1e3,
	    (double)bench->len * 8 / (us * 1e3));
}

static void run(struct bench *bench, size_t len)
{
	bench->len = len;
	bench->frames = (unsigned)(TURN_BYTES / (len + SEAL_MORE_BYTES));
	line(bench, "seal", put, "bare", bare_put);
	line(bench, "open", take, "bare", bare_take);
	if (len == 1432)
		line(bench, "XChaCha20, bare", bare_xchacha, "ChaCha20, bare", bare_put);
	if (len == 1432 && crypto_aead_aes256gcm_is_available())
		line(bench, "AES-256-GCM, bare", bare_aes, "ChaCha20, bare", bare_put);
}

int main(void)
{
	static const size_t sizes[] = {64, 1432, 8932, 30000};
	static struct bench bench;
	struct seal_use use = {.load_id = 1, .node = 1};

	pairs_quiet();
	if (seal_key_new(use.key) < 0 || seal_new(&use, &bench.a) < 0)
		return 1;
	use.node = 2;
	if (seal_new(&use, &bench.b) < 0)
		return 1;
	memcpy(bench.key, use.key, sizeof(bench.key));
	crypto_aead_aes256gcm_beforenm(&bench.aes, bench.key);
	bench.payload = calloc(1, SEAL_PAYLOAD_MAX);
	bench.out = calloc(1, SEAL_PAYLOAD_MAX);
	bench.ring = calloc(1, TURN_BYTES + FRAME_MAX);
	if (!bench.payload || !bench.out || !bench.ring)
		return 1;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		run(&bench, sizes[i]);
	seal_free(bench.a);
	seal_free(bench.b);
	free(bench.payload);
	free(bench.out);
	free(bench.ring);
	return 0;
}
