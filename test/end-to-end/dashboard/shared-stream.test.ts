import { chromium, type Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { readExposition, sampleOf } from "../../support/metrics/exposition.ts";
import { CHROMIUM, hasChromium } from "../../support/network/chromium.ts";
import { Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { makePerson, type Person, signIn } from "../../support/web/dashboard.ts";

const TABS = 20;

let service: Service;
let owner: Person;
beforeAll(async () => {
  if (!hasChromium) return;
  service = await Service.start();
  owner = await makePerson(service);
});

/** Opens the page of live calls in so many tabs of one browser. */
async function inTabs(count: number, use: (tabs: Page[]) => Promise<void>, script?: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const context = await browser.newContext();
    if (script !== undefined) await context.addInitScript(script);
    const tabs: Page[] = [];
    for (let at = 0; at < count; at += 1) {
      const tab = await context.newPage();
      tabs.push(tab);
      await tab.goto(`${service.apiUrl}/dashboard/live`);
      if (at === 0) await signIn(tab, owner);
      await tab.getByText("No call is live.").waitFor();
    }
    await use(tabs);
  } finally {
    await browser.close();
  }
}

async function openStreams(): Promise<number | undefined> {
  const port = service.logged("metrics port ready").at(-1)?.port;
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return sampleOf(readExposition(text), "trunkline_event_streams");
}
const showsCall = (tab: Page): Promise<void> => tab.getByText("waiting for its stream").waitFor();
const showsNone = (tab: Page): Promise<void> => tab.getByText("No call is live.").waitFor();

describe.skipIf(!hasChromium)(
  "one stream of events for a browser",
  { retry: ifMachineStalled, timeout: 180_000 },
  () => {
    test(`${TABS} tabs share one, and each shows what happens`, async () => {
      await inTabs(TABS, async (tabs) => {
        await until("one stream to be open", 10_000, async () => (await openStreams()) === 1);
        const { id } = await service.createCall();
        await Promise.all(tabs.map(showsCall));
        await service.api("POST", `/calls/${id}/end`);
        await Promise.all(tabs.map(showsNone));
        expect(await openStreams()).toBe(1);
      });
    });

    test("without shared workers one tab has it, and another takes it over when that is closed", async () => {
      await inTabs(
        3,
        async ([first, ...others]) => {
          await until("one stream to be open", 10_000, async () => (await openStreams()) === 1);
          const { id } = await service.createCall();
          await Promise.all(others.map(showsCall));
          await first?.close();
          await service.api("POST", `/calls/${id}/end`);
          await Promise.all(others.map(showsNone));
          expect(await openStreams()).toBe(1);
        },
        "delete window.SharedWorker;",
      );
    });
  },
);
