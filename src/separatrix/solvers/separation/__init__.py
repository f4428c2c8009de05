"""Whether a plane separates: Gordan's alternative, exact simplex, the robust linear program."""
