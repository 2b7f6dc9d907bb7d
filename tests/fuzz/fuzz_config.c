/* SPDX-License-Identifier: ISC */
/*
 * A configuration file of anything, through config_load(): either it is
 * refused with a sentence, or every port of it is one an agent takes.
 */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/common/config.h"

static void
on_send(void *arg, const void *frame, size_t len)
{
	(void)arg;
	(void)frame;
	(void)len;
}

static void
port_try(const struct config *c, const char *name)
{
	static const struct dcbx_ops ops = { .send = on_send };
	static const struct dcbx_system system = {
		.chassis_id = { .subtype = 7, .len = 1, .id = { 'a' } } };
	struct dcbx_port port = { .system = &system, .name = "eth0",
		.max_tcs = 8, .pfc_cap = 8, .max_neighbors = 8 };
	static struct config_port p;
	struct dcbx_agent *a = dcbx_new(&port, &ops, NULL);

	config_port(c, name, &p);
	if (p.n_backends > CONFIG_BACKENDS_MAX)
		abort();
	if (a == NULL || dcbx_set_admin(a, &p.admin, 0) != 0)
		abort();
	dcbx_link(a, true, 0);
	dcbx_free(a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct config_errors errors;
	static FILE *null;
	char path[64];
	struct config *c;
	int fd = memfd_create("fuzz.conf", MFD_CLOEXEC);

	if (null == NULL)
		null = fopen("/dev/null", "w");
	if (fd < 0 || null == NULL || write(fd, data, size) != (ssize_t)size)
		abort();
	memset(&errors, 0, sizeof errors);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	c = config_load(path, true, NULL, NULL, NULL, &errors);
	if (c == NULL && (errors.errors == 0 || errors.n == 0))
		abort();
	config_errors_print(&errors, null);
	if (c != NULL) {
		port_try(c, "eth0");
		port_try(c, "ens1f0np0");
	}
	config_free(c);
	close(fd);
	return 0;
}
