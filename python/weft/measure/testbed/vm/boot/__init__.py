"""Boots a guest: kernel, initramfs, console."""
