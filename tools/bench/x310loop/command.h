/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/x310loop/command.h - the command line of a bare loop, for the program and for a
 * benchmark that has work to do in it. */
#ifndef TOOLS_BENCH_X310LOOP_COMMAND_H
#define TOOLS_BENCH_X310LOOP_COMMAND_H

#include "core/cli/cli.h"
#include "tools/bench/x310loop/loop.h"

enum { X310LOOP_OPTIONS = 10 };
extern const struct cli_option x310loop_options[X310LOOP_OPTIONS];

/* x310loop_run streams as the options say, with `work` (NULL: none) on the way, and prints what
 * came of it: the exit status. */
int x310loop_run(const struct cli_args *args, const struct loop_work *work);

#endif
