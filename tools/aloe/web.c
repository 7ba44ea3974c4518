/* SPDX-License-Identifier: BSD-3-Clause
 *
 * web: where the dashboard of a node is. */
#include "tools/aloe/web.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/web_file.h"
#include "core/json/json.h"
#include "tools/aloe/client.h"
#include "tools/aloe/commands.h"

int address_try(const struct address *address, int type, uint16_t port)
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	const int fd = socket(AF_INET6, type | SOCK_CLOEXEC, 0);
	int result = 0;

	memcpy(&at.sin6_addr, address->ip, sizeof(at.sin6_addr));
	if (fd < 0 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int){0}, sizeof(int)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)) < 0 ||
	    bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0)
		result = -errno;
	if (fd >= 0)
		close(fd);
	return result;
}

int web_option(const struct cli_args *args, char ret[ADDRESS_TEXT])
{
	const char *given = cli_get(args, "web"), *metrics = cli_get(args, "metrics");
	char usual[16], other[ADDRESS_TEXT], why[200];

	ret[0] = 0;
	if (!given)
		return CLI_OK;
	snprintf(usual, sizeof(usual), "%d", WEB_PORT);
	if (address_local(given[0] ? given : usual, ret, why, sizeof(why)) < 0)
		return cli_fail(args, "--web: %s", why);
	if (metrics && address_local(metrics, other, why, sizeof(why)) == 0 &&
	    strcmp(ret, other) == 0)
		return cli_fail(args,
		    "--metrics and --web name one port; the dashboard serves /metrics, too, so "
		    "--web alone is enough");
	return CLI_OK;
}

/* Looked at before, but not whether another program has the port. What else there may be statsman
 * says, which tries again. */
int web_port_check(const char *option, const char *served)
{
	char whole[ADDRESS_TEXT], why[200];
	struct address address;

	if (!served || address_local(served, whole, why, sizeof(why)) < 0 ||
	    address_parse(whole, &address) < 0 ||
	    address_try(&address, SOCK_STREAM, address.port) != -EADDRINUSE)
		return CLI_OK;
	fprintf(stderr, "aloe: --%s: another program has %s; name another port\n", option, whole);
	return CLI_FAILED;
}

/* 0, or the exit status after saying why not. */
static int file_find(const char *dir, struct web_file *ret)
{
	int rc = web_file_path(ret, dir);

	if (rc == 0)
		rc = web_file_read(ret);
	if (rc == -ENOENT)
		fprintf(stderr,
		    "aloe: the node in %s serves no dashboard; `aloe up --web` starts one that "
		    "does\n",
		    dir);
	else if (rc == -EPERM)
		fprintf(stderr,
		    "aloe: %s: not a file that only its user can read (mode 0600), so the token "
		    "in it is none\n",
		    ret->path);
	else if (rc < 0)
		fprintf(stderr, "aloe: %s: no address and token are in it\n", ret->path);
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

int web_print(const char *dir, FILE *out)
{
	struct web_file file;

	if (file_find(dir, &file))
		return CLI_FAILED;
	fprintf(out, "dashboard: http://%s/#%s\n", file.address, file.token);
	return CLI_OK;
}

static int json_print(const struct web_file *file)
{
	json_t *json = json_pack("{s:i, s:s, s:s, s:s}", "schema", 1, "address", file->address,
	    "token", file->token, "file", file->path);
	const int rc = json ? json_dumpf(json, stdout, JSON_INDENT(1)) : -1;

	printf("\n");
	json_decref(json);
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

int aloe_web(const struct cli_args *args)
{
	struct client client;
	struct web_file file;
	int status = client_open(&client, args);

	if (status)
		return status;
	status = file_find(client.dir, &file);
	if (status == CLI_OK && cli_has(args, "json"))
		status = json_print(&file);
	else if (status == CLI_OK)
		printf(
		    "address: http://%s/\ntoken:   %s\nopen:    http://%s/#%s\nThe token lies in "
		    "%s. Whoever has the token can set parameters.\n",
		    file.address, file.token, file.address, file.token, file.path);
	client_close(&client);
	return status;
}
