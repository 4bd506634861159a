"""Background work: durable jobs and schedules on Postgres."""
