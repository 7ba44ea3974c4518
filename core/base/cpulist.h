/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/cpulist.h - sets of CPUs as Linux writes them in its files: lists ("0-2,5") and masks
 * in hexadecimal ("00000027", with a comma after each 32 bits).
 *
 * parse gives 0, or -EINVAL for what is none; white space at the end is none of it, and an empty
 * text is the empty set. print gives 0, or -ENAMETOOLONG.
 */
#ifndef ALOE_BASE_CPULIST_H
#define ALOE_BASE_CPULIST_H

#include <sched.h>
#include <stddef.h>

int cpulist_parse(const char *text, cpu_set_t *ret_cpus);
int cpulist_print(const cpu_set_t *cpus, char *ret_text, size_t size);

int cpumask_parse(const char *text, cpu_set_t *ret_cpus);
int cpumask_print(const cpu_set_t *cpus, char *ret_text, size_t size);

#endif
