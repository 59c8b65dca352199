type Child = Node | string | undefined;

/** Attributes; `undefined` and `false` leave one out, `true` is an empty one. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Makes an element. Texts become text nodes, so nothing that somebody wrote is ever read as HTML. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) setAttribute(made, key, value);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Sets an attribute, or removes it for `undefined` and `false`. */
export function setAttribute(target: Element, name: string, value: Attributes[string]): void {
  if (value === undefined || value === false) target.removeAttribute(name);
  else target.setAttribute(name, value === true ? "" : String(value));
}

/** A text of an element, changed only when it differs: screen readers announce every change. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

const SVG = "http://www.w3.org/2000/svg";

/** An icon of 24 by 24 units, drawn in the colour of its text, and hidden from screen readers. */
export function icon(...paths: readonly string[]): SVGSVGElement {
  const made = document.createElementNS(SVG, "svg");
  for (const [name, value] of Object.entries(ICON)) made.setAttribute(name, value);
  for (const path of paths) {
    const line = document.createElementNS(SVG, "path");
    line.setAttribute("d", path);
    made.append(line);
  }
  return made;
}

const ICON = {
  viewBox: "0 0 24 24",
  width: "20",
  height: "20",
  fill: "none",
  stroke: "currentColor",
  "stroke-width": "1.75",
  "stroke-linecap": "round",
  "stroke-linejoin": "round",
  "aria-hidden": "true",
  focusable: "false",
};

export const ICONS = {
  microphone: ["M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3Z", "M5.5 11a6.5 6.5 0 0 0 13 0", "M12 17.5V21"],
  muted: [
    "M15 9.5V6a3 3 0 0 0-5.7-1.3",
    "M9 9v2a3 3 0 0 0 4.6 2.5",
    "M5.5 11a6.5 6.5 0 0 0 10.2 5.3M18.5 11a6.4 6.4 0 0 1-.5 2.5",
    "M12 17.5V21",
    "M4 3l16 18",
  ],
  end: [
    "M3 14c0-1 .6-1.9 1.4-2.4 4.6-2.7 10.6-2.7 15.2 0 .8.5 1.4 1.4 1.4 2.4v1.2c0 .8-.7 1.3-1.4 1.1l-2.7-.7a1.1 1.1 0 0 1-.9-1.1v-1.7a12.6 12.6 0 0 0-8 0v1.7c0 .5-.4 1-.9 1.1l-2.7.7c-.7.2-1.4-.3-1.4-1.1Z",
  ],
  send: ["M5 12h13", "M12.5 6 18.5 12l-6 6"],
  close: ["M6 6l12 12", "M18 6 6 18"],
  talk: [
    "M5 5h14a1.5 1.5 0 0 1 1.5 1.5v8A1.5 1.5 0 0 1 19 16h-6l-4.5 4v-4H5a1.5 1.5 0 0 1-1.5-1.5v-8A1.5 1.5 0 0 1 5 5Z",
  ],
} as const;
