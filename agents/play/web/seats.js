// The players of a game: what they are called, their list on the start screen, and the game they start.

import { createGame } from "./api.js";
import { button, field, h, icon, replace, select } from "./dom.js";
import { has, list, t } from "./i18n.js";
import { names, rememberGame } from "./store.js";

/** What an agent is called; unknown ones keep their plain name. */
export function agentLabel(name) {
  return has(`agent.${name}`) ? t(`agent.${name}`) : name;
}

/** Who sits at a seat, as the page calls it. */
export function seatName(seat) {
  return seat.kind === "agent" ? agentLabel(seat.agent) : seat.name;
}

/** The names of all seats, numbered where several are the same. */
export function seatNames(seats) {
  const plain = seats.map(seatName);
  const seen = new Map();
  return plain.map((name) => {
    if (plain.filter((other) => other === name).length === 1) return name;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return `${name} ${seen.get(name)}`;
  });
}

/** What the cards of a game are called: by the names of those who play on them. */
export function namesOfCards(cards, names) {
  return cards.map((card) => list(card.seats.map((seat) => names[seat])));
}

/** A seat as the server wants it. */
export function seatRequest(seat) {
  return seat.kind === "agent" ? { kind: "agent", agent: seat.agent } : { kind: "person", name: seat.name.trim() };
}

/** Starts a game (NewGame), remembers its key and goes to it. */
export async function startGame(wanted) {
  const { id, token, state } = await createGame(wanted);
  const { ruleset, created } = state;
  rememberGame({ id, token, ruleset, seats: seatNames(state.seats), created, finished: false });
  window.location.hash = `#/game/${id}`;
}

/** An input for a name, which offers those of `knownNames`. */
export function nameInput(attributes) {
  return h("input", { type: "text", list: "known-names", autocomplete: "off", required: true, ...attributes });
}

/** The names of persons who played here, for all inputs of a screen. */
export function knownNames() {
  const options = names().map((name) => h("option", { value: name }));
  return h("datalist", { id: "known-names" }, options);
}

/** Edits a list of seats: `{kind, name, agent, team}`. */
export class SeatList {
  /**
   * @param {object[]} seats - the seats to begin with.
   * @param {number} most - how many there may be.
   * @param {number} longest - how long a name may be.
   */
  constructor(seats, most, longest) {
    this.seats = seats;
    this.most = most;
    this.longest = longest;
    this.agents = [];
    this.teams = false;
    this.element = h("div.stack.tight");
  }

  /** Says which agents there are for the ruleset chosen; seats of others go to the strongest that can play. */
  offer(agents) {
    this.agents = agents;
    const playing = agents.filter((agent) => agent.available);
    for (const seat of this.seats) {
      if (seat.kind !== "agent" || playing.some((agent) => agent.name === seat.agent)) continue;
      seat.agent = playing.at(-1)?.name ?? null;
      if (seat.agent === null) seat.kind = "person";
    }
    this.draw();
  }

  /** Turns teams on or off. */
  setTeams(on) {
    this.teams = on;
    this.draw();
  }

  draw() {
    const rows = this.seats.map((seat, index) => this.row(seat, index));
    const full = this.seats.length >= this.most;
    const add = button(".small", [icon("add"), t("start.add")], () => this.add(), { disabled: full });
    replace(
      this.element,
      h(`ol.seats${this.teams ? ".teams" : ""}`, { "aria-label": t("start.players") }, rows),
      knownNames(),
      h("div.row", add),
    );
  }

  row(seat, index) {
    const choices = [["person", t("start.person")], ...this.agents.map((agent) => [agent.name, this.described(agent)])];
    const value = seat.kind === "person" ? "person" : seat.agent;
    const kind = select(choices, value, (chosen) => {
      Object.assign(seat, chosen === "person" ? { kind: "person", agent: null } : { kind: "agent", agent: chosen });
      this.draw();
      this.element.querySelectorAll(".seat")[index].querySelector("select").focus();
    });
    for (const option of kind.options) {
      option.disabled = this.agents.some((agent) => agent.name === option.value && !agent.available);
    }
    const about = has(`agent.${seat.agent}.about`) ? t(`agent.${seat.agent}.about`) : "";
    const who =
      seat.kind === "person" ? field(t("start.name"), this.nameInput(seat)) : h("p.hint.seat-about", { text: about });
    const team = this.teams && field(t("start.team"), this.teamSelect(seat, index));
    const said = t("start.remove", { name: seat.kind === "person" ? seat.name : agentLabel(seat.agent) });
    const alone = { label: said, disabled: this.seats.length === 1 };
    const remove = button(".quiet.square", icon("remove"), () => this.remove(index), alone);
    return h("li.seat", field(t("start.kind"), kind), who, team, remove);
  }

  described(agent) {
    return agent.available
      ? agentLabel(agent.name)
      : `${agentLabel(agent.name)} (${t(`agent.reason.${agent.reason}`)})`;
  }

  nameInput(seat) {
    const input = (event) => {
      seat.name = event.target.value;
    };
    return nameInput({ value: seat.name, maxlength: this.longest, on: { input } });
  }

  teamSelect(seat, index) {
    const choices = this.seats.map((_, number) => [String(number), String(number + 1)]);
    return select(choices, String(seat.team ?? index % 2), (team) => {
      seat.team = Number(team);
    });
  }

  add() {
    const best = this.agents.filter((agent) => agent.available).at(-1);
    const number = this.seats.length + 1;
    const person = { kind: "person", agent: null, name: t("start.default_name", { number }) };
    this.seats.push(best === undefined || number > 2 ? person : { ...person, kind: "agent", agent: best.name });
    this.draw();
    this.element.querySelector(".seat:last-child select").focus();
  }

  remove(index) {
    this.seats.splice(index, 1);
    this.draw();
    this.element.querySelectorAll(".seat")[Math.min(index, this.seats.length - 1)].querySelector("select").focus();
  }

  /**
   * The seats as the server wants them.
   *
   * @returns {{seats: object[], teams: number[][]|null, problem: string|null}} `problem` is a sentence for the player.
   */
  request() {
    const seats = this.seats.map(seatRequest);
    const persons = seats.filter((seat) => seat.kind === "person").map((seat) => seat.name);
    const twice = persons.find((name, index) => persons.indexOf(name) !== index);
    let teams = null;
    if (this.teams) {
      const numbers = this.seats.map((seat, index) => seat.team ?? index % 2);
      const cards = [...new Set(numbers)].sort((first, second) => first - second);
      teams = cards.map((number) => numbers.flatMap((other, index) => (other === number ? [index] : [])));
    }
    let problem = null;
    if (persons.includes("")) problem = t("start.needs_name");
    else if (twice !== undefined) problem = t("start.same_name", { name: twice });
    else if (teams !== null && teams.length < 2) problem = t("start.one_team");
    return { seats, teams, problem };
  }
}
