"""Commands that measure: testbeds and runs."""
