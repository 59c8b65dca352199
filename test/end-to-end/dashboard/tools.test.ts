import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { McpTestServer } from "../../support/mcp/server.ts";
import { hasChromium } from "../../support/network/chromium.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import { inDashboard, makePerson, type Person } from "../../support/web/dashboard.ts";
import { press } from "../../support/web/keyboard.ts";

const TOKEN = "shop-example-0123456789abcdef";
const SCHEMA = JSON.stringify({
  type: "object",
  properties: { order: { type: "string", description: "Its number.", examples: ["A-17"] } },
  required: ["order"],
});

let service: Service;
let owner: Person;
let shop: Server;
let shopUrl: string;
let mcp: McpTestServer;
let mcpUrl: string;

beforeAll(async () => {
  if (!hasChromium) return;
  shop = createServer((request, response) => {
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ path: request.url, state: "<b>on its way</b>" }));
  });
  await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  mcp = new McpTestServer();
  mcpUrl = await mcp.listen();
  service = await Service.start({ env: { TOOLS_ALLOW_LOOPBACK: "true" } });
  owner = await makePerson(service);
});
afterAll(async () => {
  shop?.close();
  await mcp?.close();
});

describe.skipIf(!hasChromium)("tools", { retry: ifMachineStalled, timeout: 120_000 }, () => {
  test("an HTTP tool is made, tested and changed, with a secret that is never shown; its runs are listed", async () => {
    const faults: Record<string, string[]> = {};
    const { errors } = await inDashboard(service, "tools", owner, async (tab) => {
      await tab.getByText("There is no saved tool yet.").waitFor();
      faults.none = await accessibilityFaults(tab);
      await press(tab.getByRole("tab", { name: "Built-in tools" }));
      await tab.getByRole("table", { name: "Built-in tools" }).getByText("hang_up", { exact: true }).waitFor();
      await press(tab.getByText("JSON Schema of transfer"));
      faults.builtIn = await accessibilityFaults(tab);
      await secretIsStored(tab);
      faults.secrets = await accessibilityFaults(tab);

      await press(tab.getByRole("button", { name: "New tool" }));
      await press(tab.getByRole("menuitem", { name: "HTTP request" }));
      faults.form = await accessibilityFaults(tab);
      await toolIsSaved(tab);
      await toolIsTested(tab);
      faults.test = await accessibilityFaults(tab);
      await tab.setViewportSize({ width: 390, height: 844 });
      expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
      faults.narrow = await accessibilityFaults(tab);
      await tab.setViewportSize({ width: 1280, height: 720 });
      await toolIsChanged(tab);
      faults.definition = await accessibilityFaults(tab);
      await runsAreListed(tab);
      faults.runs = await accessibilityFaults(tab);

      await press(tab.getByRole("link", { name: "Tools", exact: true }));
      await tab.getByRole("link", { name: "order_state" }).waitFor();
      faults.list = await accessibilityFaults(tab);
      expect(await tab.content()).not.toContain(TOKEN);
      await press(tab.getByRole("link", { name: "order_state" }));
      await press(tab.getByRole("button", { name: "Delete", exact: true }));
      await press(tab.getByRole("button", { name: "Delete the tool" }));
      await tab.getByText("There is no saved tool yet.").waitFor();
    });
    for (const [where, found] of Object.entries(faults)) expect(found, where).toEqual([]);
    // Chromium reports the answers that refuse: to who is not signed in, and to a name that a tool cannot have.
    expect(errors.filter((text) => !/40[01]/.test(text))).toEqual([]);
  });

  test("an MCP server shows its tools, one of which is tested; a client tool cannot be", async () => {
    const faults: Record<string, string[]> = {};
    await inDashboard(service, "tools/new?type=mcp", owner, async (tab) => {
      await tab.getByLabel("Name").first().fill("Shop");
      await tab.getByLabel("Address").fill(shopUrl);
      await press(tab.getByRole("button", { name: "Save the tool" }));
      await tab.getByText("must be that of an MCP server that lists its tools").first().waitFor();
      await tab.getByLabel("Address").fill(mcpUrl);
      await press(tab.getByRole("button", { name: "Save the tool" }));
      await press(tab.getByRole("tab", { name: "Its tools" }));
      await tab.getByRole("table", { name: "Tools of the server" }).getByText("search_orders").first().waitFor();
      faults.server = await accessibilityFaults(tab);
      await press(tab.getByRole("tab", { name: "Test" }));
      await tab.getByLabel("Arguments, as JSON").fill('{"customer": "Kim"}');
      await press(tab.getByRole("button", { name: "Run the tool" }));
      await tab.getByRole("heading", { name: "What the LLM is given" }).waitFor();

      await press(tab.getByRole("link", { name: "Tools", exact: true }));
      await press(tab.getByRole("button", { name: "New tool" }));
      await press(tab.getByRole("menuitem", { name: "Client" }));
      await tab.getByLabel("Name").first().fill("show_map");
      await tab.getByLabel("Description").fill("Shows a place on the map of the caller.");
      await press(tab.getByRole("button", { name: "Save the tool" }));
      await press(tab.getByRole("tab", { name: "Test" }));
      await tab.getByText("This tool cannot be tested here.").waitFor();
    });
    expect(faults).toEqual({ server: [] });
  });

  test("a viewer reads the definition and the runs, and changes nothing", async () => {
    const viewer = await makePerson(service, "viewer");
    const { body } = await service.api<{ id: string }>("POST", "/tools", {
      type: "client",
      name: "show_price",
      description: "Shows a price.",
      parameters: JSON.parse(SCHEMA),
    });
    await inDashboard(service, `tools/${body.id}`, viewer, async (tab) => {
      await tab.getByText("Shows a price.").waitFor();
      await tab.getByText("Its number.").first().waitFor();
      expect(await tab.getByRole("button", { name: "Delete" }).count()).toBe(0);
      expect(await tab.getByRole("tab", { name: "Test" }).count()).toBe(0);
      await press(tab.getByRole("link", { name: "Tools", exact: true }).first());
      await tab.getByRole("tab", { name: "Saved tools" }).waitFor();
      expect(await tab.getByRole("tab", { name: "Secrets" }).count()).toBe(0);
      expect(await tab.getByRole("button", { name: "New tool" }).count()).toBe(0);
    });
  });
});

async function secretIsStored(tab: Page): Promise<void> {
  await press(tab.getByRole("tab", { name: "Secrets" }));
  await tab.getByText("There is no secret yet.").waitFor();
  await press(tab.getByRole("button", { name: "New secret" }));
  await tab.getByLabel("Name").fill("shop token");
  await tab.getByLabel("Servers that may get it").fill(new URL(shopUrl).host);
  await tab.getByLabel("Secret", { exact: true }).fill(TOKEN);
  await press(tab.getByRole("button", { name: "Store the secret" }));
  await tab.getByText("must be 1 to 64 of A-Z, 0-9 and _").first().waitFor();
  await tab.getByLabel("Name").fill("SHOP_TOKEN");
  await press(tab.getByRole("button", { name: "Store the secret" }));
  await tab.getByRole("table", { name: "Secrets" }).getByText("sealed").waitFor();
}

async function toolIsSaved(tab: Page): Promise<void> {
  await tab.getByLabel("Name").first().fill("hang_up");
  await tab.getByLabel("Description").fill("Says where an order is.");
  await tab.getByLabel("Address").fill(`${shopUrl}/orders/{order}`);
  await tab.getByLabel("Arguments, as a JSON Schema").fill(SCHEMA);
  await press(tab.getByRole("button", { name: "Add a header" }));
  await tab.getByLabel("Name").nth(1).fill("Authorization");
  await tab.getByLabel("Value").fill("Bearer {{SHOP_TOKEN}}");
  await press(tab.getByRole("button", { name: "Save the tool" }));
  await tab.getByText("must not be the name of a built-in tool").first().waitFor();
  await tab.getByLabel("Name").first().fill("order_status");
  await press(tab.getByRole("button", { name: "Save the tool" }));
  await tab.getByRole("heading", { name: "order_status" }).waitFor();
}

async function toolIsTested(tab: Page): Promise<void> {
  await press(tab.getByRole("tab", { name: "Test" }));
  expect(await tab.getByLabel("Arguments, as JSON").inputValue()).toContain('"order": "A-17"');
  await press(tab.getByRole("button", { name: "Run the tool" }));
  const sent = tab.getByRole("region", { name: "The request as it was sent" });
  await sent.getByText(`GET ${shopUrl}/orders/A-17`).waitFor();
  expect(await sent.innerText()).toContain("Authorization: Bearer ***");
  await tab.getByRole("region", { name: "What the LLM is given" }).getByText("<b>on its way</b>").waitFor();
  await tab.getByText("200", { exact: true }).waitFor();
}

async function toolIsChanged(tab: Page): Promise<void> {
  await press(tab.getByRole("tab", { name: "Definition" }));
  await tab.getByLabel("Name").first().fill("order_state");
  await tab.getByLabel("Timeout, ms").fill("8000");
  await press(tab.getByRole("button", { name: "Save changes" }));
  await tab.getByRole("heading", { name: "order_state" }).waitFor();
  await tab.getByText("Saved: calls that are created").waitFor();
  await tab.getByLabel("Address").fill(`${shopUrl}/v2/orders/{order}`);
  await press(tab.getByRole("button", { name: "Save changes" }));
  await tab.getByText("must have its value again").waitFor();
  await press(tab.getByRole("button", { name: "Undo changes" }));
}

async function runsAreListed(tab: Page): Promise<void> {
  await press(tab.getByRole("tab", { name: "Runs" }));
  const runs = tab.getByRole("table", { name: "Runs" });
  await runs.getByText("done").waitFor();
  await press(runs.getByRole("button").first());
  await tab.getByRole("region", { name: "Run", exact: true }).getByText('"order": "A-17"').waitFor();
  await tab.getByLabel("Outcome").selectOption("failed");
  await tab.getByText("No run matches all of these filters.").waitFor();
  await press(tab.getByRole("button", { name: "Clear filters" }));
  await runs.getByText("done").waitFor();
}
