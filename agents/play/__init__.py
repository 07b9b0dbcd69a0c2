"""Playing against the agents: game sessions, the coach, their store, a web server and a terminal."""
