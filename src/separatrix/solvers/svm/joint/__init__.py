"""One support vector machine for several classes (Crammer and Singer, 2001)."""
