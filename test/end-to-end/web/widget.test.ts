import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { exampleIn } from "../../support/docs/blocks.ts";
import { hasChromium, inChromium } from "../../support/network/chromium.ts";
import { Service, until } from "../../support/services/service.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import {
  type CustomerPage,
  type CustomerPageOptions,
  customerPage,
  shopWith,
} from "../../support/web/customer-page.ts";
import { ANSWER, GREETING, makeShopAgent, makeShopKey, withoutWebrtcRefusal } from "../../support/web/shop.ts";

let service: Service;
let agentId: string;
let page: CustomerPage;
beforeAll(async () => {
  if (!hasChromium) return;
  service = await Service.start();
  agentId = await makeShopAgent(service);
});
afterEach(() => page?.close());

const publishableKey = (origins: readonly string[]) => makeShopKey(service, agentId, origins);

/** The content security policy that docs/browser.md shows, with the addresses of this service, and `more` of the page's own. */
const policy = (more = ""): string => {
  const shown = exampleIn("docs/browser.md", "The content security policy of your page", "text").trim();
  const own = shown
    .replaceAll("https://voice.example.com", service.apiUrl)
    .replaceAll("wss://media.example.com", service.mediaUrl)
    .replaceAll(";", `${more};`);
  return `default-src 'none'; img-src data:; ${own}${more}`;
};

/** A page with the widget, whose publishable key names its origin. */
async function shop(options: Partial<CustomerPageOptions> & { attributes?: string; more?: string } = {}) {
  let key = "";
  const { attributes = "", more, ...rest } = options;
  page = await customerPage({
    contentPolicy: policy(more),
    html: () =>
      shopWith(
        exampleIn("docs/browser.md", "Embed the widget", "html")
          .replace("agent_…", agentId)
          .replace("pk_…", key)
          .replace("https://voice.example.com", service.apiUrl)
          .replace("></trunkline-agent>", ` ${attributes}></trunkline-agent>`),
      ),
    ...rest,
  });
  key = await publishableKey([page.origin]);
  return page;
}

const origins = (): string[] => [service.apiUrl];
const inShop = (use: (page: Page) => Promise<void>, microphone?: "allowed" | "refused") =>
  inChromium(page.origin, use, { origins: origins(), ...(microphone && { microphone }) });

describe.skipIf(!hasChromium)(
  "the widget in a page of another origin, under a strict content security policy",
  { timeout: 90_000 },
  () => {
    test("a visitor holds a call by the keyboard alone, in writing; axe finds no fault in any state", async () => {
      await shop();
      const faults: Record<string, string[]> = {};
      const { errors, elsewhere } = await inShop(async (tab) => {
        const press = (...keys: string[]) =>
          keys.reduce((before, key) => before.then(() => tab.keyboard.press(key)), Promise.resolve());
        await tab.getByRole("button", { name: "Talk to us" }).waitFor();
        faults.closed = await accessibilityFaults(tab);
        await press("Tab", "Enter");
        await tab.getByRole("dialog", { name: "Talk to us" }).waitFor();
        expect(await tab.getByText("You are talking to an AI. The call may be recorded.").isVisible()).toBe(true);
        faults.open = await accessibilityFaults(tab);
        await press("Escape");
        expect(await tab.getByRole("dialog").isVisible()).toBe(false);
        await press("Enter", "Tab", "Enter");
        await tab.getByRole("region", { name: "Transcript" }).getByText(GREETING).waitFor();
        // The service takes no longer text.
        expect(await tab.getByLabel("Write a message").getAttribute("maxlength")).toBe("16384");
        await tab.keyboard.type("When is the bakery closed?");
        await press("Enter");
        await tab.getByRole("region", { name: "Transcript" }).getByText(ANSWER).waitFor();
        await tab.getByRole("log").getByText(`Agent: ${ANSWER}`).waitFor({ state: "attached" });
        faults.call = await accessibilityFaults(tab);
        await press("Tab", "Tab", "Enter");
        await tab.getByText("The call has ended").waitFor();
        faults.ended = await accessibilityFaults(tab);
        await press("Enter");
        expect(await tab.getByRole("button", { name: "Start the call" }).isVisible()).toBe(true);
      });
      expect(faults).toEqual({ closed: [], open: [], call: [], ended: [] });
      expect([withoutWebrtcRefusal(errors), elsewhere]).toEqual([[], []]);
    });

    test("a call by voice loads the worklet from the service, sends the microphone, and is muted", async () => {
      await shop({ attributes: 'layout="inline"' });
      const seen: unknown[] = [];
      const { errors, elsewhere } = await inShop(async (tab) => {
        await tab.getByRole("button", { name: "Start the call" }).click();
        await tab.getByText(GREETING).first().waitFor();
        // Not by waitForFunction, which the policy of the page forbids.
        await until("the microphone to be heard", 30_000, () =>
          tab.evaluate<boolean>(
            "parseFloat(document.querySelector('trunkline-agent').shadowRoot.querySelector('.input .bar').style.transform.slice(7)) > 0.1",
          ),
        );
        await tab.getByRole("button", { name: "Mute", exact: true }).click();
        seen.push(await tab.evaluate("document.querySelector('trunkline-agent').muted"));
        await tab.getByRole("button", { name: "Unmute" }).click();
        seen.push(await tab.evaluate("document.querySelector('trunkline-agent').muted"));
        seen.push(await tab.evaluate("document.querySelector('trunkline-agent').callId"));
        await tab.getByRole("button", { name: "End the call" }).click();
      }, "allowed");
      expect(seen).toEqual([true, false, expect.stringMatching(/^call_/)]);
      expect([withoutWebrtcRefusal(errors), elsewhere]).toEqual([[], []]);
      const record = await service.ended(String(seen[2]));
      expect(record.counters?.framesReceived ?? record.durationMs).toBeGreaterThan(10);
      expect(record.endReason).toBe("caller_hangup");
    });

    test("a refused microphone leaves the visitor the other way; a page whose origin is not allowed says so", async () => {
      await shop({ attributes: 'layout="inline"' });
      await inShop(async (tab) => {
        await tab.getByRole("button", { name: "Start the call" }).click();
        await tab.getByRole("alert").getByText("The microphone is blocked.").waitFor();
        expect(await tab.evaluate("document.querySelector('trunkline-agent').shadowRoot.activeElement.className")).toBe(
          "write",
        );
      }, "refused");
      await page.close();
      const key = await publishableKey(["https://elsewhere.example"]);
      page = await customerPage({
        html: () =>
          shopWith(
            `<trunkline-agent layout="inline" agent-id="${agentId}" publishable-key="${key}"></trunkline-agent>` +
              `<script type="module" src="${service.apiUrl}/widget/v1.js"></script>`,
          ),
      });
      await inShop(async (tab) => {
        await tab.getByRole("button", { name: "Write instead" }).click();
        await tab.getByRole("alert").getByText("Calls are not set up for this page.").waitFor();
      });
    });

    test("a pinned address loads with its integrity, and not with another one", async () => {
      const pinned = await service.fetch<{ path: string; integrity: string }>("GET", "/widget/v1.json");
      const { path, integrity } = pinned.body;
      for (const [given, isDefined] of [
        [integrity, true],
        [`sha384-${"A".repeat(64)}`, false],
      ] as const) {
        page = await customerPage({
          contentPolicy: policy(),
          html: () =>
            shopWith(
              exampleIn("docs/browser.md", "Pin the widget", "html")
                .replace("https://voice.example.com/widget/….js", `${service.apiUrl}${path}`)
                .replace("sha384-…", given),
            ),
        });
        await inShop(async (tab) => {
          await tab.waitForLoadState("networkidle");
          expect(await tab.evaluate("customElements.get('trunkline-agent') !== undefined")).toBe(isDefined);
        });
        if (isDefined) await page.close();
      }
    });

    test("the page chooses the language, the layout, the texts and the colours", async () => {
      await shop({ attributes: 'layout="inline" lang="ar-EG" heading="Bakery" consent="off"' });
      await inShop(async (tab) => {
        await tab.getByRole("button", { name: "بدء المكالمة" }).waitFor();
        expect(await tab.getByRole("group", { name: "Bakery" }).isVisible()).toBe(true);
        expect(await tab.locator("[dir=rtl][lang=ar]").count()).toBe(1);
        expect(await tab.locator(".consent").count()).toBe(0);
        expect(await accessibilityFaults(tab)).toEqual([]);
        const colour =
          "getComputedStyle(document.querySelector('trunkline-agent').shadowRoot.querySelector('.start')).backgroundColor";
        await tab.evaluate(
          "document.querySelector('trunkline-agent').style.setProperty('--trunkline-accent', 'rgb(1, 2, 3)')",
        );
        expect(await tab.evaluate(colour)).toBe("rgb(1, 2, 3)");
        await tab.evaluate("document.querySelector('trunkline-agent').lang = 'de'");
        await tab.getByRole("button", { name: "Anruf starten" }).waitFor();
      });
    });

    test("the style sheet of docs/browser.md changes the widget of a page", async () => {
      await shop();
      await inShop(async (tab) => {
        const css = exampleIn("docs/browser.md", "Embed the widget", "css");
        // As a sheet of the page's own, for the page allows no inline style.
        await tab.evaluate(
          `{ const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(css)}); document.adoptedStyleSheets = [sheet] }`,
        );
        const style =
          "getComputedStyle(document.querySelector('trunkline-agent').shadowRoot.querySelector('.launcher'))";
        expect(await tab.evaluate(`[${style}.backgroundColor, ${style}.textTransform, ${style}.fontFamily]`)).toEqual([
          "rgb(122, 62, 0)",
          "uppercase",
          "Georgia, serif",
        ]);
      });
    });

    test("without a face of its own the element is driven by the page, with calls that the customer's server makes", async () => {
      await shop({
        html: () =>
          shopWith(
            `<trunkline-agent layout="headless" session-url="/session"></trunkline-agent><button>Ask</button><p></p>` +
              `<script type="module" src="${service.apiUrl}/widget/v1.js"></script><script type="module" src="/page.js"></script>`,
          ),
        more: " 'self'",
        session: () =>
          service.createCall({
            connectionType: "websocket",
            greeting: GREETING,
            websocket: { codec: "pcm_s16le", inputSampleRate: 16_000, outputSampleRate: 24_000 },
          }),
        script: () => `
        const agent = document.querySelector("trunkline-agent");
        agent.addEventListener("trunkline-transcript", ({ detail }) => {
          if (detail.role === "agent" && detail.final) document.querySelector("p").append(detail.text);
        });
        document.querySelector("button").addEventListener("click", async () => {
          await agent.start({ microphone: false });
          agent.sendText("When is the bakery closed?");
        });`,
      });
      const { errors, elsewhere } = await inShop(async (tab) => {
        await tab.getByRole("button", { name: "Ask" }).click();
        await tab.getByText(ANSWER).waitFor();
        expect(await tab.evaluate("document.querySelector('trunkline-agent').shadowRoot.childElementCount")).toBe(0);
        await tab.evaluate("document.querySelector('trunkline-agent').remove()");
        await until("the call to end with its element", 5_000, async () => {
          const { body } = await service.api<{ data: { status: string }[] }>("GET", "/calls?limit=1");
          return body.data[0]?.status !== "active" && body.data[0]?.status;
        });
      });
      expect([errors, elsewhere]).toEqual([[], []]);
    });
  },
);
