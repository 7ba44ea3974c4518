/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/comprun/comprun.h - one component without a waveform: its ports are files, its clock is how
 * fast they can be read.
 */
#ifndef TOOLS_COMPRUN_COMPRUN_H
#define TOOLS_COMPRUN_COMPRUN_H

#include <aloe/component.h>

#include "core/base/diag.h"
#include "core/cli/cli.h"

enum { BENCH_CANARY_BYTES = 64 };

struct bench_port {
	const struct aloe_port *port;
	FILE *file; /* NULL: not connected, or an output that nobody wants */
	const char *name;
	bool connected, ended;
	uint8_t *data;
	size_t leftover; /* bytes at the end of an input that are no whole item */
};

struct bench_chunk {
	struct bench_chunk *next;
	_Alignas(64) uint8_t bytes[];
};

struct comprun_bench {
	const struct cli_args *args;
	struct diag diag;
	void *library;
	const struct aloe_entry *entry;
	const struct aloe_component *component;
	uint8_t *state;
	struct aloe_setup setup;
	struct aloe_format format_in[ALOE_PORTS_MAX], format_out[ALOE_PORTS_MAX];
	struct aloe_in in[ALOE_PORTS_MAX];
	struct aloe_out out[ALOE_PORTS_MAX];
	struct bench_port port_in[ALOE_PORTS_MAX], port_out[ALOE_PORTS_MAX];
	uint32_t n_in, n_out;
	struct aloe_record record[2]; /* the second: one ahead, to know the last */
	bool source_ended, started, prepared;
	float *reals[64]; /* of REALS parameters */
	size_t n_reals;
};

/* setup.c: each 0, or the exit status with what is wrong in bench->diag. */
int bench_open(struct comprun_bench *bench, const struct cli_args *args);
int bench_start(struct comprun_bench *bench); /* parameters, ports, check, shape, memory, init */
int bench_close(struct comprun_bench *bench);

/* param.c: "name=value" as in --set. */
int bench_set(struct comprun_bench *bench, const char *text);
int bench_required(struct comprun_bench *bench);

/* ports.c */
int bench_ports(struct comprun_bench *bench); /* which are connected, to what, with which type */
int bench_input(struct comprun_bench *bench, uint32_t port);
int bench_output(struct comprun_bench *bench, uint32_t port);

/* run.c */
int bench_run(struct comprun_bench *bench, uint64_t slots);
void bench_vars(const struct comprun_bench *bench, FILE *out);

#endif
