/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/waveform/platform.h - the machines that a plan is made for: nodes, their cores, the links
 * between nodes.
 *
 * A platform is this machine (core/measure/local.h) or a file (platforms/nodes/NAME.conf) of
 * machines that need not exist:
 *
 * 	name = "arm-pair";
 *         margin = 0.0;                    # of the slot, kept free on every core; default 0, at
 *                                          most 0.9
 *         assume_builds = false;           # plan as if every component were built for every
 *                                          instruction set
 * 	nodes: {
 * 		left:  { mmac_per_s = 200.0; arch = "armhf"; };
 *                 right: { cores = 2; mmac_per_s = [200.0, 400.0]; base_us = 211.7; module_us =
 *                 24.97; };
 * 	};
 * 	links = ( { nodes = ["left", "right"]; mbit_per_s = 100.0; kind = "full"; delay = 2; } );
 *
 * A node may name kinds of cores, in the order of the cores: kinds: { big = 16; little = 4; }; is
 * 20 cores. What an instance states for a kind (a value of its parameter big_us in the waveform's
 * file) counts there instead of a measured or guessed cost; a `budget_us` of the instance counts
 * before it (core/map/costs.h).
 *
 * Nodes that are to run, and not only to be planned for, have addresses: all of them or none, and
 * then one is the manager. What contradicts something else in the file is an error.
 *
 * tools/aloe/manual.c describes every key, for the section PLATFORM FILES of aloe(1).
 */
#ifndef ALOE_PLATFORM_FILE_H
#define ALOE_PLATFORM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/diag.h"

enum {
	PLATFORM_NODES_MAX = 256,
	PLATFORM_CORES_MAX = 1024,
	PLATFORM_LINKS_MAX = 1024,
	PLATFORM_DELAY_MAX = 100,
	PLATFORM_PORTS = 2 /* of a node: that of its address, and the next ones */
};

enum platform_kind { PLATFORM_FULL, PLATFORM_HALF, PLATFORM_BUS };
enum platform_transport { PLATFORM_TCP, PLATFORM_UDP, PLATFORM_DPDK };
extern const char *const platform_transports[]; /* their names, ended by NULL */

struct platform_cpus {
	int *items;
	size_t n; /* 0: not given */
};

struct platform_names {
	char **items;
	size_t n; /* 0: not given */
};

struct platform_core_kind { /* so many cores, one after another */
	char *name;
	uint32_t n;
};

struct platform_node {
	char *name;
	char *arch; /* NULL: this machine's */
	double base_ns, module_ns, noise_ns, handover_ns;
	double memory_bytes; /* 0: not known */
	char *address;       /* IP:PORT (core/base/address.h); NULL: a node to plan for only */
	char *key;           /* its public key (text_is_key); NULL: not given */
	/* DPDK: the port by which it reaches other nodes, and options for the environment; "":
	 * none */
	char *port, *eal;
	bool manager; /* of exactly one node with an address */
	bool shared;  /* its lanes run at ordinary priority and share their CPUs */
	bool network; /* clock = "network": its clock follows that of the manager */
	struct platform_cpus lanes, housekeeping; /* CPUs of that machine, none in both */
	struct platform_core_kind *kinds;         /* of all its cores, in their order */
	size_t n_kinds;                           /* 0: not given */
	/* devices that this node reaches, each by the name that its driver claims it by */
	struct platform_names radios;
};

struct platform_core {
	uint32_t node;
	double mmac_per_s; /* 0: not calibrated */
	double taken_ns;   /* of every slot: what the waveforms loaded already were admitted with */
	const char *kind;  /* of the node's kinds; NULL: not given */
};

struct platform_link {
	enum platform_kind kind;
	uint32_t *nodes;
	size_t n_nodes;
	double mbit_per_s;
	uint32_t delay;   /* slots */
	bool delay_given; /* by the file; else it is a guess, which a measurement may replace */
	enum platform_transport transport;
	/* what a core at either end takes for each message, and for each byte of it */
	double message_ns, byte_ns;
	int line; /* of the file, where it begins */
};

/* Lanes that the waveform names itself are looked for by CPU. */
struct platform_model {
	const int *cpus; /* CPU of each lane */
	size_t n_lanes;
	double mmac_per_s; /* without `cores`: of each; 0: not calibrated */
	/* by lane; NULL: all alike, on one node that costs nothing */
	const struct platform_core *cores;
	const char *name; /* NULL: this machine */
	/* kept free; the larger one of this and the waveform's counts */
	double margin;
	bool assume_builds; /* every component runs on every node */
	bool insecure;      /* secure = false: addresses are open to everybody */
	const struct platform_node *nodes;
	size_t n_nodes;
	/* 1 + the node from which the waveform is loaded, on which its paths are; 0: not known */
	uint32_t home;
	const struct platform_link *links;
	size_t n_links;
};

/* platform_parse reads the text of `file` (only a name here). 0; -EINVAL with everything that is
 * wrong in diag, each with file and line. End with platform_free. */
int platform_parse(
    const char *file, const char *text, size_t len, struct diag *diag, struct platform_model **ret);
void platform_free(struct platform_model *platform);
/* platform_delay gives the slots that a link needs, at most PLATFORM_DELAY_MAX: one in which the
 * message is written, and those in which `kbit` go out and arrive `one_way_ns` later. */
uint32_t platform_delay(
    const struct platform_link *link, double one_way_ns, double kbit, uint64_t slot_ns);

#endif
