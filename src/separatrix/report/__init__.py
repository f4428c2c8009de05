"""What a person reads and sees: tables, figures, and pages that play a recorded run."""
