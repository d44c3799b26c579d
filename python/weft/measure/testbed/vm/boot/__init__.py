"""A guest booted: kernel, initramfs, console."""
