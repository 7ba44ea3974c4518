/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/sigmf/archive.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sigmf/sigmf.h"

enum { BLOCK = 512, EXTENDED_MAX = 64 << 10, MEMBERS_MAX = 4096 };

struct tar_head { /* of a member: POSIX.1-2001, "ustar Interchange Format" */
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type,
	    linkname[100], magic[6], version[2], uname[32], gname[32], major[8], minor[8],
	    prefix[155], rest[12];
};
_Static_assert(sizeof(struct tar_head) == BLOCK, "a head is a block");

struct tar_walk {
	const struct sigmf_archive *archive;
	struct diag *diag;
	uint64_t at; /* of the next head */
	/* what an extended head has said of the next member */
	char name[256];
	uint64_t size; /* SIGMF_NONE: nothing */
};

static int archive_refuse(const struct tar_walk *walk, const char *why)
{
	return diag_error(walk->diag, walk->archive->file, 0, "at byte %llu of the archive: %s",
	    (unsigned long long)walk->at, why);
}

static bool sum_holds(const struct tar_head *head)
{
	const uint8_t *bytes = (const uint8_t *)head;
	char text[sizeof(head->checksum) + 1] = "";
	unsigned long sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum +=
		    i >= offsetof(struct tar_head, checksum) && i < offsetof(struct tar_head, type)
		    ? ' '
		    : bytes[i];
	memcpy(text, head->checksum, sizeof(head->checksum));
	return strtoul(text, NULL, 8) == sum;
}

/* size_get: octal digits, or the 8 low bytes of a binary number if the first byte is 0x80. */
static uint64_t size_get(const struct tar_head *head)
{
	const uint8_t *bytes = (const uint8_t *)head->size;
	char text[sizeof(head->size) + 1] = "";
	uint64_t size = 0;

	if (bytes[0] == 0x80) {
		for (unsigned i = 4; i < 12; i++)
			size = size << 8 | bytes[i];
		return bytes[1] | bytes[2] | bytes[3] ? SIGMF_NONE : size;
	}
	memcpy(text, head->size, sizeof(head->size));
	return strtoull(text, NULL, 8);
}

static void name_get(const struct tar_head *head, char ret_name[256])
{
	if (!memcmp(head->magic, "ustar", 6) && head->prefix[0])
		snprintf(ret_name, 256, "%.155s/%.100s", head->prefix, head->name);
	else
		snprintf(ret_name, 256, "%.100s", head->name);
}

/* pax_read takes records "LENGTH KEY=VALUE\n" of an extended head; those of other keys are read
 * over. */
static int pax_read(struct tar_walk *walk, const char *text, size_t len)
{
	while (len > 0) {
		char *key, *end = memchr(text, '=', len);
		const unsigned long record = strtoul(text, &key, 10);

		if (!end || record < 5 || record > len || *key != ' ' || end <= key ||
		    end >= text + record || text[record - 1] != '\n')
			return archive_refuse(walk, "the extended head is damaged");
		if (end - key == 5 && !memcmp(key, " path", 5))
			snprintf(walk->name, sizeof(walk->name), "%.*s",
			    (int)(text + record - 2 - end), end + 1);
		else if (end - key == 5 && !memcmp(key, " size", 5))
			walk->size = strtoull(end + 1, NULL, 10);
		text += record;
		len -= record;
	}
	return 0;
}

/* extended_read takes the content of a head that is on the next member: pax ('x') or the long name
 * of GNU ('L'). */
static int extended_read(struct tar_walk *walk, char type, uint64_t size)
{
	char *text;
	int rc;

	if (size > EXTENDED_MAX)
		return archive_refuse(walk, "the extended head is too long");
	text = calloc(1, size + 1);
	if (!text)
		return -ENOMEM;
	rc = walk->archive->read(walk->archive->arg, walk->at + BLOCK, text, size);
	if (rc == 0 && type == 'x')
		rc = pax_read(walk, text, size);
	else if (rc == 0)
		snprintf(walk->name, sizeof(walk->name), "%s", text);
	free(text);
	return rc;
}

static bool name_ends(const char *name, const char *ending)
{
	const size_t len = strlen(name), end = strlen(ending);

	return len >= end && !strcmp(name + len - end, ending);
}

static int member_take(const struct tar_walk *walk, const struct sigmf_place *member,
    struct sigmf_place *ret_meta, struct sigmf_place *ret_data)
{
	struct sigmf_place *place = name_ends(member->name, ".sigmf-meta") ? ret_meta
	    : name_ends(member->name, ".sigmf-data")                       ? ret_data
	                                                                   : NULL;

	if (!place)
		return 0;
	if (place->name[0])
		return archive_refuse(
		    walk, "a second recording begins; one is needed (tar -x gives both, as files)");
	*place = *member;
	return 0;
}

/* member_next reads one head and what belongs to it: 1 at the end of the archive. */
static int member_next(
    struct tar_walk *walk, struct sigmf_place *ret_meta, struct sigmf_place *ret_data)
{
	static const struct tar_head zeros;
	struct sigmf_place member = {{0}, 0, 0};
	struct tar_head head;
	const uint64_t left = walk->archive->bytes - walk->at;
	int rc;

	if (left < BLOCK)
		return 1;
	rc = walk->archive->read(walk->archive->arg, walk->at, &head, BLOCK);
	if (rc < 0)
		return rc;
	if (!memcmp(&head, &zeros, BLOCK))
		return 1;
	if (!sum_holds(&head))
		return archive_refuse(walk, "this is no head of a tar file");
	member.at = walk->at + BLOCK;
	member.bytes = walk->size != SIGMF_NONE && head.type != 'x' ? walk->size : size_get(&head);
	if (member.bytes > left - BLOCK)
		return archive_refuse(walk, "the archive is cut off");
	if (head.type == 'x' || head.type == 'L') {
		rc = extended_read(walk, head.type, member.bytes);
	} else {
		name_get(&head, member.name);
		if (walk->name[0])
			memcpy(member.name, walk->name, sizeof(member.name));
		if (head.type == '0' || head.type == 0)
			rc = member_take(walk, &member, ret_meta, ret_data);
		walk->name[0] = 0;
		walk->size = SIGMF_NONE;
	}
	walk->at = member.at + (member.bytes + BLOCK - 1) / BLOCK * BLOCK;
	if (walk->at > walk->archive->bytes)
		walk->at = walk->archive->bytes; /* the last block is short */
	return rc;
}

int sigmf_archive_find(const struct sigmf_archive *archive, struct diag *diag,
    struct sigmf_place *ret_meta, struct sigmf_place *ret_data)
{
	struct tar_walk walk = {.archive = archive, .diag = diag, .size = SIGMF_NONE};
	int rc = 0;

	*ret_meta = *ret_data = (struct sigmf_place){{0}, 0, 0};
	for (unsigned n = 0; rc == 0; n++)
		rc = n < MEMBERS_MAX ? member_next(&walk, ret_meta, ret_data)
		                     : archive_refuse(&walk, "there are too many files");
	if (rc < 0)
		return rc;
	if (!ret_meta->name[0])
		return diag_error(
		    diag, archive->file, 0, "the archive has no .sigmf-meta: no recording");
	if (ret_data->name[0] &&
	    strncmp(ret_meta->name, ret_data->name, strlen(ret_meta->name) - 4) != 0)
		return diag_error(diag, archive->file, 0,
		    "the archive has %.200s and %.200s, which are not one recording",
		    ret_meta->name, ret_data->name);
	return 0;
}
