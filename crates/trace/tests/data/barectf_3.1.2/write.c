#include "barectf.h"
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
static uint64_t now = 1000; static FILE *out; static uint8_t buf[512]; static struct barectf_default_ctx ctx; static int full;
static uint64_t get_clock(void *d) { (void)d; return now; }
static int is_full(void *d) { (void)d; return full; }
static void open_p(void *d) { (void)d; barectf_default_open_packet(&ctx); }
static void close_p(void *d) { (void)d; barectf_default_close_packet(&ctx); fwrite(barectf_packet_buf(&ctx), barectf_packet_buf_size(&ctx), 1, out); }
int main(void) { out = fopen("trace/stream", "wb"); struct barectf_platform_callbacks cb = { .default_clock_get_value = get_clock, .is_backend_full = is_full, .open_packet = open_p, .close_packet = close_p };
 barectf_init(&ctx, buf, sizeof buf, cb, NULL); barectf_default_open_packet(&ctx);
 uint16_t v[3] = {1,2,3};
 for (int i = 0; i < 60; i++) { full = i > 20 && i < 26; now += 50; barectf_default_trace_sched_waking(&ctx, 7, i % 32, i % 4, v); now += 100; barectf_default_trace_sched_switch(&ctx, "swapper/0", 0, 120, 0, "worker", 7, 49); now += 500; barectf_default_trace_sched_switch(&ctx, "worker", 7, 49, 1, "swapper/0", 0, 120); }
 if (barectf_packet_is_open(&ctx) && !barectf_packet_is_empty(&ctx)) close_p(0);
 fclose(out); return 0; }
