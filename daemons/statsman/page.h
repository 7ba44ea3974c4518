/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/statsman/page.h - the files of the dashboard's page, which lie in this program.
 */
#ifndef ALOE_STATSMAN_PAGE_H
#define ALOE_STATSMAN_PAGE_H

#include "core/http/http.h"

/* page_answer gives the file at a path, nothing but its name to who has it already (If-None-Match),
 * or status 404. */
void page_answer(const struct http_request *request, struct http_reply *ret);

#endif
