// What this browser remembers: the keys to its games, names of players, and how the page is set.

const GAMES = "yatzy.games";
const NAMES = "yatzy.names";
const SETTINGS = "yatzy.settings";
const MOST_GAMES = 60;
const MOST_NAMES = 12;

/** How much the coach says. */
export const LEVELS = ["off", "hints", "full"];

const DEFAULTS = { pace: "calm", wait: false, keys: true, theme: "auto", coach: "hints" };

function read(key, fallback) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? fallback;
  } catch {
    return fallback; // what another program wrote there is not ours to understand
  }
}

function write(key, value) {
  localStorage.setItem(key, JSON.stringify(value));
}

/**
 * The games this browser holds a key to, newest first.
 *
 * @returns {{id: string, token: string, ruleset: string, seats: string[], created: string, finished: boolean}[]}
 */
export function games() {
  return read(GAMES, []);
}

/** The key to a game, or null. */
export function tokenOf(id) {
  return games().find((game) => game.id === id)?.token ?? null;
}

/** Remembers a new game, or what changed about a known one. */
export function rememberGame(game) {
  const others = games().filter((other) => other.id !== game.id);
  const before = games().find((other) => other.id === game.id) ?? {};
  write(GAMES, [{ ...before, ...game }, ...others].slice(0, MOST_GAMES));
}

/** Forgets a game and its key. */
export function forgetGame(id) {
  write(GAMES, games().filter((game) => game.id !== id));
}

/** Names of persons who played here, the latest first. */
export function names() {
  return read(NAMES, []);
}

/** Puts names in front of the list. */
export function rememberNames(fresh) {
  write(NAMES, [...new Set([...fresh, ...names()])].slice(0, MOST_NAMES));
}

/** How the page is set: `pace`, `wait`, `keys`, `theme`, `coach`. */
export function settings() {
  return { ...DEFAULTS, ...read(SETTINGS, {}) };
}

/** Changes some settings. */
export function changeSettings(changes) {
  write(SETTINGS, { ...settings(), ...changes });
}
