/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/conf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"

int conf_write(
    const struct bench *bench, const char *name, const char *text, char *ret_path, size_t size)
{
	int rc = path_print(ret_path, size, "%s/%s.conf", bench->dir, name);

	if (rc == 0)
		rc = file_write(ret_path, text, strlen(text));
	if (rc == 0)
		return CLI_OK;
	fprintf(stderr, "%s: %s: %s\n", bench->args->program->name, ret_path, strerror(-rc));
	return CLI_FAILED;
}

FILE *conf_begin(struct conf *conf)
{
	*conf = (struct conf){0};
	conf->out = open_memstream(&conf->text, &conf->len);
	return conf->out;
}

int conf_end(
    struct conf *conf, const struct bench *bench, const char *name, char *ret_path, size_t size)
{
	int status = CLI_FAILED;

	if (fclose(conf->out) == 0)
		status = conf_write(bench, name, conf->text, ret_path, size);
	free(conf->text);
	return status;
}

int conf_chain(const struct bench *bench, const char *name, uint64_t n, const char *source,
    unsigned slot_ns, char *ret_path, size_t size)
{
	struct conf conf;
	FILE *out = conf_begin(&conf);

	if (!out)
		return CLI_FAILED;
	fprintf(out, "name = \"%s\";\nslot_ns = %u;\ninstances: {\n\tsource: { %s };\n", name,
	    slot_ns, source);
	for (uint64_t i = 0; i < n; i++)
		fprintf(out, "\tc%" PRIu64 ": { component = \"copy\"; };\n", i);
	fputs("\tsink: { component = \"null_sink\"; };\n};\nlinks = (\"source", out);
	for (uint64_t i = 0; i < n; i++)
		fprintf(out, " -> c%" PRIu64, i);
	fputs(" -> sink\");\n", out);
	return conf_end(&conf, bench, name, ret_path, size);
}

int conf_interleaver(const struct bench *bench, char *ret_path, size_t size)
{
	static const char text[] =
	    "name = \"interleaver-20ms\";\nslot_ns = 10000000;\ninstances: {\n"
	    "\tsource: { component = \"random_source\"; length = 18240; };\n"
	    "\tinterleave1: { component = \"utran_interleave1\"; tti_ms = 20; };\n"
	    "\tsink: { component = \"null_sink\"; };\n};\n"
	    "links = (\"source -> interleave1 -> sink\");\n";

	return conf_write(bench, "interleaver-20ms", text, ret_path, size);
}
