import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../../support/network/chromium.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import { inDashboard, makePerson, type Person } from "../../support/web/dashboard.ts";
import { pagePaths } from "../../support/web/hostile-data.ts";
import { press } from "../../support/web/keyboard.ts";

const API = "**/api/v1/**";
const TELEPHONE_PX = 390;
const SAID_MS_MAX = 10_000;
const REFUSAL = JSON.stringify({
  error: { code: "unavailable", message: "the database cannot be reached", details: [], requestId: "req_1" },
});

let service: Service;
let owner: Person;
beforeAll(async () => {
  if (!hasChromium) return;
  service = await Service.start();
  owner = await makePerson(service);
});

/** The store is away from now on, as the page sees it. */
async function refuse(tab: Page): Promise<void> {
  await tab.route(API, (route) => route.fulfill({ status: 503, contentType: "application/json", body: REFUSAL }));
}

/** A page about one thing asks for it whether or not it exists. */
const addressOf = (path: string): string => `${service.apiUrl}/dashboard/${path.replace(":id", "none")}`;

/** What of the page should not be so while nothing can be loaded. */
async function faultsOf(tab: Page, path: string): Promise<string[]> {
  await tab.setViewportSize({ width: 1_280, height: 900 });
  await tab.goto(addressOf(path));
  const reason = tab.getByText("the database cannot be reached", { exact: false }).first();
  const isSaid = await reason.waitFor({ timeout: SAID_MS_MAX }).then(
    () => true,
    () => false,
  );
  const faults = await accessibilityFaults(tab);
  await tab.setViewportSize({ width: TELEPHONE_PX, height: 844 });
  const widthPx = await tab.evaluate<number>("document.documentElement.scrollWidth");
  return [
    ...(isSaid ? [] : ["does not say what is wrong"]),
    ...(widthPx <= TELEPHONE_PX ? [] : [`is ${widthPx} px wide`]),
    ...faults,
  ].map((fault) => `${path}: ${fault}`);
}

describe.skipIf(!hasChromium)("a page while the store is away", { retry: ifMachineStalled, timeout: 300_000 }, () => {
  test("says what is wrong, fits a telephone, and axe finds no fault", async () => {
    const faults: string[] = [];
    const { elsewhere } = await inDashboard(service, "live", owner, async (tab) => {
      await refuse(tab);
      for (const path of pagePaths()) faults.push(...(await faultsOf(tab, path)));
    });
    expect(faults).toEqual([]);
    expect(elsewhere).toEqual([]);
  });

  test("shows its content after a further try, once the store is back", async () => {
    await inDashboard(service, "live", owner, async (tab) => {
      for (const path of pagePaths().filter((page) => !page.includes(":"))) {
        await refuse(tab);
        await tab.goto(addressOf(path));
        const again = tab.getByRole("button", { name: "Try again" });
        await again.first().waitFor();
        await tab.unroute(API);
        const isWhole = async (): Promise<boolean> => {
          // One that succeeds takes its button away.
          if ((await again.count()) > 0) await press(again.first()).catch(() => {});
          return (await tab.locator(".failure").count()) === 0;
        };
        await expect.poll(isWhole, { timeout: SAID_MS_MAX, message: path }).toBe(true);
      }
    });
  });
});
