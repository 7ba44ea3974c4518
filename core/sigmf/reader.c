/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/sigmf/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/sha512.h"
#include "core/sigmf/archive.h"

enum { CHUNK = 64 << 10 };

struct sigmf_reader {
	struct sigmf_meta *meta;
	char path[PATH_MAX]; /* of the file that has the samples */
	int fd;
	uint64_t at, bytes; /* of the data in that file */
	uint64_t samples;
	bool join;
	size_t segment; /* sigmf_take: the samples of earlier segments are behind */
};

/* ---- files ----------------------------------------------------------------------------------- */

static int bytes_read(int fd, uint64_t at, void *ret_bytes, size_t len)
{
	for (size_t done = 0; done < len;) {
		const ssize_t n =
		    pread(fd, (char *)ret_bytes + done, len - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENODATA;
		done += (size_t)n;
	}
	return 0;
}

static int file_open(const char *path, struct diag *diag, struct sigmf_reader *reader)
{
	struct stat st;

	snprintf(reader->path, sizeof(reader->path), "%s", path);
	reader->fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (reader->fd < 0 || fstat(reader->fd, &st) < 0)
		return diag_error(diag, path, 0, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return diag_error(diag, path, 0, "a regular file is needed");
	reader->at = 0;
	reader->bytes = (uint64_t)st.st_size;
	return 0;
}

static int archive_read(void *arg, uint64_t at, void *ret_bytes, size_t len)
{
	return bytes_read(((struct sigmf_reader *)arg)->fd, at, ret_bytes, len);
}

static int meta_in_archive(const char *path, const struct sigmf_place *place, struct diag *diag,
    struct sigmf_reader *reader)
{
	char name[PATH_MAX + 260], *text;
	int rc;

	snprintf(name, sizeof(name), "%s: %s", path, place->name);
	if (place->bytes > SIGMF_BYTES_MAX)
		return diag_error(diag, name, 0, "the text is too long");
	text = malloc(place->bytes + 1);
	if (!text)
		return -ENOMEM;
	rc = bytes_read(reader->fd, place->at, text, place->bytes);
	if (rc < 0)
		rc = diag_error(diag, name, 0, "%s", strerror(-rc));
	else
		rc = sigmf_parse(name, text, place->bytes, diag, &reader->meta);
	free(text);
	return rc;
}

static int archive_open(const char *path, struct diag *diag, struct sigmf_reader *reader)
{
	struct sigmf_archive archive = {.read = archive_read, .arg = reader, .file = path};
	struct sigmf_place meta, data;
	int rc = file_open(path, diag, reader);

	if (rc < 0)
		return rc;
	archive.bytes = reader->bytes;
	rc = sigmf_archive_find(&archive, diag, &meta, &data);
	if (rc < 0)
		return rc == -EINVAL ? rc : diag_error(diag, path, 0, "%s", strerror(-rc));
	rc = meta_in_archive(path, &meta, diag, reader);
	if (rc < 0)
		return rc;
	if (!data.name[0])
		return diag_error(diag, path, 0, "the archive has no .sigmf-data: no samples");
	reader->at = data.at;
	reader->bytes = data.bytes;
	return 0;
}

/* pair_open opens BASE.sigmf-meta and its data, which core:dataset may name. */
static int pair_open(const char *base, struct diag *diag, struct sigmf_reader *reader)
{
	char path[PATH_MAX], *text = NULL;
	const char *slash = strrchr(base, '/');
	const int folder = slash ? (int)(slash + 1 - base) : 0;
	size_t len = 0;
	int rc = path_print(path, sizeof(path), "%s.sigmf-meta", base);

	if (rc == 0)
		rc = file_read(path, SIGMF_BYTES_MAX, &text, &len);
	if (rc < 0)
		return diag_error(diag, path, 0, "%s", file_reason(rc));
	rc = sigmf_parse(path, text, len, diag, &reader->meta);
	free(text);
	if (rc < 0)
		return rc;
	if (reader->meta->global.dataset)
		rc = path_print(
		    path, sizeof(path), "%.*s%s", folder, base, reader->meta->global.dataset);
	else
		rc = path_print(path, sizeof(path), "%s.sigmf-data", base);
	return rc < 0 ? diag_error(diag, base, 0, "%s", strerror(-rc))
	              : file_open(path, diag, reader);
}

/* ---- opening --------------------------------------------------------------------------------- */

static int hash_check(const struct sigmf_reader *reader, struct diag *diag)
{
	const char *stated = reader->meta->global.sha512;
	char found[SHA512_TEXT], *chunk = malloc(CHUNK);
	struct sha512 hash;
	int rc = chunk ? 0 : -ENOMEM;

	sha512_init(&hash);
	for (uint64_t at = 0; rc == 0 && at < reader->bytes; at += CHUNK) {
		const uint64_t left = reader->bytes - at;
		const size_t n = left < CHUNK ? (size_t)left : CHUNK;

		rc = bytes_read(reader->fd, reader->at + at, chunk, n);
		if (rc == 0)
			sha512_add(&hash, chunk, n);
	}
	free(chunk);
	if (rc < 0)
		return diag_error(diag, reader->path, 0, "%s", strerror(-rc));
	sha512_text(&hash, found);
	if (strcasecmp(found, stated) != 0)
		return diag_error(diag, reader->path, 0,
		    "the data are not what was recorded: their SHA-512 is %.16s..., and "
		    "core:sha512 is %.16s...",
		    found, stated);
	return 0;
}

static bool ending_cut(char *path, const char *ending)
{
	const size_t len = strlen(path), end = strlen(ending);

	if (len <= end || strcmp(path + len - end, ending) != 0)
		return false;
	path[len - end] = 0;
	return true;
}

static int reader_open(
    const char *path, bool verify, struct diag *diag, struct sigmf_reader *reader)
{
	char base[PATH_MAX];
	int rc = path_print(base, sizeof(base), "%s", path);

	if (rc < 0)
		return diag_error(diag, path, 0, "%s", strerror(-rc));
	if (ending_cut(base, ".sigmf")) {
		rc = archive_open(path, diag, reader);
	} else {
		if (!ending_cut(base, ".sigmf-meta"))
			ending_cut(base, ".sigmf-data");
		rc = pair_open(base, diag, reader);
	}
	if (rc == 0)
		rc = sigmf_check(reader->meta, path, reader->bytes, diag, &reader->samples);
	if (rc == 0 && verify && reader->meta->global.sha512)
		rc = hash_check(reader, diag);
	return rc;
}

int sigmf_open(const char *path, bool verify, struct diag *diag, struct sigmf_reader **ret)
{
	struct sigmf_reader *reader = calloc(1, sizeof(*reader));
	int rc = -ENOMEM;

	if (reader) {
		reader->fd = -1;
		rc = reader_open(path, verify, diag, reader);
	}
	if (rc < 0)
		sigmf_close(reader);
	else
		*ret = reader;
	return rc;
}

void sigmf_close(struct sigmf_reader *reader)
{
	if (!reader)
		return;
	sigmf_free(reader->meta);
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader);
}

/* ---- samples --------------------------------------------------------------------------------- */

const struct sigmf_meta *sigmf_meta(const struct sigmf_reader *reader)
{
	return reader->meta;
}

/* The samples before the first segment, if it does not begin with the first sample, or all if there
 * is none: what sigmf_no_capture says of them. Segment 0 is these, segment i the capture i - 1. */
static struct sigmf_capture segment_get(const struct sigmf_reader *reader, size_t i)
{
	const struct sigmf_meta *meta = reader->meta;
	struct sigmf_capture segment = sigmf_no_capture;

	if (i > 0) {
		segment = meta->captures[i - 1];
		segment.index = reader->join ? segment.sample_start : segment.index;
		return segment;
	}
	segment.sample_start = segment.index = meta->global.offset;
	if (meta->n_captures > 0 && !reader->join) {
		const struct sigmf_capture *next = &meta->captures[0];
		const uint64_t before = next->sample_start - meta->global.offset;
		segment.index = next->index - before;
	}
	return segment;
}

/* The number of the first sample in the data file that is of a later segment. */
static uint64_t segment_end(const struct sigmf_reader *reader, size_t i)
{
	const struct sigmf_meta *meta = reader->meta;

	return i < meta->n_captures ? meta->captures[i].sample_start
	                            : meta->global.offset + reader->samples;
}

void sigmf_join(struct sigmf_reader *reader, bool join)
{
	reader->join = join;
}

uint64_t sigmf_first(const struct sigmf_reader *reader)
{
	return segment_get(reader, 0).index;
}

uint64_t sigmf_end(const struct sigmf_reader *reader)
{
	const size_t last = reader->meta->n_captures;
	const struct sigmf_capture segment = segment_get(reader, last);

	return segment.index + segment_end(reader, last) - segment.sample_start;
}

/* ci8 becomes ci16 of the same full scale, from the end on, in place. */
static void items_widen(void *items, uint32_t n)
{
	int16_t *out = items;
	const int8_t *in = items;

	for (size_t i = 2 * (size_t)n; i-- > 0;)
		out[i] = (int16_t)(in[i] * 256);
}

static int run_read(const struct sigmf_reader *reader, const struct sigmf_capture *segment,
    uint64_t from, uint32_t n, uint8_t *ret_items)
{
	const struct sigmf_format *format = &sigmf_formats[reader->meta->global.datatype];
	const uint64_t at = reader->at + segment->at + from * format->bytes;
	const int rc = bytes_read(reader->fd, at, ret_items, (size_t)n * format->bytes);

	if (rc == 0 && reader->meta->global.datatype == SIGMF_CI8)
		items_widen(ret_items, n);
	return rc;
}

int sigmf_take(
    struct sigmf_reader *reader, uint64_t index, uint32_t n, void *ret_items, uint32_t *ret_lost)
{
	const uint32_t bytes = sigmf_formats[reader->meta->global.datatype].item_bytes;
	uint32_t done = 0, lost = 0;

	while (done < n) {
		const struct sigmf_capture segment = segment_get(reader, reader->segment);
		const uint64_t place = index + done;
		const uint64_t end =
		    segment.index + (segment_end(reader, reader->segment) - segment.sample_start);
		uint8_t *out = (uint8_t *)ret_items + (size_t)done * bytes;
		const bool missing = place < segment.index ||
		    (place >= end && reader->segment == reader->meta->n_captures);
		const uint64_t run = place < segment.index ? segment.index - place
		    : missing                              ? n - done
		                                           : end - place;
		const uint32_t take = run < n - done ? (uint32_t)run : n - done;

		if (!missing && place >= end) {
			reader->segment++;
			continue;
		}
		if (missing) {
			memset(out, 0, (size_t)take * bytes);
			lost += take;
		} else {
			const int rc = run_read(reader, &segment, place - segment.index, take, out);
			if (rc < 0)
				return rc;
		}
		done += take;
	}
	*ret_lost = lost;
	return 0;
}
