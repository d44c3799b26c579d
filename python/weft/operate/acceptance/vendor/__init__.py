"""Output of an acceptance for others: the page for the vendor, and JUnit XML for CI systems."""
