"""What an acceptance hands on: the page for the vendor, and JUnit XML for CI systems."""
