/* SPDX-License-Identifier: ISC */
/*
 * User and capabilities by the plain system calls: capset(2) and prctl(2).
 *
 * A user namespace may not know the daemon's user, and may forbid to change
 * groups; then we stay who we are there and drop the capabilities all the
 * same.  CAP_SETPCAP is kept by the first process alone, for one purpose:
 * without it a child cannot empty its bounding set.
 */
#include <config.h>

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "priv.h"

#define CAP_BIT(n) (UINT32_C(1) << (n))
#define CAPS_APPLY (CAP_BIT(CAP_NET_ADMIN) | CAP_BIT(CAP_NET_RAW))
#define CAPS_START (CAPS_APPLY | CAP_BIT(CAP_SETPCAP))

/* ---- capabilities: all that matter here are in the first word ------- */

static int
caps_keep(uint32_t keep)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &head, data) == -1)
		return -errno;
	keep &= data[0].permitted;
	memset(data, 0, sizeof(data));
	data[0].permitted = data[0].effective = keep;
	return syscall(SYS_capset, &head, data) == -1 ? -errno : 0;
}

/* Who may not do this has nothing that an exec could give back anyway. */
static void
caps_bound(uint32_t keep)
{
	for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		if (cap > 31 || (keep & CAP_BIT(cap)) == 0)
			(void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

static int
priv_shrink(uint32_t keep)
{
	caps_bound(keep);
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == -1 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		return -errno;
	return caps_keep(keep);
}

int
priv_apply(void)
{
	return priv_shrink(CAPS_APPLY);
}

int
priv_engine(void)
{
	return priv_shrink(0);
}

/* ---- the user ------------------------------------------------------- */

struct priv_user
priv_user(void)
{
	const struct passwd *pw = geteuid() == 0 ? getpwnam(PRIV_USER) : NULL;

	if (pw == NULL)
		return (struct priv_user) { 0, 0 };
	return (struct priv_user) { pw->pw_uid, pw->pw_gid };
}

/* Is this a user namespace where that user does not exist? */
static bool
user_unknown(int err)
{
	return err == EINVAL || err == EPERM;
}

int
priv_start(const struct priv_user *u)
{
	if (u->uid == 0)
		return priv_shrink(CAPS_START);
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == -1)
		return -errno;
	if (setgroups(1, &u->gid) == -1 ||
	    setresgid(u->gid, u->gid, u->gid) == -1)
		return user_unknown(errno) ? priv_shrink(CAPS_START) : -errno;
	if (setresuid(u->uid, u->uid, u->uid) == -1 ||
	    caps_keep(CAPS_START) != 0) /* they are not in effect by now */
		return -EPERM;
	return priv_shrink(CAPS_START);
}

/* ---- the name ------------------------------------------------------- */

static struct {
	char *start;
	size_t room;
	char *copy; /* of the arguments and the environment */
} title;

/*
 * The kernel shows what lies where the arguments were put at start, and goes
 * on into the environment behind them where they are too short for it.
 */
void
priv_title_init(int argc, char *argv[])
{
	char *end = argv[0];
	int i, e;

	for (i = 0; i < argc && argv[i] == end; i++)
		end += strlen(argv[i]) + 1;
	for (e = 0; environ[e] == end; e++)
		end += strlen(environ[e]) + 1;
	title.start = argv[0];
	title.room = (size_t)(end - argv[0]);
	title.copy = malloc(title.room);
	if (title.copy == NULL) {
		title.room = 0;
		return;
	}
	memcpy(title.copy, title.start, title.room);
	while (--i > 0)
		argv[i] = title.copy + (argv[i] - title.start);
	while (--e >= 0)
		environ[e] = title.copy + (environ[e] - title.start);
}

void
priv_title(const char *text)
{
	size_t len;

	(void)prctl(PR_SET_NAME, text, 0, 0, 0);
	if (title.room == 0)
		return;
	len = strnlen(text, title.room - 1);
	memset(title.start, 0, title.room);
	memcpy(title.start, text, len);
}
