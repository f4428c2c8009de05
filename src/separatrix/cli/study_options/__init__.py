"""Options of `separatrix study` alone: what classifiers are ranked by, and which rows are held out."""
