/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/registry/registry.h - which components there are, and what they say of themselves.
 *
 * The build writes NAME.desc (JSON) beside each NAME.so. Everything but a host reads only the .desc
 * (also for foreign architectures); a host opens the .so and compares its digest with the one that
 * the plan was made from. DIR/ARCH/NAME.desc says that there is a build of NAME for another
 * instruction set (beside it lies that NAME.so, for the nodes that run it).
 */
#ifndef ALOE_REGISTRY_H
#define ALOE_REGISTRY_H

#include <aloe/component.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "core/base/diag.h"
#include "core/base/name_map.h"
#include "core/base/sha256.h"

enum { COMPONENT_TAIL_MAX = 1 << 20 };

/* What the file was when its digest was taken. */
struct component_build {
	char sha256[SHA256_TEXT]; /* "": not taken yet */
	uint64_t size, inode;
	struct timespec changed;
};

/* A component as its .desc tells it: no code, the same tables as struct aloe_component. */
struct component_type {
	char *name;
	char *summary;
	char *doc; /* or NULL */
	struct aloe_port *ports;
	size_t n_ports;
	struct aloe_param *params; /* `offset` and `size` are as in the .so */
	size_t n_params;
	struct aloe_var *vars;
	size_t n_vars;
	uint32_t kmac;                 /* at least 1 */
	char *mix;                     /* what work is made of, see core/map/class.h; or NULL */
	uint32_t tail;                 /* indices; the most, whatever the parameters are */
	bool stateless;                /* keeps nothing from one index to the next */
	bool fills, drains, shapes;    /* has fill, drain, shape */
	bool many;                     /* has work_many */
	uint64_t digest;               /* FNV-1a 64 of the .desc text */
	char *path;                    /* of the .so */
	struct component_build *build; /* see component_build; NULL: it cannot be known */
	uint32_t builds;               /* bit n: a build for instruction set n is known */
};

/* Instruction sets: "x86_64", "aarch64", "armhf"; NULL beyond. component_arch_here: that of this
 * program, COMPONENT_ARCHES for any other. component_builds tells whether there is a build for one,
 * by name. */
enum { COMPONENT_ARCHES = 3 };
const char *component_arch_name(unsigned arch);
unsigned component_arch_here(void);
bool component_builds(const struct component_type *type, const char *arch);

/* component_build gives the SHA-256 of the component's file as it is now, 64 hexadecimal digits, ""
 * if it cannot be read. It is taken again when the file has changed. component_build_is tells
 * whether the file, or one for another instruction set beside it, has this digest. */
const char *component_build(const struct component_type *type);
bool component_build_is(const struct component_type *type, const char *sha256);
/* component_build_for gives the digest of the file for an instruction set, by name ("": that of
 * this program); "" if there is none. component_file finds the file with this digest: `path`, or
 * one for another instruction set beside it; 0 or -ENOENT. */
void component_build_for(
    const struct component_type *type, const char *arch, char ret_sha256[SHA256_TEXT]);
int component_file(const char *path, const char *sha256, char *ret_path, size_t size);

struct registry;

/* registry_open reads every .desc of `dirs` (colon-separated; the first that has a name wins). A
 * .desc that cannot be read or has another ABI adds an error to diag and is left out. NULL only
 * without memory. */
struct registry *registry_open(const char *dirs, struct diag *diag);
void registry_close(struct registry *registry);
const struct component_type *registry_find(const struct registry *registry, const char *name);
size_t registry_len(const struct registry *registry);
/* in order of name */
const struct component_type *registry_at(const struct registry *registry, size_t i);

/* component_type_open reads the .desc beside the component's file `path` (DIR/NAME.so), whatever
 * folders a registry knows: 0, or -EINVAL with what is wrong in diag, or -ENOMEM. The caller gives
 * it to component_type_close (NULL: nothing) when no waveform uses it any more. */
int component_type_open(const char *path, struct diag *diag, struct component_type **ret);
void component_type_close(struct component_type *type);

/* registry_stamp is a number for what registry_open would read: it changes when a .desc is written,
 * added or removed. */
uint64_t registry_stamp(const char *dirs);

/* registry_dirs gives the default search path: $ALOE_COMPONENTS if set, then ../lib/aloe seen from
 * the running program, then ~/.local/lib/aloe. The caller frees it. */
char *registry_dirs(void);

/* component_describe gives the .desc text of a component in memory (the host's `--describe`); the
 * caller frees it. */
char *component_describe(const struct aloe_entry *entry);
uint64_t component_digest(const char *desc_text);

/* component_open loads `path` (dlopen, hosts and comprun only) and checks symbol, name and ABI.
 * -ENOEXEC and an error in diag when the file is not a component. */
int component_open(
    const char *path, struct diag *diag, void **ret_handle, const struct aloe_entry **ret_entry);
void component_close(void *handle);

/* Components that a process has opened, each file once, whatever the number of its instances. */
struct component_file {
	char *path;
	void *handle;
	const struct aloe_entry *entry;
	uint64_t digest; /* component_digest of its description */
};
struct component_files { /* zeroed: none */
	struct component_file *items;
	size_t len;
	struct name_map paths;
};

/* component_files_open returns the file of `path`, which it opens if none of the same path is open;
 * it is valid until the next call. NULL after an error in diag. */
const struct component_file *component_files_open(
    struct component_files *files, const char *path, struct diag *diag);
void component_files_close(struct component_files *files);

/* library_open loads `path` as component_open does and finds `symbol`: what the platform answers
 * with a library of its own, so that only who asks for it needs that (hosts and device simulators
 * only). It stays until the process ends. library_find does so for the answer `name`, which lies in
 * $ALOE_TRANSPORTS, or in ../lib/aloe-transports seen from the running program; NULL if
 * there is none that can be opened. */
int library_open(const char *path, const char *symbol, struct diag *diag, const void **ret_symbol);
const void *library_find(const char *name, const char *symbol, struct diag *diag);

/* Item types by name: "bit" "byte" "i16" "llr16" "f32" "cf32" "ci16". 0 / NULL for anything else (a
 * set has no name). */
uint32_t item_type_from_name(const char *name);
const char *item_type_name(uint32_t type);

#endif
