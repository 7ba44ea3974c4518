/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/web_file.h - the file `web` in a node's directory: where the dashboard is, and the
 * token of whoever changes something there. aloe-statsman writes it, `aloe web` reads it. [control]
 *
 *	address 127.0.0.1:7373
 *	token 64 hexadecimal digits
 *
 * It belongs to its user and is closed to all others (mode 0600); any other file is none.
 */
#ifndef ALOE_BASE_WEB_FILE_H
#define ALOE_BASE_WEB_FILE_H

#include <limits.h>

#include "core/base/address.h"

#define WEB_FILE_NAME "web"

enum { WEB_TOKEN_TEXT = 65, WEB_PORT = 7373 }; /* WEB_PORT: where no other is named */

struct web_file {
	char path[PATH_MAX];
	char address[ADDRESS_TEXT];
	char token[WEB_TOKEN_TEXT];
};

/* web_file_path fills in where it is in the directory of a node: 0 or -ENAMETOOLONG. */
int web_file_path(struct web_file *file, const char *dir);
/* web_file_read: 0; -ENOENT; -EPERM (of another user, or open to others); -EBADMSG (it is none). */
int web_file_read(struct web_file *file);
/* web_file_token makes a new token out of random bytes of the kernel. 0 or -errno, as of
 * web_file_write. */
int web_file_token(struct web_file *file);
int web_file_write(const struct web_file *file);

#endif
