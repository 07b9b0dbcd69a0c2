"""What all learners share: configurations, run folders and networks as files of plain arrays."""
