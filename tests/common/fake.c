/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/fake.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/clock.h"
#include "daemons/common/daemon.h"
#include "core/keep/keep.h"

enum { DUMP_BYTES = 4096 };

struct fake_entry {
	struct fake_entry *next;
	struct keep_entry kept;
};

struct fake {
	struct daemon daemon;
	enum wire_peer peer;
	struct fake_entry *first;
	bool ready; /* has taken up what is kept */
};

static void fake_entry_take(struct fake *fake, struct keep_entry *kept)
{
	struct fake_entry **at = &fake->first, *entry;

	while (*at && strcmp((*at)->kept.key, kept->key) != 0)
		at = &(*at)->next;
	entry = *at;
	if (entry) {
		*at = entry->next;
		keep_entry_fini(&entry->kept);
		free(entry);
	}
	if (kept->kind == KEEP_DROP)
		return;
	for (at = &fake->first; *at; at = &(*at)->next)
		;
	entry = calloc(1, sizeof(*entry));
	entry->kept = *kept;
	*at = entry;
}

static void fake_fini(struct fake *fake)
{
	while (fake->first) {
		struct fake_entry *entry = fake->first;

		fake->first = entry->next;
		keep_entry_fini(&entry->kept);
		free(entry);
	}
}

static void fake_entry(void *self, struct keep_entry *kept)
{
	struct fake *fake = self;

	if (!fake->ready || fake->peer == WIRE_STATS)
		fake_entry_take(fake, kept);
	else
		keep_entry_fini(kept);
}

static bool takes_long(const struct fake *fake)
{
	for (const struct fake_entry *entry = fake->first; entry; entry = entry->next)
		if (strcmp(entry->kept.key, FAKE_LONG_KEY) == 0)
			return fake->peer == WIRE_EXEC;
	return false;
}

static void be_silent(void)
{
	clock_sleep_until(clock_ns() + FAKE_LONG_MS * 1000000ull);
}

/* exec puts all it has, to every frontend. */
static int fake_ready(void *self)
{
	struct fake *fake = self;

	if (!fake->ready && takes_long(fake))
		be_silent();
	fake->ready = true;
	for (const struct fake_entry *entry = fake->first; entry && fake->peer == WIRE_EXEC;
	     entry = entry->next)
		daemon_put(&fake->daemon, entry->kept.key, entry->kept.blob, entry->kept.len,
		    entry->kept.fds, entry->kept.n_fds);
	return fake->peer == WIRE_EXEC ? keep_end(fake->daemon.attach.fd) : 0;
}

/* stats hears of all again; half of what an earlier exec had is of no use to exec. */
static void fake_lost(void *self)
{
	struct fake *fake = self;

	if (fake->peer == WIRE_STATS || !fake->ready)
		fake_fini(fake);
}

/* "key=blob:content:rw key=..." */
static void fake_dump(struct fake *fake, const struct wire_view *request)
{
	char text[DUMP_BYTES] = "", content[32];
	struct wire_msg msg;
	int len = 0;

	attach_settle(&fake->daemon.attach);
	for (struct fake_entry *entry = fake->first; entry; entry = entry->next) {
		const struct keep_entry *kept = &entry->kept;

		memset(content, 0, sizeof(content));
		if (kept->n_fds == 0 || pread(kept->fds[0], content, sizeof(content) - 1, 0) < 0)
			content[0] = '?';
		len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%s=%.*s:%s:%s",
		    len ? " " : "", kept->key, (int)kept->len, (const char *)kept->blob, content,
		    kept->n_fds == 0                                             ? "none"
		        : (fcntl(kept->fds[0], F_GETFL) & O_ACCMODE) == O_RDONLY ? "ro"
		                                                                 : "rw");
	}
	bus_reply(fake->daemon.bus, request, WIRE_OK, &msg);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	bus_send(fake->daemon.bus, &msg);
}

/* Keeps a new memory with TEXT in it, under NAME, and TEXT as the blob too. */
static void fake_put(struct fake *fake, const struct wire_view *request)
{
	char *name = wire_get_text(request, WIRE_TAG_NAME, 0),
	     *text = wire_get_text(request, WIRE_TAG_TEXT, 0);
	struct keep_entry kept = {.kind = KEEP_PUT, .n_fds = 1};

	kept.fds[0] = memfd_create("fake", MFD_CLOEXEC);
	if (write(kept.fds[0], text, strlen(text)) != (ssize_t)strlen(text) ||
	    keep_put(fake->daemon.attach.fd, name, text, strlen(text), kept.fds, 1) < 0)
		_exit(3);
	snprintf(kept.key, sizeof(kept.key), "%s", name);
	kept.len = strlen(text);
	kept.blob = (uint8_t *)text;
	fake_entry_take(fake, &kept);
	free(name);
	daemon_ok(&fake->daemon, request);
}

static void fake_drop(struct fake *fake, const struct wire_view *request)
{
	char *name = wire_get_text(request, WIRE_TAG_NAME, 0);
	struct keep_entry kept = {.kind = KEEP_DROP};

	daemon_drop(&fake->daemon, name);
	snprintf(kept.key, sizeof(kept.key), "%s", name);
	fake_entry_take(fake, &kept);
	free(name);
	daemon_ok(&fake->daemon, request);
}

/* A child that does not know of any leash: only the frontend can end it. */
static void fake_host_start(struct fake *fake, const struct wire_view *request)
{
	char *argv[] = {"aloe-host", "--dir", (char *)(uintptr_t)fake->daemon.args.dir, NULL};
	char path[PATH_MAX];
	pid_t pid;

	if (child_path("aloe-host", path, sizeof(path)) < 0 ||
	    child_spawn(path, argv, NULL, 0, -1, &pid, NULL) < 0)
		_exit(5);
	daemon_ok(&fake->daemon, request);
}

static void fake_event_count(struct fake *fake, const struct wire_view *view)
{
	struct keep_entry kept = {.kind = KEEP_PUT};
	char *state = wire_get_text(view, WIRE_TAG_STATE, 0);
	uint64_t daemon = 0;

	wire_get_u64(view, WIRE_TAG_DAEMON, &daemon);
	snprintf(kept.key, sizeof(kept.key), "%s-%s",
	    daemon ? wire_peer_name((enum wire_peer)daemon) : "event", state);
	fake_entry_take(fake, &kept);
	free(state);
}

static void fake_event_send(struct fake *fake)
{
	struct wire_msg msg;

	wire_init(&msg, WIRE_EVENT, fake->peer, WIRE_SWMAN, 0);
	wire_put_text(&msg, WIRE_TAG_STATE, "RUN");
	bus_send(fake->daemon.bus, &msg);
}

static void fake_handle(void *self, const struct wire_view *view)
{
	struct fake *fake = self;

	switch (view->type) {
	case WIRE_LIST:
		fake_dump(fake, view);
		return;
	case WIRE_PREPARE:
		fake_put(fake, view);
		return;
	case WIRE_UNLOAD:
		fake_drop(fake, view);
		return;
	case WIRE_STEP: /* no answer, ever */
		return;
	case WIRE_LOAD:
		be_silent();
		daemon_ok(&fake->daemon, view);
		return;
	case WIRE_START: /* passed on */
		if (fake->peer == WIRE_STATS)
			daemon_forward(&fake->daemon, view, WIRE_EXEC);
		else
			daemon_fail(
			    &fake->daemon, view, 7, "%s says no", wire_peer_name(fake->peer));
		return;
	case WIRE_PAUSE:
		fake_host_start(fake, view);
		return;
	case WIRE_STATUS:
		fake_event_send(fake);
		daemon_ok(&fake->daemon, view);
		return;
	case WIRE_DAEMON:
	case WIRE_EVENT:
		if (fake->peer == WIRE_SWMAN)
			fake_event_count(fake, view);
		return;
	default:
		return;
	}
}

static const char *base_name(const char *argv0)
{
	const char *slash = strrchr(argv0, '/');

	return slash ? slash + 1 : argv0;
}

bool fake_named(const char *argv0)
{
	return strncmp(base_name(argv0), "aloe-", 5) == 0;
}

int fake_main(int argc, char **argv)
{
	const char *name = base_name(argv[0]);
	const enum wire_peer peer = strcmp(name, "aloe-exec") == 0 ? WIRE_EXEC
	    : strcmp(name, "aloe-stats") == 0                      ? WIRE_STATS
	    : strcmp(name, "aloe-statsman") == 0                   ? WIRE_STATSMAN
	                                                           : WIRE_SWMAN;
	const struct daemon_role role = {
	    name, peer, fake_handle, fake_entry, fake_ready, fake_lost};
	struct fake fake = {.peer = peer};
	struct daemon_args args;
	int status;

	if (strcmp(name, "aloe-host") == 0) {
		for (;;)
			pause();
	}
	if (daemon_args_parse(name, argc, argv, DAEMON_STATE | DAEMON_NODE, &args))
		return 2;
	if (daemon_init(&fake.daemon, &role, &args, &fake) < 0)
		return 4;
	status = daemon_run(&fake.daemon);
	daemon_fini(&fake.daemon);
	fake_fini(&fake);
	return status;
}
