import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { ownerLinkPath } from "../../../src/store/data-dir/owner-link.ts";
import { hasChromium, inChromium } from "../../support/network/chromium.ts";
import { builtProgram } from "../../support/services/build.ts";
import { Service, until, withStores } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";

let service: Service;
beforeAll(async () => {
  if (hasChromium) service = await Service.start();
});

/** Another owner link, as the operator makes one. */
const ownerLink = (): string =>
  execFileSync(process.execPath, [builtProgram("cli/admin"), "owner-link", "--data-dir", service.dataDir], {
    env: { ...process.env, API_PORT: new URL(service.apiUrl).port },
    stdio: ["ignore", "pipe", "ignore"],
  })
    .toString()
    .trim();

const promptReady = async (tab: Page): Promise<void> => {
  await tab.getByLabel("Instructions").waitFor();
  // Not by waitForFunction, which the policy of the page forbids.
  await until("the voices to be listed", 10_000, () =>
    tab.evaluate<boolean>("document.querySelector('#voice').options.length > 0"),
  );
};
/** Chromium reports the answer that the service has no WebRTC. */
const withoutWebrtcRefusal = (errors: readonly string[]): string[] => errors.filter((text) => !text.includes("501"));

describe.skipIf(!hasChromium)("the page /talk", { retry: ifMachineStalled, timeout: 90_000 }, () => {
  test("the link of a new service opens the page, on which a prompt is tried in writing; axe finds no fault in any state", async () => {
    const link = readFileSync(ownerLinkPath(service.dataDir), "utf8").trim();
    expect(link.startsWith(`${service.apiUrl}/talk#tlo_`)).toBe(true);
    const faults: Record<string, string[]> = {};
    const { errors, elsewhere } = await inChromium(link, async (tab) => {
      await promptReady(tab);
      expect(tab.url()).toBe(`${service.apiUrl}/talk`);
      faults.prompt = await accessibilityFaults(tab);
      await tab.getByLabel("Instructions").fill("The bakery is closed on Monday.");
      await tab.getByRole("button", { name: "Write instead" }).click();
      const transcript = tab.getByRole("region", { name: "Transcript" });
      await transcript.getByText("How can I help you?").waitFor();
      // The service takes no longer text.
      expect(await tab.getByLabel("Write to the agent").getAttribute("maxlength")).toBe("16384");
      await tab.keyboard.type("When is the bakery closed?");
      await tab.keyboard.press("Enter");
      await transcript.getByText("The bakery is closed on Monday.").waitFor();
      await transcript.getByText(/answered after \d\.\d\d s/).waitFor();
      await tab.getByRole("status").getByText("Listening").waitFor();
      faults.call = await accessibilityFaults(tab);
      expect(
        await tab.locator(".turn.agent .sentence").evaluateAll((all) => all.map(({ className }) => className)),
      ).toEqual(expect.arrayContaining(["sentence heard"]));
      await tab.getByRole("button", { name: "End", exact: true }).click();
      await tab.getByText("You ended the call.").waitFor();
      faults.ended = await accessibilityFaults(tab);
      // The page stays open over a reload, and in another tab of this browser.
      await tab.reload();
      await promptReady(tab);
    });
    expect(Object.entries(faults).map(([state, found]) => [state, ...found].join("\n"))).toEqual([
      "prompt",
      "call",
      "ended",
    ]);
    expect([withoutWebrtcRefusal(errors), elsewhere]).toEqual([[], []]);
    const log = service.process.stdout;
    for (const secret of [link.split("#")[1] ?? "", "tlo_", "tlp_"]) expect(log).not.toContain(secret);
  });

  test("a link that was used says so, and shows what still works", async () => {
    const link = ownerLink();
    await inChromium(link, promptReady);
    await inChromium(link, async (tab) => {
      await tab.getByRole("alert").getByText("This link was used, has expired or was replaced").waitFor();
      await tab.getByText("A prompt", { exact: true }).click();
      await tab.getByText("npm run admin -- owner-link", { exact: true }).waitFor();
      expect(await tab.getByRole("button", { name: "Start talking" }).isVisible()).toBe(false);
      await tab.getByText("A saved agent").click();
      expect(await accessibilityFaults(tab)).toEqual([]);
    });
  });

  test("a saved agent is called by voice with a publishable key that names this page, from the address or the form", async () => {
    const agent = await service.api<{ id: string }>("POST", "/agents", {
      name: "Shop",
      basePrompt: "The bakery is closed on Monday.",
      languageId: "en-US",
      voiceId: "reference/gmw/en-US",
      callSettings: { greeting: "Hello, this is the bakery." },
    });
    const key = (origin: string): Promise<{ key: string }> =>
      withStores(service.dataDir, ({ publishableKeys }, accountId) =>
        publishableKeys.create({
          ...{ accountId, name: "talk", agentIds: [asAgentId(agent.body.id)], origins: [origin] },
          limits: {
            ...{ startsPerMinute: 60, startsPerMinutePerAddress: 60, concurrentCalls: 9, concurrentCallsPerAddress: 9 },
            ...{ maxCostPerDay: null, maxCostPerDayPerAddress: null },
          },
        }),
      );
    const [allowed, other] = [await key(service.apiUrl), await key("https://elsewhere.example")];
    const page = `${service.apiUrl}/talk#agent=${agent.body.id}&key=${other.key}`;
    const { elsewhere } = await inChromium(
      page,
      async (tab) => {
        await tab.getByRole("button", { name: "Start talking" }).click();
        await tab.getByRole("alert").getByText("the header Origin must be an origin of this publishable key").waitFor();
        expect(await accessibilityFaults(tab)).toEqual([]);
        await tab.getByLabel("Publishable key").fill(allowed.key);
        await tab.getByRole("button", { name: "Start talking" }).click();
        await tab.getByRole("region", { name: "Transcript" }).getByText("Hello, this is the bakery.").waitFor();
        await tab.getByRole("button", { name: "Mute", exact: true }).click();
        await tab.getByRole("button", { name: "Unmute" }).waitFor();
        expect(await accessibilityFaults(tab)).toEqual([]);
      },
      { microphone: "allowed", viewport: { width: 360, height: 740 } },
    );
    expect(elsewhere).toEqual([]);
  });

  test("the start page leads here", async () => {
    await inChromium(service.apiUrl, async (tab) => {
      await tab.getByRole("link", { name: "/talk" }).click();
      await tab.getByRole("heading", { name: "Talk to an agent" }).waitFor();
    });
  });
});
