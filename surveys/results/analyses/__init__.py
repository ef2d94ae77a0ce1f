"""Several questions together: break-downs, weights and regressions."""
