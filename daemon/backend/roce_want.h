/* SPDX-License-Identifier: ISC */
/*
 * What backend roce wants, as a list of files and texts: made of the
 * configuration and of the values in force, without a look at any file.
 */
#ifndef ROCE_WANT_H
#define ROCE_WANT_H

#include "daemon/backend/dcqcn_derive.h"
#include "daemon/backend/roce.h"

#define ROCE_VALUE_MAX 32
#define ROCE_PATH_MAX 160
/* trust, ToS, parameters, and a priority's enables at either end */
#define ROCE_SETTINGS (2 + CONFIG_NIC_NP + CONFIG_NIC_RP + 2 * DCB_PRIOS)

/* Where a port's files are. */
struct roce_place {
	char port[ROCE_PATH_MAX - 56]; /* /sys/class/net/PORT */
	char tos[ROCE_PATH_MAX];       /* "" = this port has no RDMA-CM */
	char tos_dir[ROCE_PATH_MAX];   /* to be made for that to be there */
	bool has_trust;
};

/* One file and what is to be in it. */
struct roce_setting {
	unsigned number; /* the same for the same file, below ROCE_SETTINGS */
	char what[40];	 /* "roce_rp/rpg_ai_rate" */
	char path[ROCE_PATH_MAX];
	char other_path[ROCE_PATH_MAX]; /* where path does not exist; or "" */
	char want[ROCE_VALUE_MAX];
	const char *dir; /* to be made for the file to be there; or NULL */
	enum backend_reset resets_link;
	/* NULL: holds what is equal to want */
	bool (*fits)(const struct roce_setting *, const char *is);
	const struct dcbx_oper *oper; /* for fits() */
	struct dcqcn dcqcn;
};

struct roce_wants {
	size_t n;
	struct roce_setting setting[ROCE_SETTINGS];
};

/* -EOPNOTSUPP: the port has no such tree. */
int roce_place_find(struct roce_place *, const char *root, const char *port,
    const struct roce_io *);

void roce_wants_make(struct roce_wants *, const struct roce_place *,
    const struct config_setup *, const struct dcbx_oper *);
/* Every file there can be, with nothing wanted of it. */
void roce_wants_all(struct roce_wants *, const struct roce_place *);

#endif
