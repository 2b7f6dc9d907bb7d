/* SPDX-License-Identifier: ISC */
/*
 * Backend `roce`: congestion control of an adapter, by files.
 *
 * The vendor's mlx5 driver has a tree at /sys/class/net/PORT: ecn/roce_np and
 * ecn/roce_rp with a file for each parameter and enable/N for each priority,
 * and qos/trust; RDMA-CM has its type of service in configfs.  What is
 * wanted becomes a list of settings (roce_want.c), and each goes the same
 * way: read, compare, write, read back.  They do not depend on each other,
 * so one that fails does not keep the others from being written.
 *
 * A driver may make another value of what it was given.  That is remembered,
 * so that trying again does not write what would become the same again.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/backend/plan.h"
#include "daemon/backend/roce.h"
#include "daemon/backend/roce_want.h"
#include "libdcbx/text.h"

#define ROCE_ROOT "/sys"

/* What is known of one file, by the setting's number. */
struct known {
	bool touched; /* found is what was there before us */
	bool bent;    /* the driver made `became` of `asked` */
	char found[ROCE_VALUE_MAX];
	char asked[ROCE_VALUE_MAX], became[ROCE_VALUE_MAX];
};

struct roce {
	const struct roce_io *io;
	struct roce_place place;
	struct config_setup setup;
	struct known known[ROCE_SETTINGS];
};

/* ---- files ----------------------------------------------------------- */

static int
file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = 0;
	ssize_t n;

	if (fd == -1)
		return -errno;
	n = read(fd, text, size - 1);
	if (n == -1)
		err = -errno;
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return err;
}

/* One write(2): what a store operation of the kernel sees. */
static int
file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK);
	size_t len = strlen(text);
	int err = 0;
	ssize_t n;

	if (fd == -1)
		return -errno;
	n = write(fd, text, len);
	if (n != (ssize_t)len)
		err = n == -1 ? -errno : -EIO;
	close(fd);
	return err;
}

const struct roce_io roce_files = { file_read, file_write };

/* ---- one setting ----------------------------------------------------- */

/* "26", "0x1a" and "26 " are one number; words are compared as such. */
static bool
value_equal(const char *a, const char *b)
{
	char *a_end, *b_end;
	unsigned long x = strtoul(a, &a_end, 0), y = strtoul(b, &b_end, 0);

	if (a_end == a || b_end == b)
		return strcmp(a, b) == 0;
	return x == y;
}

/* Where a parameter is has changed between releases of the driver. */
static int
setting_read(const struct roce *r, struct roce_setting *s, char *text)
{
	int err = r->io->read(s->path, text, ROCE_VALUE_MAX);

	if (err != -ENOENT)
		return err;
	if (s->other_path[0] == '\0' ||
	    r->io->read(s->other_path, text, ROCE_VALUE_MAX) != 0)
		return -ENOENT;
	memcpy(s->path, s->other_path, sizeof(s->path));
	return 0;
}

/* For the kernel to put the file there. */
static int
setting_make(const struct roce *r, struct roce_setting *s, char *text)
{
	if (mkdir(s->dir, 0755) == -1)
		return errno == EEXIST ? -ENOENT : -errno;
	return setting_read(r, s, text);
}

/* It is not there, but would be. */
static bool
setting_awaits(const struct roce_setting *s, int err)
{
	return err == -ENOENT && s->dir != NULL && access(s->dir, F_OK) == -1;
}

static bool
setting_holds(const struct roce_setting *s, const char *is)
{
	if (s->fits != NULL)
		return s->fits(s, is);
	return value_equal(is, s->want);
}

/* It is as the driver made it when it was asked for the same before. */
static bool
is_bent(const struct known *k, const struct roce_setting *s, const char *is)
{
	return k->bent && strcmp(k->asked, s->want) == 0 &&
	    value_equal(k->became, is);
}

/* ---- what went wrong -------------------------------------------------- */

struct trouble {
	struct backend_result *result;
	unsigned n;
};

/* The worst state counts, and of one state the first; the rest is a number. */
static void
trouble_add(struct trouble *t, enum dcbx_backend_state state,
    enum dcbx_reason reason, const char *text)
{
	struct backend_result *r = t->result;

	t->n++;
	if (r->state >= state)
		return;
	r->state = state;
	r->reason = reason;
	snprintf(r->error, sizeof(r->error), "%.*s",
	    (int)sizeof(r->error) - 1, text);
}

static void
trouble_errno(struct trouble *t, const struct roce_setting *s, int err)
{
	char text[ROCE_PATH_MAX + 64];

	snprintf(text, sizeof(text), "%s: %.60s", s->path, strerror(-err));
	if (err == -ENOENT)
		trouble_add(t, DCBX_BACKEND_UNSUPPORTED, DCBX_WHY_NO_SUPPORT,
		    text);
	else if (err == -EACCES || err == -EPERM || err == -EROFS)
		trouble_add(t, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PERMISSION,
		    text);
	else
		trouble_add(t, DCBX_BACKEND_NOT_APPLIED,
		    DCBX_WHY_KERNEL_REFUSED, text);
}

static void
trouble_bent(struct trouble *t, const struct roce_setting *s, const char *is)
{
	char text[256], clean[ROCE_VALUE_MAX * 4], safe[ROCE_VALUE_MAX * 4];

	dcbx_text_clean(clean, sizeof(clean), is, strlen(is));
	dcbx_text_safe(safe, sizeof(safe), clean);
	snprintf(text, sizeof(text), "%s: wrote %s, reads %s", s->what,
	    s->want, safe);
	trouble_add(t, DCBX_BACKEND_NOT_APPLIED, DCBX_WHY_PARTIAL, text);
}

static void
trouble_end(const struct trouble *t)
{
	struct backend_result *r = t->result;
	size_t len = strlen(r->error);

	if (t->n > 1 && len + 16 < sizeof(r->error))
		snprintf(r->error + len, sizeof(r->error) - len,
		    " (and %u more)", t->n - 1);
}

/* ---- applying -------------------------------------------------------- */

static void
known_touch(struct known *k, const char *found)
{
	if (k->touched)
		return;
	k->touched = true;
	snprintf(k->found, sizeof(k->found), "%s", found);
}

static void
known_compare(struct known *k, const struct roce_setting *s, const char *is,
    struct trouble *t)
{
	k->bent = !setting_holds(s, is);
	if (!k->bent)
		return;
	snprintf(k->asked, sizeof(k->asked), "%s", s->want);
	snprintf(k->became, sizeof(k->became), "%s", is);
	trouble_bent(t, s, is);
}

static void
setting_apply(struct roce *r, struct roce_setting *s, struct trouble *t)
{
	struct known *k = &r->known[s->number];
	char is[ROCE_VALUE_MAX];
	int err = setting_read(r, s, is);

	if (setting_awaits(s, err))
		err = setting_make(r, s, is);
	if (err == 0 && setting_holds(s, is)) {
		k->bent = false;
		return;
	}
	if (err == 0 && is_bent(k, s, is)) {
		trouble_bent(t, s, is);
		return;
	}
	if (err == 0)
		err = r->io->write(s->path, s->want);
	if (err == 0) {
		t->result->writes++;
		known_touch(k, is);
		err = r->io->read(s->path, is, sizeof(is));
	}
	if (err == 0)
		known_compare(k, s, is, t);
	else
		trouble_errno(t, s, err);
}

static void
roce_apply(void *priv, const struct dcbx_oper *oper,
    struct backend_result *result)
{
	struct roce *r = priv;
	struct trouble t = { .result = result };
	struct roce_wants wants;

	result->state = DCBX_BACKEND_APPLIED;
	roce_wants_make(&wants, &r->place, &r->setup, oper);
	for (size_t i = 0; i < wants.n; i++)
		setting_apply(r, &wants.setting[i], &t);
	trouble_end(&t);
}

static int
roce_plan(void *priv, const struct dcbx_oper *oper, struct backend_plan *plan)
{
	struct roce *r = priv;
	struct backend_result result = { .state = DCBX_BACKEND_APPLIED };
	struct trouble t = { .result = &result };
	struct roce_wants wants;

	roce_wants_make(&wants, &r->place, &r->setup, oper);
	for (size_t i = 0; i < wants.n; i++) {
		struct roce_setting *s = &wants.setting[i];
		char is[ROCE_VALUE_MAX];
		int err = setting_read(r, s, is);

		if (setting_awaits(s, err))
			plan_add(plan, s->what, "-", s->want, s->resets_link);
		else if (err != 0)
			trouble_errno(&t, s, err);
		else if (setting_holds(s, is))
			continue;
		else if (is_bent(&r->known[s->number], s, is))
			trouble_bent(&t, s, is);
		else
			plan_add(plan, s->what, is, s->want, s->resets_link);
	}
	trouble_end(&t);
	plan_outcome(plan, &result);
	return 0;
}

/* What was there before this process wrote; nobody knows of earlier ones. */
static void
roce_clear(void *priv, struct backend_result *result)
{
	struct roce *r = priv;
	struct trouble t = { .result = result };
	struct roce_wants all;

	roce_wants_all(&all, &r->place);
	for (size_t i = 0; i < all.n; i++) {
		struct known *k = &r->known[all.setting[i].number];

		if (!k->touched)
			continue;
		snprintf(all.setting[i].want, sizeof(all.setting[i].want),
		    "%s", k->found);
		setting_apply(r, &all.setting[i], &t);
		k->touched = false;
	}
	trouble_end(&t);
}

/* ---- the door -------------------------------------------------------- */

int
roce_open_at(void **priv, const struct backend_port *port, const char *root,
    const struct roce_io *io)
{
	struct roce *r = calloc(1, sizeof(*r));
	int err;

	if (r == NULL)
		return -ENOMEM;
	r->io = io;
	r->setup = *port->setup;
	err = roce_place_find(&r->place, root, port->name, io);
	if (err != 0) {
		free(r);
		return err;
	}
	*priv = r;
	return 0;
}

/* A name is a part of a path: the kernel's own, not the one we are told. */
static int
roce_open(void **priv, const struct backend_port *port)
{
	struct backend_port named = *port;
	char name[IF_NAMESIZE];

	if (if_indextoname((unsigned)port->ifindex, name) == NULL)
		return -ENODEV;
	named.name = name;
	return roce_open_at(priv, &named, ROCE_ROOT, &roce_files);
}

static void
roce_close(void *priv)
{
	free(priv);
}

const struct backend_ops backend_roce = {
	.name = "roce",
	.desc = "congestion control of RDMA adapters, by sysfs",
	.open = roce_open,
	.close = roce_close,
	.apply = roce_apply,
	.clear = roce_clear,
	.plan = roce_plan,
};
