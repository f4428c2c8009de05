"""The server of the lab, and the processes that compute for it."""
