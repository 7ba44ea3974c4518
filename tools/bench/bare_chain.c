/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/bare_chain.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "tools/bench/figures.h"

enum { AWAKE_NS = 60000, BYTES_MAX = 65536 };

#define PATIENCE_NS 10000000000ull /* for a word, before a process gives up */

struct bare_link { /* a process: what wakes it, and its message */
	_Alignas(64) _Atomic uint32_t go;
	_Alignas(64) uint8_t message[BYTES_MAX];
};

struct shared {
	struct bare_chain chain;
	uint64_t edge_ns, start_ns;         /* of the slot under way, written by the first */
	_Alignas(64) _Atomic uint32_t done; /* slots */
	_Atomic uint32_t ready;             /* processes but the first */
	_Atomic uint64_t missed;
	struct bare_link link[BARE_CHAIN_MAX];
	double us[]; /* by slot */
};

static size_t shared_size(const struct bare_chain *chain)
{
	return sizeof(struct shared) + chain->slots * sizeof(double);
}

/* False: another process has not come to it. */
static bool word_wait(_Atomic uint32_t *word, uint32_t until)
{
	uint32_t is;

	while ((is = atomic_load_explicit(word, memory_order_acquire)) != until)
		if (futex_wait(word, is, PATIENCE_NS) == -ETIMEDOUT)
			return false;
	return true;
}

static void word_next(_Atomic uint32_t *word)
{
	atomic_fetch_add_explicit(word, 1, memory_order_release);
	futex_wake(word, 1);
}

/* Awake before the edge, as a lane is. */
static void edge_wait(struct shared *shared)
{
	const uint64_t slot_ns = shared->chain.slot_ns;

	shared->edge_ns = ((clock_ns() + AWAKE_NS) / slot_ns + 1) * slot_ns;
	clock_sleep_until(shared->edge_ns - AWAKE_NS);
	while (clock_ns() < shared->edge_ns)
		cpu_relax();
}

static void slot_end(struct shared *shared, unsigned slot, uint64_t now)
{
	shared->us[slot] = (double)(now - shared->start_ns) / 1e3;
	atomic_fetch_add(&shared->missed, now > shared->edge_ns + shared->chain.slot_ns);
	word_next(&shared->done);
}

/* All slots count, as all of a waveform's do; before the first one all processes are there and have
 * their memory, as lanes have. False: it has waited in vain. */
static bool link_run(struct shared *shared, unsigned number)
{
	const struct bare_chain *chain = &shared->chain;
	struct bare_link *mine = &shared->link[number];
	const bool last = number == chain->processes - 1;
	uint64_t now;

	if (number != 0)
		word_next(&shared->ready);
	else if (!word_wait(&shared->ready, chain->processes - 1))
		return false;
	for (unsigned slot = 0; slot < chain->slots; slot++) {
		if (number != 0 && !word_wait(&mine->go, slot + 1))
			return false;
		if (number == 0 && !word_wait(&shared->done, slot))
			return false;
		if (number == 0)
			edge_wait(shared);
		now = clock_ns();
		if (number == 0)
			shared->start_ns = now;
		else
			memcpy(mine->message, mine[-1].message, chain->bytes);
		now = clock_ns();
		if (last)
			slot_end(shared, slot, now);
		else
			word_next(&mine[1].go);
	}
	return true;
}

static pid_t link_start(struct shared *shared, unsigned number)
{
	const pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	platform_pin(shared->chain.cpu);
	platform_no_slack();
	/* no page faults later */
	(void)madvise(shared, shared_size(&shared->chain), MADV_POPULATE_WRITE);
	platform_realtime(0, PLATFORM_PRIORITY_LANE);
	_exit(link_run(shared, number) ? 0 : 1);
}

static int links_run(struct shared *shared)
{
	pid_t pids[BARE_CHAIN_MAX];
	unsigned n = 0;
	int status = 0;

	while (n < shared->chain.processes && (pids[n] = link_start(shared, n)) > 0)
		n++;
	if (n < shared->chain.processes)
		status = -EAGAIN;
	for (unsigned i = 0; i < n; i++) {
		int ended = 0;

		if (status != 0)
			kill(pids[i], SIGKILL);
		waitpid(pids[i], &ended, 0);
		if (status == 0 && ended != 0)
			status = -ETIMEDOUT;
	}
	return status;
}

int bare_chain_run(const struct bare_chain *chain, struct bare_chain_times *ret)
{
	const size_t size = shared_size(chain);
	struct shared *shared;
	int status, awake;
	double p50;

	if (chain->processes < 2 || chain->processes > BARE_CHAIN_MAX || chain->slots == 0 ||
	    chain->bytes > BYTES_MAX || chain->slot_ns <= 2 * AWAKE_NS)
		return -EINVAL;
	shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -errno;
	shared->chain = *chain;
	awake = platform_wake_fast();
	status = links_run(shared);
	if (awake >= 0)
		close(awake);
	p50 = median(shared->us, chain->slots); /* sorts them */
	*ret = (struct bare_chain_times){.p50 = p50,
	    .p99 = shared->us[(size_t)chain->slots * 99 / 100],
	    .max = shared->us[chain->slots - 1],
	    .missed = (double)atomic_load(&shared->missed)};
	munmap(shared, size);
	return status;
}
