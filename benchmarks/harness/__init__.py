"""What every comparison needs: the processes that are timed, rounds, memory, the machine, and the page."""
