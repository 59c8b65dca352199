import { element } from "./elements.ts";

/** How fast the bar falls after a sound: by this share of its length in each update. */
const FALL = 0.25;

/** Shows how loud a side is, from 0 to 1. It is hidden from screen readers, which would read twenty numbers a second. */
export class Meter {
  readonly element: HTMLElement;
  readonly #bar = element("span", { class: "bar" });
  #shown = 0;

  constructor(label: string, side: "input" | "output", part?: string) {
    this.element = element(
      "span",
      { class: `meter ${side}`, part, "aria-hidden": "true" },
      element("span", { class: "meter-label" }, label),
      element("span", { class: "track" }, this.#bar),
    );
  }

  /** No sound any more. */
  reset(): void {
    this.#shown = 0;
    this.#bar.style.transform = "";
  }

  show(level: number): void {
    const next = Math.max(Math.min(1, level), this.#shown * (1 - FALL));
    if (next === this.#shown) return;
    this.#shown = next < 0.005 ? 0 : next;
    // By a script and not by an attribute, which a content security policy forbids.
    this.#bar.style.transform = `scaleX(${this.#shown.toFixed(3)})`;
  }
}
