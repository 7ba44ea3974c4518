/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The turbo code of UTRAN, one block of K = 3856 bits at a time: encoder and decoder of every level
 * that this machine has, with state metrics of 16 and of 8 bits, beside plain C with 16 bits in the
 * same run, and that beside the textbook decoder of the tests; then half and twice the default's
 * windows beside the default, and several blocks side by side beside the same blocks one after the
 * other (x0.6: they take 0.6 of the time). The decoders of srsRAN 4G and of AFF3CT are measured in
 * the same run if `make bench-peers` has built them. srsRAN's decodes one block of LTE again and
 * again; AFF3CT's decodes the blocks that ours does, with the interleaver of UTRAN, as many at once
 * as its vectors have lanes.
 */
#include <stdint.h>

#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_decoder.h"
#include "core/kernels/utran_turbo_encoder.h"
#include "core/kernels/utran_turbo_many.h"
#include "tests/bench/pairs.h"
#include "tests/utran_plain/utran_plain_decoder.h"

enum { K = 3856, CODED = 3 * K + 12, BLOCKS = 16 };

/* 2 iterations at AVX2, and at AVX-512 */
#define DECODER_AVX2_US 12.5
#define DECODER_AVX512_US 12.0

struct turbo {
	struct utran_turbo_encoder encoder;
	const struct utran_turbo_encoder_kernels *encode;
	struct utran_turbo_decoder decoder;
	unsigned iterations;
	uint8_t in[K], codeword[CODED], bits[K];
	int16_t llr[CODED];
	int32_t plain_llr[CODED], plain_bits[K];
};

static void *memory_of(size_t size)
{
	void *memory = aligned_alloc(64, (size + 63) & ~(size_t)63);

	if (memory == NULL)
		exit(1);
	return memory;
}

static uint32_t draw(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* A codeword at about 2 dB, so that branches and values are those of work. */
static struct turbo *turbo_new(
    enum simd_level level, uint32_t metrics, uint32_t windows, unsigned iterations)
{
	const struct utran_turbo_decoder_plan plan = {K, metrics, windows, UTRAN_SCALING_ONE};
	struct turbo *t = memory_of(sizeof(*t));
	uint32_t seed = 1;

	t->iterations = iterations;
	t->encode = utran_turbo_encoder_kernels(level);
	if (utran_turbo_encoder_init(&t->encoder, K, memory_of(utran_turbo_encoder_size(K))) != 0 ||
	    utran_turbo_decoder_init(&t->decoder, level, &plan,
	        memory_of(utran_turbo_decoder_size(K)),
	        memory_of(utran_turbo_decoder_work_size(K))) != 0)
		exit(1);
	for (int i = 0; i < K; i++)
		t->in[i] = draw(&seed) >> 9 & 1;
	t->encode->encode(&t->encoder, t->in, t->codeword);
	for (int i = 0; i < CODED; i++) {
		int noise = -12 * 64;
		for (int n = 0; n < 12; n++)
			noise += (int)(draw(&seed) >> 5 & 127);
		t->plain_llr[i] = t->llr[i] =
		    (int16_t)((t->codeword[i] ? -16 : 16) + noise * 14 / 128);
	}
	return t;
}

static void turbo_free(struct turbo *t)
{
	free(t->encoder.gather);
	free(t->decoder.from[0]);
	free(t->decoder.systematic);
	free(t);
}

/* Some blocks first that do not count: wide vector units take some 10 us to wake up. */
static double decode(void *context)
{
	struct turbo *t = context;
	uint64_t begin;

	for (int i = 0; i < BLOCKS; i++)
		utran_turbo_decode(&t->decoder, t->iterations, t->llr, t->bits);
	begin = clock_ns();
	for (int i = 0; i < BLOCKS; i++)
		utran_turbo_decode(&t->decoder, t->iterations, t->llr, t->bits);
	return (double)(clock_ns() - begin) / BLOCKS;
}

/* The other case: one block after 2 ms of scalar work, as in a slot. */
static double decode_first(void *context)
{
	struct turbo *t = context;
	uint64_t begin = clock_ns();

	while (clock_ns() - begin < 2000000)
		;
	begin = clock_ns();
	utran_turbo_decode(&t->decoder, t->iterations, t->llr, t->bits);
	return (double)(clock_ns() - begin);
}

static double textbook(void *context)
{
	struct turbo *t = context;
	const uint64_t begin = clock_ns();

	plain_turbo_decode(t->plain_llr, K, (int)t->iterations, UTRAN_EXTRINSIC_MAX,
	    PLAIN_SCALING_ONE, t->plain_bits);
	return (double)(clock_ns() - begin);
}

static double encode(void *context)
{
	struct turbo *t = context;
	const uint64_t begin = clock_ns();

	for (int i = 0; i < BLOCKS; i++)
		t->encode->encode(&t->encoder, t->in, t->codeword);
	return (double)(clock_ns() - begin) / BLOCKS;
}

static double reach_of(enum simd_level level, unsigned iterations)
{
	return iterations != 2     ? 0
	    : level == SIMD_AVX512 ? DECODER_AVX512_US
	    : level == SIMD_AVX2   ? DECODER_AVX2_US
	                           : 0;
}

/* 16 bits beside plain C, 8 bits beside 16 of the same level. */
static void run_decoder(enum simd_level level, uint32_t metrics, unsigned iterations)
{
	struct turbo *t = turbo_new(level, metrics, 0, iterations);
	struct turbo *peer = turbo_new(metrics == 16 ? SIMD_PLAIN : level, 16, 0, iterations);
	const double reach = reach_of(level, iterations);
	char name[64];
	double us;

	snprintf(name, sizeof(name), "decoder, %s, %u bits, %u it", simd_name(level), metrics,
	    iterations);
	if (level == SIMD_PLAIN && metrics == 16)
		us = pairs_run(name, decode, t, "textbook, 64-bit", textbook, peer, reach);
	else
		us = pairs_run(
		    name, decode, t, metrics == 16 ? "plain" : "16 bits", decode, peer, reach);
	printf("%30s%.1f Mbit/s; one block a slot is %.3f %% of 10 ms\n", "", K / us, us / 100);
	turbo_free(t);
	turbo_free(peer);
}

static void run_first(enum simd_level level, uint32_t metrics)
{
	struct turbo *t = turbo_new(level, metrics, 0, 2),
	             *peer = turbo_new(metrics == 16 ? SIMD_PLAIN : level, 16, 0, 2);
	char name[64];

	snprintf(name, sizeof(name), "first after 2 ms, %s, %u bits", simd_name(level), metrics);
	pairs_run(
	    name, decode_first, t, metrics == 16 ? "plain" : "16 bits", decode_first, peer, 0);
	turbo_free(t);
	turbo_free(peer);
}

/* What other windows than the default's cost or gain a level, 2 iterations. */
static void run_windows(enum simd_level level, uint32_t metrics, uint32_t windows)
{
	struct turbo *t = turbo_new(level, metrics, windows, 2),
	             *usual = turbo_new(level, metrics, 0, 2);
	char name[64];

	snprintf(name, sizeof(name), "%u windows, %s, %u bits", t->decoder.windows,
	    simd_name(level), metrics);
	pairs_run(name, decode, t, "default", decode, usual, 0);
	turbo_free(t);
	turbo_free(usual);
}

/* Blocks of different noise: side by side, or the same ones one after the other. */
struct abreast {
	struct turbo *turbo;
	struct utran_turbo_many many;
	uint32_t blocks;
	int16_t *llr[BLOCKS];
	uint8_t *bits[BLOCKS];
};

static struct abreast *abreast_new(enum simd_level level, uint32_t blocks)
{
	const struct utran_turbo_decoder_plan plan = {K, 16, 0, UTRAN_SCALING_ONE};
	struct abreast *a = memory_of(sizeof(*a));

	a->turbo = turbo_new(level, 16, 0, 2);
	a->blocks = blocks;
	utran_turbo_many_init(
	    &a->many, level, &a->turbo->decoder, memory_of(utran_turbo_many_work_size(&plan)));
	for (uint32_t b = 0; b < BLOCKS; b++) {
		a->bits[b] = memory_of(K);
		a->llr[b] = memory_of(CODED * sizeof(int16_t));
		for (uint32_t i = 0; i < CODED; i++)
			a->llr[b][i] = (int16_t)(a->turbo->llr[i] + (int)((i + b) % 3) - 1);
	}
	return a;
}

static void abreast_free(struct abreast *a)
{
	for (uint32_t b = 0; b < BLOCKS; b++) {
		free(a->bits[b]);
		free(a->llr[b]);
	}
	free(a->many.systematic);
	turbo_free(a->turbo);
	free(a);
}

static double decode_abreast(void *context)
{
	struct abreast *a = context;
	const uint64_t begin = clock_ns();

	utran_turbo_many_decode(&a->many, 2, a->blocks, (const int16_t *const *)a->llr, a->bits);
	return (double)(clock_ns() - begin) / a->blocks;
}

static double decode_in_turn(void *context)
{
	struct abreast *a = context;
	const uint64_t begin = clock_ns();

	for (uint32_t b = 0; b < a->blocks; b++)
		utran_turbo_decode(&a->turbo->decoder, 2, a->llr[b], a->bits[b]);
	return (double)(clock_ns() - begin) / a->blocks;
}

static void run_abreast(enum simd_level level, uint32_t blocks)
{
	struct abreast *a = abreast_new(level, blocks);
	char name[64];

	snprintf(name, sizeof(name), "%u side by side, %s", blocks, simd_name(level));
	pairs_run(name, decode_abreast, a, "in turn", decode_in_turn, a, 0);
	abreast_free(a);
}

/* ---- others' decoders ---------------------------------------------------------------- */

/* A program of its own, which `make bench-peers` builds. */
struct peer {
	char path[4096];
	char arguments[160];     /* behind its path */
	unsigned frames, vector; /* what AFF3CT says of itself: blocks at once, bits of a vector */
	bool failed;
};

enum { PEER_K = 3904 }; /* of LTE: as long as ours to 1 % */

static bool peer_find(struct peer *peer, const char *name)
{
	const ssize_t n = readlink("/proc/self/exe", peer->path, sizeof(peer->path) - 32);

	peer->path[n > 0 ? n : 0] = 0;
	for (int up = 0; up < 3 && strrchr(peer->path, '/') != NULL; up++)
		*strrchr(peer->path, '/') = 0;
	strcat(peer->path, "/peers/");
	strcat(peer->path, name);
	return access(peer->path, X_OK) == 0;
}

/* In ns of its block. Wrong bits are a failure. */
static double peer_decode(void *context)
{
	struct peer *peer = context;
	char command[4400];
	unsigned long long wrong = 1;
	double us = 0;
	FILE *out;

	snprintf(command, sizeof(command), "'%s' %s", peer->path, peer->arguments);
	out = popen(command, "r");
	if (out == NULL ||
	    fscanf(out,
	        "{\"schema\": 1, \"block_us\": %lf, \"wrong\": %llu, \"frames\": %u, "
	        "\"bits\": %u",
	        &us, &wrong, &peer->frames, &peer->vector) < 2 ||
	    wrong != 0)
		peer->failed = true;
	if (out != NULL)
		pclose(out);
	return us * 1000;
}

/* before others where this program is */
static int peer_fifo(void)
{
	return (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_FIFO;
}

static bool peer_sound(const struct peer *peer)
{
	if (peer->failed)
		printf("%30s%s %s has failed or decided bits wrongly: no comparison\n", "",
		    peer->path, peer->arguments);
	return !peer->failed;
}

/* What it was built of, its version and flags, or how to have it. */
static bool peer_built(const char *name, const char *title, const char *variable)
{
	struct peer peer;
	char built[512] = "version and flags are not known\n";
	FILE *file;

	if (!peer_find(&peer, name)) {
		printf("%s: not here; `%s make bench-peers` has it measured\n", title, variable);
		return false;
	}
	strcat(peer.path, ".built");
	file = fopen(peer.path, "re");
	if (file != NULL && fgets(built, sizeof(built), file) == NULL)
		snprintf(built, sizeof(built), "version and flags are not known\n");
	if (file != NULL)
		fclose(file);
	printf("%s: %s", title, built);
	return true;
}

/* For as many bits as ours has; its iterations are halves. */
static double srsran_decode(void *context)
{
	return peer_decode(context) * K / PEER_K;
}

/* False: it has failed. */
static bool run_srsran(enum simd_level level, uint32_t metrics, unsigned iterations)
{
	struct turbo *t = turbo_new(level, metrics, 0, iterations);
	struct peer peer = {.failed = false};
	char name[64];

	peer_find(&peer, "srsran");
	snprintf(peer.arguments, sizeof(peer.arguments), "block k=%d halves=%u bits=%u fifo=%d",
	    PEER_K, 2 * iterations, metrics, peer_fifo());
	snprintf(name, sizeof(name), "decoder, %s, %u bits, %u it", simd_name(level), metrics,
	    iterations);
	pairs_run(name, decode, t, "srsRAN, for as many bits", srsran_decode, &peer,
	    metrics == 16 ? reach_of(level, iterations) : 0);
	turbo_free(t);
	return peer_sound(&peer);
}

static bool run_srsrans(void)
{
	static const unsigned iterations[] = {1, 2, 8};
	bool sound = true;

	if (!peer_built(
	        "srsran", "srsRAN, one block of K = 3904 again and again", "SRSRAN_PREFIX=FOLDER"))
		return true;
	for (int level = SIMD_AVX2; level <= SIMD_AVX512; level++)
		for (int i = 0; i < 6 && simd_has((enum simd_level)level); i++)
			sound &=
			    run_srsran((enum simd_level)level, i < 3 ? 16 : 8, iterations[i % 3]);
	return sound;
}

/* AFF3CT's input: these blocks, and the bits that were sent. */
static FILE *aff3ct_blocks(const struct abreast *a)
{
	const uint32_t head[] = {K, BLOCKS};
	FILE *file = tmpfile();

	if (file == NULL)
		exit(1);
	fwrite(head, sizeof(head), 1, file);
	for (int i = 0; i < K; i++)
		fwrite(&(uint32_t){a->turbo->encoder.pi[i]}, sizeof(uint32_t), 1, file);
	for (uint32_t b = 0; b < BLOCKS; b++) {
		fwrite(a->llr[b], sizeof(int16_t), CODED, file);
		fwrite(a->turbo->in, 1, K, file);
	}
	if (fflush(file) != 0)
		exit(1);
	return file;
}

/* After the same that does not count, as the others do. */
static double decode_abreast_again(void *context)
{
	decode_abreast(context);
	return decode_abreast(context);
}

static double decode_in_turn_again(void *context)
{
	decode_in_turn(context);
	return decode_in_turn(context);
}

static bool abreast_sound(const struct abreast *a)
{
	unsigned wrong = 0;

	for (uint32_t b = 0; b < a->blocks; b++)
		for (int i = 0; i < K; i++)
			wrong += a->bits[b][i] != a->turbo->in[i];
	if (wrong > 0)
		printf("%30sours decided %u bits wrongly: no comparison\n", "", wrong);
	return wrong == 0;
}

/* What AFF3CT is asked from here on; takes its frames and vector. */
static void aff3ct_ask(struct peer *peer, const char *strategy, FILE *blocks)
{
	snprintf(peer->arguments, sizeof(peer->arguments), "%s iterations=2 fifo=%d </dev/fd/%d",
	    strategy, peer_fifo(), fileno(blocks));
	peer_decode(peer);
}

/* `blocks` of ours, 1: one after the other. False: a decoder has failed. */
static bool run_aff3ct(
    enum simd_level level, uint32_t blocks, struct peer *peer, const char *strategy)
{
	struct abreast *a = abreast_new(level, blocks > 1 ? blocks : BLOCKS);
	char name[64], peer_name[64];
	double us, peer_us;
	bool sound;

	if (blocks > 1)
		snprintf(name, sizeof(name), "%u side by side, %s", blocks, simd_name(level));
	else
		snprintf(name, sizeof(name), "one at a time, %s", simd_name(level));
	snprintf(peer_name, sizeof(peer_name), "AFF3CT, %s, %u at once, %u bits", strategy,
	    peer->frames, peer->vector);
	us = pairs_both(name, blocks > 1 ? decode_abreast_again : decode_in_turn_again, a,
	    peer_name, peer_decode, peer, 0, &peer_us);
	printf("%30s%.1f Mbit/s, AFF3CT %.1f Mbit/s\n", "", K / us, K / peer_us);
	sound = abreast_sound(a);
	abreast_free(a);
	return sound;
}

static bool run_aff3cts(void)
{
	static const uint32_t blocks[] = {1, 8, 16};
	struct abreast *a;
	struct peer peer = {.failed = false};
	bool sound = true;
	FILE *input;

	if (!peer_built(
	        "aff3ct", "AFF3CT, the same blocks, 16 bits, 2 iterations", "AFF3CT_PREFIX=FOLDER"))
		return true;
	peer_find(&peer, "aff3ct");
	a = abreast_new(SIMD_PLAIN, BLOCKS);
	input = aff3ct_blocks(a);
	abreast_free(a);
	aff3ct_ask(&peer, "inter", input);
	for (int level = SIMD_AVX2; level <= SIMD_AVX512; level++)
		for (int i = 0; i < 3 && simd_has((enum simd_level)level); i++)
			sound &= run_aff3ct((enum simd_level)level, blocks[i], &peer, "inter");
	sound &= peer_sound(&peer);
	if (peer.vector <= 256) { /* it has no other */
		aff3ct_ask(&peer, "intra", input);
		for (int level = SIMD_AVX2; level <= SIMD_AVX512; level++)
			if (simd_has((enum simd_level)level))
				sound &= run_aff3ct((enum simd_level)level, 1, &peer, "intra");
		sound &= peer_sound(&peer);
	}
	fclose(input);
	return sound;
}

static void run_encoder(enum simd_level level)
{
	struct turbo *t = turbo_new(level, 16, 0, 1), *plain = turbo_new(SIMD_PLAIN, 16, 0, 1);
	char name[64];

	snprintf(name, sizeof(name), "encoder, %s", simd_name(level));
	pairs_run(name, encode, t, "plain", encode, plain, 0);
	turbo_free(t);
	turbo_free(plain);
}

int main(void)
{
	static const unsigned iterations[] = {1, 2, 8};
	bool sound = true;

	pairs_quiet();
	printf("-- turbo code, K = %d, one block at a time\n", K);
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level++)
		for (int i = 0; i < 6 && simd_has((enum simd_level)level); i++)
			run_decoder((enum simd_level)level, i < 3 ? 16 : 8, iterations[i % 3]);
	sound &= run_srsrans();
	sound &= run_aff3cts();
	for (int level = SIMD_PLAIN + 1; level < SIMD_LEVELS; level++)
		for (uint32_t metrics = 16; metrics >= 8 && simd_has((enum simd_level)level);
		     metrics -= 8)
			run_first((enum simd_level)level, metrics);
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level++)
		for (uint32_t metrics = 16; metrics >= 8 && simd_has((enum simd_level)level);
		     metrics -= 8)
			for (uint32_t windows = 128 / metrics; windows <= 512 / metrics;
			     windows *= 4)
				run_windows((enum simd_level)level, metrics, windows);
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level++)
		for (uint32_t blocks = 4; blocks <= BLOCKS && simd_has((enum simd_level)level);
		     blocks += 4)
			run_abreast((enum simd_level)level, blocks);
	for (int level = SIMD_PLAIN; level < SIMD_LEVELS; level++)
		if (simd_has((enum simd_level)level))
			run_encoder((enum simd_level)level);
	return sound ? 0 : 1;
}
