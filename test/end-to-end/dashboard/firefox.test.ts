import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { TrunklineClient } from "#client";
import { telephone, utterance } from "../../callers/telephone.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { makePerson, type Person } from "../../support/web/dashboard.ts";
import { FirefoxTab, hasFirefox } from "../../support/web/firefox.ts";

// Three of the journeys that Chromium takes in the other files of this folder, in Debian's Firefox.

const TEST_MS_MAX = 120_000;
const NEEDS = "(only where firefox-esr is installed)";
const ENTER = "\uE007";
const QUESTION = "What do you sell?";

let service: Service;
let owner: Person;
let tab: FirefoxTab;
beforeAll(async () => {
  if (!hasFirefox) return;
  service = await Service.start();
  owner = await makePerson(service);
}, TEST_MS_MAX);
afterEach(() => tab?.close(), TEST_MS_MAX);

const shows = (text: string): string => `document.body.innerText.includes(${JSON.stringify(text)})`;
/** The element with this text or label. */
const called = (selector: string, name: string): string =>
  `[...document.querySelectorAll("${selector}")].find((each) => (each.getAttribute("aria-label") ?? each.textContent).trim() === ${JSON.stringify(name)})`;
/** The control that a label names. */
const field = (label: string): string =>
  `[...document.querySelectorAll("label")].find((each) => each.textContent.trim() === ${JSON.stringify(label)})?.control`;

async function fill(label: string, text: string): Promise<void> {
  await tab.until(field(label));
  await tab.click(field(label));
  await tab.type(text);
}

async function click(selector: string, name: string): Promise<void> {
  await tab.until(called(selector, name));
  await tab.click(called(selector, name));
}

/** Opens a page of the dashboard, which leads to it after the sign-in; by the keyboard. */
async function open(page: string): Promise<void> {
  tab = await FirefoxTab.open();
  await tab.goto(`${service.apiUrl}/dashboard/${page}`);
  await fill("Email", owner.email);
  await fill("Password", owner.password + ENTER);
  await tab.until(`location.pathname === "/dashboard/${page}"`);
}

const createCall = () =>
  service.createCall({ systemPrompt: "We sell rye bread and plum cake.", greeting: "Hello, this is the bakery." });

describe.skipIf(!hasFirefox)("the dashboard in Firefox", { retry: ifMachineStalled, timeout: TEST_MS_MAX }, () => {
  test(`shows a call as it begins and ends, by events that all tabs share ${NEEDS}`, async () => {
    await open("live");
    const { id, websocketUrl } = await createCall();
    const call = telephone(websocketUrl, [{ do: "listen" }, { do: "await-hang-up" }]);
    await tab.until(`document.querySelector('a[href$="${id}"]')?.closest("tr").innerText.includes("in progress")`);
    await service.api("POST", `/calls/${id}/end`);
    await call;
    await tab.until(`document.querySelector('a[href$="${id}"]') === null`);
    expect(tab.errors).toEqual([]);
  });

  test(`explains a reply and a silence of a call, and plays it ${NEEDS}`, async () => {
    const { id, websocketUrl } = await createCall();
    await telephone(websocketUrl, [
      { do: "listen" },
      { do: "say", utterance: await utterance(QUESTION) },
      { do: "listen" },
    ]);
    await service.withRecording(id);
    await open(`calls/${id}`);
    // Everything of the call is there, and nothing moves any more.
    await tab.until(`document.querySelector(".call-silence-row") !== null`);
    await tab.click(
      `[...document.querySelectorAll("button")].filter((each) => /^Agent at .*: go there$/.test(each.getAttribute("aria-label") ?? each.textContent))[1]`,
    );
    await tab.until(shows("Reply 2"));
    expect(await tab.run("location.search")).toContain("reply=2");
    await tab.click(`document.querySelector(".call-silence-row")`);
    await tab.until(shows("Why this silence?"));
    await click("button", "Play");
    await tab.until(`Number(document.querySelector('input[type="range"]').value) > 300`);
    expect(tab.errors).toEqual([]);
  });

  test(`makes an agent, and says of a field what is wrong with it ${NEEDS}`, async () => {
    await open("agents/new");
    await fill("Name", "Front desk");
    await click("button", "Save the agent");
    await tab.until(shows("basePrompt"));
    await fill("Base prompt", "You answer the telephone of a bakery.");
    await click("button", "Save the agent");
    await tab.until(shows("version 1 live"));
    const client = new TrunklineClient({ baseUrl: service.apiUrl, apiKey: service.apiKey });
    expect((await client.get("/agents")).data).toMatchObject([{ name: "Front desk", version: 1 }]);
    expect(tab.errors).toEqual([]);
  });
});
