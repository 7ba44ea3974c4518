/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/published.h - what was published for ALOE (Gomez, Marojevic, Gelonch, UPC Barcelona):
 * on x86, one core of a 2.27 GHz Centrino of 600 MMAC/s, and on an ARMv5 of 1.2 GHz and 200 MMAC/s;
 * every component a process. What is not known here is NAN.
 */
#ifndef TOOLS_BENCH_PUBLISHED_H
#define TOOLS_BENCH_PUBLISHED_H

#include <stddef.h>

#define PUBLISHED_MMAC 600.0 /* x86 */
#define PUBLISHED_ARM_MMAC 200.0
/* the UTRAN chain of 384 kbit/s, mean of 100 frames, x86 */
#define PUBLISHED_CHAIN_US 3250.0
#define PUBLISHED_DECODER_US 1827.8 /* its turbo decoder */
#define PUBLISHED_BASE_US 186.7     /* the daemons' part of a slot, x86 */
#define PUBLISHED_EXEC_US 87.1      /* of it: each daemon, x86 */
#define PUBLISHED_STATS_US 42.4
#define PUBLISHED_SWLOAD_US 11.5
#define PUBLISHED_BRIDGE_US 10.7
#define PUBLISHED_FRONTEND_US 41.0
#define PUBLISHED_SWMAN_US 26.0 /* and on the manager */
#define PUBLISHED_STATSMAN_US 28.8
#define PUBLISHED_MODULE_US 5.94         /* and what each component adds */
#define PUBLISHED_LINK_MAX_TO_MEAN 8.0   /* of a link's latency, x86: "almost" */
#define PUBLISHED_DAEMON_KB (3 * 1024.0) /* memory of a daemon on Linux, about */
#define PUBLISHED_COMPONENT_KB 260.0     /* and of a component */

enum { PUBLISHED_BEARER = 14 };

struct published {
	const char *name, *type;   /* of the table; the component here */
	double x86_kmac, arm_kmac; /* of the maximum */
	double mean_us;            /* x86 */
};

/* published_bearer gives the rows of the UTRAN table in the order of the chain. */
const struct published *published_bearer(size_t row);
/* published_max_us gives the time that so many kMAC stand for on x86. */
double published_max_us(double kmac);

#endif
