"""The process that runs R: its start, the protocol, time-outs, and the choice of live or recorded answers."""
