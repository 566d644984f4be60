// SPDX-License-Identifier: MIT OR Apache-2.0
// Detent, in user mode: an operation's second thread or process, the memory that both share, and calls of servers. The
// other process runs the same program with arguments for its role (detent_processes.h). Both processes find the objects
// by name.
#include "detent_processes.h"

#include "detent_objects.h"
#include "detent_threads.h"
#include "operations.h"
#include "port.h"

#include <string.h>

#define NAME_CHARS 16
#define PROGRAM "osbench"
#define PRIVATE_FIRST (DETENT_NUMBERS / 2) // numbers from here on are private to this process

// Data at the beginning of the shared memory.
struct detent_head {
    _Alignas(64) _Atomic uint32_t numbers; // how many object numbers are taken
    void (*run)(void *argument);           // function that the other process runs; both processes run the same program
    size_t argument;                       // offset of the argument after the head
    uint16_t mark;                         // value of detent_mark
};

HANDLE detent_handles[DETENT_NUMBERS];

static struct {
    uint32_t owner; // process id of the first process
    struct detent_head *head;
    size_t bytes;
    _Atomic uint32_t *words[PRIVATE_FIRST]; // words of the open objects
} detent_shared;
static _Atomic uint32_t detent_private = PRIVATE_FIRST;

static PROCESS_INFORMATION detent_other; // the partner process; hProcess NULL: there is none
static PROCESS_INFORMATION detent_spawned;
static HANDLE detent_partner;  // the partner's thread
static bool detent_is_partner; // whether this process is the partner

// Appends text and returns the new end. The buffer must have room.
static char *text_add(char *end, const char *text)
{
    while (*text)
        *end++ = *text++;
    *end = '\0';
    return end;
}

static char *number_add(char *end, uint32_t number)
{
    char digits[11] = "";
    unsigned first = sizeof digits - 1;

    do
        digits[--first] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    return text_add(end, digits + first);
}

// The name of an object, of the shared memory, or of a server: a letter, the first process's id, and a number.
static void name_of(char name[NAME_CHARS], const char *letter, uint32_t number)
{
    uint32_t owner = detent_shared.owner ? detent_shared.owner : GetCurrentProcessId();

    number_add(text_add(number_add(text_add(name, letter), owner), "-"), number);
}

static bool is_shared(const _Atomic uint32_t *word)
{
    const char *from = (const char *)detent_shared.head, *at = (const char *)word;

    return from && at >= from && at < from + detent_shared.bytes;
}

static HANDLE object_create(enum detent_kind kind, const char *name)
{
    if (kind == DETENT_EVENT)
        return CreateEvent(NULL, FALSE, FALSE, name);
    return kind == DETENT_MUTEX ? CreateMutex(NULL, FALSE, name) : CreateSemaphore(NULL, 0, 1, name);
}

// The number stored in the word, or the next free one if it has none.
static uint32_t word_number(_Atomic uint32_t *word)
{
    uint32_t number = *word;

    if (number != 0)
        return number;
    uint32_t taken =
        is_shared(word) ? atomic_fetch_add(&detent_shared.head->numbers, 1) + 1 : atomic_fetch_add(&detent_private, 1);

    return atomic_compare_exchange_strong(word, &number, taken) ? taken : number;
}

HANDLE detent_object_open(_Atomic uint32_t *word, enum detent_kind kind)
{
    char name[NAME_CHARS];
    uint32_t number = word_number(word);
    HANDLE none = NULL;

    if (number >= (is_shared(word) ? PRIVATE_FIRST : DETENT_NUMBERS))
        return NULL;
    name_of(name, "o", number);
    HANDLE made = object_create(kind, is_shared(word) ? name : NULL);

    if (made
        && !__atomic_compare_exchange_n(&detent_handles[number], &none, made, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
        CloseHandle(made); // another thread created the object first
    else if (made && is_shared(word))
        detent_shared.words[number] = word;
    return made ? detent_handles[number] : NULL;
}

static void objects_close(void)
{
    for (uint32_t number = 1; detent_shared.head && number < PRIVATE_FIRST; number++) {
        if (!detent_handles[number])
            continue;
        CloseHandle(detent_handles[number]);
        detent_handles[number] = NULL;
        *detent_shared.words[number] = 0;
    }
    if (detent_shared.head)
        detent_shared.head->numbers = 0;
}

// Address of the head in this process; NULL if there is no memory.
static struct detent_head *head_map(size_t bytes)
{
    char name[NAME_CHARS];

    name_of(name, "m", 0);
    HANDLE mapping = CreateFileMapping(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, (DWORD)bytes, name);
    struct detent_head *head = mapping ? MapViewOfFile(mapping, FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, 0) : NULL;

    if (mapping && head)
        CloseHandle(mapping); // the view keeps the mapping
    return head;
}

void *port_memory_shared(size_t bytes)
{
    detent_shared.owner = GetCurrentProcessId();
    detent_shared.bytes = sizeof(struct detent_head) + bytes;
    detent_shared.head = head_map(detent_shared.bytes);
    return detent_shared.head ? detent_shared.head + 1 : NULL;
}

static const char *process_begin(PROCESS_INFORMATION *made, const char *word, void (*run)(void *argument),
                                 void *argument)
{
    char command[32];

    detent_shared.head->run = run;
    detent_shared.head->argument = (size_t)((char *)argument - (char *)detent_shared.head);
    detent_shared.head->mark = detent_mark;
    number_add(text_add(text_add(command, word), " "), detent_shared.owner);
    if (!CreateProcess(PROGRAM, command, NULL, NULL, FALSE, CREATE_SUSPENDED, NULL, NULL, NULL, made)) {
        made->hProcess = NULL;
        return "a second process cannot be started: there is no memory for it, or no place";
    }
    CeSetThreadPriority(made->hThread, CeGetThreadPriority(GetCurrentThread()));
    ResumeThread(made->hThread);
    CloseHandle(made->hThread);
    return NULL;
}

void detent_process_run(uint32_t owner, bool partner)
{
    detent_is_partner = partner;
    detent_shared.owner = owner;
    detent_shared.bytes = sizeof(struct detent_head); // the first process has chosen the size of the rest
    detent_shared.head = head_map(detent_shared.bytes);
    if (!detent_shared.head)
        return;
    detent_shared.bytes = SIZE_MAX / 2;
    detent_mark = detent_shared.head->mark;
    detent_shared.head->run((char *)detent_shared.head + detent_shared.head->argument);
}

const char *port_partner_start(void (*run)(void *argument), void *argument, bool across)
{
    const char *refusal;

    if (across)
        return process_begin(&detent_other, DETENT_PARTNER, run, argument);
    detent_partner = detent_thread_make(run, argument, &refusal);
    return refusal;
}

bool port_partner_alive(void)
{
    return !detent_other.hProcess || WaitForSingleObject(detent_other.hProcess, 0) == WAIT_TIMEOUT;
}

static void other_end(PROCESS_INFORMATION *other)
{
    if (other->hProcess) {
        TerminateProcess(other->hProcess, 0);
        CloseHandle(other->hProcess);
    }
    other->hProcess = NULL;
}

// The partner waits for its next round, and nobody else uses the objects of this operation.
void port_partner_end(void)
{
    other_end(&detent_other);
    if (detent_partner) {
        TerminateThread(detent_partner, 0);
        CloseHandle(detent_partner);
    }
    detent_partner = NULL;
    detent_server_close();
    detent_sections_end();
    objects_close();
}

const char *port_spawn(void (*run)(void *argument), void *argument, bool across)
{
    return across ? process_begin(&detent_spawned, DETENT_SPAWNED, run, argument) : port_thread_start(run, argument);
}

void port_spawn_end(void)
{
    if (detent_spawned.hProcess)
        WaitForSingleObject(detent_spawned.hProcess, INFINITE);
    other_end(&detent_spawned);
}

// ---- servers: the caller's own thread executes the server's code ----

static port_serve detent_serve;
static HANDLE detent_server; // the server that this process calls; NULL: not opened yet

static uint64_t serve_words(uint64_t method, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
                            uint64_t g)
{
    const uint64_t words[PORT_SERVER_WORDS] = {a, b, c, d, e, f, g};

    return detent_serve(method, words);
}

// A process becomes a server only once, whichever operation needs it.
bool port_server_start(port_serve serve, const char **refusal)
{
    char name[NAME_CHARS];

    name_of(name, detent_is_partner ? "s" : "t", 0);
    bool serves = detent_serve || RegisterServer(name, serve_words);

    detent_serve = serve;
    *refusal = serves ? NULL : "Detent refuses that this process is a server";
    return serves;
}

uint64_t port_server_call(uint64_t method, const uint64_t *words)
{
    char name[NAME_CHARS];

    if (!detent_server) {
        name_of(name, detent_other.hProcess ? "s" : "t", 0);
        detent_server = OpenServer(name);
    }
    return CallServer(detent_server, method, words[0], words[1], words[2], words[3], words[4], words[5], words[6]);
}

void detent_server_close(void)
{
    if (detent_server)
        CloseHandle(detent_server);
    detent_server = NULL;
}

// Called within a server's routine. The caller may be this process itself.
bool port_partner_read(void *to, uint64_t from, size_t bytes)
{
    return ReadCaller(to, (const void *)(uintptr_t)from, bytes);
}
