/** Actions: approved, refused, undone, stopped, and sent by looking at them. */
import type { components } from "../../src/api/schema.ts";
import type { RequestedAction } from "../../src/api/types.ts";
import { ACTIONS } from "./actions.ts";
import { type FakeRoute, at, no, note, ok, page, route } from "./answering.ts";
import { hidden, isMasked } from "./fraud-masks.ts";
import type { World } from "./world.ts";

type ChangedActions = components["schemas"]["ChangedActions"];

const NO_REASON = no(422, "say why: it is read by others", "action-without-reason");

export const IS_OPEN = ["new", "waiting", "held", "due", "sending", "undo", "undoing"];

const IS_REFUSABLE = ["new", "waiting", "held", "due", "sending"];

export const maskedAction = (action: RequestedAction): RequestedAction => ({
  ...action,
  key: hidden(action.key),
  because: action.because.replace(/\d{7,}/g, "…"),
});

/** Returns the actions, the newest first. What is due is done once it was looked at: so a page can see both states. */
export function actionsNow(world: World): RequestedAction[] {
  const shown = structuredClone(world.actions);
  for (const action of world.actions) {
    const { people } = ACTIONS[action.action] ?? { people: 1 };
    const isSent = world.stopped === null;
    if (action.state === "new")
      action.state = action.rule_waits === true || action.approved_by.length < people ? "waiting" : "due";
    else if (action.state === "due" && isSent)
      Object.assign(action, { state: "done", tries: action.tries + 1, done: at(world) });
    else if (action.state === "undo" && isSent)
      Object.assign(action, { state: "undone", tries: action.tries + 1, done: at(world) });
  }
  return shown;
}

/** Changes actions one by one, each with its entry of the trail. */
function change(
  world: World,
  ids: readonly number[],
  [who, name, reason]: [string, string, string],
  act: (action: RequestedAction) => boolean,
) {
  const changed = world.actions.filter((action) => ids.includes(action.id) && act(action));
  for (const { id } of changed) note(world, who, name, `action ${id}`, reason);
  return ok<ChangedActions>({ changed: changed.length });
}

export const ACTION_ROUTES: FakeRoute[] = [
  route("GET /api/actions", "viewer", (world, { query }, _, who) => {
    const masked = isMasked(world, who);
    if (masked && query.has("key"))
      return no(403, "a search by key needs the role operator, which sees subscriber data");
    const fits = (word: "action" | "key", of: string) => (query.get(word) ?? of) === of;
    const found = actionsNow(world).filter(
      (each) =>
        (query.get("open") !== "true" || IS_OPEN.includes(each.state)) &&
        fits("action", each.action) &&
        fits("key", each.key),
    );
    const { rows, more } = page(query, found, ({ id }) => id);
    return ok({ actions: masked ? rows.map(maskedAction) : rows, more, stopped: world.stopped, masked });
  }),
  route("POST /api/actions/approve", "operator", (world, { body }, _, who) =>
    change(world, body.actions, [who, "action approve", ""], (action) => {
      const waits = action.state === "waiting" || action.state === "held";
      if (!waits || action.approved_by.includes(who) || action.approved_by.length > 1) return false;
      action.approved_by.push(who);
      action.state = action.state === "held" ? "due" : "new";
      return true;
    }),
  ),
  route("POST /api/actions/refuse", "operator", (world, { body }, _, who) =>
    body.reason.trim() === ""
      ? NO_REASON
      : change(world, body.actions, [who, "action refuse", body.reason], (action) => {
          if (!IS_REFUSABLE.includes(action.state)) return false;
          Object.assign(action, { state: "refused", problem: body.reason });
          return true;
        }),
  ),
  route("POST /api/actions/undo", "operator", (world, { body }, _, who) =>
    body.reason.trim() === ""
      ? NO_REASON
      : change(world, body.actions, [who, "action undo", body.reason], (action) => {
          if (action.state !== "done") return false;
          Object.assign(action, { state: "undo", tries: 0, done: null, problem: null });
          return true;
        }),
  ),
  route("POST /api/actions/stop", "operator", (world, { body }, _, who) => {
    if (body.reason.trim() === "") return no(422, "say why: it is read by others", "stop-without-reason");
    if (world.stopped === null) {
      world.stopped = { since: at(world), who, because: body.reason };
      note(world, who, "action stop", "all actions", body.reason);
    }
    return ok({ stopped: world.stopped });
  }),
  route("POST /api/actions/resume", "operator", (world, { body }, _, who) => {
    if (body.reason.trim() === "") return no(422, "say why: it is read by others", "stop-without-reason");
    if (world.stopped !== null) note(world, who, "action resume", "all actions", body.reason);
    world.stopped = null;
    return ok({ stopped: null });
  }),
  route("POST /api/fraud/cases/{id}/action", "operator", (world, { body }, { id }, who) => {
    if (body.reason.trim() === "") return no(422, "say why: it is read by others", "request-without-reason");
    if (ACTIONS[body.action] === undefined) return no(404, `the flow has no action "${body.action}"`, "action-unknown");
    const of = world.fraudCases.find((each) => String(each.id) === id);
    if (of === undefined) return no(404, `there is no case ${id}`, "action-case-unknown");
    const number = (world.actions[0]?.id ?? 0) + 1;
    const { node, subject, key } = of;
    world.actions.unshift({
      ...{ id: number, action: body.action, state: "new", node, subject, key, requested: at(world) },
      ...{ rule: null, rule_version: null, requested_by: who, because: body.reason, approved_by: [], tries: 0 },
      ...{ done: null, problem: null },
    });
    of.steps.push({ at: at(world), who, step: "action", remark: `${body.action}: ${body.reason}` });
    note(world, who, "action request", `action ${number} "${body.action}" for case ${id}`, body.reason);
    return ok({ changed: 1 });
  }),
  route("POST /api/fraud/rules/approve", "operator", (world, { body }, _, who) => {
    const { rule, version, reason } = body;
    if (reason.trim() === "") return no(422, "say why: it is read by others", "rule-approval-without-reason");
    const running = world.rules[rule];
    if (running?.version !== version || running.approvals.some((each) => each.who === who))
      return no(
        409,
        `the rule "${rule}" does not run as version ${version}, or you have approved it already: another person must`,
        "rule-not-approved",
      );
    running.approvals.push({ who, at: at(world), because: reason });
    note(world, who, "fraud activate", `rule "${rule}" of "${body.node}", ${version}`, reason);
    if (running.approvals.length < running.approvals_needed) return ok({ approved: "one" });
    for (const action of world.actions.filter((each) => each.rule === rule && each.rule_waits === true)) {
      delete action.rule_waits;
      if (action.state === "waiting") action.state = "new";
    }
    return ok({ approved: "all" });
  }),
];
