/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/exec/shadow.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/image/follow.h"
#include "daemons/common/shadow.h"

enum {
	SHADOW_N_MAX = 1 << 18,
	RING_BYTES_MAX = 64 << 20,
	LOOK_NS = 50000000,
	HANG_MIN_NS = 1000000000, /* a call that takes so long, and 1000 slots, hangs */
	IMPORT_S = 2,             /* import_state that takes so long hangs */
};

struct exec_shadow {
	struct exec_wave *wave;
	uint32_t instance;
	uint64_t number; /* of the upgrade */
	void *program;
	size_t len;
	int state_fd;
	struct shadow_page order, *page; /* page NULL: there is no process yet */
	pid_t pid;
	int pidfd; /* -1: it is over, or has not begun */
	struct loop_watch watch;
	struct loop_timer timer;
	bool bad; /* crashed, hung, or refused to go on */
	char verdict[SHADOW_TEXT + 200];
};

/* ---- before ------------------------------------------------------------------------ */

/* The only instance of another build. */
static int shadow_find(const struct exec_wave *wave, const void *program, uint32_t *ret,
    uint64_t *ret_number, char *why, size_t size)
{
	const struct image_view *view = &wave->view;
	struct image_view after;
	uint32_t n = 0;

	image_bind(program, &after);
	for (uint32_t i = 0; i < view->head->instances.count; i++)
		if (image_upgraded(view, &after, i)) {
			*ret = i;
			*ret_number = after.instances[i].upgrade;
			n++;
		}
	if (n == 1)
		return 0;
	snprintf(why, size, "%u copies of the instance would need one each, and there is one", n);
	return -EINVAL;
}

/* So many messages that all of the run are there at once, if they are not too large. */
static uint32_t ring_keep(const struct exec_wave *wave, uint32_t buffer, uint64_t n)
{
	const uint64_t most = RING_BYTES_MAX / wave->view.buffers[buffer].stride,
	               least = image_tap_keep(wave->view.head->slot_ns);
	uint64_t keep = 2 * n;

	keep = keep > most ? most : keep;
	keep = keep < least ? least : keep;
	return keep > IMAGE_TAP_MAX ? IMAGE_TAP_MAX : (uint32_t)keep;
}

static int rings_make(const struct exec_wave *wave, uint32_t instance, uint64_t n, void *rings)
{
	const struct image_view *view = &wave->view;
	const struct image_instance *row = &view->instances[instance];
	int status = 0;

	for (uint32_t p = 0; p < row->n_inputs + row->n_outputs && status == 0; p++) {
		const uint32_t buffer = p < row->n_inputs
		    ? view->inputs[row->inputs + p].buffer
		    : view->outputs[row->outputs + p - row->n_inputs].buffer;

		if (buffer != IMAGE_NONE)
			status = image_ring(rings, buffer, ring_keep(wave, buffer, n));
	}
	return status;
}

static int order_take(
    const struct wire_view *request, struct shadow_page *order, char *why, size_t size)
{
	char *within = wire_get_text(request, WIRE_TAG_VALUE, 0);

	wire_get_u64(request, WIRE_TAG_SLOTS, &order->n);
	order->within_db = within != NULL ? strtod(within, NULL) : 0;
	free(within);
	if (order->n > 0 && order->n <= SHADOW_N_MAX && order->within_db >= 0 &&
	    order->within_db < 1000)
		return 0;
	snprintf(why, size, "a shadow run of 1 to %d indices, within 0 to 1000 dB, is possible",
	    SHADOW_N_MAX);
	return -EINVAL;
}

int shadow_new(struct exec_wave *wave, const struct wire_view *request, const void *program,
    size_t len, void *rings, char *ret_why, size_t size)
{
	struct exec_shadow *shadow = calloc(1, sizeof(*shadow));
	const char *unsound;
	int status = shadow != NULL ? 0 : -ENOMEM;

	if (status == 0 && image_check(program, len, &unsound) != 0) {
		snprintf(ret_why, size, "the program is not sound: %s", unsound);
		status = -EBADMSG;
	}
	if (status == 0)
		status = image_follows(&wave->view, program, true, ret_why, size);
	if (status == 0)
		status = order_take(request, &shadow->order, ret_why, size);
	if (status == 0)
		status =
		    shadow_find(wave, program, &shadow->instance, &shadow->number, ret_why, size);
	if (status == 0)
		status = rings_make(wave, shadow->instance, shadow->order.n, rings);
	if (status == 0) {
		shadow->wave = wave;
		shadow->pidfd = -1;
		shadow->len = len;
		shadow->program = malloc(len);
		shadow->state_fd = memfd_create("aloe-state", MFD_CLOEXEC);
		status = shadow->program == NULL || shadow->state_fd < 0 ? -ENOMEM : 0;
		wave->shadow_next = shadow;
	} else {
		free(shadow);
	}
	if (status == 0)
		memcpy(shadow->program, program, len);
	else
		shadow_forget(wave);
	return status;
}

/* ---- while the waveform stands ---------------------------------------------------------- */

int shadow_export(struct exec_wave *wave)
{
	const struct exec_shadow *shadow = wave->shadow_next;
	const struct image_instance *row = &wave->view.instances[shadow->instance];
	struct exec_process *process = wave->hosts[wave->view.segments[row->segment].host].process;
	const struct hostlink_msg msg = {.type = HOSTLINK_EXPORT,
	    .control = wave->control,
	    .instance = shadow->instance,
	    .sequence = wave->remap_number};

	return process != NULL ? process_send(process, &msg, &shadow->state_fd, 1) : -EPIPE;
}

void shadow_exported(struct exec_wave *wave, bool has_state)
{
	struct exec_shadow *shadow = wave->shadow_next;
	struct stat about;

	shadow->order.from = image_next_index(&wave->view, shadow->instance);
	shadow->order.has_state = has_state;
	if (fstat(shadow->state_fd, &about) == 0)
		shadow->order.state_bytes = (uint64_t)about.st_size;
}

/* ---- the process ------------------------------------------------------------------------ */

static void shadow_over(struct exec_shadow *shadow)
{
	struct loop *loop = &shadow->wave->exec->daemon.loop;

	if (shadow->pidfd < 0)
		return;
	loop_watch_stop(loop, &shadow->watch);
	loop_timer_stop(loop, &shadow->timer);
	close(shadow->pidfd);
	shadow->pidfd = -1;
}

static unsigned long long index_of(const struct exec_shadow *shadow)
{
	return (unsigned long long)atomic_load(&shadow->page->index);
}

/* Whatever it wrote: the text ends, and is said only where the process came to a verdict. */
static void verdict_take(struct exec_shadow *shadow, const char *how)
{
	const uint32_t verdict = atomic_load(&shadow->page->verdict);
	char text[SHADOW_TEXT];

	memcpy(text, shadow->page->text, sizeof(text));
	text[sizeof(text) - 1] = 0;
	for (char *c = text; *c; c++)
		*c = (unsigned char)*c < ' ' ? ' ' : *c;
	shadow->bad = verdict < SHADOW_EQUAL || verdict == SHADOW_FAILED || verdict > SHADOW_LOST;
	if (verdict >= SHADOW_EQUAL && verdict <= SHADOW_LOST)
		snprintf(shadow->verdict, sizeof(shadow->verdict), "%s", text);
	else
		snprintf(shadow->verdict, sizeof(shadow->verdict),
		    "the new build crashed: its process %s at index %llu", how, index_of(shadow));
}

static void shadow_died(void *self, short revents)
{
	struct exec_shadow *shadow = self;
	char how[128];

	(void)revents;
	child_ended(shadow->pid, shadow->pidfd, how, sizeof(how));
	shadow_over(shadow);
	if (shadow->verdict[0] != 0) /* exec has killed it, and said why */
		return;
	verdict_take(shadow, how);
	log_note(&shadow->wave->exec->daemon.log, "%s: shadow run of \"%s\": %s",
	    shadow->wave->name,
	    image_text(&shadow->wave->view, shadow->wave->view.instances[shadow->instance].name),
	    shadow->verdict);
}

/* Nobody waits for it: shadow_died hears of its end. */
static void shadow_end(struct exec_shadow *shadow)
{
	loop_timer_stop(&shadow->wave->exec->daemon.loop, &shadow->timer);
	pidfd_send_signal(shadow->pidfd, SIGKILL, NULL, 0);
}

static void shadow_kill(struct exec_shadow *shadow)
{
	struct pollfd polled = {.fd = shadow->pidfd, .events = POLLIN};
	int status;

	if (shadow->pidfd < 0)
		return;
	pidfd_send_signal(shadow->pidfd, SIGKILL, NULL, 0);
	poll(&polled, 1, 2000);
	child_reap(shadow->pid, &status);
	shadow_over(shadow);
}

static void shadow_look(void *self)
{
	struct exec_shadow *shadow = self;
	const uint64_t since = atomic_load(&shadow->page->since_ns), now = clock_ns(),
	               slots = 1000 * shadow->wave->view.head->slot_ns,
	               work = slots > HANG_MIN_NS ? slots : HANG_MIN_NS;
	const bool works = atomic_load(&shadow->page->phase) == SHADOW_WORKS;
	const uint64_t bound = works ? work : IMPORT_S * 1000000000ull;

	if (since != 0 && now > since && now - since > bound) {
		shadow_end(shadow);
		shadow->bad = true;
		if (works)
			snprintf(shadow->verdict, sizeof(shadow->verdict),
			    "the new build hung at index %llu, and its process was killed",
			    index_of(shadow));
		else
			snprintf(shadow->verdict, sizeof(shadow->verdict),
			    "import_state of the new build has not returned within %d s, and its "
			    "process was killed",
			    IMPORT_S);
		return;
	}
	loop_timer_start(
	    &shadow->wave->exec->daemon.loop, &shadow->timer, LOOK_NS, shadow_look, shadow);
}

static int shadow_spawn(struct exec_shadow *shadow, const int fds[SHADOW_FDS])
{
	char path[4096], list[16 * SHADOW_FDS] = "", parent[16];
	char *argv[] = {"aloe-host", "--shadow", list, parent, NULL};
	int status = child_path("aloe-host", path, sizeof(path));
	size_t len = 0;

	for (int i = 0; i < SHADOW_FDS; i++) {
		if (fds[i] < 0)
			return fds[i];
		len += (size_t)snprintf(
		    list + len, sizeof(list) - len, "%s%d", i > 0 ? "," : "", fds[i]);
	}
	snprintf(parent, sizeof(parent), "%d", getpid());
	if (status == 0)
		status = child_spawn(path, argv, fds, SHADOW_FDS, -1, &shadow->pid, &shadow->pidfd);
	return status;
}

static int shadow_begin(struct exec_shadow *shadow)
{
	const struct exec_wave *wave = shadow->wave;
	const struct image_files *files = &wave->other->files;
	const int page = image_memfd("aloe-shadow", sizeof(struct shadow_page)),
	          program = image_memfd_sealed("aloe-shadow-program", shadow->program, shadow->len),
	          image = file_read_only(files->image);
	int status = -ENOMEM;

	shadow->page = page >= 0 ? image_map(page, sizeof(*shadow->page), true) : NULL;
	if (shadow->page != NULL) {
		shadow->page->instance = shadow->instance;
		status = shadow_spawn(shadow,
		    (int[]){program, files->program, image, shadow->state_fd, page,
		        wave->exec->daemon.args.leash});
	}
	if (page >= 0)
		close(page);
	if (program >= 0)
		close(program);
	if (image >= 0)
		close(image);
	return status;
}

static void shadow_free(struct exec_shadow *shadow)
{
	if (shadow == NULL)
		return;
	shadow_kill(shadow);
	if (shadow->page != NULL)
		munmap(shadow->page, sizeof(*shadow->page));
	if (shadow->state_fd >= 0)
		close(shadow->state_fd);
	free(shadow->program);
	free(shadow);
}

int shadow_open(struct exec_wave *wave, char *ret_why, size_t size)
{
	struct exec_shadow *shadow = wave->shadow_next;
	const int status = shadow_begin(shadow);

	if (status != 0)
		snprintf(ret_why, size, "the process of the shadow run could not be started: %s",
		    strerror(-status));
	else
		loop_watch_start(&wave->exec->daemon.loop, &shadow->watch, shadow->pidfd, POLLIN,
		    shadow_died, shadow);
	return status;
}

int shadow_ready(struct exec_wave *wave, char *ret_why, size_t size)
{
	const struct exec_shadow *shadow = wave->shadow_next;

	if (shadow->verdict[0] == 0)
		return atomic_load(&shadow->page->phase) == SHADOW_READY;
	snprintf(ret_why, size, "\"%s\" cannot have a shadow run: %s", wave->name, shadow->verdict);
	return -EINVAL;
}

void shadow_go(struct exec_wave *wave)
{
	struct exec_shadow *shadow = wave->shadow_next;

	shadow_free(wave->shadow);
	wave->shadow = shadow;
	wave->shadow_next = NULL;
	shadow->page->from = shadow->order.from;
	shadow->page->n = shadow->order.n;
	shadow->page->within_db = shadow->order.within_db;
	shadow->page->state_bytes = shadow->order.state_bytes;
	shadow->page->has_state = shadow->order.has_state;
	atomic_store(&shadow->page->go, 1);
	if (shadow->pidfd >= 0)
		loop_timer_start(
		    &wave->exec->daemon.loop, &shadow->timer, LOOK_NS, shadow_look, shadow);
}

void shadow_leave(struct exec_wave *wave, const char *because)
{
	struct exec_shadow *shadow = wave->shadow;

	if (shadow == NULL || shadow->pidfd < 0 || shadow->verdict[0] != 0)
		return;
	shadow_end(shadow);
	snprintf(shadow->verdict, sizeof(shadow->verdict), "%s before index %llu was compared; %s",
	    because, index_of(shadow),
	    wave->state == WAVE_ABNSTOP
	        ? "unload the waveform and load it again before another shadow run"
	        : "begin the shadow run again");
}

void shadow_set(struct exec_wave *wave, uint32_t instance)
{
	if (wave->shadow != NULL && wave->shadow->instance == instance)
		shadow_leave(wave, "a parameter of the instance was set");
}

void shadow_forget(struct exec_wave *wave)
{
	shadow_free(wave->shadow_next);
	wave->shadow_next = NULL;
}

void shadow_drop(struct exec_wave *wave)
{
	shadow_free(wave->shadow);
	wave->shadow = NULL;
	shadow_forget(wave);
}

/* ---- what is asked ------------------------------------------------------------------------ */

static void status_send(struct exec_wave *wave, const struct wire_view *request)
{
	const struct exec_shadow *shadow = wave->shadow;
	const uint64_t end = shadow->order.from + shadow->order.n;
	const bool runs = shadow->verdict[0] == 0;
	char text[SHADOW_TEXT + 500];
	struct wire_msg msg;

	if (runs)
		snprintf(text, sizeof(text),
		    "the shadow run works on index %llu; it began with index %llu and ends before "
		    "index %llu",
		    index_of(shadow), (unsigned long long)shadow->order.from,
		    (unsigned long long)end);
	else
		snprintf(text, sizeof(text), "%s; the new build %s", shadow->verdict,
		    atomic_load(&shadow->page->imported) != 0 ? "had taken over the state"
		                                              : "had started fresh");
	bus_reply(wave->exec->daemon.bus, request, WIRE_OK, &msg);
	wire_put_text(&msg, WIRE_TAG_STATE, runs ? "runs" : shadow->bad ? "failed" : "over");
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	bus_send(wave->exec->daemon.bus, &msg);
}

/* It is not there, or is another one's: the manager forgets it by STATE. */
static void none_fail(struct exec_wave *wave, const struct wire_view *request, const char *name)
{
	const struct exec_shadow *shadow = wave->shadow;
	const struct image_view *view = &wave->view;
	char text[600];
	struct wire_msg msg;

	if (shadow != NULL)
		snprintf(text, sizeof(text),
		    "instance \"%.100s\" of \"%s\" has no shadow run any more: a shadow run of "
		    "instance \"%.100s\" has taken its place",
		    name, wave->name, image_text(view, view->instances[shadow->instance].original));
	else
		snprintf(text, sizeof(text),
		    "instance \"%.100s\" of \"%s\" has no shadow run (another upgrade of the "
		    "waveform or a restart of aloe-exec ends one); begin it again, or upgrade "
		    "without it",
		    name, wave->name);
	bus_reply(wave->exec->daemon.bus, request, WIRE_FAIL, &msg);
	wire_put_u64(&msg, WIRE_TAG_CODE, 1);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	wire_put_text(&msg, WIRE_TAG_STATE, "none");
	bus_send(wave->exec->daemon.bus, &msg);
}

/* The shadow run of that instance and, where the number is given, of that upgrade. */
static bool is_its(const struct exec_wave *wave, const struct wire_view *request, const char *name)
{
	const struct exec_shadow *shadow = wave->shadow;
	const struct image_view *view = &wave->view;
	uint64_t number;

	return shadow != NULL &&
	    strcmp(image_text(view, view->instances[shadow->instance].original), name) == 0 &&
	    (wire_get_u64(request, WIRE_TAG_COUNT, &number) != 0 || number == shadow->number);
}

/* A build that has crashed or hung, or that was compared with nothing, is not put into the
 * waveform. */
static bool commit_refused(struct exec_wave *wave, const struct wire_view *request)
{
	const struct exec_shadow *shadow = wave->shadow;

	if (shadow->verdict[0] == 0)
		exec_fail(wave->exec, request, 1,
		    "the shadow run of \"%s\" is not over yet (`--status`)", wave->name);
	else if (shadow->bad)
		exec_fail(wave->exec, request, 1, "the shadow run of \"%s\" failed: %s", wave->name,
		    shadow->verdict);
	else if (atomic_load(&shadow->page->compared) == 0)
		exec_fail(wave->exec, request, 1,
		    "the shadow run of \"%s\" has compared nothing: %s", wave->name,
		    shadow->verdict);
	else
		return false;
	return true;
}

void shadow_dropped(struct exec_wave *wave, const struct wire_view *request, const char *text)
{
	struct wire_msg msg;

	bus_reply(wave->exec->daemon.bus, request, WIRE_OK, &msg);
	wire_put_u64(&msg, WIRE_TAG_SLOT, 0);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	bus_send(wave->exec->daemon.bus, &msg);
}

bool shadow_asked(struct exec_wave *wave, const struct wire_view *request, const char *name)
{
	char *state = wire_get_text(request, WIRE_TAG_STATE, 0);
	const bool status = state != NULL && strcmp(state, "status") == 0,
	           drop = state != NULL && strcmp(state, "drop") == 0,
	           commit = state != NULL && strcmp(state, "commit") == 0;

	free(state);
	if ((!status && !drop && !commit) || name == NULL)
		return false;
	if (!is_its(wave, request, name)) {
		none_fail(wave, request, name);
	} else if (commit) {
		return commit_refused(wave, request);
	} else if (status) {
		status_send(wave, request);
	} else if (wave->remap != REMAP_NONE) {
		wave_busy_fail(wave, request);
	} else {
		shadow_drop(wave);
		shadow_dropped(wave, request, "the shadow run is dropped");
	}
	return true;
}
