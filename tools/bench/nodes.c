/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/nodes.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/file.h"

enum { UP_TRIES = 200, LOOK_MS = 100, PORT_FIRST = 20000, PORTS = 8000 };

int node_wait(struct bench *bench, double seconds, const char *what)
{
	const uint64_t until_ns = clock_ns() + (uint64_t)(seconds * 1e9);
	uint64_t now;

	while ((now = clock_ns()) < until_ns) {
		const uint64_t left_ms = (until_ns - now) / 1000000 + 1;

		progress_show(&bench->progress, "%s", what);
		if (run_wait(bench, NULL, 0, left_ms < 500 ? (int)left_ms : 500) == -EINTR)
			return BENCH_INTERRUPTED;
	}
	progress_clear(&bench->progress);
	return CLI_OK;
}

int node_do(struct bench *bench, const struct bench_node *node, struct words *words, bool quiet,
    char **ret_output)
{
	struct bench_run run = {0};
	char *output = NULL, *errors = NULL;
	char program[PATH_MAX];
	int status = CLI_FAILED;

	words_add(words, "--dir=%s", node->dir);
	words->program = child_path("aloe", program, sizeof(program)) < 0 ? "aloe" : program;
	if (run_start(bench, words, simd_best(), &run) == 0) {
		while (run_wait(bench, &run, 1, LOOK_MS) != 0)
			;
		status = run_text(&run, &output, &errors);
	}
	if (status != CLI_OK && !quiet)
		fputs(errors ? errors : "", stderr);
	free(errors);
	if (ret_output)
		*ret_output = output;
	else
		free(output);
	return bench->interrupts ? BENCH_INTERRUPTED : status;
}

json_t *node_report(struct bench *bench, const struct bench_node *node, const char *waveform)
{
	struct words words = {0};
	char *text = NULL;
	json_t *report = NULL;

	words_add(&words, "status");
	words_add(&words, "%s", waveform);
	words_add(&words, "--json");
	if (node_do(bench, node, &words, false, &text) == CLI_OK && text)
		report = json_loads(text, 0, NULL);
	free(text);
	return report;
}

static bool node_answers(struct bench *bench, const struct bench_node *node)
{
	struct words words = {0};

	words_add(&words, "list");
	return node_do(bench, node, &words, true, NULL) == CLI_OK;
}

static int up_await(struct bench *bench, struct bench_node *node, const char *name)
{
	char *output = NULL, *errors = NULL;

	for (int i = 0; i < UP_TRIES; i++) {
		const int rc = run_wait(bench, &node->run, 1, LOOK_MS);

		if (rc == -EINTR)
			return BENCH_INTERRUPTED;
		if (rc == 0)
			break;
		if (node_answers(bench, node))
			return CLI_OK;
		progress_show(&bench->progress, "node \"%s\" is being started", name);
	}
	kill(node->run.pid, SIGTERM);
	run_text(&node->run, &output, &errors);
	fprintf(stderr, "%s: node \"%s\" could not be started\n%s", bench->args->program->name,
	    name, errors ? errors : "");
	free(output);
	free(errors);
	return CLI_FAILED;
}

static size_t nodes_count(struct bench *bench, const struct bench_node *node)
{
	struct words words = {0};
	char *text = NULL;
	json_t *list, *one;
	size_t n = 0, i;

	words_add(&words, "list");
	words_add(&words, "nodes");
	words_add(&words, "--json");
	node_do(bench, node, &words, true, &text);
	list = text ? json_loads(text, 0, NULL) : NULL;
	json_array_foreach(json_object_get(list, "nodes"), i, one)
	{
		n += json_is_true(json_object_get(one, "joined"));
	}
	json_decref(list);
	free(text);
	return n;
}

int nodes_join(struct bench *bench, const struct bench_node *node, size_t n)
{
	for (int i = 0; i < UP_TRIES; i++) {
		if (nodes_count(bench, node) == n)
			return CLI_OK;
		if (node_wait(bench, LOOK_MS / 1e3, "nodes join") != CLI_OK)
			return BENCH_INTERRUPTED;
	}
	return cli_fail(bench->args, "the nodes have not joined in time"), CLI_FAILED;
}

static void up_words(struct words *words, const char *name, const char *platform, const char *netns,
    const struct bench_node *node, const char *aloe)
{
	words->program = netns ? "/bin/sh" : aloe;
	if (netns) {
		words_add(words, "-c");
		words_add(words, "PATH=$PATH:/usr/sbin:/sbin; exec ip netns exec \"$0\" \"$@\"");
		words_add(words, "%s", netns);
		words_add(words, "%s", aloe);
	}
	words_add(words, "up");
	words_add(words, "--foreground");
	words_add(words, "--dir=%s", node->dir);
	words_add(words, "--state=%s", node->state);
	if (node->web)
		words_add(words, "--web=%d", node->web);
	if (platform) {
		words_add(words, "--platform=%s", platform);
		words_add(words, "--node=%s", name);
	}
}

static int node_begin(struct bench *bench, const char *name, const char *platform,
    const char *netns, struct bench_node *ret)
{
	struct words words = {0};
	char aloe[PATH_MAX];
	int rc = child_path("aloe", aloe, sizeof(aloe));

	rc = rc ? rc : path_print(ret->dir, sizeof(ret->dir), "%s/%s", bench->dir, name);
	rc = rc ? rc : path_print(ret->state, sizeof(ret->state), "%s/%s.state", bench->dir, name);
	if (rc < 0)
		return cli_fail(bench->args, "node \"%s\": %s", name, strerror(-rc)), CLI_FAILED;
	up_words(&words, name, platform, netns, ret, aloe);
	if (run_start(bench, &words, simd_best(), &ret->run) < 0)
		return CLI_FAILED;
	return up_await(bench, ret, name);
}

int node_up(struct bench *bench, const char *name, const char *platform, const char *netns,
    struct bench_node *ret)
{
	*ret = (struct bench_node){.web = 0};
	return node_begin(bench, name, platform, netns, ret);
}

int node_up_web(struct bench *bench, const char *name, int port, struct bench_node *ret)
{
	*ret = (struct bench_node){.web = port};
	return node_begin(bench, name, NULL, NULL, ret);
}

void node_down(struct bench *bench, struct bench_node *node)
{
	char *output = NULL, *errors = NULL;

	(void)bench;
	if (!node->run.pid)
		return;
	kill(node->run.pid, SIGTERM);
	run_text(&node->run, &output, &errors);
	free(output);
	free(errors);
}

static bool port_free(int port, int type)
{
	const struct sockaddr_in at = {.sin_family = AF_INET,
	    .sin_port = htons((uint16_t)port),
	    .sin_addr.s_addr = htonl(INADDR_ANY)};
	const int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	const bool is_free = fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0;

	if (fd >= 0)
		close(fd);
	return is_free;
}

int nodes_port(int n)
{
	const int start = (int)(getpid() % (PORTS / n)) * n;

	for (int at = 0; at < PORTS; at += n) {
		const int first = PORT_FIRST + (start + at) % PORTS;
		int port = first;

		while (
		    port < first + n && port_free(port, SOCK_STREAM) && port_free(port, SOCK_DGRAM))
			port++;
		if (port == first + n)
			return first;
	}
	return 0;
}
