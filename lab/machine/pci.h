/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's `edu`, a PCI device that every machine of the bench can have. Its interrupt reaches a kernel in the same way on all
 * machines.
 */
#ifndef PCI_H
#define PCI_H

/* The device whose interrupt generator `index` pulses. If there is none, prints one line on standard error and returns NULL. */
void *pci_device(unsigned index);

#endif
