// SPDX-License-Identifier: MIT OR Apache-2.0
// Objects in their tables: taken, published, found, named and freed. Nothing is allocated after start.
#ifndef DETENT_OBJECTS_H
#define DETENT_OBJECTS_H

#include "core/object.h"

void object_init(void); // threads' entries are added by object_add_thread, gate closed; all others exist from here on
void object_add_thread(uint32_t index, struct queue *queue);
// An entry with one open handle that nobody can find yet; NULL and ERROR_NOT_ENOUGH_MEMORY if all are in use. The caller fills it
// in and publishes it.
struct object *object_take(enum object_kind kind);
struct object *object_take_closed(enum object_kind kind); // gate closed: the same without setting an error
HANDLE object_publish(struct object *object);
void object_free_if_unused(struct object *object); // gate closed: frees it if no handle is open and it is not alive
struct object *object_find(HANDLE handle);         // gate closed: any kind; NULL when invalid
// Opens the object of this kind and name; NULL with *refused 0 if there is none.
struct object *object_open_named(enum object_kind kind, const char *name, DWORD *refused);
void object_set_name(struct object *object, const char *name);
void object_lock(void); // serialises creating and closing; preemptible, with priority inheritance
void object_unlock(void);
bool object_unlock_unwanted(
    void); // gate open or closed: releases the lock if no thread waits; otherwise false, and it is still held

#endif
