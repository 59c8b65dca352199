import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Where pictures of what was checked go, to be looked at: nowhere unless it is set. */
const PICTURES = process.env.SCREENSHOTS;
let pictures = 0;

/**
 * What axe finds wrong with a page as it is now, in its light and its dark colours, in shadow roots too: one line for each
 * element. Empty for a page without faults.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Not as a script of the page, whose content security policy allows its own alone.
  await page.evaluate(`${AXE}; undefined`);
  const faults: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    // Without motion no colour is on its way to another one.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
    };
    for (const { id, nodes } of violations)
      faults.push(...nodes.map(({ html, failureSummary }) => `${colorScheme}: ${id}: ${html} ${failureSummary}`));
    if (PICTURES === undefined) continue;
    pictures += 1;
    await page.screenshot({ path: join(PICTURES, `${process.pid}-${pictures}-${colorScheme}.png`) });
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  return faults;
}
