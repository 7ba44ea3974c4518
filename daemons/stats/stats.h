/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/stats/stats.h - variables and parameters of the waveforms that run on this node: get and
 * set.
 *
 * It holds a read-only mapping of every waveform image, which the frontend sends when exec has made
 * one (and all of them when either of the two is started again), and reads the values from there:
 * no process is asked, no lane disturbed. The names of a SET are checked here; exec checks its
 * values, and its answer (the index it got) goes straight to who asked.
 */
#ifndef ALOE_STATS_H
#define ALOE_STATS_H

#include "core/image/image.h"
#include "core/json/json.h"
#include "daemons/common/daemon.h"

struct stats_wave {
	struct stats_wave *next;
	char name[KEEP_KEY_MAX + 1];
	struct image_view view;
	uint64_t edition; /* of all images so far: another one of the same name has another */
	bool doubtful;    /* not named by the frontend that there is now; it may still do so */
};

struct stats_log; /* log.c */

struct stats {
	struct daemon daemon;
	struct stats_wave *first;
	struct stats_log *logs;
	uint64_t numbers, editions; /* of logs and of images, so far */
	struct loop_timer look;
};

/* waves.c: the images. Those of an earlier frontend hold until another one has named all that there
 * are. */
void stats_waves_entry(void *self, struct keep_entry *entry);
int stats_waves_ready(void *self);
void stats_waves_lost(void *self);
void stats_waves_close(struct stats *stats);
const struct stats_wave *stats_wave_find(const struct stats *stats, const char *name);

/* names.c: what a name stands for, and what to say when it stands for nothing. Name "inst" or
 * "inst.item". */
struct stats_name {
	uint32_t instance;
	uint32_t var, param; /* within the instance; IMAGE_NONE: not that */
	bool whole;          /* "inst" alone */
};
/* stats_name_find: 0; or -ENOENT, or -EREMOTE (the instance runs on another node), with a sentence
 * for the user in ret_error, and the instance in ret if there is one of that name. stats_name_fail
 * answers with that sentence, and with the other node. */
int stats_name_find(const struct stats_wave *wave, const char *text, struct stats_name *ret,
    char *ret_error, size_t error_bytes);
void stats_name_fail(struct stats *stats, const struct wire_view *request,
    const struct stats_wave *wave, const struct stats_name *name, const char *error);
/* stats_asked answers a request `what` about a waveform: by `named` with the name in the request,
 * or by `all` where there is none. */
void stats_asked(struct stats *stats, const struct wire_view *request, const char *what,
    void (*named)(struct stats *stats, const struct wire_view *request,
        const struct stats_wave *wave, const char *name),
    void (*all)(
        struct stats *stats, const struct wire_view *request, const struct stats_wave *wave));
void stats_wave_missing(
    const struct stats *stats, const char *name, char *ret_error, size_t error_bytes);

/* log.c: variables by index. A log looks at its instance by itself, several times in as many slots
 * as it wants a row for, and keeps the rows until they are fetched; one that nobody has fetched
 * from for 10 s is given up, and so is one whose image has been replaced. */
void stats_log(struct stats *stats, const struct wire_view *request);
void stats_logs_close(struct stats *stats);

/* tap.c: messages of an output, as far as the ring still has them. Whoever asks has the cursor, so
 * nothing is kept here. */
void stats_tap(struct stats *stats, const struct wire_view *request);

/* get.c, set.c: the requests. stats_var is the value of a variable as JSON. */
json_t *stats_var(const struct image_var *row, uint64_t bits);
void stats_get(struct stats *stats, const struct wire_view *request);
void stats_set(struct stats *stats, const struct wire_view *request);

#endif
