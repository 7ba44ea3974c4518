/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/stats/waves.c - the images of the waveforms that are loaded. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemons/stats/stats.h"

static const char prefix[] = "waveform/";

static struct stats_wave **wave_at(struct stats *stats, const char *name)
{
	struct stats_wave **at = &stats->first;

	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	return at;
}

const struct stats_wave *stats_wave_find(const struct stats *stats, const char *name)
{
	const struct stats_wave *wave = stats->first;

	while (wave && strcmp(wave->name, name) != 0)
		wave = wave->next;
	return wave;
}

static void wave_remove(struct stats *stats, const char *name)
{
	struct stats_wave **at = wave_at(stats, name), *wave = *at;

	if (!wave)
		return;
	*at = wave->next;
	image_close(&wave->view);
	free(wave);
}

/* In place of one of the same name. */
static int wave_add(struct stats *stats, const char *name, const struct image_files *files)
{
	struct stats_wave *wave = calloc(1, sizeof(*wave));
	int result = wave ? image_open(files, false, &wave->view) : -ENOMEM;

	wave_remove(stats, name);
	if (result < 0) {
		free(wave);
		return result;
	}
	if (wave->view.head->nodes.count > 1 && stats->daemon.args.node)
		wave->view.node = image_find_node(&wave->view, stats->daemon.args.node);
	snprintf(wave->name, sizeof(wave->name), "%s", name);
	wave->edition = ++stats->editions;
	*wave_at(stats, name) = wave;
	return 0;
}

void stats_waves_entry(void *self, struct keep_entry *entry)
{
	struct stats *stats = self;
	const char *name = entry->key + sizeof(prefix) - 1;
	int result = 0;

	if (strncmp(entry->key, prefix, sizeof(prefix) - 1) == 0) {
		if (entry->kind == KEEP_DROP)
			wave_remove(stats, name);
		else
			result = entry->n_fds == 2
			    ? wave_add(
			          stats, name, &(struct image_files){entry->fds[0], entry->fds[1]})
			    : -EBADMSG;
	}
	if (result < 0)
		log_warning(&stats->daemon.log, "the image of waveform \"%s\" cannot be read: %s",
		    name, strerror(-result));
	keep_entry_fini(entry);
}

int stats_waves_ready(void *self)
{
	struct stats *stats = self;
	struct stats_wave *next;

	for (struct stats_wave *wave = stats->first; wave; wave = next) {
		next = wave->next;
		if (wave->doubtful)
			wave_remove(stats, wave->name);
	}
	return 0;
}

void stats_waves_lost(void *self)
{
	struct stats *stats = self;

	for (struct stats_wave *wave = stats->first; wave; wave = wave->next)
		wave->doubtful = true;
}

void stats_waves_close(struct stats *stats)
{
	while (stats->first)
		wave_remove(stats, stats->first->name);
}
