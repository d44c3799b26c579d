"""Tables and samples as data frames."""
