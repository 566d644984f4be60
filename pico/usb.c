// SPDX-License-Identifier: MIT OR Apache-2.0
// See usb.h. RP2040 datasheet 4.1; for the answers of endpoint 0, USB 2.0, 9.4, and the PSTN subclass of CDC, 6.3.
#include "usb.h"

#include "chip.h"
#include "clocks.h"

#include <stddef.h>

// Addresses of the buffers in the controller's memory, whose first 256 bytes are the controller's own.
#define MEMORY_WORDS 1024u
#define CONTROL_BUFFER 0x100u
#define NOTIFY_BUFFER 0x180u
#define OUT_BUFFER 0x1c0u
#define IN_BUFFER 0x200u

// A bit of USB_BUFF_STATUS.
#define DONE_IN(number) (1u << (2u * (number)))
#define DONE_OUT(number) (1u << (2u * (number) + 1u))

#define REQUEST_GET_STATUS 0x0080u // the request, and its type in the low byte
#define REQUEST_SET_ADDRESS 0x0500u
#define REQUEST_GET_DESCRIPTOR 0x0680u
#define REQUEST_GET_CONFIGURATION 0x0880u
#define REQUEST_SET_CONFIGURATION 0x0900u
#define REQUEST_SET_INTERFACE 0x0b01u
#define REQUEST_CLEAR_FEATURE_OF_ENDPOINT 0x0102u
#define REQUEST_SET_LINE_CODING 0x2021u
#define REQUEST_GET_LINE_CODING 0x21a1u
#define REQUEST_SET_LINE_STATE 0x2221u

#define LINE_CODING_BYTES 7u

// A request of the host on endpoint 0.
struct usb_request {
    uint32_t code; // bRequest and bmRequestType
    uint32_t value;
    uint32_t length;
};

static struct {
    const uint8_t *rest; // rest of the answer on endpoint 0
    uint32_t rest_bytes;
    uint32_t control_pid;
    uint32_t address_to_take; // the new address; used once the host has received the acknowledgement
    uint32_t in_pid;
    uint32_t out_pid;
    uint32_t connections;
    uint8_t configuration;
    bool sending;
} usb;

static const uint8_t usb_nothing[2];
// 115,200 baud, 8 bits. The setting has no effect, but a host may ask for it.
static uint8_t usb_line_coding[LINE_CODING_BYTES] = {0x00, 0xc2, 0x01, 0x00, 0, 0, 8};

static volatile uint8_t *usb_memory(uint32_t offset)
{
    return (volatile uint8_t *)(uintptr_t)(USB_MEMORY + offset);
}

// A buffer must be handed to the controller some cycles after the rest of its control word is written (datasheet 4.1.2.5.1).
static void usb_hand_over(uint32_t address, uint32_t control)
{
    REGISTER(address) = control;
    for (uint32_t wait = 0; wait < 6; wait++)
        __asm__ volatile("nop");
    REGISTER(address) = control | USB_BUFFER_AVAILABLE;
}

static void usb_answer_next(void)
{
    uint32_t length = usb.rest_bytes < USB_PACKET_BYTES ? usb.rest_bytes : USB_PACKET_BYTES;

    for (uint32_t i = 0; i < length; i++)
        usb_memory(CONTROL_BUFFER)[i] = usb.rest[i];
    usb.rest += length;
    usb.rest_bytes -= length;
    usb_hand_over(USB_BUFFER_IN(0), length | usb.control_pid | USB_BUFFER_FULL);
    usb.control_pid ^= USB_BUFFER_DATA1;
}

static void usb_answer(const uint8_t *bytes, uint32_t length, const struct usb_request *request)
{
    usb.rest = bytes;
    usb.rest_bytes = length < request->length ? length : request->length;
    usb.control_pid = USB_BUFFER_DATA1;
    usb_answer_next();
}

// An empty packet answers a request without data.
static void usb_acknowledge(void)
{
    usb.rest_bytes = 0;
    usb.control_pid = USB_BUFFER_DATA1;
    usb_answer_next();
}

static void usb_refuse(void)
{
    REGISTER(USB_STALL_ARM) = DONE_IN(0) | DONE_OUT(0);
    REGISTER(USB_BUFFER_IN(0)) = USB_BUFFER_STALL;
    REGISTER(USB_BUFFER_OUT(0)) = USB_BUFFER_STALL;
}

static void usb_expect(void)
{
    usb_hand_over(USB_BUFFER_OUT(DESCRIPTORS_DATA_ENDPOINT), USB_PACKET_BYTES | usb.out_pid);
    usb.out_pid ^= USB_BUFFER_DATA1;
}

// The host counts packets from 0 again.
static void usb_configure(uint32_t configuration)
{
    usb.configuration = (uint8_t)configuration;
    usb.sending = false;
    usb.in_pid = 0;
    usb.out_pid = 0;
    REGISTER(USB_BUFFER_IN(DESCRIPTORS_DATA_ENDPOINT)) = 0;
    REGISTER(USB_ENDPOINT_IN(DESCRIPTORS_NOTIFY_ENDPOINT)) =
        USB_ENDPOINT_ENABLE | USB_ENDPOINT_TELLS_EACH_BUFFER | USB_ENDPOINT_INTERRUPT | NOTIFY_BUFFER;
    REGISTER(USB_ENDPOINT_IN(DESCRIPTORS_DATA_ENDPOINT)) =
        USB_ENDPOINT_ENABLE | USB_ENDPOINT_TELLS_EACH_BUFFER | USB_ENDPOINT_BULK | IN_BUFFER;
    REGISTER(USB_ENDPOINT_OUT(DESCRIPTORS_DATA_ENDPOINT)) =
        USB_ENDPOINT_ENABLE | USB_ENDPOINT_TELLS_EACH_BUFFER | USB_ENDPOINT_BULK | OUT_BUFFER;
    usb_expect();
}

static void usb_get_descriptor(const struct usb_request *request)
{
    uint32_t length = 0;
    const uint8_t *bytes = descriptors_find(request->value, &length);

    if (bytes == NULL)
        usb_refuse();
    else
        usb_answer(bytes, length, request);
}

// Data that was received but not read belongs to the host that closes the line, or to a previous one. A new host sends nothing
// before its request is acknowledged.
static void usb_drop_received(void)
{
    if (usb.configuration == 0 || !(REGISTER(USB_BUFF_STATUS) & DONE_OUT(DESCRIPTORS_DATA_ENDPOINT)))
        return;
    REGISTER(USB_BUFF_STATUS) = DONE_OUT(DESCRIPTORS_DATA_ENDPOINT);
    usb_expect();
}

static void usb_command(const struct usb_request *request)
{
    if (request->code == REQUEST_SET_ADDRESS)
        usb.address_to_take = request->value;
    else if (request->code == REQUEST_SET_CONFIGURATION)
        usb_configure(request->value);
    if (request->code == REQUEST_SET_LINE_STATE) {
        usb_drop_received();
        usb.connections++;
    }
    usb_acknowledge();
}

static void usb_heed(const struct usb_request *request)
{
    switch (request->code) {
    case REQUEST_GET_DESCRIPTOR:
        usb_get_descriptor(request);
        break;
    case REQUEST_GET_STATUS:
        usb_answer(usb_nothing, sizeof usb_nothing, request);
        break;
    case REQUEST_GET_CONFIGURATION:
        usb_answer(&usb.configuration, 1, request);
        break;
    case REQUEST_GET_LINE_CODING:
        usb_answer(usb_line_coding, LINE_CODING_BYTES, request);
        break;
    case REQUEST_SET_LINE_CODING: // acknowledged when the request's data has come
        usb_hand_over(USB_BUFFER_OUT(0), USB_PACKET_BYTES | USB_BUFFER_DATA1);
        break;
    case REQUEST_SET_ADDRESS:
    case REQUEST_SET_CONFIGURATION:
    case REQUEST_SET_INTERFACE:
    case REQUEST_CLEAR_FEATURE_OF_ENDPOINT:
    case REQUEST_SET_LINE_STATE:
        usb_command(request);
        break;
    default:
        usb_refuse();
    }
}

static void usb_setup(void)
{
    uint32_t first = REGISTER(USB_SETUP_PACKET);
    uint32_t second = REGISTER(USB_SETUP_PACKET + 4u);
    struct usb_request request = {.code = first & 0xffffu, .value = first >> 16, .length = second >> 16};

    usb_heed(&request);
}

static void usb_bus_reset(void)
{
    REGISTER(USB_ADDRESS) = 0;
    usb.configuration = 0;
    usb.address_to_take = 0;
    usb.sending = false;
    usb.connections++;
}

// The host has received a packet of an answer: sends the next one, or expects the host's empty packet that ends the answer.
static void usb_control_sent(void)
{
    if (usb.address_to_take) {
        REGISTER(USB_ADDRESS) = usb.address_to_take;
        usb.address_to_take = 0;
    } else if (usb.rest_bytes > 0) {
        usb_answer_next();
    } else {
        usb_hand_over(USB_BUFFER_OUT(0), USB_PACKET_BYTES | USB_BUFFER_DATA1);
    }
}

static void usb_control_received(void)
{
    uint32_t length = REGISTER(USB_BUFFER_OUT(0)) & USB_BUFFER_LENGTH;

    if (length != LINE_CODING_BYTES)
        return; // an empty packet ends the answer
    for (uint32_t i = 0; i < length; i++)
        usb_line_coding[i] = usb_memory(CONTROL_BUFFER)[i];
    usb_acknowledge();
}

void usb_poll(void)
{
    uint32_t status = REGISTER(USB_SIE_STATUS) & (USB_SIE_BUS_RESET | USB_SIE_SETUP);
    // Data on the data endpoint stays flagged until it is read.
    uint32_t done = REGISTER(USB_BUFF_STATUS) & ~DONE_OUT(DESCRIPTORS_DATA_ENDPOINT);

    if (status == 0 && done == 0)
        return;
    REGISTER(USB_SIE_STATUS) = status;
    REGISTER(USB_BUFF_STATUS) = done;
    if (status & USB_SIE_BUS_RESET)
        usb_bus_reset();
    if (done & DONE_IN(0))
        usb_control_sent();
    if (done & DONE_OUT(0))
        usb_control_received();
    if (done & DONE_IN(DESCRIPTORS_DATA_ENDPOINT))
        usb.sending = false;
    if (status & USB_SIE_SETUP)
        usb_setup();
}

void usb_start(void)
{
    clocks_reset(RESETS_USB);
    for (uint32_t word = 0; word < MEMORY_WORDS; word++)
        REGISTER(USB_MEMORY + 4u * word) = 0;
    REGISTER(USB_MUXING) = USB_TO_PHY | USB_SOFTCON;
    REGISTER(USB_POWER) = USB_VBUS_DETECTED | USB_VBUS_OVERRIDE;
    REGISTER(USB_MAIN_CTRL) = USB_CONTROLLER_ENABLE;
    REGISTER(USB_INTE) = USB_INT_BUFFERS | USB_INT_BUS_RESET | USB_INT_SETUP;
    REGISTER(USB_SIE_CTRL) = USB_EP0_TELLS_EACH_BUFFER | USB_PULLUP;
}

uint32_t usb_connections(void)
{
    return usb.connections;
}

bool usb_may_send(void)
{
    return usb.configuration != 0 && !usb.sending;
}

void usb_send(const uint8_t *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        usb_memory(IN_BUFFER)[i] = bytes[i];
    usb.sending = true;
    usb_hand_over(USB_BUFFER_IN(DESCRIPTORS_DATA_ENDPOINT), length | usb.in_pid | USB_BUFFER_FULL);
    usb.in_pid ^= USB_BUFFER_DATA1;
}

uint32_t usb_receive(uint8_t *to)
{
    uint32_t length;

    if (usb.configuration == 0 || !(REGISTER(USB_BUFF_STATUS) & DONE_OUT(DESCRIPTORS_DATA_ENDPOINT)))
        return 0;
    REGISTER(USB_BUFF_STATUS) = DONE_OUT(DESCRIPTORS_DATA_ENDPOINT);
    length = REGISTER(USB_BUFFER_OUT(DESCRIPTORS_DATA_ENDPOINT)) & USB_BUFFER_LENGTH;
    for (uint32_t i = 0; i < length; i++)
        to[i] = usb_memory(OUT_BUFFER)[i];
    usb_expect();
    return length;
}
