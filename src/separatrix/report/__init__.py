"""What a person reads: tables and, later, pictures and pages."""
