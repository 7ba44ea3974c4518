/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/two_node.h - what `aloe bench two-node` measures: the cost of each transport, and of
 * each length of the slot what the plan says and what has run.
 */
#ifndef TOOLS_BENCH_TWO_NODE_H
#define TOOLS_BENCH_TWO_NODE_H

#include "tools/bench/brake.h"
#include "tools/bench/nodes.h"

enum {
	TWO_NODES = 2,
	TWO_NODE_PATH = 4096,
	TWO_NODE_LENGTHS = 32, /* of slots, at most */
	TWO_NODE_ITEMS = 9600, /* soft bits, 2 bytes each, between the stages */
	TWO_NODE_TRIES = 3,
};

#define TWO_NODE_MBIT 100.0
#define TWO_NODE_LATE 0.01    /* of the slots may be late on a machine that others use */
#define TWO_NODE_TOUCHED 0.05 /* of the slots may be the machine's, or a late try is void */
#define TWO_NODE_WENT 0.9     /* of the slots that were wanted: run or skipped at least */
#define TWO_NODE_FULL 0.9     /* of a node: from here on nothing that was put off is worked off */

enum two_node_way { TWO_NODE_TCP, TWO_NODE_UDP, TWO_NODE_WAYS };
extern const char *const two_node_ways[TWO_NODE_WAYS]; /* their names */

struct transport_cost {    /* of a core at one end, at its full speed */
	double base_share; /* of the time, whatever is sent */
	/* of a slot, on each node: what the stages and their lane take, computing nothing */
	double host_us[TWO_NODES];
	double message_us, byte_ns;
	bool known;
};

enum two_node_verdict { TWO_NODE_VOID, TWO_NODE_FAILS, TWO_NODE_HOLDS };

struct two_node_trial {
	double need_us, limit_us; /* of the fullest lane, by plan */
	double used[TWO_NODES];   /* part of the limit, by plan */
	bool predicted;
	bool throttled; /* by the kernel, as real-time threads of a CPU are */
	double slots, skipped, not_run;
	double touched;   /* slots in which the machine stood, or made up for it */
	double stalls_ms; /* it stood so long, the sum of both CPUs */
	bool ran;
	enum two_node_verdict verdict;
};

struct two_node {
	struct bench *bench;
	double slot_us[TWO_NODE_LENGTHS];
	size_t n_slots;
	uint64_t slots;
	bool used[TWO_NODE_WAYS], virtual, limited, netns;
	int cpus[TWO_NODES];
	double mmac; /* of a core here */
	/* what the brake leaves of each CPU, and the MMAC/s of that */
	double shares[TWO_NODES], scaled[TWO_NODES];
	double realtime; /* part of a CPU that the kernel leaves to real-time threads */
	struct brake brake;
	char names[TWO_NODES][40], addresses[TWO_NODES][40], why_not[200];
	char platform[TWO_NODE_PATH], planned[TWO_NODE_PATH], chain[TWO_NODE_PATH];
	struct transport_cost costs[TWO_NODE_WAYS];
	struct two_node_trial trials[TWO_NODE_WAYS][TWO_NODE_LENGTHS];
	struct bench_node nodes[TWO_NODES];
};

/* ---- two_node_judge.c: pure functions ---- */

/* two_node_throttled says whether real-time threads take more of a CPU than the kernel leaves them
 * (brake_realtime_share): the brake leaves `left`, of which lane and daemons use a part. */
bool two_node_throttled(double left, double used, double realtime);
/* two_node_longer: after a stall of S, what it put off is worked off S / (1 - used) after it began;
 * 1, so only the stall itself counts, if throttled or from TWO_NODE_FULL on. */
double two_node_longer(double used, bool throttled);
/* two_node_verdict judges a try by slots, skipped, not_run, touched and throttled, where so many
 * slots were wanted. VOID: it says nothing. */
enum two_node_verdict two_node_verdict(const struct two_node_trial *trial, double wanted);

void two_node_result(void *self); /* a struct two_node */

#endif
