/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/radio_node.h"

#include <setjmp.h>
#include <arpa/inet.h>
#include <errno.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/bytes.h"
#include "core/platform/platform.h"

enum { CHILDREN = 8, BEGIN_MS = 2000, CPUS_MAX = 64, WORDS = 32 };

static const char taken[] = "taken by the lane of another";

/* ---- processes ------------------------------------------------------------------------ */

static pid_t children[CHILDREN]; /* 0: a free place */

void node_child(pid_t before, pid_t after)
{
	for (int i = 0; i < CHILDREN; i++)
		if (children[i] == before) {
			children[i] = after;
			return;
		}
	fail_msg("more than %d children", CHILDREN);
}

int node_end_all(void **state)
{
	(void)state;
	for (int i = 0; i < CHILDREN; i++) {
		if (children[i] == 0)
			continue;
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
		children[i] = 0;
	}
	return 0;
}

/* A wait lasts as long as whoever is waited for lives, however busy the machine is. */
bool node_is_alive(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    info.si_pid == 0;
}

pid_t node_start(const char *const *argv, const char *out, const char *errors)
{
	pid_t pid;

	file_make(aloe_path(errors), "", 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid > 0) {
		node_child(0, pid);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* two lanes that poll leave room for the device, on two CPUs */
	prctl(PR_CAPBSET_DROP, CAP_SYS_NICE, 0, 0, 0);
	if (strcmp(argv[0], aloe_program("x310sim")) == 0)
		aloe_off_lane();
	if (!freopen(aloe_path(out), "w", stdout) || !freopen(aloe_path(errors), "w", stderr))
		_exit(3);
	execv(argv[0], (char **)(uintptr_t)argv);
	_exit(4);
}

static pid_t parent_of(pid_t pid)
{
	char path[64], text[512];
	const char *end;
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file == NULL)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	end = strrchr(text, ')');
	return end != NULL && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* Whether a process that this one has started, or one of those that those have, keeps a CPU. */
static bool has_lane(pid_t pid)
{
	struct platform_holder holder;
	int cpus[CPUS_MAX];
	const size_t n = platform_cpus(cpus, CPUS_MAX);

	for (size_t i = 0; i < n; i++) {
		const int fd =
		    platform_cpu_free(cpus[i]) ? -1 : platform_lock_cpu(cpus[i], &holder);
		pid_t of;

		if (fd >= 0)
			close(fd); /* it was given back meanwhile */
		if (fd != -EADDRINUSE)
			continue;
		of = holder.pid;
		while (of > 1 && of != pid)
			of = parent_of(of);
		if (of == pid)
			return true;
	}
	return false;
}

/* A lane has its CPU for itself; another test may have it just now. */
static bool is_taken(pid_t pid, const char *errors)
{
	size_t len;
	char *text;
	bool is;

	for (int i = 0; i < BEGIN_MS / 2 && node_is_alive(pid); i++) {
		if (has_lane(pid))
			return false;
		usleep(2000);
	}
	if (node_is_alive(pid))
		return false;
	text = file_take(aloe_path(errors), &len);
	is = memmem(text, len, taken, strlen(taken)) != NULL;
	free(text);
	return is;
}

/* argv of a run that names no lane, on that of its row (tests/common/aloe.h). */
static void on_lane_of_row(const char *const *argv, const char *ret[WORDS])
{
	const char *lane = getenv("ALOE_TEST_LANE");
	int n = 0;

	for (; argv[n]; n++) {
		assert_true(n < WORDS - 3);
		ret[n] = argv[n];
		if (!strcmp(argv[n], "--lanes"))
			lane = NULL;
	}
	if (lane) {
		ret[n++] = "--lanes";
		ret[n++] = lane;
	}
	ret[n] = NULL;
}

pid_t node_run(const char *const *argv, const char *out, const char *errors)
{
	const char *on_lane[WORDS];
	pid_t pid;

	on_lane_of_row(argv, on_lane);
	pid = node_start(on_lane, out, errors);
	while (is_taken(pid, errors)) {
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		node_child(pid, 0);
		usleep(500000);
		pid = node_start(on_lane, out, errors);
	}
	return pid;
}

json_t *node_end(pid_t pid, int wanted, const char *out)
{
	json_t *said;
	size_t len;
	int status;
	char *text;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	node_child(pid, 0);
	text = file_take(aloe_path(out), &len);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != wanted)
		fail_msg("status %x: %.*s", (unsigned)status, (int)len, text);
	said = json_loadb(text, len, 0, NULL);
	if (said == NULL)
		fail_msg("no JSON, %zu bytes: %.*s", len, (int)len, text);
	free(text);
	return said;
}

/* ---- x310sim ------------------------------------------------------------------------ */

static bool ready(void)
{
	size_t len;
	char *text = file_take(aloe_path("errors"), &len);
	const bool is = memmem(text, len, "ready on", 8) != NULL;

	free(text);
	return is;
}

void sim_start(struct sim *sim, const char *const *more)
{
	const char *argv[32] = {aloe_program("x310sim"), "--json", "--address", "127.0.0.7",
	    "--source", "ticks", "--clock", "virtual"};

	for (int n = 8; *more; more++)
		argv[n++] = *more;
	*sim = (struct sim){.pid = node_start(argv, "said", "errors")};
	while (!ready()) {
		assert_true(node_is_alive(sim->pid));
		usleep(10000);
	}
}

void sim_stop(struct sim *sim)
{
	kill(sim->pid, SIGTERM);
	sim->said = node_end(sim->pid, 0, "said");
}

double sim_said(const struct sim *sim, size_t channel, const char *key)
{
	const json_t *c = json_array_get(json_object_get(sim->said, "channels"), channel);
	const json_t *value = json_object_get(c, key);

	if (!value)
		value = json_object_get(json_object_get(c, "latency"), key);
	assert_true(json_is_number(value));
	return json_number_value(value);
}

/* ---- waveforms ------------------------------------------------------------------------ */

static void poke(int fd, const struct sockaddr_in *to, uint32_t address, uint32_t value)
{
	uint8_t bytes[16], back[16];

	put_be32(bytes, 1 | 4);
	put_be32(bytes + 4, address);
	put_be32(bytes + 8, address);
	put_be32(bytes + 12, value);
	assert_int_equal(
	    sendto(fd, bytes, sizeof(bytes), 0, (const struct sockaddr *)to, sizeof(*to)),
	    sizeof(bytes));
	assert_int_equal(recv(fd, back, sizeof(back), 0), sizeof(back));
}

/* Registers of the timekeeper: the time low and high, and when it is taken (1: now). */
void sim_set_time(unsigned device, uint64_t ticks)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(0x7f000007 + device),
	    .sin_port = htons(49152)};
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	poke(fd, &to, 0xa000 + 4 * 108, (uint32_t)ticks);
	poke(fd, &to, 0xa000 + 4 * 112, (uint32_t)(ticks >> 32));
	poke(fd, &to, 0xa000 + 4 * 116, 1);
	close(fd);
}

const char *pass_conf(unsigned channels, unsigned slot_samples)
{
	char text[2048];
	int len = snprintf(text, sizeof(text),
	    "name = \"pass\";\nclock = \"radio\";\nslot_samples = %u;\nrate = 1e6;\ninstances: {\n",
	    slot_samples);

	for (unsigned c = 0; c < channels; c++)
		len += snprintf(text + len, sizeof(text) - (size_t)len,
		    "\trx%u: { component = \"radio_rx\"; type = \"ci16\"; channel = %u; };\n"
		    "\ttx%u: { component = \"radio_tx\"; channel = %u; };\n",
		    c, c, c, c);
	len += snprintf(text + len, sizeof(text) - (size_t)len,
	    "};\nlinks = ( \"rx0 -> tx0\"%s );\n", channels > 1 ? ", \"rx1 -> tx1\"" : "");
	file_make(aloe_path("pass.conf"), text, (size_t)len);
	return aloe_path("pass.conf");
}

const char *radio_conf(const char *text)
{
	file_make(aloe_path("radio.conf"), text, strlen(text));
	return aloe_path("radio.conf");
}
