/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/sigmf/writer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/sha512.h"

enum { PLACE = PATH_MAX - 32, CHUNK_VALUES = 4096, TEXTS = 9 };

struct segment_time {
	char text[SIGMF_DATETIME];
};

struct sigmf_writer {
	char base[PLACE]; /* path without its ending */
	int fd;
	struct sigmf_meta meta;
	struct segment_time *times; /* of the captures */
	char *texts[TEXTS];         /* copies of the texts of meta.global */
	size_t captures_max, annotations_max;
	uint64_t samples; /* in the data file */
	uint64_t index;   /* the same with those that were lost */
	bool gap; /* samples were lost behind the last one in the file, or none is there yet */
	struct sha512 hash;
};

/* ---- names ----------------------------------------------------------------------------------- */

static int base_set(char base[PLACE], const char *path, struct diag *diag)
{
	static const char *const endings[] = {".sigmf-meta", ".sigmf-data"};
	const char *name = strrchr(path, '/');
	size_t len;

	if (path_print(base, PLACE, "%s", path) < 0)
		return diag_error(diag, path, 0, "the path is too long");
	len = strlen(base);
	for (unsigned i = 0; i < 2; i++)
		if (len > strlen(endings[i]) &&
		    !strcmp(base + len - strlen(endings[i]), endings[i]))
			base[len - strlen(endings[i])] = 0;
	name = name ? name + 1 : path;
	if (!name[0] || !strcmp(name, ".") || !strcmp(name, ".."))
		return diag_error(diag, path, 0, "the name of a recording is needed");
	len = strlen(name);
	if (len > 6 && !strcmp(name + len - 6, ".sigmf"))
		return diag_error(diag, path, 0,
		    "archives are only read; write %.*s.sigmf-meta and put it and its .sigmf-data "
		    "into a tar file",
		    (int)(len - 6), name);
	return 0;
}

int sigmf_path_check(const char *path, struct diag *diag)
{
	char base[PLACE], data[PATH_MAX], *slash;
	struct stat st;

	if (base_set(base, path, diag) < 0)
		return -EINVAL;
	snprintf(data, sizeof(data), "%s.sigmf-data", base);
	if (stat(data, &st) == 0 && !S_ISREG(st.st_mode))
		return diag_error(diag, data, 0, "this is no regular file");
	if (stat(data, &st) == 0 && access(data, W_OK) < 0)
		return diag_error(diag, data, 0, "%s", strerror(errno));
	slash = strrchr(base, '/');
	if (slash)
		slash[slash == base] = 0;
	if (access(slash ? base : ".", W_OK | X_OK) < 0)
		return diag_error(diag, data, 0, "no file can be made in %s: %s",
		    slash ? base : ".", strerror(errno));
	return 0;
}

/* ---- metadata -------------------------------------------------------------------------------- */

static int meta_write(const struct sigmf_writer *writer, const char *ending)
{
	char path[PATH_MAX], *text;
	size_t len;
	int rc = path_print(path, sizeof(path), "%s%s", writer->base, ending);

	if (rc < 0)
		return rc;
	text = sigmf_print(&writer->meta, &len);
	if (!text)
		return -ENOMEM;
	rc = file_write(path, text, len);
	free(text);
	return rc;
}

static void meta_remove(const struct sigmf_writer *writer, const char *ending)
{
	char path[PATH_MAX];

	if (path_print(path, sizeof(path), "%s%s", writer->base, ending) == 0)
		unlink(path);
}

/* list_grow makes room for one more entry: 0, -ENOMEM, -E2BIG. */
static int list_grow(void **list, size_t n, size_t *max, size_t size)
{
	const size_t wanted = *max ? 2 * *max : 16;
	void *more;

	if (n < *max)
		return 0;
	if (n >= SIGMF_CAPTURES_MAX)
		return -E2BIG;
	more = realloc(*list, wanted * size);
	if (!more)
		return -ENOMEM;
	*list = more;
	*max = wanted;
	return 0;
}

static int capture_add(struct sigmf_writer *writer, const struct sigmf_message *message)
{
	struct sigmf_meta *meta = &writer->meta;
	size_t max = writer->captures_max;
	int rc = list_grow((void **)&writer->times, meta->n_captures, &max, sizeof(*writer->times));
	struct timespec now;
	uint64_t time_ns = message->realtime_ns;

	if (rc == 0)
		rc = list_grow((void **)&meta->captures, meta->n_captures, &writer->captures_max,
		    sizeof(*meta->captures));
	if (rc < 0)
		return rc;
	if (time_ns == 0) {
		clock_gettime(CLOCK_REALTIME, &now);
		time_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	}
	sigmf_datetime(time_ns, writer->times[meta->n_captures].text);
	meta->captures[meta->n_captures] = sigmf_no_capture;
	meta->captures[meta->n_captures].sample_start = writer->samples;
	meta->captures[meta->n_captures].global_index = writer->index;
	meta->captures[meta->n_captures].frequency_hz = message->frequency_hz;
	meta->captures[meta->n_captures].slot = message->slot;
	meta->captures[meta->n_captures].tick = message->tick;
	meta->n_captures++;
	writer->gap = false;
	return 0;
}

int sigmf_put_lost(struct sigmf_writer *writer, uint64_t slot, uint64_t n)
{
	struct sigmf_meta *meta = &writer->meta;
	struct sigmf_annotation *last =
	    meta->n_annotations > 0 ? &meta->annotations[meta->n_annotations - 1] : NULL;
	int rc;

	writer->index += n;
	writer->gap = true;
	if (last && last->sample_start == writer->samples && last->slot + last->slots == slot) {
		last->slots++;
		return 0;
	}
	rc = list_grow((void **)&meta->annotations, meta->n_annotations, &writer->annotations_max,
	    sizeof(*meta->annotations));
	if (rc < 0)
		return rc;
	assert(meta->annotations != NULL);
	last = &meta->annotations[meta->n_annotations++];
	*last = sigmf_no_annotation;
	last->sample_start = writer->samples;
	last->sample_count = 0;
	last->label = "absent";
	last->comment = "aloe:slots messages from aloe:slot on did not come; no sample stands for "
	                "them in the data";
	last->slot = slot;
	last->slots = 1;
	return 0;
}

/* ---- data ------------------------------------------------------------------------------------ */

static int bytes_write(struct sigmf_writer *writer, const void *bytes, size_t len)
{
	for (size_t done = 0; done < len;) {
		const ssize_t n = write(writer->fd, (const char *)bytes + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		done += (size_t)n;
	}
	sha512_add(&writer->hash, bytes, len);
	return 0;
}

/* values_narrow writes 16-bit numbers as 8-bit ones of the same full scale, rounded. */
static int values_narrow(struct sigmf_writer *writer, const int16_t *values, size_t n)
{
	int8_t bytes[CHUNK_VALUES];
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < n; at += CHUNK_VALUES) {
		const size_t take = n - at < CHUNK_VALUES ? n - at : CHUNK_VALUES;

		for (size_t i = 0; i < take; i++) {
			const int rounded = (values[at + i] + 128) >> 8;
			bytes[i] = (int8_t)(rounded > INT8_MAX ? INT8_MAX : rounded);
		}
		rc = bytes_write(writer, bytes, take);
	}
	return rc;
}

int sigmf_put(struct sigmf_writer *writer, const struct sigmf_message *message)
{
	const enum sigmf_datatype type = writer->meta.global.datatype;
	int rc = 0;

	if (message->n == 0)
		return 0;
	if (writer->gap)
		rc = capture_add(writer, message);
	if (rc == 0 && type == SIGMF_CI8)
		rc = values_narrow(writer, message->items, 2 * (size_t)message->n);
	else if (rc == 0)
		rc = bytes_write(
		    writer, message->items, (size_t)message->n * sigmf_formats[type].bytes);
	if (rc < 0)
		return rc;
	writer->samples += message->n;
	writer->index += message->n;
	return 0;
}

uint64_t sigmf_written(const struct sigmf_writer *writer)
{
	return writer->samples;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static int global_copy(struct sigmf_writer *writer, const struct sigmf_global *global)
{
	struct sigmf_global *own = &writer->meta.global;
	const char **const texts[TEXTS] = {&own->description, &own->recorder, &own->hw,
	    &own->author, &own->waveform, &own->port, &own->plan_sha256, &own->log,
	    &own->log_sha256};

	*own = *global;
	own->sha512 = own->dataset = NULL;
	own->samples = own->trailing_bytes = SIGMF_NONE;
	own->num_channels = 1;
	for (unsigned i = 0; i < TEXTS; i++) {
		writer->texts[i] = *texts[i] ? strdup(*texts[i]) : NULL;
		if (*texts[i] && !writer->texts[i])
			return -ENOMEM;
		*texts[i] = writer->texts[i];
	}
	return 0;
}

static void writer_free(struct sigmf_writer *writer)
{
	if (writer->fd >= 0)
		close(writer->fd);
	for (unsigned i = 0; i < TEXTS; i++)
		free(writer->texts[i]);
	free(writer->times);
	free(writer->meta.captures);
	free(writer->meta.annotations);
	free(writer);
}

static int writer_open(struct sigmf_writer *writer, const char *path, struct diag *diag)
{
	char data[PATH_MAX];
	int rc = base_set(writer->base, path, diag);

	if (rc < 0)
		return rc;
	meta_remove(writer, ".sigmf-meta");
	snprintf(data, sizeof(data), "%s.sigmf-data", writer->base);
	writer->fd = open(data, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_CLOEXEC, 0666);
	if (writer->fd < 0)
		return diag_error(diag, data, 0, "%s", strerror(errno));
	rc = meta_write(writer, ".sigmf-meta.partial");
	return rc < 0
	    ? diag_error(diag, path, 0, "the metadata cannot be written: %s", strerror(-rc))
	    : 0;
}

int sigmf_create(const char *path, const struct sigmf_global *global, struct diag *diag,
    struct sigmf_writer **ret)
{
	struct sigmf_writer *writer = calloc(1, sizeof(*writer));
	int rc;

	if (!writer)
		return -ENOMEM;
	writer->fd = -1;
	writer->gap = true;
	sha512_init(&writer->hash);
	rc = global_copy(writer, global);
	if (rc == 0)
		rc = writer_open(writer, path, diag);
	if (rc < 0)
		writer_free(writer);
	else
		*ret = writer;
	return rc;
}

int sigmf_finish(struct sigmf_writer *writer, struct diag *diag)
{
	char hash[SHA512_TEXT];
	uint64_t bytes;
	int rc = 0;

	if (!writer)
		return 0;
	/* what of a message was still written when the disk was full */
	bytes = writer->samples * sigmf_formats[writer->meta.global.datatype].bytes;
	if (ftruncate(writer->fd, (off_t)bytes) < 0 && errno != EINVAL)
		rc = -errno;
	if (fsync(writer->fd) < 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
		rc = -errno;
	for (size_t i = 0; i < writer->meta.n_captures; i++)
		writer->meta.captures[i].datetime = writer->times[i].text;
	sha512_text(&writer->hash, hash);
	writer->meta.global.sha512 = hash;
	writer->meta.global.samples = writer->samples;
	if (rc == 0)
		rc = meta_write(writer, ".sigmf-meta");
	if (rc == 0)
		meta_remove(writer, ".sigmf-meta.partial");
	else
		diag_error(
		    diag, writer->base, 0, "the recording cannot be completed: %s", strerror(-rc));
	writer_free(writer);
	return rc < 0 ? -EINVAL : 0;
}
