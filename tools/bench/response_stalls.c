/* SPDX-License-Identifier: BSD-3-Clause
 *
 * response_stalls.c - the kernel's records of all CPUs, read for the late answers of a cell. */
#include "tools/bench/response_stalls.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_NAMESPACE "pid:[4026531836]" /* PROC_PID_INIT_INO of <linux/proc_ns.h> */

enum {
	CPUS_MAX = 64,
	RECORDS_MAX = PERF_RING_BYTES / 40, /* the shortest record has 40 bytes */
	BACK_NS = 20000000,                 /* records are read from so long before */
};

struct stalls {
	struct perf_ring ring[CPUS_MAX];
	int n_cpus;
	bool blind; /* nothing can be judged */
	struct stall_chain chain;
	uint8_t bytes[PERF_RING_BYTES];
	struct evidence_record records[RECORDS_MAX];
	struct stall_late late[STALL_LATES];
	struct stall_had had[STALL_LATES];
	bool judged[STALL_LATES];
};

void stall_put(struct stall_queue *queue, const struct stall_late *late)
{
	const uint64_t put = atomic_load(&queue->put);

	if (put - atomic_load(&queue->taken) >= STALL_LATES)
		return;
	queue->late[put % STALL_LATES] = *late;
	atomic_store(&queue->put, put + 1);
}

/* ---- the rings ------------------------------------------------------------------------ */

/* Interrupts must be told from stalls, where this kernel has records of them at all. */
static const char *ring_lacks(const struct perf_ring *ring)
{
	for (int s = 0; s <= PERF_CALL_ONE_END; s++)
		if (ring->status[s] != 0 && (s == PERF_SWITCHES || ring->status[s] != -ENOENT))
			return platform_perf_reason((enum perf_source)s, ring->status[s]);
	return NULL;
}

/* What is not asked would fill the ring: page faults of a compiler, say. */
static void ring_narrow(struct perf_ring *ring)
{
	for (int s = 0; s < PERF_SOURCES; s++) {
		const bool wanted = s == PERF_SWITCHES || s == PERF_NMI ||
		    (s >= PERF_IRQ && s <= PERF_CALL_ONE_END);

		if (wanted || ring->fd[s] < 0)
			continue;
		close(ring->fd[s]);
		ring->fd[s] = -1;
	}
}

/* Why records tell less here than the rule needs; NULL: they do not. */
static const char *machine_hides(void)
{
	char name[64] = "";

	if (access("/sys/devices/system/cpu/cpu0/cpufreq", F_OK) == 0)
		return "cores change their frequency (cpufreq), so a slow one looks like a stall";
	if (readlink("/proc/self/ns/pid", name, sizeof(name) - 1) < 0 ||
	    strcmp(name, FIRST_NAMESPACE) != 0)
		return "processes outside of this namespace cannot be told from an idle CPU";
	return NULL;
}

struct stalls *stalls_open(const char **ret_why)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct stalls *stalls = calloc(1, sizeof(*stalls));

	*ret_why = stalls ? machine_hides() : "there is no memory for it";
	if (stalls && cpus > CPUS_MAX)
		*ret_why = "this machine has more than 64 CPUs";
	while (!*ret_why && stalls->n_cpus < cpus) {
		struct perf_ring *ring = &stalls->ring[stalls->n_cpus];

		platform_perf_open(stalls->n_cpus++, ring);
		*ret_why = ring_lacks(ring);
		ring_narrow(ring);
	}
	if (stalls)
		stalls->blind = *ret_why != NULL;
	return stalls;
}

void stalls_close(struct stalls *stalls)
{
	for (int cpu = 0; stalls && cpu < stalls->n_cpus; cpu++)
		platform_perf_close(&stalls->ring[cpu]);
	free(stalls);
}

/* How many records of a CPU there are, and from when on; UINT64_MAX: they cannot be believed. */
static size_t records_read(struct stalls *stalls, int cpu, uint64_t from_ns, uint64_t *ret_reach_ns)
{
	const struct perf_ring *ring = &stalls->ring[cpu];
	struct evidence_bytes bytes = {.bytes = stalls->bytes,
	    .size = PERF_RING_BYTES,
	    .copied = PERF_RING_BYTES,
	    .ids = ring->id,
	    .fields = ring->field};
	struct evidence_losses losses = {0};
	bool whole;
	size_t n;

	*ret_reach_ns = UINT64_MAX;
	for (int s = 0; s < PERF_SOURCES; s++)
		bytes.valid |= ring->fd[s] >= 0 ? 1u << s : 0;
	bytes.head = platform_perf_copy(ring, stalls->bytes, PERF_RING_BYTES, &bytes.after);
	n = evidence_read(&bytes, from_ns, stalls->records, RECORDS_MAX, &losses, &whole);
	if (losses.lost > 0 || losses.corrupt > 0)
		return 0;
	if (whole || n > 0)
		*ret_reach_ns = whole ? 0 : stalls->records[0].ns;
	return n;
}

/* ---- the late answers ------------------------------------------------------------------------ */

static size_t record_first(const struct evidence_record *records, size_t n, uint64_t ns)
{
	size_t least = 0, end = n;

	while (least < end) {
		const size_t middle = least + (end - least) / 2;

		if (records[middle].ns < ns)
			least = middle + 1;
		else
			end = middle;
	}
	return least;
}

static uint64_t back_from(const struct stall_late *late)
{
	return late->from_ns > BACK_NS ? late->from_ns - BACK_NS : 0;
}

static void cpu_take(struct stalls *stalls, int cpu, const int32_t *tids, size_t n)
{
	uint64_t reach_ns;
	const size_t records = records_read(stalls, cpu, back_from(&stalls->late[0]), &reach_ns);

	for (size_t i = 0; i < n; i++) {
		const struct stall_late *late = &stalls->late[i];
		const size_t first = record_first(stalls->records, records, back_from(late));

		stalls->judged[i] &= reach_ns <= late->from_ns;
		stall_had_add(
		    &stalls->had[i], late, tids, stalls->records + first, records - first);
	}
}

static size_t queue_take(struct stalls *stalls, struct stall_queue *queue)
{
	uint64_t taken = atomic_load(&queue->taken);
	const uint64_t put = atomic_load(&queue->put);
	size_t n = 0;

	while (taken < put && n < STALL_LATES)
		stalls->late[n++] = queue->late[taken++ % STALL_LATES];
	atomic_store(&queue->taken, taken);
	return n;
}

void stalls_take(struct stalls *stalls, const pid_t pids[RESPONSE_STAGES],
    struct stall_queue *queue, struct response_result *ret)
{
	const size_t n = stalls ? queue_take(stalls, queue) : 0;
	struct response_stall late;
	bool proven;

	if (n == 0 || stalls->blind)
		return;
	memset(stalls->had, 0, n * sizeof(stalls->had[0]));
	memset(stalls->judged, true, n);
	for (int cpu = 0; cpu < stalls->n_cpus; cpu++)
		cpu_take(stalls, cpu, pids, n);
	for (size_t i = 0; i < n; i++) {
		if (!stalls->judged[i])
			continue;
		proven = stall_judge(&stalls->late[i], &stalls->had[i], &stalls->chain, &late);
		response_judged_add(ret, &late, proven);
	}
}
