/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe run: once, or as often as a comparison takes. */
#include "tools/aloe/commands.h"
#include "tools/aloe/nodes.h"
#include "tools/aloe/record.h"
#include "tools/aloe/run.h"
#include "tools/aloe/verify.h"

int aloe_run(const struct cli_args *args)
{
	if (cli_has(args, "digests") && !cli_has(args, "record"))
		return cli_fail(
		    args, "--digests are part of a recording; give its folder, --record DIR");
	if (nodes_check(args))
		return CLI_USAGE;
	if (cli_has(args, "verify"))
		return verify_run(args);
	return cli_has(args, "record") ? record_run(args) : run_waveform(args, NULL, NULL);
}
