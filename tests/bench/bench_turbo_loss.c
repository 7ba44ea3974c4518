/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What state metrics of 8 bits cost the turbo decoder, K = 3856, 9049 of 11580 bits sent, white
 * noise: block errors of both over the same noise at block error rates of about 0.1 and 0.01, for
 * 1, 2, 4 and 8 iterations, decoded by the best level of this machine. The loss in dB is the ratio
 * of the counts over the slope of 16 bits' curve, which 0.1 dB more noise shows; its interval of 95
 * % comes from the blocks in which the two differ.
 *
 * 	bench_turbo_loss [errors]	block errors to count at each point, 100
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernels/random.h"
#include "core/kernels/utran_rate_table.h"
#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_decoder.h"

enum { K = 3856, CODED = 3 * K + 12, SENT = 9049, ERRORS = 100, BLOCKS_MAX = 40000 };

#define SLOPE_DB 0.1

/* Eb/N0 where 16 bits have a block error rate of about 0.1 or 0.01. */
static const struct point {
	unsigned iterations;
	double scaling, ebn0_db;
} points[] = {{1, 0.875, 3.84}, {1, 0.875, 4.44}, {2, 0.875, 2.1}, {2, 0.875, 2.42},
    {4, 0.875, 1.2}, {4, 0.875, 1.37}, {8, 0.75, 0.81}, {8, 0.75, 0.95}};

struct loss {
	uint32_t table[SENT];
	uint16_t pi[K];
	struct utran_turbo_decoder words, bytes;
	uint8_t bits[K], codeword[CODED], decided[K];
	float symbols[SENT], received[SENT];
	int16_t llr[CODED];
};

struct counts {
	unsigned blocks, words, bytes, only_words, only_bytes;
};

static void decoder_start(struct utran_turbo_decoder *decoder, uint32_t metrics)
{
	const struct utran_turbo_decoder_plan plan = {
	    .k = K, .metrics = metrics, .scaling = UTRAN_SCALING_ONE};
	void *tables = aligned_alloc(64, utran_turbo_decoder_size(K));
	void *work = aligned_alloc(64, utran_turbo_decoder_work_size(K));

	if (!tables || !work ||
	    utran_turbo_decoder_init(decoder, simd_best(), &plan, tables, work) < 0)
		exit(1);
}

/* Block `index`, the same bits and noise whenever it is asked for. */
static void block_send(struct loss *l, uint64_t index, double ebn0_db)
{
	const double sigma = sqrt(0.5 * SENT / K * pow(10, -ebn0_db / 10));

	random_bits(1, index, l->bits, K);
	utran_turbo_encode_plain(l->pi, K, l->bits, l->codeword);
	for (int i = 0; i < SENT; i++)
		l->symbols[i] = l->codeword[l->table[i]] ? -16.0F : 16.0F;
	random_kernels(simd_best())
	    ->add_gauss(2, index, l->symbols, (float)(16 * sigma), l->received, SENT);
	memset(l->llr, 0, sizeof(l->llr));
	for (int i = 0; i < SENT; i++)
		l->llr[l->table[i]] = (int16_t)lrintf(l->received[i]);
}

static bool block_wrong(struct loss *l, struct utran_turbo_decoder *decoder, const struct point *p)
{
	decoder->scaling = (uint32_t)lrint(p->scaling * UTRAN_SCALING_ONE);
	utran_turbo_decode(decoder, p->iterations, l->llr, l->decided);
	return memcmp(l->decided, l->bits, K) != 0;
}

static struct counts count(struct loss *l, const struct point *p, unsigned errors)
{
	struct counts c = {0};

	for (; c.blocks < BLOCKS_MAX && (c.words < errors || c.bytes < errors); c.blocks++) {
		bool words, bytes;
		block_send(l, c.blocks, p->ebn0_db);
		words = block_wrong(l, &l->words, p);
		bytes = block_wrong(l, &l->bytes, p);
		c.words += words;
		c.bytes += bytes;
		c.only_words += words && !bytes;
		c.only_bytes += bytes && !words;
	}
	return c;
}

/* Nepers of block error rate for each dB, of 16 bits: from as many blocks at a little more
 * noise. */
static double slope(struct loss *l, const struct point *p, const struct counts *at)
{
	const struct point worse = {p->iterations, p->scaling, p->ebn0_db - SLOPE_DB};
	unsigned wrong = 0;

	for (unsigned i = 0; i < at->blocks; i++) {
		block_send(l, i, worse.ebn0_db);
		wrong += block_wrong(l, &l->words, &worse);
	}
	return log((double)wrong / at->words) / SLOPE_DB;
}

static void run(struct loss *l, const struct point *p, unsigned errors)
{
	const struct counts c = count(l, p, errors);
	const double slope_db = slope(l, p, &c);
	const double apart = 1.96 * sqrt(c.only_words + c.only_bytes) / c.words / slope_db;
	const double loss_db = log((double)c.bytes / c.words) / slope_db;

	printf("%10u %9.2f %9u %9.4f %9.4f  %+.3f dB [%+.3f .. %+.3f]\n", p->iterations, p->ebn0_db,
	    c.blocks, (double)c.words / c.blocks, (double)c.bytes / c.blocks, loss_db,
	    loss_db - apart, loss_db + apart);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const unsigned errors = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : ERRORS;
	struct loss *l = aligned_alloc(64, (sizeof(*l) + 63) / 64 * 64);

	if (!l || errors == 0 || utran_turbo_interleaver(K, l->pi) < 0 ||
	    utran_rate_table(CODED, SENT, UTRAN_TURBO, l->table) < 0)
		return 1;
	decoder_start(&l->words, 16);
	decoder_start(&l->bytes, 8);
	printf("-- turbo decoder, %s, K = %d, %d bits sent: metrics of 8 bits beside 16, the same "
	       "noise\n",
	    simd_name(simd_best()), K, SENT);
	printf("iterations  Eb/N0 dB    blocks   16 bits    8 bits  loss, 95 %%\n");
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
		run(l, &points[i], errors);
	return 0;
}
