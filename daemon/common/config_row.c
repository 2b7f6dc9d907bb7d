/* SPDX-License-Identifier: ISC */
/*
 * What needs only a row of THE KEY TABLE: finding one, and putting a value
 * where its row says.
 */
#include "config_keys.h"

#include <string.h>

bool
config_section_holds(const char *section, const char *listed)
{
	if (strcmp(section, listed) == 0)
		return true;
	/* a port takes what a profile does, and the profile's name */
	return strcmp(section, "port") == 0 && strcmp(listed, "profile") == 0;
}

bool
config_is_list(const struct config_key *k)
{
	return k->type >= CONFIG_PRIOS;
}

const struct config_key *
config_key_find(const char *section, const char *name)
{
	for (size_t i = 0; i < config_n_keys; i++)
		if (config_section_holds(section, config_keys[i].section) &&
		    strcmp(name, config_keys[i].name) == 0)
			return &config_keys[i];
	return NULL;
}

const struct config_key *
config_key_at(size_t offset)
{
	for (size_t i = 0; i < config_n_keys; i++)
		if (config_keys[i].size != 0 && config_keys[i].offset == offset)
			return &config_keys[i];
	return NULL;
}

static void
number_store(void *to, size_t size, long number)
{
	uint8_t u8 = (uint8_t)number;
	uint16_t u16 = (uint16_t)number;
	uint32_t u32 = (uint32_t)number;

	if (size == sizeof u8)
		memcpy(to, &u8, sizeof u8);
	else if (size == sizeof u16)
		memcpy(to, &u16, sizeof u16);
	else
		memcpy(to, &u32, sizeof u32);
}

static uint8_t
prios_bitmap(const struct config_value *v)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < v->n; i++)
		bits |= 1u << v->number[i];
	return (uint8_t)bits;
}

static void
text_store(char *to, size_t size, const char *text)
{
	size_t len = strnlen(text, size - 1);

	memset(to, 0, size);
	memcpy(to, text, len);
}

void
config_value_store(const struct config_value *v, struct config_values *out)
{
	const struct config_key *k = v->key;
	uint8_t *to = (uint8_t *)out + k->offset;

	if (k->set != NULL) {
		k->set(v, out);
		return;
	}
	if (k->size == 0)
		return;
	switch (k->type) {
	case CONFIG_BOOL:
	case CONFIG_NUMBER:
	case CONFIG_WORD:
		number_store(to, k->size, v->number[0]);
		break;
	case CONFIG_STRING:
	case CONFIG_PATH:
	case CONFIG_ADDRESS:
		text_store((char *)to, k->size, v->text);
		break;
	case CONFIG_PRIOS:
		number_store(to, k->size, prios_bitmap(v));
		break;
	case CONFIG_NUMBERS:
	case CONFIG_WORDS:
		for (unsigned i = 0; i < v->n; i++)
			to[i] = (uint8_t)v->number[i];
		break;
	case CONFIG_RATES:
		break; /* maxrate_set() */
	}
}
