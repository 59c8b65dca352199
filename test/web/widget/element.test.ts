import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TrunklineAgent } from "../../../web/widget/element.ts";
import { settled } from "../../support/manual-clock.ts";
import { type FakeBrowser, fakeBrowser } from "../../support/web/fake-browser.ts";

const ATTRIBUTES: Readonly<Record<string, string>> = {
  layout: "headless",
  microphone: "off",
  "session-url": "/session",
};

let browser: FakeBrowser;
let agent: TrunklineAgent;
/** The types of its events, with the code of errors, in order. */
let events: string[];

/** A headless widget in a page whose server has made the call. */
beforeEach(async () => {
  browser = fakeBrowser();
  events = [];
  class PageElement extends EventTarget {
    getAttribute = (name: string): string | null => ATTRIBUTES[name] ?? null;
    override dispatchEvent(event: CustomEvent): boolean {
      events.push(event.type === "trunkline-error" ? `error ${event.detail.code}` : event.type);
      return true;
    }
  }
  vi.stubGlobal("HTMLElement", PageElement);
  vi.stubGlobal("WORKLET_FILE", "worklet.js");
  vi.stubGlobal("document", { baseURI: "https://shop.example" });
  vi.stubGlobal("fetch", async () => Response.json({ websocketUrl: "wss://voice.example/api/v1/stream/t" }));
  const { TrunklineAgent } = await import("../../../web/widget/element.ts");
  agent = new TrunklineAgent();
});
afterEach(() => {
  agent.stop();
  vi.unstubAllGlobals();
  vi.resetModules();
});

async function inCall(): Promise<void> {
  const started = agent.start();
  await vi.waitUntil(() => browser.sockets.length > 0);
  browser.sockets[0]?.isReady();
  await started;
}

test("every event of the call is dispatched on the element, mark among them", async () => {
  await inCall();
  browser.sockets[0]?.tells({ type: "mark", name: "turn_1.0" });
  browser.sockets[0]?.tells({ type: "transcript", role: "agent", text: "Hi", final: false, turnId: "1" });
  browser.sockets[0]?.tells({ type: "ended", reason: "agent_hangup" });
  expect([...new Set(events)]).toEqual([
    ...["trunkline-state", "trunkline-ready", "trunkline-mark", "trunkline-transcript", "trunkline-ended"],
  ]);
});

test("a page answers needs_gesture by resumeAudio, in its own button", async () => {
  await inCall();
  browser.suspend();
  await settled();
  expect(events.at(-1)).toBe("error needs_gesture");
  await expect(agent.resumeAudio()).rejects.toMatchObject({ code: "needs_gesture" });
  browser.isSuspended = false;
  await agent.resumeAudio();
});

test("keys and texts go to the call; without one they are not_connected", async () => {
  expect(() => agent.sendDtmf("1")).toThrow("There is no call at present.");
  await inCall();
  agent.sendDtmf("1");
  agent.sendText("hello");
  expect(browser.sockets[0]?.sent).toEqual([
    { type: "dtmf", digit: "1" },
    { type: "text", text: "hello" },
  ]);
});

test("devices are chosen in the call, and before it for all calls; what fails is an event", async () => {
  await agent.setOutputDevice("headset");
  await agent.setInputDevice("headset");
  expect(events).toEqual([]);
  await inCall();
  await settled();
  expect(events).toContain("error not_supported");
  await expect(agent.setInputDevice("other")).rejects.toMatchObject({ code: "no_microphone" });
  expect(events.at(-1)).toBe("error no_microphone");
});
