// The frame of the page: language, colours, navigation, and which screen is shown.
//
// Screens are functions (main, parameters) that fill `main` and may return a function to call when they are left.
// Addresses: #/, #/new/RULESET, #/game/ID, #/review/ID, #/history, #/rules/NAME.

import { drawDie } from "./dice.js";
import { button, h, icon, replace, select } from "./dom.js";
import { gameScreen } from "./game.js";
import { historyScreen } from "./history.js";
import { currentLanguage, LANGUAGES, preferredLanguage, t, useLanguage } from "./i18n.js";
import { reviewScreen } from "./review.js";
import { rulesScreen } from "./rules.js";
import { startScreen } from "./start.js";
import { changeSettings, settings } from "./store.js";

const SCREENS = {
  "": { screen: startScreen, nav: "start" },
  new: { screen: startScreen, nav: "start" },
  game: { screen: gameScreen, nav: "start" },
  review: { screen: reviewScreen, nav: "start" },
  history: { screen: historyScreen, nav: "history" },
  rules: { screen: rulesScreen, nav: "rules" },
};

const NAV = { start: "#/", history: "#/history", rules: "#/rules" };
const THEMES = ["auto", "light", "dark"];

let leave = null;
let shown = 0; // counts the screens shown, so that a late answer does not draw over the next one

function route() {
  const [name = "", ...rest] = window.location.hash.replace(/^#\/?/, "").split("/");
  return { name, parameters: rest.map(decodeURIComponent) };
}

function applyTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function themeButton() {
  const { theme } = settings();
  const said = `${t("app.theme")}: ${t(`app.theme.${theme}`)}`;
  const turn = () => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    changeSettings({ theme: next });
    applyTheme(next);
    drawBar(route().name);
    document.getElementById("theme").focus();
  };
  return button(".quiet.square", icon(`theme-${theme}`), turn, { id: "theme", label: said });
}

function drawBar(name) {
  const current = SCREENS[name]?.nav;
  const links = Object.entries(NAV).map(([key, href]) =>
    h("a", { href, "aria-current": key === current ? "page" : null, text: t(`nav.${key}`) }),
  );
  const languages = select(Object.entries(LANGUAGES), currentLanguage(), changeLanguage, {
    id: "language",
    "aria-label": t("app.language"),
  });
  replace(
    document.getElementById("bar"),
    h("a.brand", { href: "#/" }, drawDie(5), h("span", { text: t("app.title") })),
    h("nav", { "aria-label": t("nav.label") }, links),
    h("div.row.tools", languages, themeButton()),
  );
  document.getElementById("skip").textContent = t("app.skip");
}

async function changeLanguage(name) {
  await useLanguage(name);
  await show();
  document.getElementById("language").focus();
}

async function show() {
  const { name, parameters } = route();
  const main = document.getElementById("main");
  const mine = ++shown;
  leave?.();
  leave = null;
  drawBar(name);
  document.title = t("app.title");
  const known = SCREENS[name];
  const wrapped = h("div.screen");
  replace(main, wrapped);
  if (known === undefined) {
    replace(wrapped, h("p", { text: t("app.not_found") }), h("a", { href: "#/", text: t("app.back") }));
    return;
  }
  try {
    const leaving = await known.screen(wrapped, parameters);
    if (mine === shown) leave = leaving ?? null;
    else leaving?.();
  } catch (error) {
    if (mine !== shown) return;
    const again = button("", t("app.retry"), show);
    replace(wrapped, h("div.card.stack", { role: "alert" }, h("p", { text: error.message }), again));
    if (error.status === undefined) throw error; // a fault of ours, for the console
  }
}

async function start() {
  applyTheme(settings().theme);
  await useLanguage(preferredLanguage());
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address holds the screen and must not become #main
    document.getElementById("main").focus();
  });
  window.addEventListener("hashchange", async () => {
    await show();
    document.getElementById("main").focus({ preventScroll: true });
    window.scrollTo(0, 0);
  });
  await show();
}

start();
