/* SPDX-License-Identifier: ISC */
/*
 * The corpus of a fuzz target as a test that needs no clang: fuzz_X reads
 * every file of tests/fuzz/corpus/X (or of the directories it is given),
 * whole and cut to a half, a quarter and so on, in blocks of exact size.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (1 << 16)

static void
feed(const uint8_t *octets, size_t len)
{
	uint8_t *exact = malloc(len);

	if (len > 0)
		memcpy(exact, octets, len);
	LLVMFuzzerTestOneInput(exact, len);
	free(exact);
}

static int
file_replay(const char *path)
{
	static uint8_t buf[FILE_MAX];
	FILE *f = fopen(path, "rb");
	size_t n;

	if (f == NULL)
		return -1;
	n = fread(buf, 1, sizeof buf, f);
	fclose(f);
	for (; n > 0; n /= 2)
		feed(buf, n);
	feed(buf, 0);
	return 0;
}

static int
dir_replay(const char *dir)
{
	struct dirent **list = NULL;
	char path[1024];
	int n = scandir(dir, &list, NULL, alphasort), files = 0;

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, list[i]->d_name);
		if (list[i]->d_name[0] != '.' && file_replay(path) == 0)
			files++;
		free(list[i]);
	}
	free(list);
	return files;
}

int
main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '_'), *top = getenv("srcdir");
	char dir[512];
	int files = 0;

	for (int i = 1; i < argc; i++)
		files += dir_replay(argv[i]);
	if (argc == 1 && name != NULL) {
		snprintf(dir, sizeof dir, "%s/tests/fuzz/corpus/%s",
		    top == NULL ? "." : top, name + 1);
		files = dir_replay(dir);
	}
	printf("%d files\n", files);
	return files > 0 ? 0 : 1;
}
