import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import type { Step } from "../../../src/simulator/callers/caller.ts";
import { telephone, utterance } from "../../callers/telephone.ts";
import { hasChromium } from "../../support/network/chromium.ts";
import { StallingRelay } from "../../support/network/stalling-relay.ts";
import { Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import { inDashboard, makePerson, type Person } from "../../support/web/dashboard.ts";
import { press } from "../../support/web/keyboard.ts";

const GREETING = "Hello, this is the bakery.";
const PROMPT =
  "We sell rye bread, white bread, rolls, pretzels, plum cake, apple cake, cheese cake and on Fridays a poppy seed cake that people come for from far away.";
/** Long enough for a filler, and for the answer to come after it. */
const TOOL_MS = 3_000;
/** How long nothing arrives from the caller while the tool runs. */
const STALL_MS = 1_200;

let service: Service;
let shop: Server;
let owner: Person;
let callId: string;
let onToolAsked = (): void => {};

beforeAll(async () => {
  if (!hasChromium) return;
  shop = createServer((_request, response) => {
    onToolAsked();
    systemClock.after(TOOL_MS, () =>
      response.setHeader("content-type", "application/json").end('{"state":"on its way"}'),
    );
  });
  await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
  service = await Service.start({ env: { TOOLS_ALLOW_LOOPBACK: "true" } });
  owner = await makePerson(service);
  callId = await explainedCall();
});
afterAll(() => shop?.close());

const lines = ["What do you sell?", "Where is my order A-17?", "Goodbye!"] as const;

/** Two interruptions, a slow tool, and while it runs a stretch in which the network brings nothing from the caller. */
async function explainedCall(): Promise<string> {
  const definition = {
    type: "http",
    name: "order_status",
    description: "Tells where an order is.",
    parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
    http: { method: "GET", url: `http://127.0.0.1:${(shop.address() as AddressInfo).port}/orders/{order}` },
  };
  const { id, websocketUrl } = await service.createCall({
    systemPrompt: PROMPT,
    greeting: GREETING,
    interruptible: true,
    selectedTools: [{ definition }, { toolName: "hang_up" }],
  });
  const [question, order, goodbye] = await Promise.all([utterance(lines[0]), utterance(lines[1]), utterance(lines[2])]);
  const network = await StallingRelay.start(Number(new URL(websocketUrl).port));
  onToolAsked = () => {
    network.stall();
    systemClock.after(STALL_MS, () => network.resume());
  };
  const script: Step[] = [
    { do: "listen" },
    { do: "say", utterance: question },
    { do: "interrupt", afterWords: 5, utterance: order },
    // The filler, and the answer, if there is a pause between them.
    { do: "listen" },
    { do: "listen", atMostMs: 2 * TOOL_MS },
    { do: "say", utterance: question },
    { do: "interrupt", afterWords: 5, utterance: goodbye },
    { do: "await-hang-up" },
  ];
  await telephone(network.through(websocketUrl), script, { hangUpAfterMs: 60_000 });
  network.close();
  await service.withRecording(id);
  return id;
}

const details = (tab: Page) => tab.getByRole("region", { name: "Details" });

describe.skipIf(!hasChromium)("the page of one call", { retry: ifMachineStalled, timeout: 120_000 }, () => {
  test("explains a call with two interruptions, a slow tool and a stall of the network, by pointer and keyboard; axe finds no fault", async () => {
    const faults: Record<string, string[]> = {};
    const { errors, elsewhere } = await inDashboard(service, `calls/${callId}`, owner, async (tab) => {
      await transcriptShowsTheInterruptions(tab);
      faults.delays = await accessibilityFaults(tab);
      await replyShowsItsWaterfall(tab);
      faults.reply = await accessibilityFaults(tab);
      await silenceIsExplained(tab);
      faults.silence = await accessibilityFaults(tab);
      await networkIsExplained(tab);
      faults.network = await accessibilityFaults(tab);
      await eventsAreFiltered(tab);
      faults.events = await accessibilityFaults(tab);
      await recordingIsPlayed(tab);
      await filesAreSaved(tab);
      await press(tab.getByRole("button", { name: "Run", exact: true }));
      await tab.getByRole("status").getByText("identical").waitFor();
    });
    expect(faults).toEqual({ delays: [], reply: [], silence: [], network: [], events: [] });
    // Chromium reports the answer that leads to the sign-in page.
    expect([errors.filter((text) => !text.includes("401")), elsewhere]).toEqual([[], []]);
  });

  test("says that the call was deleted while it was open, and shows nothing of it any more", async () => {
    await inDashboard(service, `calls/${callId}`, owner, async (tab) => {
      await transcriptShowsTheInterruptions(tab);
      expect((await service.api("DELETE", `/calls/${callId}`)).status).toBe(204);
      // As when the tab is looked at again.
      await tab.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await tab.getByText("This call was deleted.").waitFor();
      expect(await tab.getByText(lines[0]).count()).toBe(0);
      await tab.reload();
      await tab.getByText("There is no such call.").waitFor();
    });
  });

  test("shows what is said in a live call as it is said, and that it is over", async () => {
    const { id, websocketUrl } = await service.createCall({ systemPrompt: PROMPT, greeting: GREETING });
    const question = await utterance(lines[0]);
    await inDashboard(service, `calls/${id}`, owner, async (tab) => {
      await tab.getByText("The media stream has not connected yet.").waitFor();
      const call = telephone(websocketUrl, [
        { do: "listen" },
        { do: "say", utterance: question },
        { do: "await-hang-up" },
      ]);
      const transcript = tab.getByRole("region", { name: "What was said" });
      await transcript.getByText(lines[0]).waitFor();
      await tab.getByText("The call is live").waitFor();
      await service.api("POST", `/calls/${id}/end`);
      await call;
      await tab.getByText("The call is live").waitFor({ state: "hidden" });
    });
  });
});

async function transcriptShowsTheInterruptions(tab: Page): Promise<void> {
  const transcript = tab.getByRole("region", { name: "What was said" });
  await transcript.getByText(lines[0]).first().waitFor();
  await transcript.getByText("interrupted").nth(1).waitFor();
  // The end of the sentence was never heard.
  await transcript.locator("del").getByText("from far away.").nth(1).waitFor();
  await transcript.getByText(/Tool order_status: 3\.\d s/).waitFor();
}

async function replyShowsItsWaterfall(tab: Page): Promise<void> {
  await press(tab.getByRole("button", { name: /^Agent at .*: go there$/ }).nth(1));
  const reply = details(tab);
  await reply.getByRole("heading", { name: "Reply 2" }).waitFor();
  await reply.getByText(/cancelled at .*: words/).waitFor();
  for (const step of ["End of turn", "LLM", "TTS, first audio", "Heard"])
    await reply.getByRole("rowheader", { name: step }).first().waitFor();
  await reply.getByText("partly heard").first().waitFor();
  expect(tab.url()).toContain("reply=2");
  await tab.reload();
  await details(tab).getByRole("heading", { name: "Reply 2" }).waitFor();
}

async function silenceIsExplained(tab: Page): Promise<void> {
  await press(tab.getByRole("region", { name: "Silences" }).getByText("Tool running").first());
  const silence = details(tab);
  await silence.getByRole("heading", { name: "Why this silence?" }).waitFor();
  await silence
    .getByText(/The tool order_status ran for 3\.\d s\./)
    .first()
    .waitFor();
  await silence.getByText(/the agent waited \d+ ms \(waitMs\)/).waitFor();
}

/** What the page says of the stall is what the journal says. */
async function networkIsExplained(tab: Page): Promise<void> {
  const { body } = await service.api<{ data: { kind: string; gapMs?: number }[] }>(
    "GET",
    `/calls/${callId}/events?limit=1000`,
  );
  const gaps = body.data.filter(({ kind }) => kind === "audio-gap").map(({ gapMs }) => gapMs ?? 0);
  const longest = Math.max(...gaps);
  expect(longest).toBeGreaterThan(STALL_MS / 2);
  await press(tab.getByRole("tab", { name: "Network" }));
  const stretches = tab.getByRole("list", { name: "Stretches without audio of the caller" });
  await stretches
    .getByText(`No audio of the caller arrived for ${(longest / 1_000).toFixed(1)} s.`)
    .first()
    .waitFor();
}

async function eventsAreFiltered(tab: Page): Promise<void> {
  await press(tab.getByRole("tab", { name: "Events" }));
  await tab.getByLabel("About").selectOption("Tools");
  const events = tab.getByRole("region", { name: "Events" });
  await events.getByText("tool-result").waitFor();
  expect(await events.getByRole("listitem").count()).toBe(2);
  // By the keyboard alone: the row opens, and shows the request.
  await events.getByRole("button", { name: "run-tool" }).focus();
  await tab.keyboard.press("Enter");
  await events.getByText('"order": "A-17"').waitFor();
}

async function recordingIsPlayed(tab: Page): Promise<void> {
  const position = tab.getByLabel("Position");
  await press(tab.getByRole("button", { name: "Play" }));
  await until("the recording to play", 5_000, async () => Number(await position.inputValue()) > 300);
  await press(tab.getByRole("button", { name: "Pause" }));
  const plot = tab.getByRole("application");
  await plot.focus();
  await tab.keyboard.press("+");
  await tab.keyboard.press("ArrowRight");
  await tab.keyboard.press("0");
}

async function filesAreSaved(tab: Page): Promise<void> {
  const [download] = await Promise.all([
    tab.waitForEvent("download"),
    (async () => {
      await press(tab.getByRole("button", { name: "Download" }));
      await press(tab.getByRole("menuitem", { name: "Transcript, text" }));
    })(),
  ]);
  expect(download.suggestedFilename()).toBe(`${callId}.txt`);
}
