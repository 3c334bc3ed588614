"""A second opinion on a proof: ABC writes a certificate, and the solver CaDiCaL checks it on the graph as Yosys wrote
it."""
