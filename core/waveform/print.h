/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/waveform/print.h - a checked waveform as the text of a waveform file, and what stands beside
 * the waveform in that text.
 *
 *   struct waveform + grafts --waveform_print--> text --waveform_parse--> the same waveform
 *
 * The text has what --set has changed, absolute paths and the numbers of arrays, so it needs no
 * other file but those that components read. Copies are written one by one. A graft adds a reader
 * to an output, or puts a source in the place of one.
 */
#ifndef ALOE_WAVEFORM_PRINT_H
#define ALOE_WAVEFORM_PRINT_H

#include "core/waveform/waveform.h"

struct wf_graft {
	int instance, port; /* the output that is read, or replaced */
	bool replaces;      /* the new instance writes what the output wrote */
	bool beside;        /* see struct wf_instance */
	char name[64];      /* of the new instance, see wf_graft_name */
	const char *component;
	const char *params; /* its settings, as they stand in a file: `path = "a"; type = "i16";` */
};

struct wf_print {
	const struct wf_graft *grafts;
	size_t n_grafts;
	/* one for each instance, those that are left out; NULL: none. A link from or to one of
	 * them is left out, but for a link from an output that a graft replaces. */
	const bool *left_out;
	/* paths that are written instead of those of instances whose component drains: DIR/NAME, by
	 * the name of the instance and of the parameter; NULL: as they are */
	const char *sinks_in;
	const char *clock; /* instead of the waveform's, with late = "slip"; NULL: as it is */
	bool anywhere;     /* lanes, pins, nodes, isolation, replicas and pipelined are left out */
	/* with `anywhere`: replicas are not left out */
	bool in_places;
	/* with `anywhere`: nodes are not left out, but for those of paths of `sinks_in` */
	bool on_nodes;
};

/* waveform_print returns the text, which the caller frees; NULL without memory. `print` may be
 * NULL: the waveform as it is. */
char *waveform_print(const struct waveform *waveform, const struct wf_print *print);

/* wf_graft_name writes a name that no instance has, made of `prefix` and the output's names. */
void wf_graft_name(const struct waveform *waveform, const char *prefix, struct wf_graft *graft);

/* wf_sink_path writes where sinks_in puts a file. 0 or -ENAMETOOLONG. */
int wf_sink_path(
    const char *dir, const struct wf_instance *instance, size_t param, char *ret, size_t size);

/* wf_output_name and wf_input_name return the name of a port. */
const char *wf_output_name(const struct wf_instance *instance, int port);
const char *wf_input_name(const struct wf_instance *instance, int port);

#endif
