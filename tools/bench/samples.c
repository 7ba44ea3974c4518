/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "tools/bench/processes.h"

enum { PROCESSES_MAX = 64, ASK_MS = 2000, LOOKS_MAX = 200 };

/* The node's directory stands among the words with which its frontend was started. */
static bool dir_find(pid_t run, char *ret_dir, size_t size)
{
	struct process seen[PROCESSES_MAX];
	const size_t n = processes_below(run, seen, PROCESSES_MAX);
	char path[64], words[8192] = "";
	size_t len = 0;

	for (size_t i = 0; i < n && !len; i++) {
		FILE *file;
		snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)seen[i].pid);
		file = strcmp(seen[i].name, "aloe-frontend") ? NULL : fopen(path, "re");
		len = file ? fread(words, 1, sizeof(words) - 1, file) : 0;
		if (file)
			fclose(file);
	}
	for (const char *word = words; word < words + len; word += strlen(word) + 1)
		if (!strcmp(word, "--dir"))
			return path_print(ret_dir, size, "%s", word + strlen(word) + 1) == 0;
	return false;
}

static bool connected(struct samples *samples, pid_t run)
{
	if (samples->client.bus)
		return true;
	samples->client = (struct client)CLIENT_NONE;
	return dir_find(run, samples->client.dir, sizeof(samples->client.dir)) &&
	    bus_probe(samples->client.dir) == 0 && client_connect(&samples->client) == 0;
}

static void take(struct samples *samples, const struct wire_view *view)
{
	const void *bytes = NULL;
	struct image_event *more;
	size_t len = 0, n;

	wire_get_u64(view, WIRE_TAG_CURSOR, &samples->cursor);
	wire_get_bytes(view, WIRE_TAG_BYTES, 0, &bytes, &len);
	n = len / sizeof(*more);
	more = n ? realloc(samples->events, (samples->n + n) * sizeof(*more)) : NULL;
	if (!more)
		return;
	memcpy(more + samples->n, bytes, n * sizeof(*more));
	samples->events = more;
	samples->n += n;
}

bool samples_look(void *self, pid_t run)
{
	struct samples *samples = self;
	struct wire_view view;
	struct wire_msg msg;

	if (++samples->looks > LOOKS_MAX)
		return true;
	if (!connected(samples, run))
		return false;
	client_request(&samples->client, WIRE_SAMPLES, WIRE_SWMAN, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, samples->waveform);
	wire_put_u64(&msg, WIRE_TAG_CURSOR, samples->cursor);
	if (client_ask(&samples->client, &msg, ASK_MS, &view) == 0 && view.type == WIRE_OK)
		take(samples, &view);
	return samples->n >= samples->wanted;
}

void samples_fini(struct samples *samples)
{
	if (samples->client.bus)
		client_close(&samples->client);
	free(samples->events);
}

static int by_step(const void *a, const void *b)
{
	const struct image_event *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return (x->instance > y->instance) - (x->instance < y->instance);
}

size_t samples_distances(struct samples *samples, uint32_t first, uint32_t last, double **ret)
{
	double *distances = malloc((samples->n + 1) * sizeof(*distances));
	size_t n = 0;

	if (samples->n)
		qsort(samples->events, samples->n, sizeof(samples->events[0]), by_step);
	for (size_t i = 0; distances && i + 1 < samples->n; i++) {
		const struct image_event *one = &samples->events[i], *next = one + 1;
		if (one->step == next->step && one->instance >= first && next->instance <= last &&
		    next->instance == one->instance + 1 && next->start_ns > one->start_ns)
			distances[n++] = (double)(next->start_ns - one->start_ns);
	}
	*ret = distances;
	return n;
}
