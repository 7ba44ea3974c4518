/* SPDX-License-Identifier: BSD-3-Clause
 * aloe-exec - owns the time bases and lanes of a node; starts hosts; applies changes; detects faults. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/child.h"
#include "daemons/exec/exec.h"

int main(int argc, char **argv)
{
	static const char usage[] = "usage: aloe-exec --dir DIR --keep FD --leash FD (started by aloe-frontend)\n";
	struct exec *exec;
	int status;

	if (argc != 7 || strcmp(argv[1], "--dir") != 0 || strcmp(argv[3], "--keep") != 0 ||
	    strcmp(argv[5], "--leash") != 0) {
		fputs(usage, stderr);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error, told in words */
	exec = calloc(1, sizeof(*exec));
	if (exec == NULL)
		return 1;
	status = leash_guard_start(atoi(argv[6]), 3000);
	if (status == 0)
		status = exec_init(exec, argv[2], atoi(argv[4]), atoi(argv[6]));
	if (status != 0) {
		fprintf(stderr, "aloe-exec: cannot start: %s\n", strerror(-status));
		free(exec);
		return 1;
	}
	status = loop_run(&exec->loop);
	exec_fini(exec);
	return status < 0 ? 1 : status;
}
