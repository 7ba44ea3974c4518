/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/web_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"

enum { FILE_BYTES = 256, RANDOM_BYTES = (WEB_TOKEN_TEXT - 1) / 2 };

int web_file_path(struct web_file *file, const char *dir)
{
	return path_print(file->path, sizeof(file->path), "%s/" WEB_FILE_NAME, dir);
}

static bool is_token(const char *text)
{
	return strspn(text, "0123456789abcdef") == WEB_TOKEN_TEXT - 1 &&
	    text[WEB_TOKEN_TEXT - 1] == 0;
}

static int text_take(struct web_file *file, const char *text)
{
	char address[ADDRESS_TEXT], token[WEB_TOKEN_TEXT + 1];
	struct address parsed;

	_Static_assert(ADDRESS_TEXT == 64 && WEB_TOKEN_TEXT == 65, "as below");
	if (sscanf(text, "address %63s token %65s", address, token) != 2 ||
	    address_parse(address, &parsed) < 0 || !is_token(token))
		return -EBADMSG;
	memcpy(file->address, address, sizeof(address));
	memcpy(file->token, token, WEB_TOKEN_TEXT);
	return 0;
}

int web_file_read(struct web_file *file)
{
	const int fd = open(file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char text[FILE_BYTES + 1];
	struct stat about;
	ssize_t len = 0;
	int rc = 0;

	if (fd < 0)
		return errno == ENOENT ? -ENOENT : -EPERM;
	if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid() ||
	    (about.st_mode & 077) != 0)
		rc = -EPERM;
	else
		len = read(fd, text, FILE_BYTES);
	close(fd);
	if (rc < 0 || len < 0)
		return -EPERM;
	text[len] = 0;
	return text_take(file, text);
}

int web_file_token(struct web_file *file)
{
	uint8_t bytes[RANDOM_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(file->token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

int web_file_write(const struct web_file *file)
{
	char text[FILE_BYTES];
	const int len =
	    snprintf(text, sizeof(text), "address %s\ntoken %s\n", file->address, file->token);

	return file_write_closed(file->path, text, (size_t)len);
}
