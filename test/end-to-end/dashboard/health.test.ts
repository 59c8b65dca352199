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

describe.skipIf(!hasChromium)("the state of the service", { retry: ifMachineStalled, timeout: 90_000 }, () => {
  test("shows workers, providers, jobs, disk and database, and what is missing with its variable", async () => {
    const faults: string[] = [];
    const { errors, elsewhere } = await inDashboard(service, "health", owner, async (tab) => {
      const worker = tab.getByRole("table", { name: "Workers" }).getByRole("row").nth(1);
      await worker.getByText("takes calls").waitFor();
      await tab.getByRole("table", { name: "Providers" }).getByText("closed").first().waitFor();
      await tab.getByText(/(SQLite|Postgres), answers/).waitFor();
      await tab.getByText(/GB free|TB free|MB free/).waitFor();
      const parts = tab.getByRole("table", { name: "Configuration" });
      const streams = parts.getByRole("row", { name: /address of streams/ });
      await streams.getByText("missing").waitFor();
      await streams.getByText("PUBLIC_MEDIA_URL", { exact: true }).waitFor();
      // The first rows are those that want something.
      await parts.getByRole("row").nth(1).getByText("missing").waitFor();
      faults.push(...(await accessibilityFaults(tab)));

      await service.createCall();
      await tab.getByText("1 not connected yet").waitFor();
    });
    expect(faults).toEqual([]);
    expect([errors.filter((text) => !text.includes("401")), elsewhere]).toEqual([[], []]);
  });

  test("is read again by a button and when the person comes back, and fits a telephone; a viewer is refused", async () => {
    const viewport = { width: 390, height: 844 };
    let asked = 0;
    await inDashboard(
      service,
      "health",
      owner,
      async (tab) => {
        await tab.getByRole("table", { name: "Configuration" }).waitFor();
        expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
        expect(await accessibilityFaults(tab)).toEqual([]);
        tab.on("request", (request) => {
          if (request.url().endsWith("/status")) asked += 1;
        });
        const again = (): Promise<unknown> => tab.waitForResponse((response) => response.url().endsWith("/status"));
        await Promise.all([again(), press(tab.getByRole("button", { name: "Reload" }))]);
        await Promise.all([again(), tab.evaluate("document.dispatchEvent(new Event('visibilitychange'))")]);
        expect(asked).toBeGreaterThanOrEqual(2);
      },
      { viewport },
    );
    const viewer = await makePerson(service, "viewer");
    await inDashboard(service, "health", viewer, async (tab) => {
      await tab.getByText("forbidden").first().waitFor();
      expect(await tab.getByRole("link", { name: "Health" }).count()).toBe(0);
    });
  });
});
