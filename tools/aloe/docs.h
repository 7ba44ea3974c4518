/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/docs.h - the long texts of the tables of commands (main.c) */
#ifndef ALOE_DOCS_H
#define ALOE_DOCS_H

extern const char record_doc[], replay_doc[], compare_doc[], doctor_doc[];

#endif
