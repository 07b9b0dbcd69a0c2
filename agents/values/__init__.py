"""Value networks over score cards, learnt by temporal differences over whole turns, and the planner that uses one."""
