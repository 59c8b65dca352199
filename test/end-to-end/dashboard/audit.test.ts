import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../../support/network/chromium.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import { inDashboard, makePerson, type Person } from "../../support/web/dashboard.ts";
import { press } from "../../support/web/keyboard.ts";
import { adminClientOf } from "../../support/web/page-calls.ts";

let service: Service;
let owner: Person;
beforeAll(async () => {
  if (!hasChromium) return;
  service = await Service.start();
  owner = await makePerson(service);
  const client = await adminClientOf(service);
  const { id } = await client.post("/api-keys", { body: { name: "laptop" } });
  await client.patch("/api-keys/{id}", { path: { id }, body: { name: "<b>desk</b>" } });
});

describe.skipIf(!hasChromium)("the audit log", { retry: ifMachineStalled, timeout: 90_000 }, () => {
  test("has who did what, by every filter; an event has its own address, and what matches is saved", async () => {
    const faults: Record<string, string[]> = {};
    const { errors, elsewhere } = await inDashboard(service, "audit", owner, async (tab) => {
      const table = tab.getByRole("table", { name: "Audit log" });
      await table.getByText("User signed in").first().waitFor();
      await table.getByText("Kim owner").first().waitFor();
      faults.full = await accessibilityFaults(tab);

      await tab.getByLabel("On", { exact: true }).selectOption("API key");
      await tab.getByLabel("Action").selectOption("API key updated");
      await table.getByText("changed: name").waitFor();
      await tab.getByText("1 in all").waitFor();
      expect(await table.getByText("User signed in").count()).toBe(0);

      await press(table.getByRole("link").first());
      const dialog = tab.getByRole("dialog");
      await dialog.getByRole("heading", { name: "API key updated" }).waitFor();
      await dialog.getByText('"name"').waitFor();
      faults.event = await accessibilityFaults(tab);
      // Its address shows it to others who may see it, also where the list does not have it.
      const event = new URL(tab.url()).searchParams.get("event");
      await tab.goto(`${service.apiUrl}/dashboard/audit?action=user.removed&event=${event}`);
      await dialog.getByRole("heading", { name: "API key updated" }).waitFor();
      await press(dialog.getByRole("button", { name: "All on the same" }));
      await table.getByText("API key created").waitFor();

      const saved = tab.waitForEvent("download");
      await press(tab.getByRole("button", { name: "Export" }));
      await press(tab.getByRole("menuitem", { name: "The shown columns as CSV" }));
      const lines = readFileSync(await (await saved).path(), "utf8")
        .trim()
        .split("\r\n");
      expect(lines.map((line) => line.split(",")[1])).toEqual(["action", "api_key.updated", "api_key.created"]);
      await tab.getByLabel("Id of the actor").fill("user_of_nothing");
      await tab.keyboard.press("Enter");
      await tab.getByText("No event matches all of these filters.").waitFor();
      faults.none = await accessibilityFaults(tab);
    });
    expect(faults).toEqual({ full: [], event: [], none: [] });
    expect([errors.filter((text) => !text.includes("401")), elsewhere]).toEqual([[], []]);
  });

  test("is not for an editor: it is not in the navigation, and its address says that the service refuses it", async () => {
    const editor = await makePerson(service, "editor");
    const viewport = { width: 390, height: 844 };
    await inDashboard(
      service,
      "audit",
      editor,
      async (tab) => {
        await tab.getByText("forbidden").first().waitFor();
        expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
        await press(tab.getByRole("button", { name: "Menu" }));
        await tab.getByRole("link", { name: "Usage and cost" }).waitFor();
        expect(await tab.getByRole("link", { name: /Audit log|Health/ }).count()).toBe(0);
      },
      { viewport },
    );
  });
});
