/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/common/builds.h - builds of components that a node has, by their content: in the folders
 * of components of this machine, or in a folder of what the manager has sent.
 *
 * A program of a platform names each component by its name and the SHA-256 of its file for the
 * instruction set of the node (image_instance.build): a path of another machine says nothing. What
 * is not there the manager sends; a file of other content is refused, when it comes and again when
 * it is opened. The folder is in the node's state directory; if it becomes larger than
 * BUILDS_BYTES_MAX, the builds that were used longest ago are removed.
 */
#ifndef DAEMONS_COMMON_BUILDS_H
#define DAEMONS_COMMON_BUILDS_H

#include <stddef.h>
#include <stdint.h>

/* a FILE is one message to a node */
enum { BUILDS_BYTES_MAX = 256 << 20, BUILDS_FILE_MAX = 48 << 20 };

/* for hosts: the folder, on a node that has one */
#define BUILDS_ENVIRONMENT "ALOE_BUILDS"

int builds_folder(const char *state, char *ret_path, size_t size); /* 0 or -errno; not made */

/* builds_find: 0; -ENOENT: there is none of this content; -EINVAL: this is no name, or no
 * digest. */
int builds_find(
    const char *folder, const char *name, const char *sha256, char *ret_path, size_t size);

/* builds_put keeps a file: 0; -EBADMSG: its content is another; -EINVAL as above; -errno. What else
 * is in the folder is removed, the oldest first, until there are at most bytes_max bytes. */
int builds_put(const char *folder, const char *name, const char *sha256, const void *bytes,
    size_t len, uint64_t bytes_max);

#endif
