/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lapses.c - lapses of our instances (core/slot/lapse.h): written to INSTANCE.lapses of a recording
 * by the I/O thread, or read from there before the first step. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/recording/lapses.h"
#include "core/recording/table.h"
#include "daemons/host/host.h"

enum { BYTES_MAX = 1 << 30, UPTO_NS = 500000000 };

struct host_lapses { /* of an instance */
	struct lapses of;
	struct lapse_table table; /* replayed */
	FILE *file;               /* recorded */
	struct lapse row;         /* being gathered; count 0: none */
	uint64_t upto, upto_ns;
	bool broken, unknown;
};

static int path_of(const struct host_wave *wave, uint64_t i, uint32_t folder, char path[PATH_MAX])
{
	const struct image_view *view = &wave->now.view;

	return path_print(path, PATH_MAX, "%s/%s.lapses", image_text(view, folder),
	    image_text(view, view->instances[i].name));
}

/* ---- recorded ---- */

static int recorded_open(struct host *host, const char *path, struct host_lapses *lapses)
{
	const size_t bytes = LAPSES_RING * sizeof(struct lapse);
	char line[LAPSES_LINE];

	lapses->of.ring = malloc(bytes);
	lapses->file = fopen(path, "wbe");
	if (lapses->of.ring != NULL)
		memset(lapses->of.ring, 0, bytes); /* so that a slot finds the pages */
	lapses_head(line);
	if (lapses->of.ring != NULL && lapses->file != NULL && fputs(line, lapses->file) >= 0 &&
	    fflush(lapses->file) == 0)
		return 0;
	host_note(host, "%s cannot be written: %s\n", path, strerror(errno));
	return -EIO;
}

static void row_end(struct host_lapses *lapses)
{
	char line[LAPSES_LINE];

	if (lapses->row.count == 0)
		return;
	lapses_line(line, &lapses->row);
	lapses->broken |= fputs(line, lapses->file) < 0;
	lapses->row.count = 0;
}

/* Behind one that says that nothing more is known there is none. */
static void row_take(struct host_lapses *lapses, const struct lapse *lapse)
{
	if (lapses->unknown || (lapses->row.count > 0 && lapses_join(&lapses->row, lapse)))
		return;
	row_end(lapses);
	lapses->row = *lapse;
	lapses->unknown = lapse->kind == LAPSE_UNKNOWN;
}

/* `next` is read first: what is known up to there is in the ring by then. */
static void recorded_serve(struct host_lapses *lapses, uint64_t now_ns)
{
	const uint64_t next = atomic_load_explicit(&lapses->of.next, memory_order_acquire),
	               lost = atomic_load_explicit(&lapses->of.lost, memory_order_acquire);
	char line[LAPSES_LINE];
	struct lapse lapse;

	while (lapses_take(&lapses->of, &lapse))
		row_take(lapses, &lapse);
	if (lost != 0)
		row_take(lapses, &(struct lapse){lost - 1, 1, LAPSE_UNKNOWN, 0});
	if (lapses->unknown || lapses->broken || now_ns - lapses->upto_ns < UPTO_NS)
		return;
	row_end(lapses);
	lapses_upto(line, next);
	if (next > lapses->upto && !lapses->broken)
		lapses->broken |= fputs(line, lapses->file) < 0 || fflush(lapses->file) != 0;
	lapses->upto = next;
	lapses->upto_ns = now_ns;
}

/* A file that could not be written has no line `end`. */
static void recorded_end(struct host_lapses *lapses)
{
	char line[LAPSES_LINE];

	recorded_serve(lapses, lapses->upto_ns);
	row_end(lapses);
	lapses_end(line);
	if (!lapses->broken)
		fputs(line, lapses->file);
	fclose(lapses->file);
}

/* ---- replayed ---- */

static int replayed_open(struct host *host, const char *path, struct host_lapses *lapses)
{
	char why[LAPSES_WHY] = "no memory", *text;
	unsigned line = 0;
	size_t len;
	int rc = file_read(path, BYTES_MAX, &text, &len);

	if (rc == -ENOENT)
		return 0; /* it had none, or was recorded where nothing is missed */
	if (rc < 0) {
		host_note(host, "%s cannot be read: %s\n", path, file_reason(rc));
		return rc;
	}
	rc = lapses_parse(text, len, &lapses->table, &line, why);
	free(text);
	if (rc < 0)
		host_note(host, "%s:%u: %s\n", path, line, why);
	lapses->of.rows = lapses->table.rows;
	lapses->of.n_rows = lapses->table.n_rows;
	if (lapses->of.n_rows > 0 && lapses->of.rows[lapses->of.n_rows - 1].kind == LAPSE_UNKNOWN)
		lapses->of.n_rows--;
	return rc;
}

/* ---- all instances ---- */

/* A player stands for a source, and what it plays has the lapses of the source. */
static int instance_begin(struct host *host, struct host_wave *wave, uint64_t i)
{
	const struct image_head *head = wave->now.view.head;
	const bool records = image_text(&wave->now.view, head->record)[0] != 0;
	struct instance *it = &wave->instances[i];
	struct host_lapses *lapses;
	char path[PATH_MAX];
	int rc;

	if (it->component == NULL || (!records && it->component->fill != NULL))
		return 0;
	rc = path_of(wave, i, records ? head->record : head->replay, path);
	lapses = rc == 0 ? calloc(1, sizeof(*lapses)) : NULL;
	if (lapses == NULL) {
		rc = rc < 0 ? rc : -ENOMEM;
		host_note(host, "%s: the file of lapses cannot be opened: %s\n",
		    image_text(&wave->now.view, wave->now.view.instances[i].name), strerror(-rc));
		return rc;
	}
	wave->lapses[i] = lapses;
	rc = records ? recorded_open(host, path, lapses) : replayed_open(host, path, lapses);
	if (rc == 0 && (records || lapses->of.n_rows > 0))
		lapses_begin(it, &lapses->of);
	return rc;
}

int host_lapses_begin(struct host *host, struct host_wave *wave)
{
	const struct image_view *view = &wave->now.view;
	const uint64_t n = view->head->instances.count;
	int rc = 0;

	wave->records = image_text(view, view->head->record)[0] != 0;
	if (!wave->records && image_text(view, view->head->replay)[0] == 0)
		return 0;
	wave->lapses = calloc(n, sizeof(*wave->lapses));
	if (wave->lapses == NULL)
		host_note(host, "no memory for lapses\n");
	for (uint64_t i = 0; i < n && wave->lapses != NULL && rc == 0; i++)
		rc = instance_begin(host, wave, i);
	return wave->lapses == NULL ? -ENOMEM : rc;
}

void host_lapses_serve(struct host_wave *wave)
{
	const uint64_t now_ns = clock_ns();

	for (uint64_t i = 0; i < wave->now.view.head->instances.count; i++)
		if (wave->lapses[i] != NULL)
			recorded_serve(wave->lapses[i], now_ns);
}

void host_lapses_end(struct host_wave *wave)
{
	for (uint64_t i = 0; wave->lapses != NULL && i < wave->now.view.head->instances.count;
	     i++) {
		struct host_lapses *lapses = wave->lapses[i];

		if (lapses == NULL)
			continue;
		if (lapses->file != NULL)
			recorded_end(lapses);
		lapses_fini(&lapses->table);
		free(lapses->of.ring);
		free(lapses);
	}
	free(wave->lapses);
	wave->lapses = NULL;
}
