"""A plan carried out: testbeds, and what runs on them."""
