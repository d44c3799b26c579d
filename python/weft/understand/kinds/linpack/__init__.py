"""Linpack: its speed, how nodes spent their time, and the price."""
