/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/sinks.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"

static bool is_sink(const struct wf_instance *instance)
{
	bool reads = false, is_read = false;

	for (uint32_t p = 0; p < instance->n_in; p++)
		reads |= instance->in[p].link >= 0;
	for (uint32_t p = 0; p < instance->n_out; p++)
		is_read |= instance->out[p].link >= 0;
	return reads && !is_read;
}

/* One recorder is enough for an output that several sinks read. */
static const struct wf_graft *graft_of(
    const struct waveform *waveform, const struct wf_link *link, struct sinks *sinks)
{
	struct wf_graft *graft = sinks->grafts;

	for (size_t i = 0; i < sinks->n_grafts; i++, graft++)
		if (graft->instance == link->from && graft->port == link->from_port)
			return graft;
	*graft = (struct wf_graft){
	    .instance = link->from, .port = link->from_port, .component = "recorder"};
	wf_graft_name(waveform, "rec", graft);
	sinks->n_grafts++;
	return graft;
}

static void inputs_list(
    const struct waveform *waveform, const struct wf_instance *instance, struct sinks *sinks)
{
	for (uint32_t p = 0; p < instance->n_in; p++) {
		struct sink *sink = &sinks->items[sinks->len];

		if (instance->in[p].link < 0)
			continue;
		snprintf(sink->file, sizeof(sink->file), "%s.sha256",
		    graft_of(waveform, &waveform->links[instance->in[p].link], sinks)->name);
		snprintf(sink->label, sizeof(sink->label), "%s.%s", instance->name,
		    wf_input_name(instance, (int)p));
		sinks->len++;
	}
}

static void files_list(
    const struct waveform *waveform, const struct wf_instance *instance, struct sinks *sinks)
{
	for (size_t k = 0; instance->type->drains && k < instance->type->n_params; k++) {
		struct sink *sink = &sinks->items[sinks->len];

		if (instance->type->params[k].kind != ALOE_KIND_PATH || !instance->values[k].set)
			continue;
		sink->is_file = true;
		sink->instance = (int)(instance - waveform->instances);
		sink->param = k;
		snprintf(sink->label, sizeof(sink->label), "%s.%s", instance->name,
		    instance->type->params[k].name);
		sinks->len++;
	}
}

int sinks_list(const struct waveform *waveform, struct sinks *ret)
{
	size_t room = waveform->n_links;

	for (size_t i = 0; i < waveform->n_instances; i++)
		room += waveform->instances[i].type->n_params;
	*ret = (struct sinks){.items = calloc(room + 1, sizeof(*ret->items)),
	    .grafts = calloc(waveform->n_links + 1, sizeof(*ret->grafts))};
	if (!ret->items || !ret->grafts) {
		sinks_fini(ret);
		return -ENOMEM;
	}
	for (size_t i = 0; i < waveform->n_instances; i++) {
		if (!is_sink(&waveform->instances[i]))
			continue;
		inputs_list(waveform, &waveform->instances[i], ret);
		files_list(waveform, &waveform->instances[i], ret);
	}
	return 0;
}

void sinks_fini(struct sinks *sinks)
{
	free(sinks->items);
	free(sinks->grafts);
	*sinks = (struct sinks){0};
}

static int params_set(struct sinks *sinks, const char *folder, char **ret_texts)
{
	for (size_t i = 0; i < sinks->n_grafts; i++) {
		if (asprintf(&ret_texts[i], "keep = \"sha256\"; path = \"%s/%s\";", folder,
		        sinks->grafts[i].name) < 0) {
			ret_texts[i] = NULL;
			return -ENOMEM;
		}
		sinks->grafts[i].params = ret_texts[i];
	}
	return 0;
}

/* The grafts of both. */
static char *both_print(
    const struct sinks *sinks, const struct waveform *waveform, const struct wf_print *print)
{
	const size_t n = sinks->n_grafts + print->n_grafts;
	struct wf_graft *grafts = calloc(n + 1, sizeof(*grafts));
	struct wf_print with = *print;
	char *text;

	if (!grafts)
		return NULL;
	if (print->n_grafts)
		memcpy(grafts, print->grafts, print->n_grafts * sizeof(*grafts));
	if (sinks->n_grafts)
		memcpy(grafts + print->n_grafts, sinks->grafts, sinks->n_grafts * sizeof(*grafts));
	with.grafts = grafts;
	with.n_grafts = n;
	text = waveform_print(waveform, &with);
	free(grafts);
	return text;
}

char *sinks_print(struct sinks *sinks, const struct waveform *waveform,
    const struct wf_print *print, const char *folder)
{
	char **texts = calloc(sinks->n_grafts + 1, sizeof(*texts)), *text = NULL;

	if (texts && params_set(sinks, folder, texts) == 0)
		text = both_print(sinks, waveform, print);
	for (size_t i = 0; texts && i < sinks->n_grafts; i++)
		free(texts[i]);
	free(texts);
	return text;
}

static int file_hash(struct sink *sink, const struct waveform *waveform, const char *sinks_in)
{
	const struct wf_instance *instance = &waveform->instances[sink->instance];
	char path[4400];
	int rc = 0;

	if (sinks_in)
		rc = wf_sink_path(sinks_in, instance, sink->param, path, sizeof(path));
	else
		rc = path_print(path, sizeof(path), "%s", instance->values[sink->param].text);
	rc = rc == 0 ? sha256_file(path, SIZE_MAX >> 1, sink->sha256) : rc;
	/* no file that can be read again, or the sink has made another name of the path: there is
	 * only the digest of its messages */
	return rc == -ESPIPE || rc == -ENOENT ? 0 : rc;
}

/* What a recorder has written is the digest itself. */
static int messages_hash(struct sink *sink, const char *folder)
{
	char path[4400], *text = NULL;
	size_t len = 0;
	int rc = path_print(path, sizeof(path), "%s/%s", folder, sink->file);

	if (rc == 0)
		rc = file_read(path, SHA256_TEXT, &text, &len);
	if (rc == 0 && len == SHA256_TEXT)
		snprintf(sink->sha256, sizeof(sink->sha256), "%s", text);
	sink->sha256[strcspn(sink->sha256, "\n")] = 0;
	free(text);
	return rc == 0 && strlen(sink->sha256) != SHA256_TEXT - 1 ? -EBADMSG : rc;
}

int sinks_read(
    struct sinks *sinks, const struct waveform *waveform, const char *folder, const char *sinks_in)
{
	int rc = 0;

	for (size_t i = 0; i < sinks->len; i++) {
		struct sink *sink = &sinks->items[i];
		int one;

		sink->sha256[0] = 0;
		one = sink->is_file ? file_hash(sink, waveform, sinks_in)
		                    : messages_hash(sink, folder);
		rc = rc < 0 ? rc : one;
	}
	return rc;
}

void sinks_all(const struct sinks *sinks, char ret_hex[SHA256_TEXT])
{
	struct sha256 sha;

	sha256_begin(&sha);
	for (size_t i = 0; i < sinks->len; i++)
		sha256_add(&sha, sinks->items[i].sha256, SHA256_TEXT);
	sha256_end(&sha, ret_hex);
}

static int entry_remove(const char *path, const struct stat *about, int type, struct FTW *where)
{
	(void)about;
	(void)type;
	(void)where;
	remove(path);
	return 0;
}

void folder_remove(const char *folder)
{
	nftw(folder, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}
