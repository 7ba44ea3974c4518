/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_x310 IP OPTIONS... is x310loop with a channel of 512 taps on the way, as one would write it
 * without ALOE: two partitions of 256, FFTW planned patiently, products in a plain loop. `aloe
 * bench x310` runs it beside the waveform x310-channel. Without arguments: what a block of 256
 * samples takes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/fft/fft.h"
#include "core/kernels/iq.h"
#include "tests/bench/pairs.h"
#include "tools/bench/x310loop/command.h"

enum { BLOCK = 256, SIZE = 2 * BLOCK, PARTS = 2, BATCH = 100, BATCHES = 41 };

struct plain {
	struct fft *there, *back;
	const struct iq_kernels *iq;
	unsigned newest;
	_Alignas(64) float in[2 * SIZE];
	_Alignas(64) float work[2 * SIZE];
	_Alignas(64) float past[PARTS][2 * SIZE];
	_Alignas(64) float taps[PARTS][2 * SIZE];
	_Alignas(64) float sum[2 * SIZE];
};

static void fail(const char *what)
{
	fprintf(stderr, "bench_x310: %s\n", what);
	exit(1);
}

/* A decaying response. */
static void plain_open(struct plain *plain)
{
	memset(plain, 0, sizeof(*plain));
	if (fft_new(SIZE, FFT_FORWARD, FFT_FASTEST, &plain->there) < 0 ||
	    fft_new(SIZE, FFT_INVERSE, FFT_FASTEST, &plain->back) < 0)
		fail("no memory for the transforms");
	plain->iq = iq_kernels(simd_best());
	for (int part = 0; part < PARTS; part++) {
		memset(plain->work, 0, sizeof(plain->work));
		for (int i = 0; i < BLOCK; i++)
			plain->work[2 * i] = 0.1f * expf(-0.01f * (float)(part * BLOCK + i)) / SIZE;
		fft_execute(plain->there, plain->work, plain->taps[part]);
	}
}

#if defined(__x86_64__) && !defined(__clang__)
__attribute__((target("avx2,fma"), optimize("O3")))
#endif
static void
multiply_add(const float *restrict a, const float *restrict b, float *restrict sum)
{
	for (int i = 0; i < SIZE; i++) {
		sum[2 * i] += a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
		sum[2 * i + 1] += a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
	}
}

static void plain_pass(void *self, const uint8_t *iq, uint8_t *ret_iq, uint32_t n)
{
	struct plain *plain = self;

	if (n != BLOCK) { /* the end of a stream */
		memcpy(ret_iq, iq, RADIO_IQ * (size_t)n);
		return;
	}
	memcpy(plain->in, plain->in + SIZE, SIZE * sizeof(float));
	plain->iq->to_f32(iq, plain->in + SIZE, BLOCK);
	/* a transform may spoil what it reads */
	memcpy(plain->work, plain->in, sizeof(plain->work));
	plain->newest ^= 1;
	fft_execute(plain->there, plain->work, plain->past[plain->newest]);
	memset(plain->sum, 0, sizeof(plain->sum));
	multiply_add(plain->past[plain->newest], plain->taps[0], plain->sum);
	multiply_add(plain->past[plain->newest ^ 1], plain->taps[1], plain->sum);
	fft_execute(plain->back, plain->sum, plain->work);
	(void)plain->iq->from_f32(plain->work + SIZE, ret_iq, BLOCK);
}

static int block_time(struct plain *plain)
{
	static const uint8_t in[RADIO_IQ * BLOCK] = {1, 2, 3, 4, 5, 6, 7, 8};
	uint8_t out[RADIO_IQ * BLOCK];
	double us[BATCHES];

	for (int batch = 0; batch < BATCHES; batch++) {
		const uint64_t begin = clock_ns();

		for (int i = 0; i < BATCH; i++)
			plain_pass(plain, in, out, BLOCK);
		us[batch] = (double)(clock_ns() - begin) / (1e3 * BATCH);
	}
	qsort(us, BATCHES, sizeof(us[0]), pairs_compare);
	printf("-- 512 taps in blocks of 256, FFTW and plain loops: %.2f us a block (256 samples "
	       "at 100 MSa/s are 2.56 us)\n",
	    us[BATCHES / 2]);
	return 0;
}

static int stream(const struct cli_args *args)
{
	struct plain *plain = aligned_alloc(64, sizeof(*plain));
	struct loop_work work = {plain_pass, plain};
	int status;

	if (plain == NULL)
		fail("no memory");
	plain_open(plain);
	status = args->n_args ? x310loop_run(args, &work) : block_time(plain);
	fft_free(plain->there);
	fft_free(plain->back);
	free(plain);
	return status;
}

static const struct cli_command commands[] = {{NULL, "[IP]", 0, 1, NULL,
    "A channel of 512 taps in a bare loop.", NULL, {x310loop_options, X310LOOP_OPTIONS}, stream}};

int main(int argc, char **argv)
{
	static const struct cli_program program = {.name = "bench_x310",
	    .section = 1,
	    .summary = "a channel in a bare loop",
	    .commands = CLI_LIST(commands)};

	return cli_main(&program, argc, argv);
}
