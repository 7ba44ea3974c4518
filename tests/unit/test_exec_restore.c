/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_exec_restore.c - the real aloe-exec is given entries that make no sense, by this
 * program as its frontend: a node, lanes, waveforms, hosts. It says what it cannot take up, goes on
 * with the rest, kills the hosts that nobody owns any more, and answers. And a program of several
 * nodes, of which it takes the part of its own. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/bus/bus.h"
#include "core/json/json.h"
#include "core/keep/keep.h"
#include "daemons/exec/exec.h"
#include "core/map/plan.h"
#include "core/waveform/shape.h"
#include "daemons/swman/program.h"
#include "tests/common/image_sample.h"

enum { WAIT_MS = 30000 };

struct exec_test {
	const char *name; /* --node; NULL: none */
	char dir[64], bin[4096];
	struct bus *bus;
	int keep, leash;
	pid_t pid, host; /* host: a process that is a waveform's */
	struct bus_peer exec;
	struct node_image *node;
	int node_fd;
};

/* ---- a frontend ------------------------------------------------------------------------ */

static void message_wait(struct exec_test *test, struct wire_view *ret)
{
	int status;

	while ((status = bus_recv(test->bus, ret, &test->exec)) == -EAGAIN)
		assert_int_equal(
		    poll(&(struct pollfd){.fd = bus_fd(test->bus), .events = POLLIN}, 1, WAIT_MS),
		    1);
	assert_int_equal(status, 0);
}

static void message_send(struct exec_test *test, struct wire_msg *msg)
{
	size_t len;
	const uint8_t *bytes = wire_bytes(msg, &len);

	assert_int_equal(bus_send_to(test->bus, &test->exec, bytes, len), 0);
	wire_fini(msg);
}

static void exec_spawn(struct exec_test *test)
{
	struct pollfd polled = {.events = POLLIN};
	char leash_text[16];
	char *argv[] = {"aloe-exec", "--dir", test->dir, "--leash", leash_text,
	    test->name != NULL ? "--node" : NULL, (char *)test->name, NULL};
	struct keep_entry hello;
	int leash[2];
	pid_t pid;

	polled.fd = keep_listen(test->dir);
	assert_true(polled.fd >= 0);
	assert_int_equal(leash_new(leash), 0);
	snprintf(leash_text, sizeof(leash_text), "%d", leash[0]);
	assert_int_equal(child_spawn(test->bin, argv, &leash[0], 1, -1, &test->pid, NULL), 0);
	close(leash[0]);
	test->leash = leash[1];
	assert_int_equal(poll(&polled, 1, WAIT_MS), 1);
	test->keep = keep_accept(polled.fd, &pid);
	close(polled.fd);
	assert_int_equal(pid, test->pid);
	polled.fd = test->keep;
	assert_int_equal(poll(&polled, 1, WAIT_MS), 1);
	assert_int_equal(keep_recv(test->keep, &hello), 0);
	assert_int_equal(hello.kind, KEEP_HELLO);
}

static int setup(void **state, const char *name)
{
	struct exec_test *test = calloc(1, sizeof(*test));

	test->name = name;
	snprintf(test->dir, sizeof(test->dir), "/tmp/aloe-exec-XXXXXX");
	assert_non_null(mkdtemp(test->dir));
	assert_int_equal(child_path("../../bin/aloe-exec", test->bin, sizeof(test->bin)),
	    0); /* from BUILD/tests/unit */
	test->bus = bus_bind(test->dir);
	assert_non_null(test->bus);
	test->node_fd = image_memfd("aloe-node", sizeof(struct node_image));
	test->node = image_map(test->node_fd, sizeof(struct node_image), true);
	assert_non_null(test->node);
	test->node->magic = IMAGE_MAGIC;
	test->node->version = IMAGE_VERSION;
	test->node->n_lanes = 1;
	exec_spawn(test);
	*state = test;
	return 0;
}

static int test_setup(void **state)
{
	return setup(state, NULL);
}

static int test_setup_on_a(void **state)
{
	return setup(state, "a");
}

static int test_setup_on_c(void **state)
{
	return setup(state, "c");
}

static int test_teardown(void **state)
{
	struct exec_test *test = *state;
	int status;

	assert_int_equal(keep_leave(test->keep), 0);
	if (waitpid(test->pid, &status, 0) != test->pid || status != 0)
		return -1;
	close(test->keep);
	close(test->leash);
	munmap(test->node, sizeof(*test->node));
	close(test->node_fd);
	bus_close(test->bus);
	free(test);
	return 0;
}

/* ---- entries ------------------------------------------------------------------------ */

static void give(
    const struct exec_test *test, const char *key, const void *blob, size_t len, int fd, int other)
{
	const int fds[] = {fd, other};

	assert_int_equal(keep_put(test->keep, key, blob, len, fds,
	                     fd < 0          ? 0
	                         : other < 0 ? 1
	                                     : 2),
	    0);
}

/* A process that would live for an hour, as the host of a waveform: the host's end of its
 * socket. */
static int give_host_here(struct exec_test *test, const char *key)
{
	const struct kept_process kept = {.pid = 1};
	int pair[2], pidfd;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	test->host = fork();
	if (test->host == 0) {
		sleep(3600);
		_exit(0);
	}
	pidfd = pidfd_open(test->host, 0);
	assert_true(pidfd >= 0);
	give(test, key, &kept, sizeof(kept), pair[0], pidfd);
	close(pair[0]);
	close(pidfd);
	return pair[1];
}

static void give_host(struct exec_test *test, const char *key)
{
	close(give_host_here(test, key));
}

static void host_is_killed(const struct exec_test *test)
{
	int status;

	assert_int_equal(waitpid(test->host, &status, 0), test->host);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* A waveform with a sound record in control block `control`, whose first segment is on `lane`, at
 * entry `control`. drained: it is over, and had not given its lane back. */
static void give_record_of(const struct exec_test *test, const char *name, uint32_t control,
    uint32_t lane, bool drained, enum remap_stage remap, const struct image_files *files)
{
	struct kept_wave *kept = calloc(1, sizeof(*kept));
	char key[80];

	snprintf(test->node->control[control].name, sizeof(test->node->control[control].name), "%s",
	    name);
	test->node->control[control].state = WAVE_RUN;
	atomic_store(&test->node->control[control].used, 1);
	kept->control = control;
	kept->n_segments = 2;
	kept->started = 1;
	kept->drained = drained;
	kept->remap = (uint8_t)remap;
	kept->places[0] = (struct exec_place){lane, control, control};
	kept->places[1] = (struct exec_place){IMAGE_NONE, IMAGE_NONE, IMAGE_NONE};
	snprintf(key, sizeof(key), "waveform/%s", name);
	give(test, key, kept, offsetof(struct kept_wave, places) + 2 * sizeof(kept->places[0]),
	    files->program, files->image);
	free(kept);
}

static void give_record(const struct exec_test *test, const char *name, uint32_t control,
    uint32_t lane, bool drained, const struct image_files *files)
{
	give_record_of(test, name, control, lane, drained, REMAP_NONE, files);
}

static void give_wave(const struct exec_test *test, const char *name, uint32_t control,
    uint32_t lane, const struct image_files *files)
{
	give_record(test, name, control, lane, false, files);
}

/* lease_ms: of a waveform that is held without word from the manager; 0: it is not. */
static struct image_files files_leased(uint32_t lease_ms)
{
	struct rig *rig = image_sample_rig();
	struct image_files files;
	size_t len;
	void *program = rig_program(rig, &len);
	struct image_head *head = program;

	if (lease_ms > 0) {
		head->on_node_loss = IMAGE_LOSS_RESTART;
		head->load_id = 1;
		head->lease_ms = lease_ms;
	}
	assert_int_equal(image_create(program, len, &files), 0);
	free(program);
	rig_close(rig);
	return files;
}

static struct image_files files_new(void)
{
	return files_leased(0);
}

static int noise(size_t bytes)
{
	uint8_t *random = malloc(bytes);
	int fd;

	for (size_t i = 0; i < bytes; i++)
		random[i] = (uint8_t)rand();
	fd = image_memfd_sealed("noise", random, bytes);
	assert_true(fd >= 0);
	free(random);
	return fd;
}

/* ---- what it says ------------------------------------------------------------------------ */

/* What exec keeps with us, until it has put everything. */
static void settled(struct exec_test *test)
{
	struct keep_entry entry = {.kind = KEEP_PUT};
	struct wire_view view;
	struct wire_msg msg;

	assert_int_equal(keep_end(test->keep), 0);
	while (entry.kind != KEEP_END) {
		assert_int_equal(
		    poll(&(struct pollfd){.fd = test->keep, .events = POLLIN}, 1, WAIT_MS), 1);
		assert_int_equal(keep_recv(test->keep, &entry), 0);
		keep_entry_fini(&entry);
	}
	do
		message_wait(test, &view); /* events of those that were stopped come first */
	while (view.type != WIRE_HELLO);
	bus_reply(test->bus, &view, WIRE_OK, &msg);
	message_send(test, &msg);
}

static void ask(
    struct exec_test *test, enum wire_type type, const char *name, struct wire_view *ret)
{
	struct wire_msg msg;

	wire_init(&msg, type, WIRE_CLIENT, WIRE_EXEC, bus_seq(test->bus));
	if (name != NULL)
		wire_put_text(&msg, WIRE_TAG_WAVEFORM, name);
	message_send(test, &msg);
	do
		message_wait(test, ret);
	/* events of those that were stopped */
	while (ret->type != WIRE_OK && ret->type != WIRE_FAIL);
}

static json_t *list(struct exec_test *test)
{
	struct wire_view view;
	json_t *array;
	char *text;

	ask(test, WIRE_LIST, NULL, &view);
	assert_int_equal(view.type, WIRE_OK);
	text = wire_get_text(&view, WIRE_TAG_JSON, 0);
	array = json_loads(text, 0, NULL);
	assert_true(json_is_array(array));
	free(text);
	return array;
}

/* The waveform is shown, stopped, with that reason, has a report, and can be unloaded. */
static void dropped(struct exec_test *test, const char *name, const char *why)
{
	json_t *array = list(test), *wave;
	struct wire_view view;
	size_t n;
	bool found = false;

	json_array_foreach(array, n, wave)
	{
		const char *reason = json_string_value(json_object_get(wave, "reason"));

		if (strcmp(json_string_value(json_object_get(wave, "name")), name) != 0)
			continue;
		found = true;
		assert_string_equal(json_string_value(json_object_get(wave, "state")), "ABNSTOP");
		if (strstr(reason, why) == NULL)
			fail_msg("%s: `%s` is not in: %s", name, why, reason);
	}
	json_decref(array);
	if (!found)
		fail_msg("%s is not in the list", name);
	ask(test, WIRE_STATUS, name, &view);
	assert_int_equal(view.type, WIRE_OK);
	ask(test, WIRE_UNLOAD, name, &view);
	assert_int_equal(view.type, WIRE_OK);
}

static void nothing_is_left(struct exec_test *test)
{
	json_t *array = list(test);

	assert_int_equal(json_array_size(array), 0);
	json_decref(array);
	assert_int_equal(waitpid(test->pid, NULL, WNOHANG), 0);
}

/* ---- tests ------------------------------------------------------------------------ */

/* Each is dropped by itself, with its own reason. */
static void test_waves(void **state)
{
	struct exec_test *test = *state;
	struct image_files good = files_new(), bad = {noise(5000), noise(5000)};

	give(test, "node", NULL, 0, test->node_fd, -1);
	give(test, "waveform/short", "garbage", 7, good.program, good.image);
	give(test, "waveform/none", NULL, 0, -1, -1);
	give_wave(test, "tables", 1, IMAGE_NONE, &bad);
	give_wave(test, "halves", 2, IMAGE_NONE, &(struct image_files){good.image, good.program});
	give_wave(test, "places", 3, 7000, &good);
	give_wave(test, "hostless", 4, IMAGE_NONE, &good);
	give_host(test, "host/tables/0");
	settled(test);
	host_is_killed(test);
	dropped(test, "short", "the record of the waveform makes no sense");
	dropped(test, "none", "the record of the waveform makes no sense");
	dropped(test, "tables", "the tables of the waveform are not sound");
	dropped(test, "halves", "the tables of the waveform are not sound");
	dropped(test, "places", "the record of the waveform does not agree with the tables");
	dropped(test, "hostless", "a host was lost");
	nothing_is_left(test);
	image_files_close(&good);
	image_files_close(&bad);
}

/* The memory of an image that is noise, with a program that is whole. */
static void test_noise(void **state)
{
	struct exec_test *test = *state;
	struct image_files files = files_new();
	struct image_view view;

	assert_int_equal(image_open(&files, true, &view), 0);
	for (size_t i = 0; i < view.bytes; i++)
		view.base[i] = (uint8_t)rand();
	give(test, "node", NULL, 0, test->node_fd, -1);
	give_wave(test, "noisy", 1, IMAGE_NONE, &files);
	give_host(test, "host/noisy/0");
	settled(test);
	host_is_killed(test);
	dropped(test, "noisy", "the memory of the waveform was overwritten");
	nothing_is_left(test);
	image_close(&view);
	image_files_close(&files);
}

/* A lane that cannot be mapped, one that does not exist, and a waveform that was on the first. */
static void test_lanes(void **state)
{
	struct exec_test *test = *state;
	struct image_files good = files_new();
	const int cut = noise(100);

	give(test, "node", NULL, 0, test->node_fd, -1);
	give(test, "lane/0", NULL, 0, cut, -1);
	give(test, "lane/77777", NULL, 0, cut, -1);
	give(test, "lane/", NULL, 0, -1, -1);
	give_wave(test, "stranded", 1, 0, &good);
	give_host(test, "host/stranded/0");
	settled(test);
	host_is_killed(test);
	dropped(test, "stranded", "the memory of lane 0 (CPU 0) could not be taken up");
	nothing_is_left(test);
	close(cut);
	image_files_close(&good);
}

/* Exec died while two waveforms gave back their lane: it is that of the third one still, whichever
 * of them is taken up first. */
static void test_lane_of_several(void **state)
{
	struct exec_test *test = *state;
	struct image_files good = files_new();
	const int lane = image_memfd("aloe-lane", sizeof(struct lane_image));

	test->node->timebase[3] = (struct node_timebase){.pace = IMAGE_STEP, .slot_ns = 1000000};
	atomic_store(&test->node->timebase[3].used, 1);
	atomic_store(&test->node->lane[0].timebase, 3);
	atomic_store(&test->node->lane[0].entries, 4);
	test->node->lane[0].entry[2].waveform = 2;
	atomic_store(&test->node->lane[0].entry[2].seat, 2);
	atomic_store(&test->node->lane[0].entry[2].live, 1);
	give(test, "node", NULL, 0, test->node_fd, -1);
	give(test, "lane/0", NULL, 0, lane, -1);
	give_record(test, "over", 1, 0, true, &good);
	give_wave(test, "stays", 2, 0, &good);
	give_record(test, "over too", 3, 0, true, &good);
	give_host(test, "host/stays/0");
	settled(test);
	assert_int_equal(atomic_load(&test->node->lane[0].timebase), 3);
	assert_int_equal(atomic_load(&test->node->timebase[3].used), 1);
	assert_int_equal(kill(test->host, SIGKILL), 0);
	host_is_killed(test);
	close(lane);
	image_files_close(&good);
}

/* Without the node's tables nothing can go on; exec begins anew, and says what was there. */
static void test_node(void **state)
{
	struct exec_test *test = *state;
	struct image_files good = files_new();
	const int cut = noise(100);

	give(test, "node", NULL, 0, cut, -1);
	give(test, "lane/0", NULL, 0, cut, -1);
	give_wave(test, "wave", 1, 0, &good);
	give_host(test, "host/wave/0");
	settled(test);
	host_is_killed(test);
	dropped(test, "wave", "the node's tables are lost");
	nothing_is_left(test);
	close(cut);
	image_files_close(&good);
}

/* ---- in the midst of a remap ---- */

/* What exec has told the host, but for who watches it. */
static struct hostlink_msg told(int host)
{
	struct hostlink_msg msg = {.type = HOSTLINK_WATCHED};
	int fds[HOSTLINK_FDS_MAX];
	size_t n_fds;

	while (msg.type == HOSTLINK_WATCHED) {
		assert_int_equal(
		    poll(&(struct pollfd){.fd = host, .events = POLLIN}, 1, WAIT_MS), 1);
		assert_int_equal(hostlink_recv(host, &msg, fds, &n_fds), 0);
		while (n_fds > 0)
			close(fds[--n_fds]);
	}
	return msg;
}

static void start_fails(struct exec_test *test, const char *words)
{
	struct wire_view view;
	char *why;

	ask(test, WIRE_START, "wave", &view);
	assert_int_equal(view.type, WIRE_FAIL);
	why = wire_get_text(&view, WIRE_TAG_TEXT, 0);
	if (strstr(why, words) == NULL)
		fail_msg("`%s` is not in: %s", words, why);
	free(why);
}

/* An exec died over the exports and imports of an upgrade: whether the waveform was paused before,
 * or was halted for it, no step begins before the host has said that it is done with them. */
static void returns(struct exec_test *test, enum wave_state state)
{
	struct image_files good = files_new();
	struct hostlink_msg msg;
	struct wire_view view;
	int host;

	give(test, "node", NULL, 0, test->node_fd, -1);
	give_record_of(test, "wave", 1, IMAGE_NONE, false, REMAP_IMPORTS, &good);
	test->node->control[1].state = state;
	atomic_store(&test->node->control[1].limit, 0);
	host = give_host_here(test, "host/wave/0");
	settled(test);
	msg = told(host);
	assert_int_equal(msg.type, HOSTLINK_REMAIN);
	start_fails(test, "has another change under way");
	assert_int_equal(atomic_load(&test->node->control[1].limit), 0);
	msg.type = HOSTLINK_REMAINED;
	assert_int_equal(hostlink_send(host, &msg, NULL, 0), 0);
	for (int i = 0; i < WAIT_MS; i++) {
		ask(test, WIRE_START, "wave", &view);
		if (view.type == WIRE_OK || state == WAVE_RUN)
			break;
		usleep(1000);
	}
	for (int i = 0; i < WAIT_MS; i++) {
		if (atomic_load(&test->node->control[1].limit) == IMAGE_FOREVER)
			break;
		usleep(1000);
	}
	assert_int_equal(atomic_load(&test->node->control[1].limit), IMAGE_FOREVER);
	start_fails(test, "is in state RUN");
	kill(test->host, SIGKILL);
	close(host);
	image_files_close(&good);
}

static void test_imports_while_paused(void **state)
{
	returns(*state, WAVE_PAUSE);
}

static void test_imports_while_halted(void **state)
{
	returns(*state, WAVE_RUN);
}

/* An exec died over a waveform that it held for want of word from the manager, which may have given
 * the node up: that is no remap, and the next exec does not let it run either. */
static void test_held(void **state)
{
	enum { LIMIT = 5, LOOK_MS = 200 };
	struct exec_test *test = *state;
	struct image_files good = files_leased(60000);
	struct hostlink_msg msg = {.type = HOSTLINK_REMAINED};
	int host;

	give(test, "node", NULL, 0, test->node_fd, -1);
	give_wave(test, "wave", 1, IMAGE_NONE, &good);
	atomic_store(&test->node->control[1].limit, LIMIT);
	host = give_host_here(test, "host/wave/0");
	settled(test);
	start_fails(test, "is held: there was no word from the manager");
	assert_int_equal(hostlink_send(host, &msg, NULL, 0), 0);
	usleep(LOOK_MS * 1000);
	start_fails(test, "is held: there was no word from the manager");
	assert_int_equal(atomic_load(&test->node->control[1].limit), LIMIT);
	kill(test->host, SIGKILL);
	close(host);
	image_files_close(&good);
}

/* ---- one of several nodes ---- */

enum { INDICES = 60 };

/* Sent to both nodes by the source on a. */
static const char pair_text[] =
    "name = \"pair\";\n"
    "slot_ns = 1000000;\n"
    "clock = \"virtual\";\n"
    "instances: {\n"
    "	source: { component = \"null_source\"; type = \"cf32\"; length = 100; node = \"a\"; };\n"
    "	near: { component = \"null_sink\"; node = \"a\"; };\n"
    "	far: { component = \"null_sink\"; node = \"b\"; };\n"
    "};\n"
    "links = ( \"source -> near\", \"source -> far\" );\n";

/* Of node b even the CPU is one that this machine does not have. */
static struct plan *pair_plan(struct waveform *wf, struct diag *diag)
{
	static const int cpus[] = {0, 5000};
	static const struct platform_core cores[] = {{0, 0, 0}, {1, 0, 0}};
	static const struct platform_node nodes[] = {{.name = "a"}, {.name = "b"}};
	static uint32_t both[] = {0, 1};
	static const struct platform_link links[] = {{PLATFORM_FULL, both, 2, 1000, 2}};
	const struct platform_model platform = {.cpus = cpus,
	    .n_lanes = 2,
	    .cores = cores,
	    .name = "pair",
	    .nodes = nodes,
	    .n_nodes = 2,
	    .links = links,
	    .n_links = 1};
	struct plan *plan = NULL;

	if (plan_make(wf, &platform, NULL, diag, &plan) != 0)
		fail_msg("%s", diag->lines[0]);
	return plan;
}

static void *pair_program(size_t *ret_len)
{
	const struct wf_overrides overrides = {.cwd = "/", .pipelined = -1};
	char dir[4096], host[4096];
	struct waveform *wf = NULL;
	struct registry *registry;
	struct plan *plan;
	struct diag diag;
	void *program = NULL;

	diag_init(&diag);
	assert_int_equal(child_path("../../lib/aloe", dir, sizeof(dir)), 0);
	assert_int_equal(child_path("../../bin/aloe-host", host, sizeof(host)), 0);
	registry = registry_open(dir, &diag);
	assert_non_null(registry);
	if (waveform_parse(
	        "pair.conf", pair_text, strlen(pair_text), registry, &overrides, &diag, &wf) != 0 ||
	    waveform_shape(wf, host, &diag) != 0)
		fail_msg("%s", diag.lines[0]);
	plan = pair_plan(wf, &diag);
	assert_int_equal(program_build(wf, plan, INDICES, 0, &diag, &program, ret_len), 0);
	plan_free(plan);
	waveform_free(wf);
	registry_close(registry);
	diag_fini(&diag);
	return program;
}

static void prepare(struct exec_test *test, const void *program, size_t len, struct wire_view *ret)
{
	struct wire_msg msg;

	wire_init(&msg, WIRE_PREPARE, WIRE_CLIENT, WIRE_EXEC, bus_seq(test->bus));
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, "pair");
	wire_put_bytes(&msg, WIRE_TAG_PROGRAM, program, len);
	message_send(test, &msg);
	do
		message_wait(test, ret);
	while (ret->type != WIRE_OK && ret->type != WIRE_FAIL);
}

/* What exec has put with us: a bit for each host, and the waveform's memory. */
static uint32_t pair_kept(struct exec_test *test, struct image_files *ret)
{
	struct pollfd polled = {.fd = test->keep, .events = POLLIN};
	struct keep_entry entry;
	uint32_t hosts = 0;

	while (poll(&polled, 1, 200) == 1) {
		assert_int_equal(keep_recv(test->keep, &entry), 0);
		if (strncmp(entry.key, "host/pair/", 10) == 0)
			hosts |= 1u << atoi(entry.key + 10);
		if (strcmp(entry.key, "waveform/pair") == 0 && entry.n_fds == 2 && ret->image < 0) {
			*ret = (struct image_files){dup(entry.fds[0]), dup(entry.fds[1])};
			assert_true(ret->program >= 0 && ret->image >= 0);
		}
		keep_entry_fini(&entry);
	}
	return hosts;
}

static void done_is(const struct image_segment_state *state, uint64_t want)
{
	for (int i = 0; i < WAIT_MS && atomic_load(&state->done) < want; i++)
		usleep(1000);
	usleep(20000);
	assert_int_equal(atomic_load(&state->done), want);
}

/* Node a runs its own segment as far as the gate of node b lets it, and to the end when a bridge
 * says that b has gone on. */
static void pair_runs(struct exec_test *test, const struct image_view *view)
{
	const uint32_t far = view->instances[image_find_instance(view, "far", 3)].segment,
	               own = view->instances[image_find_instance(view, "source", 6)].segment;
	struct image_segment_state *remote = image_segment_state(view, far);
	struct wire_view answer;
	int32_t offset = 1; /* of no gate between nodes */

	for (uint32_t g = 0; g < view->segments[own].n_gates; g++)
		if (view->gates[view->segments[own].gates + g].segment == far)
			offset = view->gates[view->segments[own].gates + g].offset;
	assert_true(offset < 0 && 1 - offset < INDICES);
	ask(test, WIRE_START, "pair", &answer);
	assert_int_equal(answer.type, WIRE_OK);
	done_is(image_segment_state(view, own), (uint64_t)(1 - offset));
	atomic_store(&remote->done, 10);
	futex_wake(futex_low(&remote->done), INT32_MAX);
	done_is(image_segment_state(view, own), (uint64_t)(11 - offset));
	atomic_store(&remote->done, 1000);
	futex_wake(futex_low(&remote->done), INT32_MAX);
	done_is(image_segment_state(view, own), INDICES + view->segments[own].end);
	assert_int_equal(image_segment_state(view, far)->slots, 0);
}

static void test_part_of_a_node(void **state)
{
	struct exec_test *test = *state;
	struct image_files files = {-1, -1};
	struct image_view view;
	struct wire_view answer;
	struct stat stat;
	uint32_t hosts;
	size_t len;
	void *program = pair_program(&len);

	settled(test);
	prepare(test, program, len, &answer);
	if (answer.type != WIRE_OK)
		fail_msg("%s", wire_get_text(&answer, WIRE_TAG_TEXT, 0));
	hosts = pair_kept(test, &files);
	assert_int_equal(image_open(&files, true, &view), 0);
	assert_int_equal(view.head->hosts.count, 2);
	assert_int_equal(hosts, view.hosts[0].node == image_find_node(&view, "a") ? 1 : 2);
	assert_int_equal(fstat(files.image, &stat), 0);
	assert_true((uint64_t)stat.st_blocks * 512 <= image_bytes_node(program, 0));
	assert_true(image_bytes_node(program, 0) < view.head->total_bytes);
	pair_runs(test, &view);
	ask(test, WIRE_STATUS, "pair", &answer);
	assert_int_equal(answer.type, WIRE_OK);
	ask(test, WIRE_UNLOAD, "pair", &answer);
	assert_int_equal(answer.type, WIRE_OK);
	nothing_is_left(test);
	image_close(&view);
	image_files_close(&files);
	free(program);
}

static void refused_with(struct exec_test *test, const char *why)
{
	struct wire_view answer;
	size_t len;
	void *program = pair_program(&len);
	char *text;

	settled(test);
	prepare(test, program, len, &answer);
	assert_int_equal(answer.type, WIRE_FAIL);
	text = wire_get_text(&answer, WIRE_TAG_TEXT, 0);
	assert_string_equal(text, why);
	nothing_is_left(test);
	free(text);
	free(program);
}

static void test_no_such_node(void **state)
{
	refused_with(*state,
	    "the program is for several nodes, and none of them is node \"c\"; there are a, b");
}

static void test_no_name(void **state)
{
	refused_with(
	    *state, "the program is for several nodes, and this node has no name; there are a, b");
}

#define WITH_EXEC(function) cmocka_unit_test_setup_teardown(function, test_setup, test_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    WITH_EXEC(test_waves),
	    WITH_EXEC(test_noise),
	    WITH_EXEC(test_lanes),
	    WITH_EXEC(test_lane_of_several),
	    WITH_EXEC(test_node),
	    WITH_EXEC(test_imports_while_paused),
	    WITH_EXEC(test_imports_while_halted),
	    WITH_EXEC(test_held),
	    WITH_EXEC(test_no_name),
	    cmocka_unit_test_setup_teardown(test_part_of_a_node, test_setup_on_a, test_teardown),
	    cmocka_unit_test_setup_teardown(test_no_such_node, test_setup_on_c, test_teardown),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
