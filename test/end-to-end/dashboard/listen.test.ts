import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { telephone, utterance } from "../../callers/telephone.ts";
import { hasChromium } from "../../support/network/chromium.ts";
import { Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import { inDashboard, makePerson, type Person } from "../../support/web/dashboard.ts";
import { press } from "../../support/web/keyboard.ts";
import { adminClientOf } from "../../support/web/page-calls.ts";

const GREETING =
  "We sell rye bread, white bread, rolls, pretzels, plum cake, apple cake, cheese cake and on Fridays a poppy seed cake that people come for from far away.";

let service: Service;
let editor: Person;
beforeAll(async () => {
  if (!hasChromium) return;
  service = await Service.start();
  // Without an owner there is no dashboard.
  await makePerson(service);
  editor = await makePerson(service, "editor");
});

interface MadeCall {
  id: string;
  /** Connects it, whose agent speaks at first and whose caller stays for a while; resolves when it has ended. */
  begin: () => Promise<unknown>;
}

/** A call that begins when a page is there to listen to it. */
async function madeCall(settings: object = {}): Promise<MadeCall> {
  const { id, websocketUrl } = await service.createCall({ greeting: GREETING, interruptible: true, ...settings });
  const question = await utterance("What do you sell?");
  const script = [{ do: "listen" }, { do: "say", utterance: question }, { do: "await-hang-up" }] as const;
  return { id, begin: () => telephone(websocketUrl, script) };
}

const panel = (tab: Page) => tab.getByRole("region", { name: "Listening" });

async function listenOnLive(tab: Page): Promise<void> {
  await tab.getByText("in progress").first().waitFor();
  await press(tab.getByRole("button", { name: "Actions of the call" }));
  await press(tab.getByRole("menuitem", { name: "Listen" }));
}

/** Notes whether a page asks for a microphone. */
const WATCH_MICROPHONE = `
  window.microphones = 0;
  navigator.mediaDevices.getUserMedia = () => { window.microphones += 1; return Promise.reject(new Error("not now")); };
`;

describe.skipIf(!hasChromium)("listening to a live call", { retry: ifMachineStalled, timeout: 120_000 }, () => {
  const origins = (): string[] => [new URL(service.mediaUrl).origin];

  test("plays both sides with their levels, mutes one, and says that the call is over; the audit log has it", async () => {
    const faults: string[] = [];
    const { id, begin } = await madeCall();
    const { errors, elsewhere } = await inDashboard(
      service,
      "live",
      editor,
      async (tab) => {
        await tab.getByText("waiting for its stream").waitFor();
        await tab.evaluate(WATCH_MICROPHONE);
        const over = begin();
        await listenOnLive(tab);
        await panel(tab).getByText("Listening to").waitFor();
        const agent = panel(tab).getByRole("meter", { name: "Agent, level" });
        await until("the agent's sound", 10_000, async () => Number(await agent.getAttribute("aria-valuenow")) > 20);
        const mute = panel(tab).getByRole("button", { name: "Mute the caller" });
        await press(mute);
        expect(await mute.getAttribute("aria-pressed")).toBe("true");
        faults.push(...(await accessibilityFaults(tab)));
        await service.api("POST", `/calls/${id}/end`);
        await panel(tab).getByText("The call is over.").waitFor();
        expect(await tab.evaluate("window.microphones")).toBe(0);
        await press(panel(tab).getByRole("button", { name: "Close" }));
        expect(await panel(tab).count()).toBe(0);
        await over;
      },
      { origins: origins() },
    );
    expect(faults).toEqual([]);
    expect([errors.filter((text) => !text.includes("401")), elsewhere]).toEqual([[], []]);
    const client = await adminClientOf(service);
    const { data } = await client.get("/audit-events", { query: { action: "call.listened", targetId: id } });
    expect(data).toMatchObject([{ actor: { kind: "user" }, target: { kind: "call", id } }]);
  });

  test("begins on the page of the call, too, and ends when the person stops; the page fits a telephone", async () => {
    const { id, begin } = await madeCall();
    await inDashboard(
      service,
      `calls/${id}`,
      editor,
      async (tab) => {
        await tab.getByText("The media stream has not connected yet.").waitFor();
        const over = begin();
        await press(tab.getByRole("button", { name: "Listen", exact: true }));
        await panel(tab).getByText("Listening to").waitFor();
        expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
        await press(panel(tab).getByRole("button", { name: "Stop listening" }));
        expect(await panel(tab).count()).toBe(0);
        await service.api("POST", `/calls/${id}/end`);
        await over;
      },
      { origins: origins(), viewport: { width: 390, height: 844 } },
    );
  });

  test("a call that is not recorded may not be listened to, and the page says why", async () => {
    const { id, begin } = await madeCall({ recordingEnabled: false });
    await inDashboard(service, "live", editor, async (tab) => {
      await tab.getByText("waiting for its stream").waitFor();
      const over = begin();
      await listenOnLive(tab);
      await panel(tab).getByText("The call has recordingEnabled false: its audio may not be listened to.").waitFor();
      await panel(tab).getByText("What may not be recorded may not be listened to either").waitFor();
      expect(await panel(tab).getByRole("button", { name: "Listen again" }).count()).toBe(0);
      expect(await accessibilityFaults(tab)).toEqual([]);
      await service.api("POST", `/calls/${id}/end`);
      await over;
    });
  });

  test("a viewer is not offered it", async () => {
    const viewer = await makePerson(service, "viewer");
    const { id, begin } = await madeCall();
    await inDashboard(service, `calls/${id}`, viewer, async (tab) => {
      await tab.getByText("The media stream has not connected yet.").waitFor();
      const over = begin();
      await tab.getByText("The call is live").waitFor();
      expect(await tab.getByRole("button", { name: "Listen", exact: true }).count()).toBe(0);
      await service.api("POST", `/calls/${id}/end`);
      await over;
    });
  });
});
