import { beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../../support/network/chromium.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import { inDashboard, makePerson, type Person } from "../../support/web/dashboard.ts";
import { press, tick } from "../../support/web/keyboard.ts";

const NAME = "<img src=x onerror=alert(1)>";

let service: Service;
let owner: Person;
beforeAll(async () => {
  if (!hasChromium) return;
  service = await Service.start();
  owner = await makePerson(service);
  const made = await service.api("POST", "/agents", {
    name: "Bakery",
    basePrompt: "The bakery is closed on Monday.",
    languageId: "en-US",
    voiceId: "reference/gmw/en-US",
  });
  expect(made.status).toBe(201);
});

const statusWith = async (key: string): Promise<number> =>
  (await fetch(`${service.apiUrl}/api/v1/calls`, { headers: { "X-API-Key": key } })).status;

describe.skipIf(!hasChromium)("keys", { retry: ifMachineStalled, timeout: 120_000 }, () => {
  test("an API key is created by the keyboard, shown once, rotated and revoked", async () => {
    const faults: Record<string, string[]> = {};
    const { errors } = await inDashboard(service, "keys", owner, async (tab) => {
      const table = tab.getByRole("table", { name: "API keys" });
      await table.waitFor();
      await tab.getByRole("button", { name: "Create an API key" }).focus();
      await tab.keyboard.press("Enter");
      await tab.getByLabel("Name").fill(NAME);
      await tab.getByLabel("Expires").fill("2020-01-01T00:00");
      faults.create = await accessibilityFaults(tab);
      await tab.getByLabel("Name").press("Enter");
      await tab.getByText("must be in the future").first().waitFor();
      faults.refused = await accessibilityFaults(tab);
      await tab.getByLabel("Expires").fill("2999-01-01T00:00");
      await tick(tab.getByLabel("write", { exact: true }), false);
      await press(tab.getByRole("button", { name: "Create", exact: true }));
      const secret = tab.getByRole("dialog", { name: "The text of the API key" });
      const key = await secret.getByRole("textbox").inputValue();
      // What is to be copied has the focus, and is selected.
      await secret.locator("input:focus").waitFor();
      expect(await tab.evaluate("getSelection().toString()")).toBe(key);
      faults.secret = await accessibilityFaults(tab);
      expect([key.startsWith("tlk_"), await statusWith(key)]).toEqual([true, 200]);
      await press(secret.getByRole("button", { name: "Done" }));
      await table.getByText("read, calls", { exact: true }).waitFor();
      expect(await tab.getByText(key).count()).toBe(0);
      faults.list = await accessibilityFaults(tab);

      const row = table.getByRole("row").filter({ hasText: NAME });
      await press(row.getByRole("button", { name: /^Actions of/ }));
      await press(tab.getByRole("menuitem", { name: "Rotate" }));
      await tab.getByLabel("The present text works for").selectOption("not at all");
      await press(tab.getByRole("button", { name: "Rotate", exact: true }));
      const rotated = await secret.getByRole("textbox").inputValue();
      await press(secret.getByRole("button", { name: "Done" }));
      expect(await statusWith(rotated)).toBe(200);

      await press(row.getByRole("button", { name: /^Actions of/ }));
      await press(tab.getByRole("menuitem", { name: "Revoke" }));
      faults.revoke = await accessibilityFaults(tab);
      await press(tab.getByRole("button", { name: "Revoke", exact: true }));
      await row.getByText(/^.revoked$/).waitFor();
      expect(await statusWith(rotated)).toBe(401);
      await tab.getByLabel("State").selectOption("expired");
      await tab.getByText("No API key is in this state.").waitFor();
      expect(new URL(tab.url()).search).toBe("?status=expired");
    });
    expect(faults).toEqual({ create: [], refused: [], secret: [], list: [], revoke: [] });
    expect(errors.filter((text) => !/40[01]/.test(text))).toEqual([]);
  });

  test("a publishable key names agents and origins, whose problems stand at their fields", async () => {
    const faults: Record<string, string[]> = {};
    await inDashboard(service, "keys?tab=publishable", owner, async (tab) => {
      await tab.getByText("There is no publishable key yet.").waitFor();
      faults.empty = await accessibilityFaults(tab);
      await press(tab.getByRole("button", { name: "Create a publishable key" }));
      await tab.getByLabel("Name").fill("shop");
      await tick(tab.getByLabel("Bakery"));
      await tab.getByLabel("Origins").fill("https://shop.example\nhttps://shop.example/cart");
      await tab.getByLabel("Starts a minute", { exact: true }).fill("many");
      faults.create = await accessibilityFaults(tab);
      await press(tab.getByRole("button", { name: "Create", exact: true }));
      await tab.getByText(/^entry 2 must be an origin/).waitFor();
      faults.refused = await accessibilityFaults(tab);
      await tab.getByLabel("Origins").fill("https://shop.example");
      await tab.getByLabel("Starts a minute", { exact: true }).fill("30");
      await press(tab.getByRole("button", { name: "Create", exact: true }));
      const table = tab.getByRole("table", { name: "Publishable keys" });
      await table.getByText("30 starts a minute, 20 calls at once").waitFor();
      faults.list = await accessibilityFaults(tab);
      await press(table.getByRole("button", { name: "Actions of shop" }));
      await press(tab.getByRole("menuitem", { name: "Use in a page" }));
      await tab.getByText(`${service.apiUrl}/widget/v1.js`).waitFor();
      faults.use = await accessibilityFaults(tab);
      await tab.keyboard.press("Escape");
      await press(table.getByRole("button", { name: "Actions of shop" }));
      await press(tab.getByRole("menuitem", { name: "Revoke" }));
      await press(tab.getByRole("button", { name: "Revoke", exact: true }));
      await table.getByText(/^.revoked$/).waitFor();
    });
    expect(faults).toEqual({ empty: [], create: [], refused: [], list: [], use: [] });
  });

  test("the page fits a telephone, and a viewer reads who has keys", async () => {
    const viewport = { width: 390, height: 844 };
    const faults: string[] = [];
    const widths: number[] = [];
    const look = async (tab: Parameters<Parameters<typeof inDashboard>[3]>[0]): Promise<void> => {
      widths.push(await tab.evaluate<number>("document.documentElement.scrollWidth"));
      faults.push(...(await accessibilityFaults(tab)));
    };
    await inDashboard(
      service,
      "keys",
      owner,
      async (tab) => {
        await tab.getByRole("table", { name: "API keys" }).waitFor();
        await look(tab);
        await press(tab.getByRole("tab", { name: "Publishable keys" }));
        await press(tab.getByRole("button", { name: "Create a publishable key" }));
        await look(tab);
      },
      { viewport },
    );
    const viewer = await makePerson(service, "viewer");
    await inDashboard(
      service,
      "keys",
      viewer,
      async (tab) => {
        await tab.getByText("Only an owner sees keys.").waitFor();
        await look(tab);
      },
      { viewport },
    );
    expect([faults, Math.max(...widths)]).toEqual([[], 390]);
  });
});
