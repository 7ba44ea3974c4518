/* SPDX-License-Identifier: BSD-3-Clause
 * aloe-exec - owns the time bases and lanes of a node; starts hosts; applies changes; detects
 * faults. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemons/exec/exec.h"

int main(int argc, char **argv)
{
	struct daemon_args args;
	struct exec *exec;
	int status = daemon_args_parse(
	    "aloe-exec", argc, argv, DAEMON_NODE | DAEMON_SHARED | DAEMON_LANES, &args);

	if (status != 0)
		return status > 0 ? 0 : 2;
	signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error, told in words */
	exec = calloc(1, sizeof(*exec));
	if (exec == NULL)
		return 1;
	status = exec_init(exec, &args) == 0 ? daemon_run(&exec->daemon) : 1;
	exec_fini(exec);
	if (!node_end(exec))
		_exit(status); /* with that thread in it */
	free(exec);
	return status;
}
