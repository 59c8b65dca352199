import { signal } from "@preact/signals";
import { readStored, writeStored } from "./stored.ts";

export const THEMES = ["system", "light", "dark"] as const;
/** `system` follows the setting of the browser. */
export type Theme = (typeof THEMES)[number];

const STORED_AS = "trunkline.theme";

const isTheme = (text: string | null): text is Theme => THEMES.some((theme) => theme === text);

function storedTheme(): Theme {
  const stored = readStored(STORED_AS);
  return isTheme(stored) ? stored : "system";
}

/** What this browser shows. */
export const theme = signal<Theme>(storedTheme());

/** Gives the document the theme that this browser shows; tokens.css has its colours. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.value;
}

/** Shows another theme, now and the next time. */
export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  writeStored(STORED_AS, chosen);
  applyTheme();
}
