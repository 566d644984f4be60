// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks and measures protected-server calls. Without an argument, it is the checking process, otherwise a server.
#include "goals.h"
#include "user/check.h"
#include "user/figure.h"

#define WAIT_MS 100
#define TEXT_CHARS 12
#define LOW 252 // lower than the checking thread

enum {
    METHOD_NOTHING,
    METHOD_SUM,
    METHOD_PROCESS,
    METHOD_TURN,
    METHOD_NOT_MINE,
    METHOD_AGAIN,
    METHOD_TO_AND_FRO,
    METHOD_WAIT,
    METHOD_WAIT_SEVERAL,
    METHOD_SPIN,
    METHOD_FURTHER,
    METHOD_BREAK,
    METHOD_END
};

// Reverses the caller's text, in the caller's memory.
static uint64_t turn(uint64_t at)
{
    char text[TEXT_CHARS], turned[TEXT_CHARS];
    if (!ReadCaller(text, (LPCVOID)at, sizeof text))
        return 0;
    for (unsigned i = 0; i < sizeof text; i++)
        turned[i] = text[sizeof text - 1 - i];
    return (uint64_t)WriteCaller((LPVOID)at, turned, sizeof turned);
}

static uint64_t ask(HANDLE server, uint64_t method, uint64_t a)
{
    return CallServer(server, method, a, 0, 0, 0, 0, 0, 0);
}

static LPCTSTR other; // name of the other server

static uint64_t wait_for_several(void)
{
    const HANDLE events[] = {CreateEvent(NULL, FALSE, FALSE, NULL), CreateEvent(NULL, FALSE, FALSE, NULL)};
    return WaitForMultipleObjects(2, events, FALSE, INFINITE);
}

static uint64_t serve(uint64_t method, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
                      uint64_t g)
{
    switch (method) {
    case METHOD_NOTHING:
        return 0;
    case METHOD_SUM:
        return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
    case METHOD_PROCESS:
        return GetCurrentProcessId();
    case METHOD_TURN:
        return turn(a);
    case METHOD_NOT_MINE:
        return (uint64_t)SetEvent((HANDLE)a);
    case METHOD_AGAIN: // calls this server again, as deep as the argument says
        return a == 0 ? 1 : 1 + CallServer(OpenServer("server"), METHOD_AGAIN, a - 1, 0, 0, 0, 0, 0, 0);
    case METHOD_TO_AND_FRO: // calls the other server and from there this one, as deep as the argument says
        return a == 0 ? 1 : 1 + ask(OpenServer(other), METHOD_TO_AND_FRO, a - 1);
    case METHOD_WAIT:
        Sleep(INFINITE);
        return 0;
    case METHOD_WAIT_SEVERAL:
        return wait_for_several();
    case METHOD_SPIN:
        for (;;)
            ;
    case METHOD_FURTHER: // calls another server and waits there
        return ask(OpenServer("further"), METHOD_WAIT, 0);
    case METHOD_BREAK:
        *(volatile char *)a = 1;
        return 0;
    default:
        ExitProcess(9);
    }
}

static HANDLE own_mutex;

// Calls the server and returns the call's error; 0: no error. During the call, the thread holds a mutex of its own
// process.
static DWORD calls(LPVOID method)
{
    WaitForSingleObject(own_mutex, INFINITE);
    HANDLE server = OpenServer("server");
    SetLastError(ERROR_SUCCESS);
    CallServer(server, (uint64_t)method, 0, 0, 0, 0, 0, 0, 0);
    DWORD error = GetLastError();
    CloseHandle(server);
    return ReleaseMutex(own_mutex) ? error : MAXDWORD;
}

static bool server_up(LPCTSTR name, PROCESS_INFORMATION *process, HANDLE *server)
{
    HANDLE ready = CreateEvent(NULL, FALSE, FALSE, "server-ready");
    bool up = child_start("server", name, process) && WaitForSingleObject(ready, WAIT_MS) == WAIT_OBJECT_0;
    CloseHandle(ready);
    *server = OpenServer(name);
    return up && *server != NULL;
}

static void values(HANDLE server, DWORD id)
{
    char text[TEXT_CHARS + 1] = "abcdefghijkl";
    HANDLE event = CreateEvent(NULL, TRUE, FALSE, NULL);
    check(CallServer(server, METHOD_SUM, 1, 2, 3, 4, 5, 6, 7) == 140,
          "seven values come to a server, and its result back");
    check(ask(server, METHOD_PROCESS, 0) == id && GetCurrentProcessId() != id, "the call runs in the server's process");
    check(ask(server, METHOD_TURN, (uint64_t)text) == TRUE && word_is(text, "lkjihgfedcba"),
          "it reads and writes what a pointer leads to");
    check(ask(server, METHOD_TURN, 0) == 0 && ask(server, METHOD_TURN, 0x100000) == 0
              && ask(server, METHOD_TURN, (uint64_t) "a constant here") == 0,
          "but not null, the kernel's, or a constant");
    check(ask(server, METHOD_NOT_MINE, (uint64_t)event) == FALSE && WaitForSingleObject(event, 0) == WAIT_TIMEOUT,
          "the caller's handles mean nothing there");
    check(ask(server, METHOD_AGAIN, 7) == 8 && ask(server, METHOD_AGAIN, 8) == 8,
          "it calls itself, as often as there is room");
    CloseHandle(event);
}

// The frames of two servers together need more room than a thread has on its kernel stack.
static void deep(HANDLE server)
{
    PROCESS_INFORMATION further;
    HANDLE there;
    bool up = server_up("further", &further, &there);
    check(up && ask(server, METHOD_TO_AND_FRO, 9) == 10 && ask(server, METHOD_TO_AND_FRO, 15) == 11
              && ask(server, METHOD_TO_AND_FRO, 9) == 10,
          "a thread is in eleven calls of servers at most");
    TerminateProcess(further.hProcess, 0);
    child_join(&further);
    CloseHandle(there);
}

static void refusals(HANDLE server)
{
    HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);
    check(REFUSED(ask(event, 0, 0), 0, ERROR_INVALID_HANDLE) && REFUSED(ask(NULL, 0, 0), 0, ERROR_INVALID_HANDLE)
              && REFUSED(ask(GetCurrentProcess(), 0, 0), 0, ERROR_INVALID_FUNCTION)
              && REFUSED(OpenServer("nobody"), NULL, ERROR_FILE_NOT_FOUND)
              && REFUSED(RegisterServer("server", serve), FALSE, ERROR_ALREADY_EXISTS)
              && REFUSED(ReadCaller(&event, &event, 8), FALSE, ERROR_INVALID_FUNCTION),
          "what is no server is refused, and so is a second of a name");
    check(ask(server, METHOD_SUM, 3) == 3, "and the server serves on");
    CloseHandle(event);
}

// If any thread ends the server while the calling thread is in it, the call returns with an error, whatever the calling
// thread did there. The calling thread itself may be the one that ends the server.
static void ends(void)
{
    static const uint64_t methods[] = {METHOD_WAIT,    METHOD_WAIT_SEVERAL, METHOD_SPIN,
                                       METHOD_FURTHER, METHOD_BREAK,        METHOD_END};
    static const char *const sentences[] = {"who sleeps in a server that is ended is back with an error",
                                            "so is who waits for several objects there",
                                            "so is who runs there",
                                            "so is who has gone further, into another server that goes on",
                                            "so is who breaks the server",
                                            "so is who ends it"};
    PROCESS_INFORMATION further;
    HANDLE there;
    bool serves = server_up("further", &further, &there);
    for (size_t i = 0; i < LENGTH(methods); i++) {
        PROCESS_INFORMATION process;
        HANDLE server, thread;
        DWORD error = 0;
        bool up = server_up("server", &process, &server);
        thread = CreateThread(NULL, 0, calls, (LPVOID)methods[i], CREATE_SUSPENDED, NULL);
        CeSetThreadPriority(thread, LOW);
        ResumeThread(thread);
        Sleep(2);
        if (methods[i] != METHOD_BREAK && methods[i] != METHOD_END)
            TerminateProcess(process.hProcess, 4);
        check(up && WaitForSingleObject(thread, WAIT_MS) == WAIT_OBJECT_0 && GetExitCodeThread(thread, &error)
                  && error == ERROR_PROCESS_ABORTED && WaitForSingleObject(process.hProcess, 0) == WAIT_OBJECT_0
                  && REFUSED(ask(server, METHOD_SUM, 1), 0, ERROR_INVALID_FUNCTION),
              sentences[i]);
        CloseHandle(thread);
        CloseHandle(server);
        child_join(&process);
    }
    check(serves && ask(there, METHOD_SUM, 3) == 3, "the other server has gone on");
    TerminateProcess(further.hProcess, 0);
    child_join(&further);
    CloseHandle(there);
}

// The thread ends its own process while it is in a server: there is nothing to return to.
static void ends_own(void)
{
    PROCESS_INFORMATION child;
    check(child_start("server", "own", &child) && child_join(&child) == 9,
          "a process that ends in its own server ends");
}

// The caller ends while it is in the server: its place there becomes free.
static void leaves(HANDLE server)
{
    unsigned good = 0;
    for (unsigned i = 0; i < 20; i++) {
        HANDLE thread = CreateThread(NULL, 0, calls, (LPVOID)METHOD_WAIT, 0, NULL);
        Sleep(1);
        good += TerminateThread(thread, 0) && ask(server, METHOD_SUM, i) == i;
        CloseHandle(thread);
    }
    check(good == 20, "a thread that is ended in a server leaves its place there");
}

static bool measure(HANDLE server)
{
    static struct figure none = {.name = "server-call-0", .goal = GOAL(200, 260)},
                         seven = {.name = "server-call-7", .goal = GOAL(200, 260)};
    CeSetThreadQuantum(GetCurrentThread(), 0);
    ask(server, METHOD_NOTHING, 0); // the first call allocates a page of the stack there
    SleepTillTick();
    for (unsigned i = 0; i < FIGURE_REPEATS; i++) {
        uint32_t from = stamp();
        CallServer(server, METHOD_NOTHING, 0, 0, 0, 0, 0, 0, 0);
        uint32_t to = stamp();
        figure_add(&none, from, to);
        from = stamp();
        CallServer(server, METHOD_SUM, 1, 2, 3, 4, 5, 6, 7);
        to = stamp();
        figure_add(&seven, from, to);
    }
    bool met = figure_print(&none);
    return figure_print(&seven) && met;
}

DWORD program_main(LPCTSTR command)
{
    PROCESS_INFORMATION process;
    HANDLE server;
    if (word_is(command, "own"))
        return !RegisterServer("own", serve) || ask(OpenServer("own"), METHOD_END, 0);
    if (word_is(command, "server") || word_is(command, "further")) {
        other = word_is(command, "server") ? "further" : "server";
        bool registered = RegisterServer(command, serve);
        SetEvent(CreateEvent(NULL, FALSE, FALSE, "server-ready"));
        Sleep(registered ? INFINITE : 0);
        return 1;
    }
    own_mutex = CreateMutex(NULL, FALSE, NULL);
    bool up = server_up("server", &process, &server), met = true;
    check(up, "a server is there when it has said so");
    if (word_is(command, "figures")) {
        met = measure(server);
    } else {
        values(server, process.dwProcessId);
        refusals(server);
        deep(server);
        leaves(server);
    }
    TerminateProcess(process.hProcess, 0);
    child_join(&process);
    CloseHandle(server);
    if (command[0] == '\0') {
        ends();
        ends_own();
    }
    return checks_failed() + !met;
}
