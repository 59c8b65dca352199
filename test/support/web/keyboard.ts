import { setTimeout as delay } from "node:timers/promises";
import type { Locator } from "playwright-core";

const DISABLED_POLL_MS = 50;
/** More keys than any page has things to focus. */
const KEYS_MAX = 400;

/**
 * Which key brings the focus nearer to an element, or that it is there; empty while it is disabled. Within a menu or a row of tabs the arrow keys go from one to the
 * next; a menu may keep the focus, and say which of its items has it.
 */
const nextKey = new Function(
  "element",
  `
  const goal = element.closest("a[href], button, input, select, summary, textarea, [role^=menuitem], [role=tab], [tabindex]") ?? element;
  const active = document.activeElement ?? document.body;
  if (goal.disabled === true || goal.getAttribute("aria-disabled") === "true") return "";
  if (active === goal || (goal.id !== "" && active.getAttribute("aria-activedescendant") === goal.id)) return "there";
  const group = goal.closest("[role=menu], [role=tablist]");
  const within = document.getElementById(active.getAttribute("aria-activedescendant") ?? "") ?? active;
  const isBefore = (goal.compareDocumentPosition(within) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  if (group?.contains(active)) {
    if (group.getAttribute("role") === "menu") return isBefore && within !== active ? "ArrowUp" : "ArrowDown";
    return isBefore ? "ArrowLeft" : "ArrowRight";
  }
  return isBefore && active !== document.body ? "Shift+Tab" : "Tab";
`,
) as (element: unknown) => string;

/**
 * Presses a button, a link, a tab or an item of a menu as somebody without a mouse does: Tab and the arrow keys alone bring the focus
 * there. Rejects where they do not.
 */
export async function press(target: Locator): Promise<void> {
  await focusByKeys(target);
  await target.page().keyboard.press("Enter");
}

/** Sets a box, which the focus reaches as for `press`. */
export async function tick(box: Locator, isTicked = true): Promise<void> {
  await focusByKeys(box);
  if ((await box.isChecked()) !== isTicked) await box.page().keyboard.press("Space");
}

async function focusByKeys(target: Locator): Promise<void> {
  await target.waitFor();
  const { keyboard } = target.page();
  for (let keys = 0; keys < KEYS_MAX; keys += 1) {
    const key = await target.evaluate(nextKey);
    if (key === "there") return;
    // What is disabled is about to be enabled, or the test fails here.
    if (key === "") await delay(DISABLED_POLL_MS);
    else await keyboard.press(key);
  }
  const focused = await target.page().evaluate<string>("document.activeElement?.outerHTML.slice(0, 200)");
  throw new Error(`${target} cannot be reached by the keyboard: after ${KEYS_MAX} keys the focus is at ${focused}`);
}
