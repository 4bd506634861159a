"""HTTP: the app factory, one route file per resource, and the one table from errors to statuses."""
