// SPDX-License-Identifier: MIT OR Apache-2.0
// Takes, publishes, finds, names and frees objects in their tables. Nothing is allocated after the start.
#ifndef DETENT_OBJECTS_H
#define DETENT_OBJECTS_H

#include "core/object.h"

void object_init(void); // makes the entries of all kinds except threads (object_add_thread, gate closed)
void object_add_thread(uint32_t index, struct queue *queue);
// Takes a free entry, with one open handle. No other thread can find it until the caller has filled and published it. NULL and
// ERROR_NOT_ENOUGH_MEMORY if all entries are in use.
struct object *object_take(enum object_kind kind);
struct object *object_take_closed(enum object_kind kind); // gate closed: the same without setting an error
HANDLE object_publish(struct object *object);
void object_free_if_unused(struct object *object); // gate closed: frees it if it is not alive and not open
struct object *object_find(HANDLE handle);         // gate closed: an object of any kind; NULL if the handle is invalid
// Opens the object of this kind and name. If there is none, returns NULL and sets *refused to 0.
struct object *object_open_named(enum object_kind kind, const char *name, DWORD *refused);
void object_set_name(struct object *object, const char *name);
void object_lock(void); // serialises creating and closing; preemptible, with priority inheritance
void object_unlock(void);
// Gate open or closed: releases the lock if no thread waits for it; otherwise returns false and keeps the lock.
bool object_unlock_unwanted(void);

#endif
