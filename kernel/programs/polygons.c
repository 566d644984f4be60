// SPDX-License-Identifier: MIT OR Apache-2.0
// Polygons: draws filled polygons of random shape and colour to the screen or to memory, as a load or as a program. For each
// polygon, it takes the lock that represents the window system, and toggles the progress output.
#include "programs/load.h"
#include "programs/outputs.h"
#include "programs/programs.h"

#define CORNERS_MAX 8
#define RADIUS_MAX 60
#define REPORT_MS 1000
#define REPORTS 5

struct polygons {
    uint8_t *picture;
    uint32_t random, drawn;
};

static struct polygons polygons;
static uint8_t memory_picture[FRAMEBUFFER_WIDTH * FRAMEBUFFER_HEIGHT];
static CRITICAL_SECTION window_system;

static uint32_t random_below(uint32_t limit)
{
    polygons.random = polygons.random * 1664525 + 1013904223;
    return (polygons.random >> 8) % limit;
}

// The leftmost and rightmost point of each row that the outline touches.
struct spans {
    int16_t left[FRAMEBUFFER_HEIGHT], right[FRAMEBUFFER_HEIGHT];
};

static void spans_touch(struct spans *spans, int x, int y)
{
    if (y < 0 || y >= FRAMEBUFFER_HEIGHT)
        return;
    x = x < 0 ? 0 : x >= FRAMEBUFFER_WIDTH ? FRAMEBUFFER_WIDTH - 1 : x;
    if (x < spans->left[y])
        spans->left[y] = (int16_t)x;
    if (x > spans->right[y])
        spans->right[y] = (int16_t)x;
}

// Row by row, in sixteenths of a pixel.
static void spans_line(struct spans *spans, int x0, int y0, int x1, int y1)
{
    if (y0 > y1) {
        int x = x0, y = y0;
        x0 = x1, y0 = y1, x1 = x, y1 = y;
    }
    int rows = y1 - y0, step = rows == 0 ? 0 : (x1 - x0) * 16 / rows, x = x0 * 16;
    for (int y = y0; y <= y1; y++, x += step)
        spans_touch(spans, x / 16, y);
    spans_touch(spans, x1, y1);
}

static void spans_fill(const struct spans *spans, uint8_t colour)
{
    for (int y = 0; y < FRAMEBUFFER_HEIGHT; y++)
        for (int x = spans->left[y]; x <= spans->right[y]; x++)
            polygons.picture[y * FRAMEBUFFER_WIDTH + x] = colour;
}

// The corners are in order around the centre, so the outline is nearly convex, and one span for each row suffices.
static void polygon_draw(void)
{
    static const int8_t around[CORNERS_MAX][2] = {{4, 0}, {3, 3}, {0, 4}, {-3, 3}, {-4, 0}, {-3, -3}, {0, -4}, {3, -3}};
    static struct spans spans;
    for (int y = 0; y < FRAMEBUFFER_HEIGHT; y++)
        spans.left[y] = FRAMEBUFFER_WIDTH, spans.right[y] = -1;
    int middle_x = (int)random_below(FRAMEBUFFER_WIDTH), middle_y = (int)random_below(FRAMEBUFFER_HEIGHT);
    int x[CORNERS_MAX], y[CORNERS_MAX], corners = 0;
    for (unsigned i = 0; i < CORNERS_MAX; i++) {
        if (corners > 2 && random_below(3) == 0)
            continue;
        int radius = 5 + (int)random_below(RADIUS_MAX);
        x[corners] = middle_x + around[i][0] * radius / 4;
        y[corners++] = middle_y + around[i][1] * radius / 4;
    }
    for (int i = 0; i < corners; i++)
        spans_line(&spans, x[i], y[i], x[(i + 1) % corners], y[(i + 1) % corners]);
    spans_fill(&spans, (uint8_t)(1 + random_below(255)));
}

static void polygons_init(bool screen)
{
    polygons = (struct polygons){.picture = screen ? framebuffer_start() : memory_picture, .random = 1};
    InitializeCriticalSection(&window_system);
}

DWORD polygons_main(LPVOID screen)
{
    polygons_init(screen != NULL);
    for (;;) {
        EnterCriticalSection(&window_system);
        polygon_draw();
        LeaveCriticalSection(&window_system);
        Sleep(0); // calls into the window system yield to threads of the same priority
        polygons.drawn++;
        if (polygons.drawn % 2)
            output_raise(OUTPUT_PROGRESS);
        else
            output_lower(OUTPUT_PROGRESS);
    }
    return 0;
}

int polygons_run(int count, char **arguments)
{
    bool memory = count > 1 && arguments[1][0] == 'm';
    HANDLE thread = CreateThread(NULL, 0, polygons_main, memory ? NULL : &polygons, CREATE_SUSPENDED, NULL);
    if (thread == NULL)
        return 1;
    CeSetThreadPriority(thread, LOAD_PRIORITY);
    ResumeThread(thread);
    for (unsigned i = 0; i < REPORTS; i++) {
        uint32_t before = polygons.drawn;
        Sleep(REPORT_MS - 1);
        NKDbgPrintfW("polygons %u in %u ms, to %s\n", polygons.drawn - before, REPORT_MS, memory ? "memory" : "screen");
    }
    SuspendThread(thread);
    return 0;
}
