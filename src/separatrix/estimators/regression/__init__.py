"""Estimators that predict numbers."""
