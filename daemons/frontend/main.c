/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/main.c - aloe-frontend: routes control messages, keeps what others must not
 * lose, supervises the other daemons, and leaves nothing behind when it ends. */
#include <errno.h>
#include <unistd.h>

#include "daemons/frontend/frontend.h"

int main(int argc, char **argv)
{
	struct daemon_args args;
	struct frontend frontend;
	int result = daemon_args_parse("aloe-frontend", argc, argv,
	    DAEMON_STATE | DAEMON_KEEP | DAEMON_NODE | DAEMON_PLATFORM | DAEMON_METRICS, &args);

	if (result)
		return result > 0 ? 0 : 2;
	/* the keyboard's signals are for `aloe`; refused where a shell has started us, and then
	 * they end us */
	setsid();
	result = frontend_init(&frontend, &args);
	if (result == 0)
		result = frontend_run(&frontend);
	frontend_fini(&frontend);
	return result >= 0 ? result : result == -EINVAL ? 2 : 1;
}
