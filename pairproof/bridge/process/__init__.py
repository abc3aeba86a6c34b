"""The process that owns R: its start, the protocol, time-outs, and who answers, live or recorded."""
