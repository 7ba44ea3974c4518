/* SPDX-License-Identifier: BSD-3-Clause
 *
 * x310loop - an X310's samples back to it, by a bare loop without ALOE's engine: what `aloe bench x310` compares with. */
#include "tools/x310loop/command.h"

static int x310loop(const struct cli_args *args)
{
	return x310loop_run(args, NULL);
}

static const struct cli_command commands[] = {
    {NULL, "IP", 1, 1, NULL,
        "Sends the device at IP what it hears, to be played again, by a loop that does nothing else.",
        "One core is busy with looking. The host delay of a packet is from when it was in hand to when it had been "
        "sent. "
        "Looks that find nothing and take longer than 6.2 us are what the machine, or its hypervisor, took away.",
        {x310loop_options, X310LOOP_OPTIONS}, x310loop},
};

static const struct cli_section sections[] = {
    {"EXAMPLES",
        "  x310sim --address 127.0.0.2 --source ticks & x310loop 127.0.0.2 --rate 10e6 --spp 512"},
    {"EXIT STATUS", "  0    done\n  1    the device cannot be had\n  2    usage"},
};

static const struct cli_program program = {
    .name = "x310loop",
    .section = 1,
    .summary = "an X310's samples back to it, by a bare loop",
    .doc = "What a host can do at best, to compare with what ALOE's engine adds.",
    .commands = CLI_LIST(commands),
    .sections = CLI_LIST(sections),
};

int main(int argc, char **argv)
{
	return cli_main(&program, argc, argv);
}
