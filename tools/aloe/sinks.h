/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/sinks.h - what the sinks of a waveform get, as SHA-256: recorders beside the sinks,
 * and the files that the sinks write, in a folder of the run.
 *
 *   sinks_list(waveform) -> sinks_print(.., folder) -> a run -> sinks_read(.., folder)
 */
#ifndef TOOLS_ALOE_SINKS_H
#define TOOLS_ALOE_SINKS_H

#include "core/base/sha256.h"
#include "core/waveform/print.h"

struct sink {
	char label[160]; /* INSTANCE.INPUT: its messages; INSTANCE.PARAMETER: the file it writes */
	char file[128];  /* in the folder */
	char sha256[SHA256_TEXT]; /* as of the last sinks_read; "": there is no file */
	bool is_file;
	int instance; /* a file: whose, and which parameter is its path */
	size_t param;
};

struct sinks {
	struct sink *items;
	size_t len;
	struct wf_graft *grafts; /* recorders; `params` is set by sinks_print */
	size_t n_grafts;
};

/* A sink is an instance with an input and without an output that is read. 0 or -ENOMEM. */
int sinks_list(const struct waveform *waveform, struct sinks *ret);
void sinks_fini(struct sinks *sinks);
/* sinks_print gives the text of the waveform with what `print` says, and with recorders that write
 * to `folder`. The caller frees it. NULL without memory. */
char *sinks_print(struct sinks *sinks, const struct waveform *waveform,
    const struct wf_print *print, const char *folder);
/* sinks_read takes the digests of a run; files of the sinks are where the waveform has them, or in
 * `sinks_in` (wf_sink_path). 0, or -errno of a file that cannot be read. */
int sinks_read(
    struct sinks *sinks, const struct waveform *waveform, const char *folder, const char *sinks_in);
/* sinks_all gives one digest of all of them. */
void sinks_all(const struct sinks *sinks, char ret_hex[SHA256_TEXT]);

/* folder_remove removes a folder with all that is in it. */
void folder_remove(const char *folder);

#endif
