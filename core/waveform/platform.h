/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/waveform/platform.h - the machines that a plan is made for: nodes, their cores, the links between nodes.
 *
 * A platform is this machine (core/report/local.h) or a file (platforms/nodes/NAME.conf) of machines that need not exist:
 *
 *	name = "arm-pair";
 *	margin = 0.0;                    # of the slot, kept free on every core; default 0, at most 0.9
 *	assume_builds = false;           # plan as if every component were built for every instruction set
 *	nodes: {
 *		left:  { mmac_per_s = 200.0; arch = "armhf"; };
 *		right: { cores = 2; mmac_per_s = [200.0, 400.0]; base_us = 211.7; module_us = 24.97; };
 *	};
 *	links = ( { nodes = ["left", "right"]; mbit_per_s = 100.0; kind = "full"; delay = 2; } );
 *
 * | key of a node | default | what                                                                             |
 * |---------------|---------|----------------------------------------------------------------------------------|
 * | mmac_per_s    | -       | capacity of a core in million MAC-equivalents a second, or a list, one for each    |
 * | cores         | 1       | how many                                                                         |
 * | arch          | ""      | instruction set: x86_64, aarch64, armhf; "": that of this machine. Components run  |
 * |               |         | only where a build is known: core/registry/registry.h                              |
 * | base_us       | 0       | T_base: what a lane costs in every slot, whatever runs on it                       |
 * | module_us     | 0       | T_module: what each instance costs beside its own work                             |
 * | noise_us      | 0       | T_noise: outliers of the machine, once a lane                                      |
 * | handover_us   | 0       | from one host to the next within a lane                                            |
 * | memory_mb     | 0       | for link buffers; 0: not known                                                     |
 *
 * A link joins two nodes, "full" (as much in each direction) or "half" (both together), or two or more by a "bus" (all
 * together); messages over it are readable `delay` slots later (1 .. 100, default 2). Cores are numbered from 0 through
 * all nodes in the order of the file; those numbers are the CPUs of a plan, and of --lanes.
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
	PLATFORM_DELAY_MAX = 100
};

enum platform_kind { PLATFORM_FULL, PLATFORM_HALF, PLATFORM_BUS };

struct platform_node {
	char *name;
	char *arch; /* NULL: this machine's */
	double base_ns, module_ns, noise_ns, handover_ns;
	double memory_bytes; /* 0: not known */
};

struct platform_core {
	uint32_t node;
	double mmac_per_s; /* 0: not calibrated */
	double taken_ns;   /* of every slot: what the waveforms loaded already were admitted with */
};

struct platform_link {
	enum platform_kind kind;
	uint32_t *nodes;
	size_t n_nodes;
	double mbit_per_s;
	uint32_t delay; /* slots */
};

/* Lanes that the waveform names itself are looked for by CPU. */
struct platform_model {
	const int *cpus; /* CPU of each lane */
	size_t n_lanes;
	double mmac_per_s; /* without `cores`: of each; 0: not calibrated */
	const struct platform_core
	    *cores;         /* by lane; NULL: all alike, on one node that costs nothing */
	const char *name;   /* NULL: this machine */
	double margin;      /* kept free; the larger one of this and the waveform's counts */
	bool assume_builds; /* every component runs on every node */
	const struct platform_node *nodes;
	size_t n_nodes;
	const struct platform_link *links;
	size_t n_links;
};

/* platform_parse reads the text of `file` (only a name here). 0; -EINVAL with everything that is wrong in diag, each with
 * file and line. End with platform_free. */
int platform_parse(
    const char *file, const char *text, size_t len, struct diag *diag, struct platform_model **ret);
void platform_free(struct platform_model *platform);

#endif
