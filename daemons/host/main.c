/* SPDX-License-Identifier: BSD-3-Clause
 * aloe-host - the process that holds components. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/platform/platform.h"
#include "daemons/host/describe.h"
#include "daemons/host/examine.h"
#include "daemons/host/host.h"
#include "daemons/host/shadow.h"

/* Components run with the rights of this process: it has none to priority, and exec gives the
 * threads of lanes theirs. Where it cannot be given up there was none. */
int main(int argc, char **argv)
{
	platform_forgo_priority();
	if (argc == 3 && strcmp(argv[1], "--describe") == 0)
		return host_describe(argv[2]);
	if (argc == 2 && strcmp(argv[1], "--shape") == 0)
		return host_shape();
	if (argc == 3 && strcmp(argv[1], "--examine") == 0)
		return host_examine(argv[2]);
	if (argc == 5 && strcmp(argv[1], "--sock") == 0 && strcmp(argv[3], "--leash") == 0)
		return host_serve(atoi(argv[2]), atoi(argv[4]));
	if (argc == 4 && strcmp(argv[1], "--shadow") == 0)
		return host_shadow(argv[2], argv[3]);
	fputs("usage: aloe-host --describe FILE.so | --shape | --examine RADIO.conf | --sock FD "
	      "--leash FD | --shadow FDS PARENT (started by aloe-exec)\n",
	    stderr);
	return 2;
}
