"""The lab: a page on which classifiers are watched as they learn."""
