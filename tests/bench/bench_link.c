/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a message costs on a link within a lane, whatever its size: a chain of components with its
 * links, less the same chain without (its components have no ports then), for each message. Every
 * component writes the first and the last item and reads both, so that a message is there and not
 * only promised. Beside it: the same message copied into a ring and read in place there, and
 * written to and read from a pipe.
 */
#include <fcntl.h>

#include "tests/bench/chain.h"
#include "tests/bench/pairs.h"

enum {
	LINKS = 17,
	STEPS = 200,
	DIFFERENCES = 7,
	RING = 2,
	RING_COPIES = STEPS * LINKS / 4,
	PIPE_COPIES = 50
};

struct links {
	struct wave with, without;
	size_t bytes;
	uint8_t *from, *ring;
	int pipe[2];
};

static inline void touch(int16_t *to, uint32_t len, const int16_t *from)
{
	to[0] = (int16_t)(from[0] + 1);
	to[len - 1] = (int16_t)(from[len - 1] + 1);
}

static int link_pass(void *self, struct aloe_slot *slot)
{
	static const int16_t none[1];
	int16_t here[1];
	const bool linked = slot->in[0].len > 0;
	const uint32_t n = aloe_pass(slot, 0, 0);

	(void)self;
	touch(linked ? slot->out[0].data : here, linked ? n : 1, linked ? slot->in[0].data : none);
	return 0;
}

/* A difference of two short times: the middle one of some, so that a stall of the machine in one
 * does not count. */
static double message(void *context)
{
	struct links *links = context;
	double of[DIFFERENCES];

	for (int i = 0; i < DIFFERENCES; i++)
		of[i] = chain_steps(&links->with, STEPS) - chain_steps(&links->without, STEPS);
	qsort(of, DIFFERENCES, sizeof(double), pairs_compare);
	return of[DIFFERENCES / 2] / LINKS;
}

static double ring_copy(void *context)
{
	struct links *links = context;
	const size_t last = links->bytes / 2 - 1;
	const uint64_t begin = clock_ns();

	for (unsigned i = 0; i < RING_COPIES; i++) {
		int16_t *message =
		    (int16_t *)(void *)(links->ring + i % (RING * LINKS) * links->bytes);

		memcpy(message, links->from, links->bytes);
		touch((int16_t *)(void *)links->from, (uint32_t)last + 1, message);
	}
	return (double)(clock_ns() - begin) / RING_COPIES;
}

static double pipe_copy(void *context)
{
	struct links *links = context;
	const uint64_t begin = clock_ns();

	for (unsigned i = 0; i < PIPE_COPIES; i++)
		for (size_t done = 0; done < links->bytes; done += 65536) {
			const size_t part =
			    links->bytes - done < 65536 ? links->bytes - done : 65536;

			if (write(links->pipe[1], links->from + done, part) != (ssize_t)part ||
			    read(links->pipe[0], links->ring + done, part) != (ssize_t)part)
				exit(1);
		}
	return (double)(clock_ns() - begin) / PIPE_COPIES;
}

/* The same instances, called in the same way, with no ports to bind. */
static void cut(struct wave *wave)
{
	for (uint32_t i = 0; i < wave->view.head->instances.count; i++) {
		wave->instances[i].n_in = 0;
		wave->instances[i].n_out = 0;
	}
}

static void run(size_t bytes)
{
	static const struct wave_work works[] = {
	    {"copy", link_pass}, {"counter_source", chain_source}};
	const struct wave_options options = {.works = works, .n_works = 2};
	struct links links = {.bytes = bytes};
	char *text = chain_text(LINKS - 1, (unsigned)bytes / 2), name[64];

	links.from = calloc(1, bytes);
	links.ring = calloc(RING * LINKS, bytes);
	if (!links.from || !links.ring || pipe2(links.pipe, O_CLOEXEC) != 0 ||
	    wave_open(&links.with, text, &options) != 0 ||
	    wave_open(&links.without, text, &options) != 0)
		exit(1);
	free(text);
	cut(&links.without);
	fcntl(links.pipe[1], F_SETPIPE_SZ, 1 << 17);
	snprintf(name, sizeof(name), "link, %zu bytes", bytes);
	pairs_run(name, message, &links, "copied into a ring", ring_copy, &links, 0.01);
	pairs_run("", message, &links, "through a pipe", pipe_copy, &links, 0);
	wave_close(&links.with);
	wave_close(&links.without);
	close(links.pipe[0]);
	close(links.pipe[1]);
	free(links.from);
	free(links.ring);
}

int main(void)
{
	pairs_quiet();
	printf("-- link: a message from one component to the next in the same segment\n");
	for (size_t bytes = 64; bytes <= 1 << 20; bytes *= 4)
		run(bytes);
	return 0;
}
