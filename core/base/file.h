/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/file.h - whole files, descriptors, and where a user's files lie. [control]
 */
#ifndef ALOE_BASE_FILE_H
#define ALOE_BASE_FILE_H

#include <stddef.h>

/* file_read reads a whole file of at most `max` bytes; the caller frees *ret_text, which is
 * followed by a NUL that is not counted. 0, -EFBIG, -EISDIR (a directory), -ESPIPE (a FIFO, a
 * socket or a device, which it never waits for), or -errno. */
int file_read(const char *path, size_t max, char **ret_text, size_t *ret_len);
/* file_reason says in words why file_read gave `rc`. */
const char *file_reason(int rc);
/* file_write makes or replaces a file whole: written beside it, synced, then renamed, so that a
 * reader sees the old one or the new one. 0 or -errno. */
int file_write(const char *path, const void *bytes, size_t len);
/* file_writable tells whether file_write can make a file beside that one: 0 or -errno. */
int file_writable(const char *path);
/* file_write_closed does the same for a file that only its owner may read or write (mode 0600). */
int file_write_closed(const char *path, const void *bytes, size_t len);

/* file_read_only gives another descriptor of the same file that is open for reading only, as for a
 * process that must not write it: no mapping made by it can become writable. The caller closes it.
 * -errno on failure. */
int file_read_only(int fd);

/* dir_make makes a directory and those above it, closed to others (mode 0700). 0 or -errno;
 * -ENOTDIR if a file is there. */
int dir_make(const char *path);

/* dir_state gives where runs and profiles are kept: $XDG_STATE_HOME/aloe, else ~/.local/state/aloe.
 * dir_runtime gives where the long-lived node has its socket: $XDG_RUNTIME_DIR/aloe, else
 * /tmp/aloe-UID. 0 or -ENAMETOOLONG; not made. */
int dir_state(char *ret_path, size_t size);
int dir_runtime(char *ret_path, size_t size);

/* path_print is snprintf that says -ENAMETOOLONG when it does not fit, else 0. */
__attribute__((format(printf, 3, 4))) int path_print(
    char *ret_path, size_t size, const char *format, ...);

#endif
