"""A network described, modelled and priced."""
