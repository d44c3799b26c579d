"""Outages, lasting loss and availability."""
