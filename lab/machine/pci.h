/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PCI device that every machine of the bench can have, QEMU's `edu`: its interrupt reaches a kernel in the same way on all of them.
 */
#ifndef PCI_H
#define PCI_H

/* The device that generator `index` pulses on; NULL, with one line on standard error, where there is none. */
void *pci_device(unsigned index);

#endif
