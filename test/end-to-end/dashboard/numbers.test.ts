import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CarrierEmulator } from "../../../src/simulator/emulator/emulator.ts";
import { hasChromium } from "../../support/network/chromium.ts";
import { freePort } from "../../support/network/free-port.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { NUMBER, PEOPLE } from "../../support/telephony/phone-scene.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import { inDashboard, makePerson, type Person } from "../../support/web/dashboard.ts";
import { press } from "../../support/web/keyboard.ts";

const CARRIER = "Main <i>account</i>";

let service: Service;
let emulator: CarrierEmulator;
let owner: Person;
beforeAll(async () => {
  if (!hasChromium) return;
  emulator = new CarrierEmulator({ carrier: "twilio", scenario: { people: { [PEOPLE.busy]: [{ does: "busy" }] } } });
  const [apiUrl, port] = [await emulator.start(), await freePort()];
  service = await Service.start({
    env: { API_PORT: String(port), PUBLIC_API_URL: `http://127.0.0.1:${port}`, CARRIER_A_API_URL: apiUrl },
  });
  owner = await makePerson(service);
  await service.api("POST", "/agents", {
    name: "Bakery",
    basePrompt: "The bakery is closed on Monday.",
    languageId: "en-US",
    voiceId: "reference/gmw/en-US",
    callSettings: { greeting: "Hello, this is the bakery." },
  });
});
afterAll(async () => {
  await emulator?.stop();
});

describe.skipIf(!hasChromium)("numbers and carriers", { retry: ifMachineStalled, timeout: 150_000 }, () => {
  test("an owner adds a carrier, imports its numbers, has an agent answer one, is called and calls", async () => {
    const faults: Record<string, string[]> = {};
    const { errors } = await inDashboard(service, "numbers", owner, async (tab) => {
      await tab.getByText("There is no carrier yet.").waitFor();
      faults.empty = await accessibilityFaults(tab);
      await press(tab.getByRole("button", { name: "Add a carrier" }));
      await tab.getByLabel("Name").fill(CARRIER);
      await tab.getByLabel("Account SID").fill("my account");
      await tab.getByLabel("Auth Token").fill(emulator.credentials.authToken ?? "");
      await press(tab.getByRole("button", { name: "Check and add" }));
      await tab.getByText("must be AC and 32 hexadecimal digits").first().waitFor();
      faults.carrier = await accessibilityFaults(tab);
      await tab.getByLabel("Account SID").fill(` ${emulator.credentials.accountSid}`);
      await tab.keyboard.press("Enter");
      // It goes on with the numbers.
      await press(tab.getByRole("dialog", { name: "Import the numbers?" }).getByRole("button", { name: "Import" }));
      await tab.getByText(`The list has 2 numbers of ${CARRIER}.`).waitFor();
      const numbers = tab.getByRole("table", { name: "Numbers" });
      await press(numbers.getByRole("link", { name: NUMBER, exact: true }));
      const number = tab.getByRole("region", { name: "Number", exact: true });
      await number.getByText("The carrier does not send calls to the service").waitFor();
      await number.getByText("No agent answers").waitFor();
      faults.number = await accessibilityFaults(tab);

      await press(number.getByRole("button", { name: `Actions of ${NUMBER}` }));
      await press(tab.getByRole("menuitem", { name: "Change" }));
      await tab.getByLabel("Agent").selectOption("Bakery");
      await tab.getByLabel("Calls in at once").fill("5");
      faults.change = await accessibilityFaults(tab);
      await press(tab.getByRole("button", { name: "Save" }));
      await number.getByText("Bakery").waitFor();
      await press(number.getByRole("button", { name: `Actions of ${NUMBER}` }));
      await press(tab.getByRole("menuitem", { name: "Attach" }));
      await press(tab.getByRole("button", { name: "Attach", exact: true }));
      await number.getByText(/^.answers calls$/).waitFor();
      await press(number.getByRole("button", { name: `Actions of ${NUMBER}` }));
      await press(tab.getByRole("menuitem", { name: "Have a person call it" }));
      await tab.getByLabel("What the person says").fill("");
      faults.test = await accessibilityFaults(tab);
      await press(tab.getByRole("button", { name: "Call", exact: true }));
      await number.getByText(/, ended/).waitFor();
      await press(number.getByText("Addresses that the carrier calls"));
      await number.getByRole("textbox", { name: "For incoming calls (voice)" }).waitFor();
      faults.attached = await accessibilityFaults(tab);

      await press(number.getByRole("button", { name: `Actions of ${NUMBER}` }));
      await press(tab.getByRole("menuitem", { name: "Call someone from it" }));
      await tab.getByLabel("Number to call").fill("112");
      await press(tab.getByRole("button", { name: "Call", exact: true }));
      await tab.getByRole("dialog").getByRole("alert").getByText("invalid_request").waitFor();
      faults.call = await accessibilityFaults(tab);
      await tab.getByLabel("Number to call").fill("+1 202 555-0143");
      await press(tab.getByRole("button", { name: "Call", exact: true }));
      await tab.getByText(`${NUMBER} → ${PEOPLE.busy}`).waitFor();
      await tab.goBack();

      await press(number.getByRole("button", { name: `Actions of ${NUMBER}` }));
      await press(tab.getByRole("menuitem", { name: "Detach" }));
      await press(tab.getByRole("button", { name: "Detach", exact: true }));
      await number.getByText(/^.not attached$/).waitFor();
      await press(number.getByRole("button", { name: "Close" }));
      await press(tab.getByRole("button", { name: `More actions of ${CARRIER}` }));
      await press(tab.getByRole("menuitem", { name: "Change" }));
      await tab.getByLabel("Countries that are called").fill("Germany");
      await press(tab.getByRole("button", { name: "Save" }));
      await tab.getByText(/^entry 1 must be a country as two capital letters/).waitFor();
      await tab.getByLabel("Countries that are called").fill("US, CA");
      await press(tab.getByRole("button", { name: "Save" }));
      await tab.getByText("US, CA").waitFor();
    });
    const none = { empty: [], carrier: [], number: [], change: [], test: [], attached: [], call: [] };
    expect(faults).toEqual(none);
    expect(errors.filter((text) => !/40[01]/.test(text))).toEqual([]);
  });

  test("the page fits a telephone; a viewer sees numbers and no carrier", async () => {
    const viewport = { width: 390, height: 844 };
    const faults: string[] = [];
    const widths: number[] = [];
    const look = async (tab: Parameters<Parameters<typeof inDashboard>[3]>[0]): Promise<void> => {
      widths.push(await tab.evaluate<number>("document.documentElement.scrollWidth"));
      faults.push(...(await accessibilityFaults(tab)));
    };
    await inDashboard(
      service,
      "numbers",
      owner,
      async (tab) => {
        await press(tab.getByRole("table", { name: "Numbers" }).getByRole("link", { name: NUMBER, exact: true }));
        await tab.getByRole("region", { name: "Number", exact: true }).getByText("Latest call in").waitFor();
        await look(tab);
      },
      { viewport },
    );
    const viewer = await makePerson(service, "viewer");
    await inDashboard(
      service,
      "numbers",
      viewer,
      async (tab) => {
        await tab.getByRole("table", { name: "Numbers" }).waitFor();
        expect(await tab.getByRole("button", { name: /^Actions/ }).count()).toBe(0);
        expect(await tab.getByRole("heading", { name: "Carriers", exact: true }).count()).toBe(0);
        await look(tab);
      },
      { viewport },
    );
    expect([faults, Math.max(...widths)]).toEqual([[], 390]);
  });
});
