import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { conversation, telephone, utterance } from "../../callers/telephone.ts";
import { hasChromium } from "../../support/network/chromium.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import { inDashboard, makePerson, type Person } from "../../support/web/dashboard.ts";
import { press } from "../../support/web/keyboard.ts";

const PRICES = JSON.stringify({ currency: "USD", reference: { audioMinute: 0.6, charactersThousand: 0.2 } });

let service: Service;
let viewer: Person;
beforeAll(async () => {
  if (!hasChromium) return;
  service = await Service.start({ env: { PRICES } });
  // Without an owner there is no dashboard.
  await makePerson(service);
  viewer = await makePerson(service, "viewer");
});

const inPart = (tab: Page, name: string) => tab.getByRole("table", { name });

describe.skipIf(!hasChromium)("usage and cost", { retry: ifMachineStalled, timeout: 120_000 }, () => {
  test("says what calls used by day, agent and provider, and saves it; before the first call, what counts", async () => {
    const faults: Record<string, string[]> = {};
    const { errors, elsewhere } = await inDashboard(service, "usage", viewer, async (tab) => {
      await tab.getByText("Nothing was used in these days.").waitFor();
      await tab.getByText("only those of the service").first().waitFor();
      faults.empty = await accessibilityFaults(tab);

      await aCall();
      await press(tab.getByRole("button", { name: "Show newer figures" }));
      await inPart(tab, "Usage by day").getByRole("row").nth(1).waitFor();
      await tab
        .getByRole("img", { name: /Calls by day/ })
        .locator("canvas")
        .waitFor();
      await tab.getByLabel("Figure", { exact: true }).selectOption("Cost in USD");
      expect(new URL(tab.url()).searchParams.get("figure")).toBe("cost-USD");
      faults.day = await accessibilityFaults(tab);

      // By keyboard: the tabs are one stop.
      await tab.getByRole("tab", { name: "By day" }).focus();
      await tab.keyboard.press("ArrowRight");
      await inPart(tab, "Usage by agent").getByText("without a saved agent").waitFor();
      await tab.keyboard.press("ArrowRight");
      await inPart(tab, "Usage by provider").getByText("reference").first().waitFor();
      faults.provider = await accessibilityFaults(tab);
      const saved = tab.waitForEvent("download");
      await press(tab.getByRole("button", { name: "Save as CSV" }));
      const csv = readFileSync(await (await saved).path(), "utf8");
      expect(csv).toMatch(/^provider,calls,minutes,cost_USD\r\n[\w-]+,1,0\.\d+,0\.\d+\r\n/);

      await tab.reload();
      await inPart(tab, "Usage by provider").waitFor();
    });
    expect(faults).toEqual({ empty: [], day: [], provider: [] });
    expect([errors.filter((text) => !text.includes("401")), elsewhere]).toEqual([[], []]);
  });

  test("a period that the service refuses is explained; the page fits a telephone", async () => {
    const viewport = { width: 390, height: 844 };
    await inDashboard(
      service,
      "usage",
      viewer,
      async (tab) => {
        expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
        expect(await accessibilityFaults(tab)).toEqual([]);
        await tab.getByLabel("From").fill("2024-01-01");
        await tab.getByText("must be before `to`, and at most 366 days before it").first().waitFor();
        await press(tab.getByRole("button", { name: "7 days", exact: true }));
        await inPart(tab, "Usage by day").waitFor();
      },
      { viewport },
    );
  });
});

async function aCall(): Promise<void> {
  const { id, websocketUrl } = await service.createCall({ greeting: "Hello, this is the bakery." });
  await telephone(websocketUrl, conversation([await utterance("Open on Monday?"), await utterance("Goodbye!")]));
  await service.ended(id);
}
