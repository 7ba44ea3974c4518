/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/exec/flight.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "daemons/exec/misses.h"
#include "daemons/exec/trace.h"

#define SECOND_NS 1000000000ull
#define AFTER_NS 100000000ull /* from a miss to its file, at most */

enum { FILES_MAX = 100, ROOM_BYTES = 4096 /* the rest of a message */ };

struct exec_flight {
	char folder[FOLDER_BYTES];
	uint64_t last_ns, after_ns; /* how much is in a file; how much of it after the miss */
	uint64_t looked;            /* records of misses */
	uint64_t written_ns;        /* the last file; 0: none */
	uint64_t slot;              /* of the miss whose file is due */
	uint64_t without;           /* misses that have no file of their own */
	uint32_t files;
	bool due, over;
	struct loop_timer timer;
};

/* ---- files around misses --------------------------------------------------------------------- */

static int bytes_write(const char *path, const uint8_t *bytes, size_t len)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
	const bool whole = file != NULL && fwrite(bytes, 1, len, file) == len;
	int rc = file == NULL || !whole ? -errno : 0;

	if (file == NULL && fd >= 0)
		close(fd);
	if (file != NULL && fclose(file) != 0 && rc == 0)
		rc = -errno;
	return rc;
}

static void written_note(struct exec_wave *wave, const char *path, int rc)
{
	struct exec_flight *flight = wave->flight;
	const struct log *log = &wave->exec->daemon.log;

	if (rc == -EEXIST) { /* of an earlier run: it stays */
		flight->without++;
		log_note(log, "%s is there already and stays; this miss has no trace", path);
		return;
	}
	if (rc != 0) {
		flight->over = true;
		log_warning(log, "%s: the trace of %s cannot be written: %s; no more are tried",
		    path, wave->name, strerror(-rc));
		return;
	}
	log_note(log, "%s: the trace around slot %llu is in %s", wave->name,
	    (unsigned long long)flight->slot, path);
	flight->over = ++flight->files == FILES_MAX;
	if (flight->over)
		log_warning(log,
		    "%s: %d traces around misses are in %s; further misses get no trace",
		    wave->name, FILES_MAX, flight->folder);
}

/* Nothing else is done meanwhile: a large waveform on a slow disk has one trace only. */
static void time_note(struct exec_wave *wave, uint64_t ns)
{
	if (wave->flight->over || ns < SECOND_NS / 4)
		return;
	wave->flight->over = true;
	log_warning(&wave->exec->daemon.log,
	    "%s: a trace took %.2f s, in which aloe-exec did nothing else; further misses get no "
	    "trace",
	    wave->name, (double)ns / 1e9);
}

static void flight_write(void *self)
{
	struct exec_wave *wave = self;
	struct exec_flight *flight = wave->flight;
	const uint64_t began = clock_ns();
	char path[sizeof(flight->folder) + sizeof(wave->name) + 64], *text;
	uint8_t *bytes;
	size_t len;
	int rc;

	flight->due = false;
	snprintf(path, sizeof(path), "%s/%s-%llu.pftrace", flight->folder, wave->name,
	    (unsigned long long)flight->slot);
	rc = trace_make(wave, flight->last_ns, TRACE_PROTOBUF, &bytes, &len, &text);
	if (rc == 0) {
		rc = bytes_write(path, bytes, len);
		free(bytes);
		free(text);
	}
	flight->written_ns = clock_ns();
	written_note(wave, path, rc);
	time_note(wave, flight->written_ns - began);
}

void flight_look(struct exec_wave *wave)
{
	const struct exec_misses *misses = wave->misses;
	struct exec_flight *flight = wave->flight;
	const uint64_t now = clock_ns();
	uint64_t first;

	if (flight == NULL || misses == NULL || misses->n <= flight->looked)
		return;
	first = flight->looked;
	flight->looked = misses->n;
	if (flight->over || flight->due ||
	    (flight->written_ns != 0 && now < flight->written_ns + SECOND_NS)) {
		flight->without += misses->n - first;
		return;
	}
	if (misses->n - first > MISSES_KEPT)
		first = misses->n - MISSES_KEPT;
	flight->slot = misses->kept[first % MISSES_KEPT].miss.slot;
	flight->due = true;
	loop_timer_start(
	    &wave->exec->daemon.loop, &flight->timer, flight->after_ns, flight_write, wave);
}

void flight_end(struct exec_wave *wave)
{
	struct exec_flight *flight = wave->flight;

	if (flight == NULL)
		return;
	loop_timer_stop(&wave->exec->daemon.loop, &flight->timer);
	if (flight->due)
		flight_write(wave);
	if (flight->without > 0)
		log_note(&wave->exec->daemon.log,
		    "%s: misses without a trace of their own, because a trace is made at most once "
		    "a second, %d are made in all, and no file is written over: %llu",
		    wave->name, FILES_MAX, (unsigned long long)flight->without);
	free(flight);
	wave->flight = NULL;
}

/* A quarter of what the shortest ring holds: the miss must still be in it. */
static uint64_t after_of(const struct exec_wave *wave)
{
	const struct image_view *view = &wave->view;
	uint64_t after = AFTER_NS;

	for (uint32_t s = 0; s < view->head->segments.count; s++) {
		const struct image_segment *row = &view->segments[s];
		const uint64_t steps = row->n_instances > 0 ? row->n_events / row->n_instances : 0,
		               part = steps * view->head->slot_ns / 4;

		if (row->n_instances > 0 && image_runs(view, s) && part < after)
			after = part;
	}
	return after;
}

/* 0 or -errno. The folder is made where there is none. */
static int folder_check(const char *folder)
{
	struct stat st;

	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return -errno;
	if (stat(folder, &st) != 0)
		return -errno;
	return !S_ISDIR(st.st_mode) ? -ENOTDIR : access(folder, W_OK | X_OK) != 0 ? -errno : 0;
}

static void flight_begin(
    struct exec_wave *wave, const struct wire_view *request, const char *folder, uint64_t last_ns)
{
	struct exec_flight *flight;
	const int rc =
	    strlen(folder) < sizeof(flight->folder) ? folder_check(folder) : -ENAMETOOLONG;

	if (rc != 0) {
		exec_fail(wave->exec, request, 2, "%s: traces cannot be written there: %s", folder,
		    strerror(-rc));
		return;
	}
	flight_end(wave);
	flight = calloc(1, sizeof(*flight));
	if (flight == NULL) {
		exec_fail(wave->exec, request, 1, "aloe-exec has no memory for a flight recorder");
		return;
	}
	snprintf(flight->folder, sizeof(flight->folder), "%s", folder);
	flight->last_ns = last_ns;
	flight->after_ns = after_of(wave);
	flight->looked = wave->misses != NULL ? wave->misses->n : 0;
	wave->flight = flight;
	exec_ok(wave->exec, request, WIRE_TAG_COUNT, FILES_MAX);
}

/* ---- TRACE ------------------------------------------------------------------------ */

static void trace_send(struct exec_wave *wave, const struct wire_view *request,
    const uint8_t *bytes, size_t len, const char *text)
{
	struct wire_msg msg;

	bus_reply(wave->exec->daemon.bus, request, WIRE_OK, &msg);
	wire_put_bytes(&msg, WIRE_TAG_BYTES, bytes, len);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	bus_send(wave->exec->daemon.bus, &msg);
}

static void trace_answer(
    struct exec_wave *wave, const struct wire_view *request, uint64_t last_ns, bool json)
{
	uint8_t *bytes;
	size_t len;
	char *text;
	const int rc =
	    trace_make(wave, last_ns, json ? TRACE_JSON : TRACE_PROTOBUF, &bytes, &len, &text);

	if (rc == -ENODATA)
		exec_fail(wave->exec, request, 2, "no slot of \"%s\" has run yet", wave->name);
	else if (rc != 0)
		exec_fail(wave->exec, request, 1, "aloe-exec has no memory for the trace");
	if (rc == 0 && len + strlen(text) + ROOM_BYTES > WIRE_BYTES_MAX)
		exec_fail(wave->exec, request, 1,
		    "the trace has %zu MB, more than a message holds; ask for less by --last",
		    len >> 20);
	else if (rc == 0)
		trace_send(wave, request, bytes, len, text);
	if (rc == 0) {
		free(bytes);
		free(text);
	}
}

void flight_trace(struct exec_wave *wave, const struct wire_view *request)
{
	char *folder = wire_get_text(request, WIRE_TAG_FILE, 0),
	     *format = wire_get_text(request, WIRE_TAG_VALUE, 0);
	uint64_t last_ns = SECOND_NS;

	wire_get_u64(request, WIRE_TAG_COUNT, &last_ns);
	if (folder == NULL)
		trace_answer(wave, request, last_ns, format != NULL && strcmp(format, "json") == 0);
	else if (!image_timed(wave->view.head->clock))
		exec_fail(wave->exec, request, 2,
		    "slots of \"%s\" cannot be missed, because its clock waits for nothing; "
		    "`aloe trace` without --on-miss shows what ran",
		    wave->name);
	else if (wave->drained)
		exec_fail(wave->exec, request, 2,
		    "\"%s\" has ended; `aloe trace` without --on-miss shows what ran", wave->name);
	else
		flight_begin(wave, request, folder, last_ns);
	free(folder);
	free(format);
}
