"""Networks: descriptions, models and prices."""
