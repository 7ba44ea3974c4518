/* SPDX-License-Identifier: BSD-3-Clause
 * aloe-host - the process that holds components. */
#include <stdio.h>
#include <string.h>

#include "daemons/host/describe.h"

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--describe") == 0)
		return host_describe(argv[2]);
	if (argc == 2 && strcmp(argv[1], "--shape") == 0)
		return host_shape();
	fputs("usage: aloe-host --describe FILE.so | --shape\n", stderr);
	return 2;
}
