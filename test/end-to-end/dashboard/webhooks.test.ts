import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "../../support/network/chromium.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import { inDashboard, makePerson, type Person } from "../../support/web/dashboard.ts";
import { press, tick } from "../../support/web/keyboard.ts";

const GONE = "<script>alert(1)</script> is not here any more";

let service: Service;
let endpoint: Server;
let status = 410;
let owner: Person;
let address: string;
beforeAll(async () => {
  if (!hasChromium) return;
  endpoint = createServer((request, response) => {
    request.resume();
    response.statusCode = status;
    response.end(status === 204 ? undefined : GONE);
  });
  await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/hooks?<b>=1`;
  service = await Service.start({ env: { WEBHOOKS_ALLOW_LOOPBACK: "true" } });
  owner = await makePerson(service);
});
afterAll(() => endpoint?.close());

describe.skipIf(!hasChromium)("webhooks", { retry: ifMachineStalled, timeout: 120_000 }, () => {
  test("a webhook is created, disabled by its endpoint before the eyes of the person, enabled, and what failed is sent again", async () => {
    const faults: Record<string, string[]> = {};
    const { errors } = await inDashboard(service, "webhooks", owner, async (tab) => {
      await tab.getByText("There is no webhook yet.").waitFor();
      faults.empty = await accessibilityFaults(tab);
      await press(tab.getByRole("button", { name: "Create a webhook" }));
      await tab.getByLabel("Address").fill("ftp://example.com");
      await tab.getByLabel("For", { exact: true }).fill("billing");
      await tick(tab.getByLabel("call.ended"), false);
      await tick(tab.getByLabel("call.created"));
      await press(tab.getByRole("button", { name: "Create", exact: true }));
      await tab.getByText("must be an https:// or http:// address").first().waitFor();
      faults.create = await accessibilityFaults(tab);
      await tab.getByLabel("Address").fill(address);
      await press(tab.getByRole("button", { name: "Create", exact: true }));
      const secret = tab.getByRole("dialog", { name: "The secret of the webhook" });
      expect(await secret.getByRole("textbox").inputValue()).toMatch(/^whsec_/);
      faults.secret = await accessibilityFaults(tab);
      await press(secret.getByRole("button", { name: "Done" }));
      await press(tab.getByRole("table", { name: "Webhooks" }).getByRole("link"));

      await tab.getByRole("heading", { name: "billing" }).waitFor();
      await tab.getByText("Nothing was sent yet.").waitFor();
      await service.createCall();
      // 410 disables it at once.
      await tab.getByText("disabled: gone").waitFor();
      await press(tab.getByRole("button", { name: "Load again" }));
      const deliveries = tab.getByRole("table", { name: "Deliveries" });
      await deliveries.getByText("failed").waitFor();
      await press(deliveries.getByRole("link").first());
      const delivery = tab.getByRole("region", { name: "Delivery" });
      await delivery.getByText(GONE).waitFor();
      await delivery.getByText('"type": "call.created"').waitFor();
      faults.disabled = await accessibilityFaults(tab);
      await tab.reload();
      await delivery.getByText(GONE).waitFor();

      status = 204;
      await press(tab.getByRole("button", { name: "Enable" }));
      await press(tab.getByRole("dialog").getByRole("button", { name: "Enable" }));
      await tab.getByText(/^.enabled$/).waitFor();
      await press(tab.getByRole("button", { name: "Send the failed again" }));
      faults.replay = await accessibilityFaults(tab);
      await press(tab.getByRole("dialog").getByRole("button", { name: "Send again" }));
      await tab.getByText("One delivery is sent again.").waitFor();
      await expect
        .poll(async () => {
          await press(delivery.getByRole("button", { name: "Look again" }));
          return await delivery.getByText("204 after").count();
        })
        .toBe(1);
      await delivery.getByRole("heading", { name: "Earlier attempts" }).waitFor();
      await delivery.getByText(GONE).waitFor();
      await tab.getByLabel("State").selectOption("failed");
      await tab.getByText("No delivery matches all of these filters.").waitFor();
      expect(new URL(tab.url()).search).toContain("status=failed");
      await press(delivery.getByRole("button", { name: "Close" }));

      await press(tab.getByRole("button", { name: "More actions" }));
      await press(tab.getByRole("menuitem", { name: "Rotate the secret" }));
      await press(tab.getByRole("button", { name: "Rotate", exact: true }));
      await press(secret.getByRole("button", { name: "Done" }));
      await tab.getByText("Signed with the earlier secret, too, until").waitFor();
      faults.enabled = await accessibilityFaults(tab);
      await press(tab.getByRole("button", { name: "More actions" }));
      await press(tab.getByRole("menuitem", { name: "Delete" }));
      await press(tab.getByRole("button", { name: "Delete the webhook" }));
      await tab.getByText("There is no webhook yet.").waitFor();
    });
    expect(faults).toEqual({ empty: [], create: [], secret: [], disabled: [], replay: [], enabled: [] });
    // The event of its deletion lets the page ask for its deliveries once more: 404.
    expect(errors.filter((text) => !/40[014]/.test(text))).toEqual([]);
  });

  test("a viewer sees deliveries and changes nothing; the pages fit a telephone", async () => {
    await service.api("POST", "/webhooks", { url: address, eventTypes: ["call.created"], description: "orders" });
    const viewer = await makePerson(service, "viewer");
    const faults: string[] = [];
    const widths: number[] = [];
    await inDashboard(
      service,
      "webhooks",
      viewer,
      async (tab) => {
        await tab.getByText(address).waitFor();
        expect(await tab.getByRole("button", { name: "Create a webhook" }).count()).toBe(0);
        widths.push(await tab.evaluate<number>("document.documentElement.scrollWidth"));
        faults.push(...(await accessibilityFaults(tab)));
        await service.createCall();
        await press(tab.getByRole("table", { name: "Webhooks" }).getByRole("link"));
        await press(tab.getByRole("table", { name: "Deliveries" }).getByRole("link").first());
        await tab.getByRole("region", { name: "Delivery" }).getByText('"type": "call.created"').waitFor();
        expect(await tab.getByRole("button", { name: "Change" }).count()).toBe(0);
        expect(await tab.getByRole("button", { name: /again$/ }).allTextContents()).toEqual([
          "Load again",
          "Look again",
        ]);
        widths.push(await tab.evaluate<number>("document.documentElement.scrollWidth"));
        faults.push(...(await accessibilityFaults(tab)));
      },
      { viewport: { width: 390, height: 844 } },
    );
    expect([faults, Math.max(...widths)]).toEqual([[], 390]);
  });
});
