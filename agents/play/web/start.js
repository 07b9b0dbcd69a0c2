// The start screen: which game, who plays, with what help; and the games that are not finished.

import { meta, ruleset, rulesetList, rulesPage } from "./api.js";
import { drawDie } from "./dice.js";
import { button, checkbox, field, h, icon, replace, section } from "./dom.js";
import { list, moment, number, rulesetLabel, t } from "./i18n.js";
import { sentence } from "./rules.js";
import { SeatList, startGame } from "./seats.js";
import { solvePanel } from "./solve.js";
import { changeSettings, forgetGame, games, LEVELS, names, rememberNames, settings } from "./store.js";

/** A radio group. `choices` are [value, label, about] triples. */
function radios(name, legend, choices, value) {
  const options = choices.map(([key, label, about]) =>
    h(
      "label.choice",
      h("input", { type: "radio", name, value: key, checked: key === value }),
      h("span", label, h("span.hint", { text: about })),
    ),
  );
  return h("fieldset.choices", h("legend", { text: legend }), options);
}

function rulesetSelect(summaries, chosen, onChange) {
  const groups = [
    ["start.group.five", summaries.filter((one) => one.base === null && one.dice !== 6)],
    ["start.group.six", summaries.filter((one) => one.base === null && one.dice === 6)],
    ["start.group.own", summaries.filter((one) => one.base !== null)],
  ];
  const options = groups
    .filter(([, members]) => members.length > 0)
    .map(([key, members]) =>
      h(
        "optgroup",
        { label: t(key) },
        members.map((one) =>
          h("option", { value: one.name, selected: one.name === chosen, text: rulesetLabel(one.name) }),
        ),
      ),
    );
  return h("select", { id: "ruleset", on: { change: (event) => onChange(event.target.value) } }, options);
}

function hero() {
  const words = h("div.stack.tight", h("h1", { text: t("start.heading") }), h("p.muted", { text: t("start.lead") }));
  return h(
    "div.hero",
    words,
    h("div.dice-art", { "aria-hidden": "true" }, [6, 3, 5, 1].map((face) => drawDie(face))),
  );
}

function openGames(redraw) {
  const open = games().filter((game) => !game.finished);
  if (open.length === 0) return null;
  const rows = open.slice(0, 6).map((game) => {
    const said = `${rulesetLabel(game.ruleset)}, ${moment(game.created)}`;
    const forget = () => {
      forgetGame(game.id);
      redraw();
    };
    const going = {
      href: `#/game/${game.id}`,
      "aria-label": `${t("start.continue")}: ${said}`,
      text: t("start.continue"),
    };
    return h(
      "li",
      h(
        "div",
        h("strong", { text: rulesetLabel(game.ruleset) }),
        h("div.hint", { text: `${list(game.seats)} · ${moment(game.created)}` }),
      ),
      h(
        "div.row",
        h("a.button.small", going),
        button(".quiet.square", icon("remove"), forget, { label: t("start.forget", { game: said }) }),
      ),
    );
  });
  return section(".stack.tight", "open-games", t("start.open_games"), h("ul.game-list", rows));
}

// What holds for every game is left to its page of rules.
const COMMON = ["turn.keep", "turn.box", "turn.zero", "end.turns", "end.winner"];

/** The rules of a game in short: what sets it apart, without the single boxes. */
function inShort(name, page) {
  const items = page.sections.flatMap((section) => section.items);
  const sentences = items.filter((item) => item.box === null && !COMMON.includes(item.key)).map(sentence);
  return section(
    ".stack.tight",
    "in-short",
    t("start.in_short", { game: rulesetLabel(name) }),
    h("ul.in-short", sentences.map((text) => h("li", { text }))),
    h("p", h("a", { href: `#/rules/${name}`, text: t("start.read_rules") })),
  );
}

/** Shows the start screen; `chosen` names the ruleset to begin with. */
export async function startScreen(main, [chosen]) {
  const [about, { rulesets }] = await Promise.all([meta(), rulesetList()]);
  const known = rulesets.map((one) => one.name);
  const first = known.includes(chosen) ? chosen : about.suggestion.ruleset;
  const person = { kind: "person", agent: null, name: names()[0] ?? t("start.default_name", { number: 1 }) };
  const opponents = about.suggestion.opponents.map((agent, index) => ({
    kind: "agent",
    agent,
    name: t("start.default_name", { number: index + 2 }),
  }));
  const seats = new SeatList([person, ...opponents], about.max_seats, about.max_name);
  const aboutGame = h("div.stack.tight");
  const short = h("div");
  const problem = h("p.notice.error", { role: "alert", hidden: true });
  let rules = null;

  async function choose(name) {
    const [info, page] = await Promise.all([ruleset(name), rulesPage(name)]);
    rules = info;
    replace(short, inShort(name, page));
    seats.offer(rules.agents);
    const changed =
      rules.base !== null &&
      h(
        "p",
        t("rules.changed", { game: rulesetLabel(rules.base) }),
        " ",
        Object.entries(rules.options)
          .map(([key, value]) => `${t(`option.${key}`)}${value === true ? "" : `: ${value}`}`)
          .join("; "),
      );
    const best = rules.optimum === null ? "" : ` ${t("start.optimum", { points: number(rules.optimum, 2) })}`;
    replace(
      aboutGame,
      h("p.hint", t("start.about", { dice: rules.dice, turns: rules.boxes.length }), best),
      changed,
      solvePanel(rules.solve, () => choose(name)),
    );
  }

  async function begin(event) {
    event.preventDefault();
    const { seats: chairs, teams, problem: wrong } = seats.request();
    problem.hidden = wrong === null;
    problem.textContent = wrong ?? "";
    if (wrong !== null) return;
    const form = new FormData(event.target);
    const game = {
      ruleset: rules.name,
      seats: chairs,
      teams,
      coach: form.get("coach"),
      real_dice: form.get("dice") === "real",
      hidden_totals: form.has("hidden"),
    };
    changeSettings({ coach: game.coach });
    rememberNames(chairs.filter((seat) => seat.kind === "person").map((seat) => seat.name));
    try {
      await startGame(game);
    } catch (error) {
      problem.hidden = false;
      problem.textContent = error.message;
    }
  }

  const levels = LEVELS.map((level) => [level, t(`start.coach.${level}`), t(`start.coach.${level}.about`)]);
  const dice = ["server", "real"].map((kind) => [kind, t(`start.dice.${kind}`), t(`start.dice.${kind}.about`)]);
  const form = h(
    "form.card.stack",
    { novalidate: true, on: { submit: begin } },
    field(t("start.game"), rulesetSelect(rulesets, first, choose)),
    aboutGame,
    h("h2", { text: t("start.players") }),
    seats.element,
    checkbox(t("start.teams"), (on) => seats.setTeams(on), { name: "teams" }),
    radios("coach", t("start.coach"), levels, settings().coach),
    radios("dice", t("start.dice"), dice, "server"),
    checkbox(t("start.hidden"), () => {}, { name: "hidden" }),
    problem,
    h("button.primary", { type: "submit", text: t("start.begin") }),
  );
  const open = h("div");
  const drawOpen = () => replace(open, openGames(drawOpen));
  drawOpen();
  await choose(first);
  replace(main, hero(), h("div.start", form, h("div.stack.side", open, short)));
}
