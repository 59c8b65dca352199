import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { exampleIn } from "../../support/docs/blocks.ts";
import { hasChromium, inChromium } from "../../support/network/chromium.ts";
import { Service, until } from "../../support/services/service.ts";
import { type CustomerPage, customerPage, shopWith } from "../../support/web/customer-page.ts";
import { ANSWER, GREETING, makeShopAgent, makeShopKey, withoutWebrtcRefusal } from "../../support/web/shop.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

let service: Service;
let agentId: string;
let page: CustomerPage;
beforeAll(async () => {
  if (!hasChromium) return;
  service = await Service.start();
  agentId = await makeShopAgent(service);
});
afterEach(() => page?.close());

/** Writes the addresses and keys of this service in place of those that an example has. */
async function filled(example: string): Promise<string> {
  const key = await makeShopKey(service, agentId, [page.origin]);
  return example
    .replaceAll("https://voice.example.com", service.apiUrl)
    .replaceAll("agent_…", agentId)
    .replaceAll("pk_…", key);
}

const inShop = (use: (tab: Page) => Promise<void>) => inChromium(page.origin, use, { origins: [service.apiUrl] });
const exampleText = (name: string): string => readFileSync(`${ROOT}/examples/${name}`, "utf8");

async function holdsACall(tab: Page): Promise<void> {
  await tab.getByRole("button", { name: "Write", exact: true }).click();
  await tab.getByText(`agent: ${GREETING}`).waitFor();
  await tab.getByLabel("Message").fill("When is the bakery closed?");
  await tab.getByRole("button", { name: "Send" }).click();
  await tab.getByText(`agent: ${ANSWER}`).waitFor();
  await tab.getByRole("button", { name: "End", exact: true }).click();
  await tab.getByRole("status").getByText("ended").waitFor();
}

async function holdsATalk(tab: Page): Promise<void> {
  await tab.getByRole("button", { name: "Talk", exact: true }).click();
  await tab.getByText(`agent: ${GREETING}`).waitFor();
  await tab.getByRole("button", { name: "End", exact: true }).click();
  await tab.getByText("ended").waitFor();
}

describe.skipIf(!hasChromium)("the examples for browsers", { timeout: 60_000 }, () => {
  test("examples/page.html holds a call on the SDK that the service serves", async () => {
    let html = "";
    page = await customerPage({ html: () => html });
    html = await filled(exampleText("page.html"));
    const { errors, elsewhere } = await inShop(holdsACall);
    expect([withoutWebrtcRefusal(errors), elsewhere]).toEqual([[], []]);
  });

  test("the program of docs/browser.md starts a call in a click", async () => {
    let script = "";
    page = await customerPage({
      html: () => shopWith('<button>Call</button><script type="module" src="/page.js"></script>'),
      script: () => script,
    });
    const program = await filled(exampleIn("docs/browser.md", "Use the SDK", "js"));
    script = program.replace("const session", 'const button = document.querySelector("button");\nconst session');
    const said: string[] = [];
    await inChromium(
      page.origin,
      async (tab) => {
        tab.on("console", (message) => said.push(message.text()));
        await tab.getByRole("button", { name: "Call" }).click();
        await until("the agent to speak", 15_000, () => said.some((line) => line.startsWith(`agent ${GREETING}`)));
      },
      { origins: [service.apiUrl], microphone: "allowed" },
    );
  });

  test("examples/widget.html shows the widget", async () => {
    let html = "";
    page = await customerPage({ html: () => html });
    html = await filled(exampleText("widget.html"));
    const { errors, elsewhere } = await inShop(async (tab) => {
      await tab.getByRole("button", { name: "Talk to us" }).click();
      await tab.getByRole("button", { name: "Write instead" }).click();
      await tab.getByRole("region", { name: "Transcript" }).getByText(GREETING).waitFor();
    });
    expect([withoutWebrtcRefusal(errors), elsewhere]).toEqual([[], []]);
  });

  test("examples/react.jsx holds a call, built by a bundler with the package of the SDK", async () => {
    let script = "";
    page = await customerPage({
      html: () =>
        '<!doctype html><html lang="en"><body><div></div><script type="module" src="/page.js"></script></body></html>',
      script: () => script,
      worklet: readFileSync(`${ROOT}/dist/web/sdk/worklet.js`, "utf8"),
    });
    const main = `
      import { createElement } from "react";
      import { createRoot } from "react-dom/client";
      import { Agent } from "./react.jsx";
      const session = { apiUrl: "https://voice.example.com", agentId: "agent_…", publishableKey: "pk_…" };
      createRoot(document.querySelector("div")).render(createElement(Agent, { session }));`;
    const { outputFiles } = await build({
      stdin: { contents: await filled(main), resolveDir: `${ROOT}/examples` },
      ...{ bundle: true, format: "esm", jsx: "automatic", write: false },
      alias: { "trunkline-sdk": `${ROOT}/dist/web/sdk/index.js` },
      define: { "process.env.NODE_ENV": '"production"' },
    });
    script = outputFiles[0]?.text ?? "";
    const options = { origins: [service.apiUrl], microphone: "allowed" } as const;
    const { errors, elsewhere } = await inChromium(page.origin, holdsATalk, options);
    expect([withoutWebrtcRefusal(errors), elsewhere]).toEqual([[], []]);
  });
});
