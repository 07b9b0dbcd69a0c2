"""What all learners share: configurations, run folders, networks as files of plain arrays, and how one is fitted."""
