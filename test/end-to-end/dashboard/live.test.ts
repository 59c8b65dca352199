import { beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../../support/network/chromium.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import { inDashboard, makePerson, type Person } from "../../support/web/dashboard.ts";
import { press } from "../../support/web/keyboard.ts";

let service: Service;
let owner: Person;
beforeAll(async () => {
  if (!hasChromium) return;
  service = await Service.start();
  owner = await makePerson(service);
});

describe.skipIf(!hasChromium)("live calls and the list of calls", { retry: ifMachineStalled, timeout: 90_000 }, () => {
  test("a call appears without a reload when it is created, is ended on the page, and stands in the list", async () => {
    const faults: Record<string, string[]> = {};
    const { errors } = await inDashboard(service, "live", owner, async (tab) => {
      await tab.getByText("No call is live.").waitFor();
      await service.createCall({ metadata: { order: "<img src=x onerror=alert(1)>" } });
      await tab.getByText("waiting for its stream").waitFor();
      faults.live = await accessibilityFaults(tab);
      await press(tab.getByRole("button", { name: "Actions of the call" }));
      await press(tab.getByRole("menuitem", { name: "End the call" }));
      faults.dialog = await accessibilityFaults(tab);
      await press(tab.getByRole("button", { name: "End the call" }));
      await tab.getByText("No call is live.").waitFor();

      await press(tab.getByRole("link", { name: "Calls", exact: true }));
      const list = tab.getByRole("table", { name: "Calls" });
      await list.getByRole("link").first().waitFor();
      await press(tab.getByRole("button", { name: "Columns" }));
      await press(tab.getByRole("menuitemcheckbox", { name: "Metadata" }));
      await tab.keyboard.press("Escape");
      await list.getByText("<img src=x onerror=alert(1)>").waitFor();
      faults.calls = await accessibilityFaults(tab);

      const saved = tab.waitForEvent("download");
      await press(tab.getByRole("button", { name: "Export" }));
      await press(tab.getByRole("menuitem", { name: "The records as JSON" }));
      expect((await saved).suggestedFilename()).toBe("calls.json");
    });
    expect(faults).toEqual({ live: [], dialog: [], calls: [] });
    expect(errors.filter((text) => !text.includes("401"))).toEqual([]);
  });

  test.each([
    ["a day ahead", 86_400_000],
    ["a day too early", -86_400_000],
  ])("with a browser whose clock is %s a call lasts as long as it does", async (_name, aheadMs) => {
    const { errors } = await inDashboard(service, "live", owner, async (tab) => {
      await tab.clock.install({ time: Date.now() + aheadMs });
      await tab.reload();
      const { id } = await service.createCall();
      const row = tab.getByRole("row").filter({ hasText: "waiting for its stream" }).first();
      await row.getByText(/^0:\d\d$/).waitFor();
      expect((await service.api("POST", `/calls/${id}/end`)).status).toBeLessThan(300);
    });
    expect(errors.filter((text) => !text.includes("401"))).toEqual([]);
  });

  test("a viewer sees calls and can do nothing with them; the page fits a telephone", async () => {
    const viewer = await makePerson(service, "viewer");
    const viewport = { width: 390, height: 844 };
    const faults: string[] = [];
    await inDashboard(
      service,
      "live",
      viewer,
      async (tab) => {
        await service.createCall();
        await tab.getByText("waiting for its stream").waitFor();
        expect(await tab.getByRole("button", { name: "Actions of the call" }).count()).toBe(0);
        expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
        faults.push(...(await accessibilityFaults(tab)));
        await press(tab.getByRole("button", { name: "Menu" }));
        faults.push(...(await accessibilityFaults(tab)));
        await press(tab.getByRole("link", { name: "Calls", exact: true }));
        await tab.getByRole("table", { name: "Calls" }).waitFor();
        expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
        faults.push(...(await accessibilityFaults(tab)));
      },
      { viewport },
    );
    expect(faults).toEqual([]);
  });
});
