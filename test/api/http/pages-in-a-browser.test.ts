import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";
import { hasChromium, inChromium } from "../../support/network/chromium.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";

const CLEAN = { errors: [], elsewhere: [] };

let api: ApiUnderTest;
let url: string;
beforeEach(async () => {
  api = await apiUnderTest(undefined, { publicApiUrls: ["https://voice.example.com/api/v1"] });
  await api.app.listen({ port: 0, host: "127.0.0.1" });
  url = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
});
afterEach(() => api.close());

describe.skipIf(!hasChromium)("in a real browser (only where Debian's chromium is installed)", () => {
  test("the start page is styled by its own style, within its policy, in light and in dark", async () => {
    const grounds: string[] = [];
    const faults: string[] = [];
    const misdeeds = await inChromium(url, async (page) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        grounds.push(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
      }
      faults.push(...(await accessibilityFaults(page)));
      await page.getByRole("link", { name: "API reference" }).click();
      await page.waitForURL(`${url}/docs`);
      await page.getByText("/calls/{id}/transcript").waitFor();
    });
    expect(faults).toEqual([]);
    expect([grounds, misdeeds]).toEqual([["rgb(255, 255, 255)", "rgb(20, 24, 29)"], CLEAN]);
  }, 120_000);

  test("a violation of the page's policy is detected", async () => {
    const { errors, elsewhere } = await inChromium(url, async (page) => {
      await page.evaluate("document.body.append(Object.assign(document.createElement('script'), { text: '1' }))");
      await page.evaluate("fetch('http://localhost:1/').catch(() => {})");
      await page.goto("http://localhost:1/").catch(() => {});
    });
    expect(errors.join("\n")).toMatch(/policy script-src-elem inline/);
    expect(errors.join("\n")).toMatch(/policy connect-src http:\/\/localhost:1/);
    expect(elsewhere).toContain("http://localhost:1/");
  }, 120_000);

  test("the API reference shows operations with their fields and defaults, and tries one with an API key", async () => {
    let fields = "";
    let answer = "";
    const misdeeds = await inChromium(`${url}/docs`, async (page) => {
      const create = page.locator("#operations-calls-createCall");
      await create.locator(".opblock-summary-control").click();
      const body = create.locator(".opblock-section-request-body");
      await body.getByText("Schema", { exact: true }).click();
      await body.getByRole("button", { name: "Expand all" }).first().click();
      const field = body.locator("li.json-schema-2020-12-property", { hasText: "maxDuration" });
      await field.getByRole("button", { name: "Expand all" }).first().click();
      await field.getByText("Default").waitFor();
      fields = (await field.textContent()) ?? "";
      await create.locator(".opblock-summary-control").click();

      await page.getByRole("button", { name: "Authorize" }).first().click();
      await page.locator(".auth-container input").first().fill(api.key);
      await page.locator(".auth-container button[type=submit]").first().click();
      await page.getByRole("button", { name: "Close" }).first().click();
      const list = page.locator("#operations-voices-listVoices");
      await list.locator(".opblock-summary-control").click();
      await list.getByRole("button", { name: "Try it out" }).click();
      await list.getByRole("button", { name: "Execute" }).click();
      answer = (await list.locator(".live-responses-table tr.response").textContent()) ?? "";
    });
    expect(misdeeds).toEqual(CLEAN);
    expect(fields).toContain("Maximum length of the call in seconds, from the redemption of its stream token");
    expect(fields).toMatch(/Default\s*=?\s*3000/i);
    expect(answer).toMatch(/^200.*fake\/en-us/s);
  }, 120_000);

  test("a one-time link leads to a page that sets the password, signs in, and keeps the link out of the address", async () => {
    const user = { email: "kim@example.com", name: "Kim", role: "owner" };
    const invited = await api.post(user, {}, "/api/v1/users");
    const token = (invited.body as { link: { url: string } }).link.url.split("#")[1];
    const seen: string[] = [];
    const misdeeds = await inChromium(`${url}/dashboard/accept#${token}`, async (page) => {
      seen.push(page.url());
      const status = page.getByRole("status");
      await page.getByLabel("Password, at least 12 characters").fill("four quite random words");
      await page.getByLabel("The same again").fill("four quite other words");
      await page.getByRole("button", { name: "Set the password" }).click();
      await status.getByText("The two passwords differ.").waitFor();
      await page.getByLabel("The same again").fill("four quite random words");
      await page.getByRole("button", { name: "Set the password" }).click();
      await status.getByText("You are signed in as kim@example.com.").waitFor();
      const me = "fetch('/dashboard/session/me').then((answer) => answer.status)";
      seen.push(String(await page.evaluate(me)), String(await page.evaluate("document.cookie")));
    });
    expect(seen).toEqual([`${url}/dashboard/accept`, "200", ""]);
    expect(misdeeds).toEqual(CLEAN);
  }, 120_000);
});
