"""The lab: a page in the browser on which methods are watched while they learn, stop, and prove why."""
