import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { CarrierEmulator } from "../../../src/simulator/emulator/emulator.ts";
import { speakingPeople } from "../../../src/simulator/emulator/speaking-person.ts";
import type { ClosableTts } from "../../../src/speech/contracts.ts";
import { createReferenceTts } from "../../../src/speech/reference/tts.ts";
import { hasChromium } from "../../support/network/chromium.ts";
import { freePort } from "../../support/network/free-port.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { NUMBER } from "../../support/telephony/phone-scene.ts";
import { inDashboard, makePerson, type Person } from "../../support/web/dashboard.ts";
import { press, tick } from "../../support/web/keyboard.ts";

// What an operator does on the first day, in the dashboard alone: nothing here asks the API.

const QUESTION = "When is the bakery closed?";

let service: Service;
let emulator: CarrierEmulator;
let voice: ClosableTts;
let ended: AbortController;
let owner: Person;
// Its own for each try: a first day has nothing before it.
beforeEach(async () => {
  if (!hasChromium) return;
  ended = new AbortController();
  voice = createReferenceTts({ children: 1, clock: systemClock });
  emulator = new CarrierEmulator({ carrier: "twilio", personOf: speakingPeople(voice, ended.signal) });
  const [apiUrl, port] = [await emulator.start(), await freePort()];
  service = await Service.start({
    env: { API_PORT: String(port), PUBLIC_API_URL: `http://127.0.0.1:${port}`, CARRIER_A_API_URL: apiUrl },
  });
  owner = await makePerson(service);
});
afterEach(async () => {
  await service?.stop();
  ended?.abort();
  await emulator?.stop();
  voice?.close();
});

const open = (tab: Page, name: string): Promise<void> => press(tab.getByRole("link", { name, exact: true }));

describe.skipIf(!hasChromium)("an operator's first day", { retry: ifMachineStalled, timeout: 240_000 }, () => {
  test("a corpus, an agent, a carrier and a number; a call that is found, explained, and compared with one after a change", async () => {
    const { errors, elsewhere } = await inDashboard(service, "corpora", owner, async (tab) => {
      await corpusIsMade(tab);
      await agentIsMade(tab);
      await numberIsAnswered(tab);
      await numberIsCalled(tab);
      await callIsExplained(tab, "Monday");
      await agentIsChanged(tab);
      await open(tab, "Numbers and carriers");
      await press(tab.getByRole("table", { name: "Numbers" }).getByRole("link", { name: NUMBER, exact: true }));
      await numberIsCalled(tab);
      await callIsExplained(tab, "Sunday");
      await versionsAreCompared(tab);
    });
    expect(errors.filter((text) => !/40[01]/.test(text))).toEqual([]);
    expect(elsewhere).toEqual([]);
  });
});

async function corpusIsMade(tab: Page): Promise<void> {
  await press(tab.getByRole("button", { name: "New corpus" }));
  await tab.getByLabel("Name").fill("Price list");
  await tab.getByLabel("Language of its documents").fill("en");
  await press(tab.getByRole("button", { name: "Create the corpus" }));
  await press(tab.getByRole("button", { name: "Add a text" }));
  await tab.getByRole("textbox", { name: "Text" }).fill("# Prices\n\nA rye bread costs four euros.");
  await tab.getByLabel("Name").fill("prices.md");
  await press(tab.getByRole("button", { name: "Add", exact: true }));
  await tab.getByRole("table", { name: "Documents" }).getByText("ready").waitFor();
}

async function agentIsMade(tab: Page): Promise<void> {
  await open(tab, "Agents");
  await press(tab.getByRole("link", { name: "New agent" }));
  await tab.getByRole("heading", { name: "New agent" }).waitFor();
  await tab.getByLabel("Name", { exact: true }).fill("Front desk");
  await tab.getByLabel("Base prompt").fill("You answer the telephone of a bakery.");
  await tab.getByLabel("Context").fill("The bakery is closed on Monday.");
  await tab.getByRole("textbox", { name: "Greeting" }).fill("Hello, this is the bakery.");
  await tick(tab.getByLabel("Price list"));
  await tick(tab.getByLabel("hang_up"));
  await press(tab.getByRole("button", { name: "Save the agent" }));
  await tab.getByText("version 1 live").waitFor();
}

async function numberIsAnswered(tab: Page): Promise<void> {
  await open(tab, "Numbers and carriers");
  await press(tab.getByRole("button", { name: "Add a carrier" }));
  await tab.getByLabel("Name").fill("Main account");
  await tab.getByLabel("Account SID").fill(emulator.credentials.accountSid ?? "");
  await tab.getByLabel("Auth Token").fill(emulator.credentials.authToken ?? "");
  await press(tab.getByRole("button", { name: "Check and add" }));
  await press(tab.getByRole("dialog", { name: "Import the numbers?" }).getByRole("button", { name: "Import" }));
  await press(tab.getByRole("table", { name: "Numbers" }).getByRole("link", { name: NUMBER, exact: true }));
  const number = tab.getByRole("region", { name: "Number", exact: true });
  const act = async (action: string): Promise<void> => {
    await press(number.getByRole("button", { name: `Actions of ${NUMBER}` }));
    await press(tab.getByRole("menuitem", { name: action }));
  };
  await act("Change");
  await tab.getByLabel("Agent").selectOption("Front desk");
  await press(tab.getByRole("button", { name: "Save" }));
  await number.getByText("Front desk").waitFor();
  await act("Attach");
  await press(tab.getByRole("button", { name: "Attach", exact: true }));
  await number.getByText(/^.answers calls$/).waitFor();
}

async function numberIsCalled(tab: Page): Promise<void> {
  const number = tab.getByRole("region", { name: "Number", exact: true });
  await press(number.getByRole("button", { name: `Actions of ${NUMBER}` }));
  await press(tab.getByRole("menuitem", { name: "Have a person call it" }));
  await tab.getByLabel("What the person says").fill(`${QUESTION}\nGoodbye!`);
  await press(tab.getByRole("button", { name: "Call", exact: true }));
  await number.getByText(/, ended/).waitFor();
}

/** The newest call to the number: found by it, read, and asked why it was silent. */
async function callIsExplained(tab: Page, answer: string): Promise<void> {
  await open(tab, "Calls");
  await tab.getByLabel("To", { exact: true }).fill(NUMBER);
  await tab.keyboard.press("Enter");
  await tab.getByRole("button", { name: "Clear filters" }).waitFor();
  const calls = tab.getByRole("table", { name: "Calls" });
  await calls.getByText("Front desk").first().waitFor();
  await press(calls.getByRole("link").first());
  const transcript = tab.getByRole("region", { name: "What was said" });
  await transcript.getByText(QUESTION).waitFor();
  await transcript.getByText(answer).waitFor();
  await press(tab.getByRole("region", { name: "Silences" }).getByText("End of turn").first());
  const details = tab.getByRole("region", { name: "Details" });
  await details.getByRole("heading", { name: "Why this silence?" }).waitFor();
  await details.getByText(/the agent waited \d+ ms \(waitMs\)/).waitFor();
}

async function agentIsChanged(tab: Page): Promise<void> {
  await open(tab, "Agents");
  await press(tab.getByRole("link", { name: "Front desk" }));
  await tab.getByLabel("Context").fill("The bakery is closed on Sunday.");
  await press(tab.getByRole("button", { name: "Save and publish" }));
  await tab.getByText("version 2 live").waitFor();
}

/** What was changed, and how the calls of each version went. */
async function versionsAreCompared(tab: Page): Promise<void> {
  await open(tab, "Agents");
  await press(tab.getByRole("link", { name: "Front desk" }));
  await press(tab.getByRole("tab", { name: "Versions" }));
  const comparison = tab.getByRole("region", { name: "Comparison" });
  await comparison.locator("mark", { hasText: "Sunday" }).waitFor();
  const versions = tab.getByRole("table", { name: "Versions" });
  for (const version of ["What version 1 has changed", "What version 2 has changed"]) {
    const row = versions.getByRole("row").filter({ has: tab.getByRole("button", { name: version }) });
    await row.getByRole("cell", { name: "1", exact: true }).first().waitFor();
    await row.getByText(/\d ms/).first().waitFor();
  }
}
