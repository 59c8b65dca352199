import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { TrunklineClient } from "#client";
import { hasChromium } from "../../support/network/chromium.ts";
import { Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import { inDashboard, makePerson, type Person, signIn } from "../../support/web/dashboard.ts";
import { press, tick } from "../../support/web/keyboard.ts";

let service: Service;
let owner: Person;
beforeAll(async () => {
  if (!hasChromium) return;
  service = await Service.start();
  owner = await makePerson(service);
});

const client = (): TrunklineClient => new TrunklineClient({ baseUrl: service.apiUrl, apiKey: service.apiKey });
const agents = async (): Promise<{ id: string; name: string; version: number; context: string }[]> =>
  (await client().get("/agents")).data;

/** What Chromium reports of answers that are expected: before the sign-in, of a form that is not complete, and without WebRTC. */
const withoutRefusals = (errors: readonly string[]): string[] =>
  errors.filter((text) => !/status of (400|401|412|501)/.test(text));

const saveBar = (tab: Page) => tab.getByRole("button", { name: "Save and publish" });

describe.skipIf(!hasChromium)("the pages of agents", { retry: ifMachineStalled, timeout: 180_000 }, () => {
  test("an agent is made, tried with what is not saved, changed beside another person, restored and deleted", async () => {
    const faults: Record<string, string[]> = {};
    // Of a run before this one.
    for (const { id } of await agents()) await client().delete("/agents/{id}", { path: { id } });
    const { errors, elsewhere } = await inDashboard(service, "agents", owner, async (tab) => {
      await tab.getByText("There is no agent yet.").waitFor();
      faults.empty = await accessibilityFaults(tab);
      await makeAgent(tab, faults);
      await tryWhatIsNotSaved(tab, faults);
      await askedBeforeLeaving(tab, faults);
      await signInAgain(tab);
      await changeBesideAnother(tab, faults);
      await compareAndRestore(tab, faults);
      await hearVoices(tab, faults);
      await press(tab.getByRole("link", { name: "Agents", exact: true }));
      await tab.getByRole("table", { name: "Agents" }).getByRole("link", { name: "Night desk" }).waitFor();
      faults.list = await accessibilityFaults(tab);
      await press(tab.getByRole("link", { name: "Night desk" }));
      await deleteAgent(tab);
    });
    expect(faults).toEqual(Object.fromEntries(Object.keys(faults).map((name) => [name, []])));
    expect([withoutRefusals(errors), elsewhere]).toEqual([[], []]);
  });

  test("a viewer reads an agent and its versions on a telephone, and can change nothing", async () => {
    const hostile = `<img src=x onerror=alert(1)> ${"word".repeat(400)} \u202Eabc`;
    const { id } = await client().post("/agents", {
      body: {
        ...{ name: "<b>Shop</b>", basePrompt: hostile, context: hostile },
        ...{ languageId: "en-US", voiceId: "reference/gmw/en-US" },
      },
    });
    await client().patch("/agents/{id}", { path: { id }, body: { context: `${hostile} more` } });
    const viewer = await makePerson(service, "viewer");
    const faults: string[] = [];
    const { errors } = await inDashboard(
      service,
      `agents/${id}`,
      viewer,
      async (tab) => {
        const fits = async (): Promise<void> =>
          expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
        await tab.getByRole("heading", { name: "<b>Shop</b>" }).waitFor();
        expect(await tab.getByLabel("Base prompt").isDisabled()).toBe(true);
        for (const name of ["Save and publish", "More actions", "Start talking", "Choose"]) {
          expect(await tab.getByRole("button", { name }).count()).toBe(0);
        }
        await fits();
        faults.push(...(await accessibilityFaults(tab)));
        await press(tab.getByRole("tab", { name: "Versions" }));
        await tab.getByRole("region", { name: "Comparison" }).getByText("more", { exact: true }).waitFor();
        await fits();
        faults.push(...(await accessibilityFaults(tab)));
        await press(tab.getByRole("tab", { name: "Use" }));
        await tab.getByText("The agent answers none.").waitFor();
        await fits();
        faults.push(...(await accessibilityFaults(tab)));
      },
      { viewport: { width: 390, height: 844 } },
    );
    expect([faults, withoutRefusals(errors)]).toEqual([[], []]);
  });
});

type Faults = Record<string, string[]>;

async function makeAgent(tab: Page, faults: Faults): Promise<void> {
  await press(tab.getByRole("link", { name: "New agent" }));
  await tab.getByRole("heading", { name: "New agent" }).waitFor();
  await tab.getByLabel("Name", { exact: true }).fill("Front desk");
  await press(tab.getByRole("button", { name: "Save the agent" }));
  // The service says what is missing, at the field.
  await tab.getByRole("alert").getByText("basePrompt", { exact: true }).waitFor();
  await tab.locator(".field", { hasText: "Base prompt" }).locator(".field-problem").waitFor();
  faults.refused = await accessibilityFaults(tab);
  await tab.getByLabel("Base prompt").fill("You answer the telephone of a bakery. You speak with {{customer}}.");
  await tab.getByLabel("Context").fill("The bakery is closed on Monday.");
  await tab.getByRole("textbox", { name: "Greeting" }).fill("Hello {{customer}}, this is the bakery.");
  await tab.getByText("{{customer}} is not among the variables yet.").waitFor();
  await press(tab.getByRole("button", { name: "Add", exact: true }));
  await tick(tab.getByLabel("hang_up"));
  await press(tab.getByRole("button", { name: "Save the agent" }));
  await tab.getByRole("heading", { name: "Front desk" }).waitFor();
  await tab.getByText("version 1 live").waitFor();
  expect(await agents()).toMatchObject([{ name: "Front desk", variables: [{ name: "customer", type: "string" }] }]);
  faults.saved = await accessibilityFaults(tab);
}

async function tryWhatIsNotSaved(tab: Page, faults: Faults): Promise<void> {
  const panel = tab.getByRole("complementary", { name: "Try the agent" });
  await tab.getByLabel("Context").fill("The bakery is closed on Sunday.");
  await tab.getByText("Not saved: Context").waitFor();
  await press(panel.getByRole("button", { name: "Write instead" }));
  await panel.getByText("It needs a value, because it has no default.").waitFor();
  await panel.getByLabel("customer").fill("Mrs Miller");
  await press(panel.getByRole("button", { name: "Write instead" }));
  const transcript = panel.getByRole("list", { name: "Transcript" });
  await transcript.getByText("Hello Mrs Miller, this is the bakery.").waitFor();
  await panel.getByLabel("Write to the agent").fill("When is the bakery closed?");
  await tab.keyboard.press("Enter");
  await transcript.getByText("The bakery is closed on Sunday.").waitFor();
  await panel.getByRole("status").getByText("Listening").waitFor();
  faults.call = await accessibilityFaults(tab);
  await press(panel.getByRole("button", { name: "End", exact: true }));
  await panel.getByText("The call is over: caller hangup.").waitFor();
  expect(await panel.getByRole("link", { name: "Open its record" }).getAttribute("href")).toContain("/calls/call_");
  expect(await agents()).toMatchObject([{ context: "The bakery is closed on Monday." }]);
}

async function askedBeforeLeaving(tab: Page, faults: Faults): Promise<void> {
  const dialog = tab.getByRole("dialog", { name: "Leave without saving?" });
  await press(tab.getByRole("link", { name: "Calls", exact: true }));
  await dialog.getByText("would be lost").waitFor();
  faults.leaving = await accessibilityFaults(tab);
  await press(dialog.getByRole("button", { name: "Cancel" }));
  const { href } = new URL(tab.url());
  await tab.goBack();
  await dialog.getByText("would be lost").waitFor();
  await tab.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(tab.url()).toBe(href);
  expect(await tab.getByLabel("Context").inputValue()).toBe("The bakery is closed on Sunday.");
}

/** The session ends while something is not saved: after the sign-in it is there again. */
async function signInAgain(tab: Page): Promise<void> {
  await tab.context().clearCookies();
  await press(saveBar(tab));
  await signIn(tab, owner);
  await tab.getByText("Not saved: Context").waitFor();
  expect(await tab.getByLabel("Context").inputValue()).toBe("The bakery is closed on Sunday.");
}

async function changeBesideAnother(tab: Page, faults: Faults): Promise<void> {
  const [agent] = await agents();
  const path = { id: agent?.id ?? "" };
  await client().patch("/agents/{id}", { path, body: { name: "Night desk" } });
  await press(saveBar(tab));
  const conflict = tab.getByRole("region", { name: "Changed meanwhile" });
  await conflict.getByText("Night desk").waitFor();
  await conflict.getByText("both can be kept").waitFor();
  faults.conflict = await accessibilityFaults(tab);
  await press(conflict.getByRole("button", { name: "Put mine on top" }));
  await press(saveBar(tab));
  await tab.getByText("version 3 live").waitFor();
  await tab.getByRole("heading", { name: "Night desk" }).waitFor();
  expect(await agents()).toMatchObject([{ name: "Night desk", context: "The bakery is closed on Sunday." }]);
  await tab.getByRole("spinbutton", { name: "Longest call, seconds" }).fill("300");
  await press(tab.getByRole("button", { name: "Save as draft" }));
  await tab.locator(".badge", { hasText: "draft 4" }).waitFor();
  await press(tab.getByRole("button", { name: "Publish draft 4" }));
  await press(tab.getByRole("dialog").getByRole("button", { name: "Publish" }));
  await tab.getByText("version 4 live").waitFor();
}

async function compareAndRestore(tab: Page, faults: Faults): Promise<void> {
  await press(tab.getByRole("tab", { name: "Versions" }));
  const comparison = tab.getByRole("region", { name: "Comparison" });
  await press(tab.getByRole("button", { name: "What version 3 has changed" }));
  await comparison.getByLabel("From", { exact: true }).selectOption("Version 1");
  await comparison.locator("mark", { hasText: "Monday" }).waitFor();
  await comparison.locator("mark", { hasText: "Sunday" }).waitFor();
  await comparison.locator("del", { hasText: "Front desk" }).waitFor();
  expect(tab.url()).toContain("version=3&against=1");
  faults.versions = await accessibilityFaults(tab);
  await press(tab.getByRole("button", { name: "Actions of version 3" }));
  await press(tab.getByRole("menuitem", { name: "Restore as a new version" }));
  await press(tab.getByRole("dialog").getByRole("button", { name: "Restore" }));
  await tab.getByText("version 5 live").waitFor();
  await press(tab.getByRole("tab", { name: "Edit" }));
  await until("the restored version to be edited", 5_000, async () => {
    return (await tab.getByRole("spinbutton", { name: "Longest call, seconds" }).inputValue()) === "";
  });
}

async function hearVoices(tab: Page, faults: Faults): Promise<void> {
  await press(tab.getByRole("button", { name: "Choose", exact: true }));
  const dialog = tab.getByRole("dialog", { name: "Choose a voice" });
  await dialog.getByRole("radio").first().waitFor();
  faults.voices = await accessibilityFaults(tab);
  await dialog.getByLabel("What it says").fill("Good morning.");
  await press(dialog.getByRole("button", { name: /^Hear/ }).first());
  await dialog.getByRole("button", { name: /^Stop/ }).waitFor();
  // It ends by itself.
  await dialog.getByRole("button", { name: /^Stop/ }).waitFor({ state: "detached" });
  expect(await dialog.getByRole("alert").allTextContents()).toEqual(["", ""]);
  const { data } = await client().get("/calls", { query: { metadata: { dashboard: "voice sample" } } });
  expect(data[0]).toMatchObject({ configuration: { recordingEnabled: false, transcriptEnabled: false } });
  await press(dialog.getByRole("button", { name: "Use this voice" }));
}

async function deleteAgent(tab: Page): Promise<void> {
  await press(tab.getByRole("button", { name: "More actions" }));
  await press(tab.getByRole("menuitem", { name: "Delete the agent" }));
  const dialog = tab.getByRole("dialog", { name: "Delete the agent?" });
  await dialog.getByText("Night desk").waitFor();
  await press(dialog.getByRole("button", { name: "Delete" }));
  await tab.getByText("There is no agent yet.").waitFor();
  expect(await agents()).toEqual([]);
}
