/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/statsman/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/sha256.h"

/* Each file as it is, and a NUL that is not counted. */
#define PAGE(symbol, path, file, type)                                                             \
	__asm__(".pushsection .rodata, \"a\", %progbits\n"                                         \
	        "aloe_page_" #symbol ":\n"                                                         \
	        ".incbin \"daemons/statsman/page/" file "\"\n"                                     \
	        "aloe_page_" #symbol "_end:\n"                                                     \
	        ".byte 0\n"                                                                        \
	        ".popsection\n");                                                                  \
	extern const char aloe_page_##symbol[], aloe_page_##symbol##_end[];
#include "daemons/statsman/page_files.h"
#undef PAGE

struct page_file {
	const char *path, *type, *bytes, *end;
};

#define PAGE(symbol, path, file, type) {path, type, aloe_page_##symbol, aloe_page_##symbol##_end},
static const struct page_file files[] = {
#include "daemons/statsman/page_files.h"
};
#undef PAGE

static const struct page_file *file_find(const char *path)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (strcmp(files[i].path, path) == 0)
			return &files[i];
	return NULL;
}

void page_answer(const struct http_request *request, struct http_reply *ret)
{
	const struct page_file *file = file_find(request->path);
	char digest[SHA256_TEXT];
	size_t len;

	*ret = (struct http_reply){.status = 404};
	if (!file)
		return;
	len = (size_t)(file->end - file->bytes);
	sha256_text(file->bytes, len, digest);
	*ret = (struct http_reply){.status = 200, .type = file->type, .len = len};
	snprintf(ret->etag, sizeof(ret->etag), "%s", digest);
	if (request->match && strstr(request->match, digest)) {
		ret->status = 304;
		return;
	}
	ret->body = malloc(len + 1);
	if (ret->body)
		memcpy(ret->body, file->bytes, len + 1);
	else
		ret->status = 500;
}
