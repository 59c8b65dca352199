import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { ownerLinkPath } from "../../../src/store/data-dir/owner-link.ts";
import { hasChromium, inChromium } from "../../support/network/chromium.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import { press } from "../../support/web/keyboard.ts";

const EMAIL = "kim@example.com";
const PASSWORD = "four quite random words";

let service: Service;
beforeAll(async () => {
  if (hasChromium) service = await Service.start();
});

describe.skipIf(!hasChromium)("the dashboard of a new service", { retry: ifMachineStalled, timeout: 90_000 }, () => {
  test("the owner link makes the owner, who sees that no call is live; signing out and in leads back", async () => {
    const faults: Record<string, string[]> = {};
    const link = readFileSync(ownerLinkPath(service.dataDir), "utf8").trim();
    const { errors, elsewhere } = await inChromium(`${service.apiUrl}/dashboard/live`, async (tab) => {
      await tab.getByRole("heading", { name: "The dashboard" }).waitFor();
      expect(new URL(tab.url()).pathname).toBe("/");

      await tab.goto(link);
      await tab.getByRole("heading", { name: "Create the owner" }).waitFor();
      faults.create = await accessibilityFaults(tab);
      await tab.getByLabel("Email").fill(EMAIL);
      await tab.getByLabel(/^Password/).fill(PASSWORD);
      await tab.getByLabel("The same again").fill(PASSWORD);
      await tab.keyboard.press("Enter");
      await tab.getByText("No call is live.").waitFor();
      expect(new URL(tab.url()).pathname).toBe("/dashboard/live");
      faults.live = await accessibilityFaults(tab);

      await press(tab.getByRole("link", { name: "Calls", exact: true }));
      await tab.getByText("There is no call yet.").waitFor();
      await tab.getByLabel("State").selectOption("active");
      await tab.getByText("No call matches all of these filters.").waitFor();
      expect(new URL(tab.url()).search).toBe("?status=active");

      await press(tab.getByRole("button", { name: EMAIL }));
      await press(tab.getByRole("menuitem", { name: "Sign out" }));
      await tab.getByRole("heading", { name: "Sign in" }).waitFor();
      faults.signIn = await accessibilityFaults(tab);
      await tab.getByLabel("Email").fill(EMAIL);
      await tab.getByLabel("Password").fill(PASSWORD);
      await tab.keyboard.press("Enter");
      await tab.getByText("No call matches all of these filters.").waitFor();
      expect(new URL(tab.url()).search).toBe("?status=active");
    });
    expect(faults).toEqual({ create: [], live: [], signIn: [] });
    expect(errors.filter((text) => !text.includes("401"))).toEqual([]);
    expect(elsewhere).toEqual([]);
  });
});
