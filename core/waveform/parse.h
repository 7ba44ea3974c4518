/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/waveform/parse.h - what the files of this room share; nobody else needs it.
 *
 * 	scan.c    bytes -> a text that libconfig takes
 * 	value.c   one value, from the file or from --set, of the kind that is wanted; paths
 * 	errors.c  errors in the order of the file, and when there are enough of them
 * 	read.c    keys of the waveform and of its instances, --set
 * 	link.c    paths -> links
 * 	mode.c    on_overrun: what overrun = "mode" sets
 * 	tap.c     outputs that others may read
 * 	check.c   connections, cycles, item types
 * 	copies.c  the whole, N times
 * 	spread.c  one instance in several places
 * 	platform.c  the other kind of file: machines
 *
 * A struct waveform on its way may have holes: an instance of unknown type (type NULL), a link end
 * that was not understood (instance or port -1). Each hole has its error already and is passed
 * over.
 */
#ifndef ALOE_WAVEFORM_PARSE_H
#define ALOE_WAVEFORM_PARSE_H

#include <libconfig.h>
#include <sys/types.h>

#include "core/base/name_map.h"
#include "core/component/parse.h"
#include "core/waveform/waveform.h"

enum {
	WF_LANES_MAX = 64,
	WF_CPU_MAX = 1023,
	WF_PERIOD_MAX = 1000000,
	WF_DELAY_MAX = 65535,
	WF_ITEMS_MAX = 1 << 24,
	WF_ERRORS_MAX = 100,
	WF_LEASE_MS_MIN = 200,
	WF_LEASE_MS = 1000,
	WF_LEASE_MS_MAX = 60000
};
#define WF_SLOT_NS_MIN 1000.0
#define WF_SLOT_NS_MAX 1e10
#define WF_SLOT_SAMPLES_MIN 16.0
#define WF_SLOT_SAMPLES_MAX 1e8
#define WF_RATE_MIN 1e3
#define WF_RATE_MAX 1e9

struct wf_parse {
	const char *file;
	const char *text; /* of the file, as it was written; no 0 at its end is needed */
	size_t text_len;
	const struct registry *registry;
	const struct wf_overrides *overrides;
	struct diag *diag;
	size_t errors_before; /* in diag, when this parse began */
	struct waveform *waveform;
	struct name_map names; /* of the instances, until there are copies */
	bool late_given;       /* by the file or the command line */
	/* a link is not understood, which was said: what is missing may be that one */
	bool links_unread;
};

/* ---- values ------------------------------------------------------------------------ */

/* A value as found: a setting of the file, or the text after = of a --set. */
struct wf_raw {
	const config_setting_t *setting; /* NULL: a --set */
	const char *word;
	const char *where; /* the file, or "--set inst.param=value" */
	int line;          /* 0 for --set */
};

struct wf_raw wf_raw_setting(const struct wf_parse *parse, const config_setting_t *setting);

/* wf_want reads a value for a parameter: 0, -ENOMEM, or -EINVAL with an error in diag. With `parse`
 * a relative path begins where wf_path says. */
int wf_want(const struct wf_raw *raw, const char *name, const struct aloe_param *param,
    const struct wf_parse *parse, struct diag *diag, struct param_value *ret);
/* wf_path gives the path to open for one in the waveform `parse`, a struct wf_parse. */
char *wf_path(const void *parse, const char *path);

/* Each gives 0, or -EINVAL with an error that begins with `name` and says what is allowed; *ret is
 * then untouched. */
int wf_want_int(const struct wf_raw *raw, const char *name, double min, double max,
    const char *unit, struct diag *diag, double *ret);
int wf_want_real(const struct wf_raw *raw, const char *name, double min, double max,
    const char *unit, struct diag *diag, double *ret);
int wf_want_bool(const struct wf_raw *raw, const char *name, struct diag *diag, bool *ret);
int wf_want_text(const struct wf_raw *raw, const char *name, struct diag *diag, const char **ret);
/* Position of the text in `names` (NULL-terminated). */
int wf_want_choice(const struct wf_raw *raw, const char *name, const char *const *names,
    struct diag *diag, int *ret);
/* A list of 1 to len_max numbers, whole ones if `whole`; the caller frees it. */
int wf_want_numbers(const struct wf_raw *raw, const char *name, bool whole, double min, double max,
    size_t len_max, struct diag *diag, double **ret, size_t *ret_len);

/* What libconfig did not like, with its line; the lines of diag from `from` on in order of their
 * lines in the file. */
void wf_report_syntax(const struct wf_parse *parse, const config_t *config);
void wf_sort_lines(const struct wf_parse *parse, size_t from);

/* ---- the parts of the parser; what is wrong is in parse->diag ---- */

/* wf_enough gives -E2BIG once there are so many errors that the rest of the file is better not
 * looked at. */
int wf_enough(const struct wf_parse *parse);

/* 0, -ENOMEM or -E2BIG. */
int wf_read_waveform(struct wf_parse *parse, const config_setting_t *root);
int wf_read_links(struct wf_parse *parse, const config_setting_t *setting);
int wf_check(struct wf_parse *parse);

/* wf_tap_set is the key `tap` of an instance. wf_tap_port tells whether a key of --set is PORT.tap,
 * and wf_tap_set_port sets it. wf_taps_check follows when all links are known. */
void wf_tap_set(struct wf_parse *parse, struct wf_instance *instance, const struct wf_raw *raw);
bool wf_tap_port(const char *key);
void wf_tap_set_port(struct wf_parse *parse, struct wf_instance *instance, const char *key,
    const struct wf_raw *raw);
void wf_taps_check(struct wf_parse *parse);

/* wf_modes_read reads on_overrun (NULL: the file has none), when all instances are known. */
int wf_modes_read(struct wf_parse *parse, const config_setting_t *setting);
/* wf_unknown_instance says that there is none of that name, and which may have been meant. */
void wf_unknown_instance(struct wf_parse *parse, const char *name, const struct wf_raw *raw);

/* wf_values_copy gives `to` the values of `from` in memory of its own. */
int wf_values_copy(const struct wf_instance *from, struct wf_instance *to);
int wf_copies(struct wf_parse *parse, uint32_t copies);
/* wf_side_set is the key `side_by_side`. */
void wf_side_set(struct wf_parse *parse, const struct wf_raw *raw);
/* wf_replicas_set is the key `replicas` of an instance; wf_replicas_check says what cannot be in
 * several places, and why. */
void wf_replicas_set(
    struct wf_parse *parse, struct wf_instance *instance, const struct wf_raw *raw);
void wf_replicas_check(struct wf_parse *parse);
/* wf_named returns the number of an instance of the file, wf_find_instance that of any instance of
 * a whole waveform, which it looks for one by one; -1: there is none. */
int wf_named(const struct wf_parse *parse, const char *name, size_t len);
int wf_find_instance(const struct waveform *waveform, const char *name, size_t len);
/* The descriptor's port behind input or output number `port` of an instance, and the number of a
 * descriptor's port. */
const struct aloe_port *wf_port_of(const struct component_type *type, bool output, int port);

/* wf_order gives the instances in an order in which every link that `counts` goes forward, the
 * file's order where there is a choice; returns how many it could place (fewer than n_instances:
 * there is a cycle), or -ENOMEM. */
ssize_t wf_order(
    const struct waveform *waveform, bool (*counts)(const struct wf_link *), int *ret_order);
/* wf_cycle gives the links of one cycle among those that `counts`, each one's writer being the next
 * one's reader; returns how many, 0 if there is no cycle, or -ENOMEM. Room for n_instances is
 * needed. */
ssize_t wf_cycle(
    const struct waveform *waveform, bool (*counts)(const struct wf_link *), int *ret_links);
/* Of links whose line has an error nothing else is said: they count in neither. */
bool wf_link_has_no_items(const struct wf_link *link);
bool wf_link_has_no_delay(const struct wf_link *link);

#endif
