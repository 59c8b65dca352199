import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../../support/network/chromium.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { inDashboard, makePerson, type Person } from "../../support/web/dashboard.ts";
import { answerHostilely, type HostileIds, hostileAccount, pagePaths } from "../../support/web/hostile-data.ts";
import { press } from "../../support/web/keyboard.ts";

/** Where a page about one thing finds a hostile one. */
const IDS: Readonly<Record<string, keyof HostileIds>> = {
  "calls/:id": "call",
  "agents/:id": "agent",
  "tools/:id": "tool",
  "corpora/:id": "corpus",
  "transcriptions/:id": "transcription",
  "webhooks/:id": "webhook",
};
const WIDTHS = [1_280, 390] as const;

let service: Service;
let owner: Person;
let ids: HostileIds;
beforeAll(async () => {
  if (!hasChromium) return;
  service = await Service.start({ env: { TOOLS_ALLOW_LOOPBACK: "true" } });
  owner = await makePerson(service);
  ids = await hostileAccount(service);
}, 180_000);

/** The address of a page; it fails for a page about one thing of a new kind, which belongs into `IDS`. */
function addressOf(path: string): string {
  if (!path.includes(":")) return path;
  const kind = IDS[path];
  if (kind === undefined) throw new Error(`hostile-data.test.ts has nothing for the page ${path}: add it to IDS`);
  return path.replace(":id", ids[kind]);
}

/** What of the page should not be so, at this moment. */
async function faultsOf(tab: Page, what: string, width: number): Promise<string[]> {
  const [ran, planted, wide] = await tab.evaluate<[unknown, number, number]>(
    `[window.ran ?? null, document.querySelectorAll("#content :is(img, script, iframe, style, svg[onload], a[href^='javascript:'])").length, document.documentElement.scrollWidth]`,
  );
  return [
    ...(ran === null ? [] : [`${what}: a script ran: ${String(ran)}`]),
    ...(planted === 0 ? [] : [`${what}: ${planted} elements of the data`]),
    ...(wide <= width ? [] : [`${what}: ${wide} px wide at ${width} px`]),
  ];
}

/** The page with its data, and then each of its parts. */
async function lookAtAll(tab: Page, path: string, width: number): Promise<string[]> {
  await tab.setViewportSize({ width, height: 900 });
  await tab.goto(`${service.apiUrl}/dashboard/${addressOf(path)}`);
  await tab.getByRole("heading", { level: 1 }).waitFor();
  await tab.locator(".loading").first().waitFor({ state: "detached" });
  const where = `${path} at ${width} px`;
  const faults = await faultsOf(tab, where, width);
  expect(await tab.locator("#content").innerText(), where).not.toBe("");
  const tabs = tab.getByRole("tab");
  for (let at = 0; at < (await tabs.count()); at += 1) {
    await press(tabs.nth(at));
    await tab.locator(".loading").first().waitFor({ state: "detached" });
    faults.push(...(await faultsOf(tab, `${where}, ${await tabs.nth(at).innerText()}`, width)));
  }
  return faults;
}

describe.skipIf(!hasChromium)(
  "every page with data that is full of markup, turned text, emoji and words of 10,000 letters",
  { retry: ifMachineStalled, timeout: 300_000 },
  () => {
    test.each([
      { name: "as the API took it", prepare: async () => {} },
      { name: "as the service might answer, with the texts of carriers and providers", prepare: answerHostilely },
    ])("shows it as text, in its place: $name", async ({ prepare }) => {
      const dialogs: string[] = [];
      const faults: string[] = [];
      const { errors, elsewhere } = await inDashboard(service, "live", owner, async (tab) => {
        tab.on("dialog", (dialog) => {
          dialogs.push(dialog.message());
          void dialog.dismiss();
        });
        await prepare(tab);
        for (const path of pagePaths()) for (const width of WIDTHS) faults.push(...(await lookAtAll(tab, path, width)));
      });
      expect({ dialogs, faults, elsewhere }).toEqual({ dialogs: [], faults: [], elsewhere: [] });
      // Chromium reports the answer that leads to the sign-in page.
      expect(errors.filter((text) => !text.includes("401"))).toEqual([]);
    });
  },
);

test("every page is looked at", () => {
  expect(pagePaths()).toContain("calls/:id");
  expect(pagePaths().length).toBeGreaterThan(3);
});
