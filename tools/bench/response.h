/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/response.h - one cell of `aloe bench response`: how often a chain of three processes
 * answers too late while four busy loops want both CPUs.
 *
 *   0 ms     subframe n is there; the transfer takes 0.5 ms
 *   0.5 ms   the interface wants to wake, by its timer
 *            interface -> physical layer -> higher layer -> interface
 *   3.45 ms  the answer is due, with the transfer of 0.5 ms back
 *
 * A subframe of TD-SCDMA takes 5 ms (6 400 chips at 1.28 Mchip/s). The transfers of 0.5 ms each way
 * are those of USB 2.0 and take no CPU here. A timer of 1/HZ is emulated: the time at which the
 * interface wants to wake is rounded up to the next multiple of 1/HZ.
 */
#ifndef TOOLS_BENCH_RESPONSE_H
#define TOOLS_BENCH_RESPONSE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/hist.h"
#include "core/json/json.h"

#define RESPONSE_SUBFRAME_NS 5000000ull
#define RESPONSE_DUE_NS 3450000ull
#define RESPONSE_TRANSFER_NS 500000ull

enum response_priority { RESPONSE_ORDINARY, RESPONSE_INTERFACE, RESPONSE_CHAIN };

struct response_cell {
	double quota;                  /* percent of all CPUs that the loops get; 0: no quota */
	unsigned loops, period_us, hz; /* hz 0: high resolution */
	enum response_priority fifo;
	bool shield; /* the loops are kept off the last CPU, where the chain is */
};

/* The processes of the chain. */
enum response_stage {
	RESPONSE_STAGE_INTERFACE,
	RESPONSE_STAGE_PHYSICAL,
	RESPONSE_STAGE_HIGHER,
	RESPONSE_STAGES
};

/* A late answer that was judged: whether it is a proven stall of the machine (response_stalls.h).
 * All fields are of 64 bits: files and --json take them in this order. */
struct response_stall {
	uint64_t subframe; /* of the cell, from 0 */
	uint64_t late_ns;
	uint64_t took_ns;   /* from when the interface was to wake until the answer, of which ... */
	uint64_t work_ns;   /* ... the chain's work explains so much, */
	uint64_t others_ns; /* ... all else that had any CPU at most so much, */
	uint64_t stood_ns;  /* ... and in the rest the machine stood */
	uint64_t before_ns; /* it stood in the late answer before, for which this one waited */
	/* what the verdict comes from, and why it is none */
	uint64_t chain_ns;      /* the chain had CPUs for so long, by the records */
	uint64_t beside_ns;     /* others had CPUs that the chain had, too; of which ... */
	uint64_t interrupts_ns; /* ... interrupts */
	uint64_t elsewhere_ns;  /* others had CPUs that the chain did not have */
	uint64_t woken_ns;      /* until the interface had a CPU first */
	uint64_t slack_ns;      /* that an answer has left which nothing delays */
	uint64_t cpu_ns;        /* the CPU time that the kernel counts for the chain */
};

enum {
	RESPONSE_STALLS = 256,
	RESPONSE_STALL_FIELDS = sizeof(struct response_stall) / sizeof(uint64_t)
};

struct response_list {
	uint64_t n; /* the first ones of a cell */
	struct response_stall late[RESPONSE_STALLS];
};

/* A late answer of which nobody can tell (no records, or some were lost) is not judged. */
struct response_result {
	uint64_t subframes, failed;
	uint64_t judged, proven; /* of those that failed; proven: stalls of the machine */
	struct response_list stalls, unproven; /* of those that were judged */
	const char *why_not;                   /* nothing can be judged; NULL: it can */
	double loops_ns;                       /* CPU time that the loops had while the chain ran */
	double all_ns;                         /* that of all CPUs in this time */
	struct hist ns; /* from the subframe to the answer, with both transfers */
};

/* response_core.c: what a core makes. The other CPUs may be threads of the same core; full, they
 * slow the rounds to half at most. */
#define RESPONSE_SLOWED_MOST 0.5
struct response_core {
	uint64_t rounds; /* of the loop that stands for work, in 1 ms at best */
	double slowed;   /* by so much of the time for which all others are full; 0 .. 0.5 */
};

/* response_core_measure takes 40 ms. Where nothing can be measured beside others (one CPU), slowed
 * is the most that it can be. response_work does so many rounds. */
void response_core_measure(struct response_core *ret);
void response_work(uint64_t rounds);

/* response_judged_add counts a late answer that was judged and puts it into its list, if there is
 * room. */
void response_judged_add(
    struct response_result *to, const struct response_stall *late, bool proven);

/* response_proof_ns: if the machine stood so long, in the late answer before, too, it is proven. */
uint64_t response_proof_ns(const struct response_stall *late);

/* response_add adds what was measured of a cell to what is known of it: its subframes come after
 * those that are known. */
void response_add(struct response_result *to, const struct response_result *part);

/* response_run runs so many subframes with work_us of work in each. 0; -EPERM: no FIFO; -ENOTSUP:
 * no quota here; -ECHILD: one of its processes was killed; -EINTR: there is something to read from
 * signal_fd (-1: nothing ends it); or -errno. */
int response_run(const struct response_cell *cell, const struct response_core *core, double work_us,
    uint64_t subframes, int signal_fd, struct response_result *ret);

/* response_kept.c: what has been measured, in a file, so that a run that was ended goes on with the
 * same work. */
struct response_kept {
	const char *file; /* NULL: nothing is kept */
	json_t *json;
	struct response_core core; /* of the run that began the file */
};

/* response_kept_open reads the file, if it is there; response_kept_close always follows. Returns
 * NULL, or what is wrong with the file. */
const char *response_kept_open(struct response_kept *kept, const char *file, const char *cpu);
void response_kept_close(struct response_kept *kept);
/* response_kept_get tells whether so many subframes of a cell are kept; response_kept_put keeps
 * them, 0 or -errno. */
bool response_kept_get(const struct response_kept *kept, const char *key, uint64_t subframes,
    struct response_result *ret);
int response_kept_put(
    struct response_kept *kept, const char *key, const struct response_result *part);

#endif
