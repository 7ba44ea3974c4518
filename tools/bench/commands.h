/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/commands.h - what each benchmark does; the table is in main.c. All return the exit
 * status. */
#ifndef TOOLS_BENCH_COMMANDS_H
#define TOOLS_BENCH_COMMANDS_H

#include "core/cli/cli.h"

int bench_bler(const struct cli_args *args);             /* bler.c */
int bench_bridge(const struct cli_args *args);           /* bridge.c */
int bench_chain(const struct cli_args *args);            /* paced.c */
int bench_copies(const struct cli_args *args);           /* copies.c */
int bench_growth(const struct cli_args *args);           /* growth.c */
int bench_map(const struct cli_args *args);              /* map.c */
int bench_throughput(const struct cli_args *args);       /* paced.c */
int bench_predict(const struct cli_args *args);          /* predict.c */
int bench_utran(const struct cli_args *args);            /* utran.c */
int bench_bpsk(const struct cli_args *args);             /* bpsk.c */
int bench_handover(const struct cli_args *args);         /* paced.c */
int bench_draw(const struct cli_args *args);             /* draw.c */
int bench_hist(const struct cli_args *args);             /* hist.c */
int bench_lengths(const struct cli_args *args);          /* lengths.c */
int bench_link(const struct cli_args *args);             /* link.c */
int bench_memory(const struct cli_args *args);           /* memory.c */
int bench_messages(const struct cli_args *args);         /* pipes.c */
int bench_overhead(const struct cli_args *args);         /* overhead.c */
int bench_overhead_daemons(const struct cli_args *args); /* daemons.c */
int bench_overhead_web(const struct cli_args *args);     /* dashboard.c */
/* paced.c: bench_overhead, with --vs bench_handover, with --daemons or --web that */
int bench_overhead_vs(const struct cli_args *args);
int bench_response(const struct cli_args *args);      /* response.c */
int bench_pipes(const struct cli_args *args);         /* pipes.c */
int bench_two_node(const struct cli_args *args);      /* two_node.c */
int bench_x310(const struct cli_args *args);          /* x310.c */
int bench_x310_recovery(const struct cli_args *args); /* x310_recovery.c */
int bench_x310loop(const struct cli_args *args);      /* x310loop/command.c */
int bench_table1(const struct cli_args *args);        /* table1.c */

#endif
