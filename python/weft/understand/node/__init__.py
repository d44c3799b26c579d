"""Results inside nodes: occupation of parts, loads of applications, web servers, costs of receiving."""
