"""What a change would bring, what to buy, what to do: twins, what-ifs, decisions, recommendations."""
