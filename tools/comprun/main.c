/* SPDX-License-Identifier: BSD-3-Clause
 *
 * comprun - run one component stand-alone, files and pipes in and out. */
#include "tools/comprun/comprun.h"

static int comprun(const struct cli_args *args)
{
	struct comprun_bench bench;
	uint64_t slots = UINT64_MAX;
	int status;

	if (cli_whole(args, "slots", 1, UINT64_MAX >> 1, &slots) < 0)
		return CLI_USAGE;
	status = bench_open(&bench, args);
	if (status == CLI_OK)
		status = bench_start(&bench);
	if (status == CLI_OK)
		status = bench_run(&bench, slots);
	if (status == CLI_OK && cli_has(args, "vars"))
		bench_vars(&bench, stderr);
	if (bench_close(&bench) && status == CLI_OK)
		status = CLI_FAILED;
	diag_print(&bench.diag, stderr);
	diag_fini(&bench.diag);
	return status;
}

static const struct cli_option options[] = {
    {"param", 'p', "K=V", NULL, true, "set a parameter; may be repeated"},
    {"slots", 's', "N", NULL, false, "run N slots; default: until the inputs or the source end"},
    {"items", 'n', "N", NULL, false, "number of items in a message of each input; default 1024"},
    {"in", 'i', "PORT=FILE", "@file", true,
        "read an input port from a file; default: the first input reads standard input"},
    {"out", 'o', "PORT=FILE", "@file", true,
        "write an output port to a file; default: the first output goes to standard output"},
    {"type", 't', "PORT=TYPE", NULL, true,
        "item type of a port that takes several types; default: bits, if the port takes bits and "
        "bytes"},
    {"slot-us", 0, "T", NULL, false,
        "slot length that the component gets, in microseconds; default 10000"},
    {"vars", 'v', NULL, NULL, false, "print the variables to standard error at the end"},
};

static const struct cli_command commands[] = {
    {NULL, "TYPE", 1, 1, "@type",
        "run one component on raw items: standard input feeds the first input, the first output "
        "goes to standard output",
        "TYPE is the name of a component, or the path of a .so file (with a / in the path). "
        "Items are raw and in the byte order of the machine: bit and byte take 1 byte, i16 and "
        "llr16 2 bytes, f32 4 bytes, ci16 2 x 2 bytes, cf32 2 x 4 bytes. Each message has "
        "--items items; the last message has the rest. ABSENT and IDLE messages write nothing. A "
        "source without an end runs until --slots is reached or nobody reads its output.",
        CLI_LIST(options), comprun},
};

static const struct cli_section sections[] = {
    {"EXIT STATUS",
        "  0    done\n  1    the component failed, or a file could not be read or written\n  "
        "2    wrong use: parameters or ports"},
    {"EXAMPLES",
        "  comprun random_source -p length=1000 --slots 10 > bits\n"
        "  comprun bpsk_mod --items 1000 < bits | comprun awgn -t in=cf32 -p esn0_db=6 > "
        "noisy.cf32\n"
        "  comprun bit_compare -i sent=bits -i received=bits2 --vars"},
    {"SEE ALSO", "aloe(1), execinfo(1)"},
};

static const struct cli_program program = {
    .name = "comprun",
    .section = 1,
    .summary = "run one component stand-alone",
    .doc = "comprun runs a component without a waveform and without daemons: to try the "
           "component, to test it, or as part of a shell pipe.",
    .commands = CLI_LIST(commands),
    .sections = CLI_LIST(sections),
};

int main(int argc, char **argv)
{
	return cli_main(&program, argc, argv);
}
