/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/commands.h - what each command does; the table is in main.c. All return the exit
 * status. */
#ifndef TOOLS_ALOE_COMMANDS_H
#define TOOLS_ALOE_COMMANDS_H

#include "core/cli/cli.h"

int aloe_run(const struct cli_args *args);    /* runs.c */
int aloe_record(const struct cli_args *args); /* record_live.c */
int aloe_replay(const struct cli_args *args); /* replay.c */
int aloe_check(const struct cli_args *args);  /* check.c */
int aloe_plan(const struct cli_args *args);   /* plan.c */
int aloe_graph(const struct cli_args *args);  /* graph.c */
int aloe_runs(const struct cli_args *args);   /* saved.c */
int aloe_report(const struct cli_args *args); /* saved.c */
int aloe_up(const struct cli_args *args);     /* up.c */
int aloe_down(const struct cli_args *args);   /* up.c */
int aloe_load(const struct cli_args *args);   /* control.c, and so on */
int aloe_start(const struct cli_args *args);
int aloe_pause(const struct cli_args *args);
int aloe_step(const struct cli_args *args);
int aloe_stop(const struct cli_args *args);
int aloe_unload(const struct cli_args *args);
int aloe_set(const struct cli_args *args);
int aloe_cap(const struct cli_args *args);     /* cap.c */
int aloe_remap(const struct cli_args *args);   /* remap.c */
int aloe_upgrade(const struct cli_args *args); /* upgrade.c */
int aloe_status(const struct cli_args *args);  /* show.c, and so on */
int aloe_list(const struct cli_args *args);
int aloe_get(const struct cli_args *args);
int aloe_watch(const struct cli_args *args);
int aloe_log(const struct cli_args *args);   /* log.c */
int aloe_why(const struct cli_args *args);   /* why.c */
int aloe_tap(const struct cli_args *args);   /* tap.c */
int aloe_trace(const struct cli_args *args); /* trace.c */
int aloe_scope(const struct cli_args *args); /* scope.c */
int aloe_top(const struct cli_args *args);   /* top.c */
void top_words(FILE *out);                   /* pages, columns and keys, for help and manual */
int aloe_web(const struct cli_args *args);   /* web.c */
int aloe_compare(const struct cli_args *args);
int aloe_doctor(const struct cli_args *args); /* doctor/doctor.c */
int aloe_new(const struct cli_args *args);    /* new.c */
int aloe_keys(const struct cli_args *args);   /* keys.c */
int aloe_help(const struct cli_args *args);   /* help.c */
int aloe_version(const struct cli_args *args);
int aloe_list_components(const struct cli_args *args);

#endif
