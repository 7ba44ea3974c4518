/* SPDX-License-Identifier: BSD-3-Clause
 * Fourier transforms by FFTW. See fft.h. */
#include "core/fft/fft.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include <fftw3.h>

struct fft {
	fftwf_plan plan;
};

/* The planner keeps what it learnt and the hooks of its lock till the end of the process: FFTW must
 * not be unloaded with the component that brought it. */
static void library_keep(void)
{
	Dl_info library;
	void *handle = NULL;

	if (dladdr((void *)(uintptr_t)fftwf_make_planner_thread_safe, &library) != 0)
		handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	if (handle != NULL)
		dlclose(handle);
}

static fftwf_plan make_plan(uint32_t size, enum fft_direction direction, enum fft_effort effort)
{
	fftwf_complex *in = fftwf_malloc(size * sizeof(*in)),
	              *out = fftwf_malloc(size * sizeof(*out));
	fftwf_plan plan = NULL;

	library_keep();
	fftwf_make_planner_thread_safe();
	if (in != NULL && out != NULL)
		plan = fftwf_plan_dft_1d((int)size, in, out,
		    direction == FFT_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD,
		    (effort == FFT_FASTEST ? FFTW_PATIENT : FFTW_ESTIMATE) | FFTW_DESTROY_INPUT);
	fftwf_free(in);
	fftwf_free(out);
	return plan;
}

int fft_new(
    uint32_t size, enum fft_direction direction, enum fft_effort effort, struct fft **ret_fft)
{
	struct fft *fft;

	if (size < 1 || size > FFT_SIZE_MAX)
		return -EINVAL;
	fft = malloc(sizeof(*fft));
	if (fft == NULL)
		return -ENOMEM;
	fft->plan = make_plan(size, direction, effort);
	if (fft->plan == NULL) {
		free(fft);
		return -ENOMEM;
	}
	*ret_fft = fft;
	return 0;
}

void fft_execute(const struct fft *fft, float *in, float *ret_out)
{
	fftwf_execute_dft(fft->plan, (fftwf_complex *)in, (fftwf_complex *)ret_out);
}

void fft_free(struct fft *fft)
{
	if (fft != NULL)
		fftwf_destroy_plan(fft->plan);
	free(fft);
}

static int is_smooth(uint32_t size)
{
	static const uint32_t primes[] = {2, 3, 5, 7};

	for (int i = 0; i < 4; i++)
		while (size % primes[i] == 0)
			size /= primes[i];
	return size == 1;
}

uint32_t fft_size_above(uint32_t size)
{
	uint32_t above = size > 0 ? size : 1;

	while (!is_smooth(above))
		above++;
	return above;
}
