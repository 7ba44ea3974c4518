/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/silence.c - hung, or starved. */
#include "core/base/silence.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SECOND_NS 1000000000ull

/* ---- samples ------------------------------------------------------------------------ */

static int line_read(const char *path, char *ret, int size)
{
	FILE *file = fopen(path, "re");
	const bool there = file && fgets(ret, size, file);

	if (file)
		fclose(file);
	return there ? 0 : -ENOENT;
}

/* R, S, T ..; 0: it has gone. The name before it may hold blanks and parentheses. */
static char state_read(const char *folder)
{
	char path[336], line[512];
	const char *end;

	snprintf(path, sizeof(path), "%s/stat", folder);
	if (line_read(path, line, sizeof(line)) < 0 || !(end = strrchr(line, ')')) ||
	    strlen(end) < 3)
		return 0;
	return end[2];
}

/* Any thread of it may be the one that the others sleep for. */
static bool task_add(const char *folder, struct silence_sample *sample)
{
	unsigned long long ran, waited;
	char path[336], line[128];

	snprintf(path, sizeof(path), "%s/schedstat", folder);
	if (line_read(path, line, sizeof(line)) < 0 ||
	    sscanf(line, "%llu %llu", &ran, &waited) != 2)
		return false;
	sample->ran_ns += ran;
	sample->waited_ns += waited;
	sample->runs = sample->runs || state_read(folder) == 'R';
	return true;
}

int silence_sample(pid_t pid, struct silence_sample *ret)
{
	const struct dirent *entry;
	char path[64], folder[320];
	int found = 0;
	DIR *tasks;
	char state;

	*ret = (struct silence_sample){0};
	snprintf(path, sizeof(path), "/proc/%d", pid);
	state = state_read(path);
	if (state == 0)
		return -ESRCH;
	ret->stopped = state == 'T' || state == 't';
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return -errno;
	while ((entry = readdir(tasks))) {
		snprintf(folder, sizeof(folder), "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.' && task_add(folder, ret))
			found++;
	}
	closedir(tasks);
	return found > 0 ? 0 : -ENOTSUP;
}

/* ---- judgement ------------------------------------------------------------------------ */

static uint64_t since(uint64_t now, uint64_t before)
{
	/* a thread that has ended takes its figures along */
	return now > before ? now - before : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The kernel adds a wait when it is over: of one that is ready now, all the time that it did not
 * run is one. */
static uint64_t waited_of(
    const struct silence *silence, uint64_t passed_ns, const struct silence_sample *sample)
{
	uint64_t waited, ran;

	if (!sample || !silence->sampled)
		return 0;
	waited = since(sample->waited_ns, silence->last.waited_ns);
	ran = since(sample->ran_ns, silence->last.ran_ns);
	if (sample->runs && since(passed_ns, ran) > waited)
		waited = since(passed_ns, ran);
	return waited;
}

enum silence_kind silence_look(struct silence *silence, uint64_t passed_ns,
    const struct silence_sample *sample, uint64_t own_waited_ns, unsigned patience_s,
    unsigned stopped_s, unsigned hangs)
{
	const uint64_t waited = waited_of(silence, passed_ns, sample) + own_waited_ns;
	uint64_t patience_ns =
	    (sample && sample->stopped && stopped_s < patience_s ? stopped_s : patience_s) *
	    SECOND_NS;

	patience_ns <<= hangs < SILENCE_DOUBLES_MAX ? hangs : SILENCE_DOUBLES_MAX;
	if (silence->heard) {
		silence->silent_ns = silence->waited_ns = 0;
	} else {
		silence->silent_ns += passed_ns;
		silence->waited_ns += least(waited, passed_ns);
	}
	silence->heard = false;
	silence->sampled = sample != NULL;
	if (sample)
		silence->last = *sample;
	if (silence->silent_ns == 0)
		return SILENCE_NONE;
	if (silence->silent_ns - silence->waited_ns >= patience_ns)
		return SILENCE_HANGS;
	return silence->silent_ns >= SILENCE_STARVED_S * SECOND_NS &&
	        silence->waited_ns * 2 >= silence->silent_ns
	    ? SILENCE_STARVED
	    : SILENCE_WAITS;
}

void silence_heard(struct silence *silence)
{
	silence->heard = true;
}
