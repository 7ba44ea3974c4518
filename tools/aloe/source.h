/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/source.h - a waveform file with what the command line adds, read and validated here.
 */
#ifndef TOOLS_ALOE_SOURCE_H
#define TOOLS_ALOE_SOURCE_H

#include "core/cli/cli.h"
#include "core/waveform/waveform.h"
#include "core/wire/wire.h"

enum { SOURCE_LANES_MAX = 64, SOURCE_BYTES_MAX = 8 << 20, SOURCE_COPIES_MAX = 1000000 };

struct source {
	char file[4096]; /* where it is, see source_find */
	char *text;
	size_t len;
	char *radio; /* what is in the file of --radio; NULL */
	char cwd[4096];
	char **sets; /* KEY=VALUE of --set, --tap and --force */
	size_t n_sets;
	struct diag diag;
	struct registry *registry;
	struct waveform *waveform;
	uint64_t load_id; /* the same however often it is sent */
};

/* source_find tells where a waveform is: `name` itself if there is such a file, else, if it has no
 * slash, NAME.conf or NAME in the folders of ALOE_WAVEFORMS, then among the waveforms that came
 * with this program. 0 or -ENOENT, with `name` itself; or -ENAMETOOLONG. */
int source_find(const char *name, char *ret_path, size_t size);

/* source_open reads and validates; every error is printed. 0 or CLI_USAGE; source_close in any
 * case. `shape` asks the components too (by aloe-host), so that all sizes are known and files that
 * should be there are. */
int source_open(struct source *source, const struct cli_args *args, const char *file, bool shape);
void source_close(struct source *source);

/* source_set adds one more KEY=VALUE to those that source_put sends. 0 or -ENOMEM. */
__attribute__((format(printf, 2, 3))) int source_set(
    struct source *source, const char *format, ...);

/* source_put adds to a LOAD what swman needs to do the same: text, directory and overrides. */
int source_put(const struct source *source, const struct cli_args *args, struct wire_msg *msg);

#endif
