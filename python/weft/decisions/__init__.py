"""Twins, what-ifs, decisions and recommendations: what a change would bring, what to buy, what to do."""
