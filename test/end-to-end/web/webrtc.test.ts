import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { RawCaller } from "../../callers/raw-caller.ts";
import { hasChromium, inChromium } from "../../support/network/chromium.ts";
import { agentText, type Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import {
  ANSWER,
  type BakeryAgent,
  type BakeryService,
  GREETING,
  newestCall,
  QUESTION,
  sessionFor,
  startBakery,
} from "../../support/web/bakery-service.ts";
import { customerPage, shopWith } from "../../support/web/customer-page.ts";
import { BOOK, spoken } from "../../support/web/page-calls.ts";
import { originOf, SdkPage, UNPROCESSED } from "../../support/web/sdk-page.ts";

/** Of several seconds, in which something happens. */
const LONG_GREETING = `${GREETING} We have rye bread, wheat bread, rolls, cakes, pies, biscuits and tarts. We bake them on each day of the week. On Sunday there are cakes alone.`;
const TEST_MS_MAX = 90_000;
/** What the SDK, or the service, waits for RTP that does not come. */
const FALLBACK_MS_MAX = 30_000;
/** How long a page tries to open a lost call again, and somewhat more. */
const LOST_MS_MAX = 25_000;

let scenery: BakeryService;
let service: Service;
let sdk: SdkPage;
beforeAll(async () => {
  scenery = await startBakery("42000-42015");
  service = scenery.service;
});
afterEach(() => sdk?.close());

type SceneOptions = BakeryAgent & Omit<Parameters<typeof SdkPage.open>[0], "connect">;

/** A page that may call the service, and the session of its calls. */
async function scene(options: SceneOptions = {}, at = scenery): Promise<object> {
  const server = await SdkPage.serve();
  const session = await sessionFor(at, originOf(server), options);
  sdk = await SdkPage.open({ ...options, connect: [at.service.apiUrl, at.webrtcUrl] }, server);
  return { session };
}

const finalOf = (role: "agent" | "user", condition: string, withinMs?: number) =>
  sdk.event("transcript", `event.final && event.role === "${role}" && (${condition})`, withinMs);
const agentSays = (text: string, withinMs?: number) =>
  finalOf("agent", `event.text.includes(${JSON.stringify(text)})`, withinMs);
const callId = () => sdk.run<string>("page.call.callId");
const transports = async () => (await sdk.events("ready")).map(({ transport }) => transport);
/** The agent is heard from `afterMs` of the page on. */
const heardAfter = (afterMs: number) => sdk.event("volume", `event.atMs > ${afterMs} && event.output > 0.3`);
/** The agent is heard, and has been for a while. */
async function inTheGreeting(): Promise<number> {
  const { atMs } = await sdk.event("volume", "event.output > 0.3");
  return (await sdk.event("volume", `event.atMs > ${atMs + 1_500}`)).atMs;
}

describe.skipIf(!hasChromium)(
  "a call of a browser over WebRTC",
  { retry: ifMachineStalled, timeout: TEST_MS_MAX },
  () => {
    test("the greeting is heard over RTP, a spoken question is answered, and stop hangs up", async () => {
      const source = await scene({ microphone: await spoken(QUESTION, 4_500) });
      expect(await sdk.start(source, { audio: UNPROCESSED })).toBe("started");
      expect(await transports()).toEqual(["rtp"]);
      await finalOf("agent", `event.text === "${GREETING}"`);
      await finalOf("user", `event.text === "${QUESTION}"`);
      await agentSays("open from eight");
      const volumes = await sdk.events("volume");
      expect(volumes.filter(({ output }) => Number(output) > 0.3).length).toBeGreaterThan(20);
      const id = await callId();
      await sdk.run("page.call.stop()");
      expect(await service.ended(id)).toMatchObject({ endReason: "caller_hangup", connectionType: "webrtc" });
      expect(agentText(await service.transcript(id))).toBe(`${GREETING} ${ANSWER}`);
      expect(sdk.errors).toEqual([]);
    });

    test("the caller's words stop the agent, and only its next answer is heard", async () => {
      const source = await scene({ greeting: LONG_GREETING, microphone: await spoken(QUESTION, 3_500) });
      expect(await sdk.start(source, { audio: UNPROCESSED })).toBe("started");
      const interrupted = await finalOf("agent", "true");
      expect(interrupted.text).toMatch(/^Hello, this/);
      expect(String(interrupted.text).length).toBeLessThan(LONG_GREETING.length - 20);
      await heardAfter(interrupted.atMs + 500);
      await agentSays("open from eight to six");
      expect(await transports()).toEqual(["rtp"]);
      expect(sdk.errors).toEqual([]);
    });

    test("where UDP is closed, the call takes place on the socket", async () => {
      // An address of documentation, RFC 5737, from which nothing answers.
      const closed = await startBakery("42016-42017", { WEBRTC_PUBLIC_ADDRESS: "203.0.113.7" });
      const source = await scene({ microphone: await spoken(QUESTION, 13_000) }, closed);
      expect(await sdk.start(source, { audio: UNPROCESSED })).toBe("started");
      expect(await transports()).toEqual(["websocket"]);
      await agentSays(GREETING);
      await heardAfter(0);
      await finalOf("user", `event.text === "${QUESTION}"`, 30_000);
      await agentSays("open from eight to six");
      const id = await callId();
      await sdk.run("page.call.stop()");
      expect(await closed.service.ended(id)).toMatchObject({ endReason: "caller_hangup", connectionType: "webrtc" });
      expect(sdk.errors).toEqual([]);
      await closed.service.stop();
    });

    test("RTP that is lost in the greeting goes on on the socket, without a new token, and no sentence is lost", async () => {
      const source = await scene({ greeting: LONG_GREETING });
      expect(await sdk.start(source, { microphone: false })).toBe("started");
      const lostMs = await inTheGreeting();
      await sdk.run("page.peers.at(-1).close()");
      await sdk.event("ready", `event.transport === "websocket"`, FALLBACK_MS_MAX);
      await heardAfter(lostMs + 500);
      expect((await finalOf("agent", "true", 30_000)).text).toBe(LONG_GREETING);
      await sdk.run(`page.call.sendText("${QUESTION}")`);
      await agentSays("open from eight to six");
      expect(await transports()).toEqual(["rtp", "websocket"]);
      expect(new Set((await sdk.events("ready")).map(({ callId: id }) => id)).size).toBe(1);
      const id = await callId();
      await sdk.run("page.call.stop()");
      await service.ended(id);
      expect(agentText(await service.transcript(id))).toBe(`${LONG_GREETING} ${ANSWER}`);
      expect(sdk.errors).toEqual([]);
    });

    test("a call whose network changes goes on with the same id, and the agent with its words", async () => {
      const source = await scene({ greeting: LONG_GREETING });
      expect(await sdk.start(source, { microphone: false })).toBe("started");
      const id = await callId();
      const lostMs = await inTheGreeting();
      await sdk.run(`window.dispatchEvent(new Event("online"))`);
      await sdk.event("state", `event.state === "reconnecting"`);
      await sdk.event("ready", `event.atMs > ${lostMs}`);
      await heardAfter(lostMs + 500);
      expect((await finalOf("agent", "true", 30_000)).text).toBe(LONG_GREETING);
      expect(await callId()).toBe(id);
      expect(await transports()).toEqual(["rtp", "rtp"]);
      await sdk.run("page.call.stop()");
      expect(await service.ended(id)).toMatchObject({ endReason: "caller_hangup" });
      expect(agentText(await service.transcript(id))).toBe(LONG_GREETING);
      expect(sdk.errors).toEqual([]);
    });

    test("a page that the browser freezes for a while keeps its call, and the caller goes on with it", async () => {
      const source = await scene({ devices: "none" });
      expect(await sdk.start(source, { microphone: false })).toBe("started");
      await agentSays(GREETING);
      const devtools = await sdk.page.context().newCDPSession(sdk.page);
      await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
      await delay(4_000);
      await devtools.send("Page.setWebLifecycleState", { state: "active" });
      await sdk.run(`page.call.sendText("${QUESTION}")`);
      await agentSays("open from eight to six");
      expect(await transports()).toEqual(["rtp"]);
      const id = await callId();
      await sdk.run("page.call.stop()");
      expect(await service.ended(id)).toMatchObject({ endReason: "caller_hangup" });
      expect(sdk.errors).toEqual([]);
    });

    test("a browser that is killed leaves a call that is over once its client could no longer come back", async () => {
      const source = await scene({ devices: "none" });
      expect(await sdk.start(source, { microphone: false })).toBe("started");
      const id = await callId();
      const devtools = await sdk.page.context().browser()?.newBrowserCDPSession();
      const { processInfo = [] } = (await devtools?.send("SystemInfo.getProcessInfo")) ?? {};
      for (const { id: pid } of processInfo) process.kill(pid, "SIGKILL");
      await until("the end of the call", LOST_MS_MAX, async () => (await service.call(id)).status === "ended");
      expect(await service.ended(id)).toMatchObject({ endReason: "connection_lost" });
    });

    test("without a microphone the caller types, interrupts, presses keys, and a tool of the page runs", async () => {
      const source = await scene({ greeting: LONG_GREETING, devices: "none", tools: [BOOK] });
      await sdk.run(`void page.open(${JSON.stringify(source)}, { microphone: false }).registerTool("book_table", ({ people }) => {
        page.booked = people;
        return { message: "A table for " + people + " is booked." };
      })`);
      expect(await sdk.run("page.again()")).toBe("started");
      await inTheGreeting();
      await sdk.run(`page.call.sendText("I would like to book a table for four people.")`);
      await agentSays("A table for 4 is booked");
      expect(await sdk.run("page.booked")).toBe(4);
      const stopped = await finalOf("agent", `event.text.startsWith("Hello")`);
      expect(String(stopped.text).length).toBeLessThan(LONG_GREETING.length - 20);
      await sdk.run(`page.call.sendDtmf("12#")`);
      await finalOf("user", `event.text === "DTMF: 12"`);
      await sdk.run(`page.call.sendText("Goodbye.")`);
      expect(await sdk.event("ended")).toMatchObject({ reason: "agent_hangup" });
      expect(await transports()).toEqual(["rtp"]);
      expect(await sdk.events("error")).toEqual([]);
      expect(sdk.errors).toEqual([]);
    });

    test("a killed worker of WebRTC ends its calls with an error that people understand, and no call of a carrier", async () => {
      const { id: carrierCallId, websocketUrl } = await service.createCall();
      const carrierCall = await RawCaller.startAt(service, websocketUrl);
      carrierCall.sendFrames(10);
      await carrierCall.ws.readFrame();
      const source = await scene({ greeting: LONG_GREETING });
      expect(await sdk.start(source, { microphone: false })).toBe("started");
      const id = await callId();
      await inTheGreeting();
      const workers = () => service.logged("process started").filter(({ role }) => role === "webrtc");
      const killed = workers().length;
      process.kill(workers().at(-1)?.pid as number, "SIGKILL");
      expect(await sdk.event("ended", "true", LOST_MS_MAX)).toMatchObject({ reason: "connection_lost" });
      expect(await sdk.events("error")).toMatchObject([
        { code: "connection_lost", fatal: true, message: "The connection to the call was lost." },
      ]);
      expect(await service.ended(id)).toMatchObject({ endReason: "worker_lost", connectionType: "webrtc" });
      await until("another worker", LOST_MS_MAX, () => workers().length > killed);
      expect(await service.call(carrierCallId)).toMatchObject({ status: "active" });
      expect(await sdk.start(source, { microphone: false })).toBe("started");
      expect(await transports()).toEqual(["rtp"]);
      await heardAfter(0);
      carrierCall.sendFrames(10);
      carrierCall.hangUp();
      expect(await service.ended(carrierCallId)).toMatchObject({ endReason: "caller_hangup" });
    });
  },
);

describe.skipIf(!hasChromium)(
  "a page of the service, over WebRTC",
  { retry: ifMachineStalled, timeout: TEST_MS_MAX },
  () => {
    test("/talk shows a live call, whose agent is heard and answers", async () => {
      const page = await sessionFor(scenery, service.apiUrl);
      const link = `${service.apiUrl}/talk#agent=${page.agentId}&key=${page.publishableKey}`;
      const { errors, elsewhere } = await inChromium(
        link,
        async (tab) => {
          await tab.getByRole("button", { name: "Start talking" }).click();
          const transcript = tab.getByRole("region", { name: "Transcript" });
          await transcript.getByText(GREETING).waitFor();
          await tab.locator(".turn.agent .sentence.heard").getByText(GREETING).waitFor();
          expect(await newestCall(scenery)).toMatchObject({ connectionType: "webrtc", status: "active" });
          await tab.getByLabel("Write to the agent").fill(QUESTION);
          await tab.keyboard.press("Enter");
          await transcript.getByText(ANSWER).waitFor();
          await tab.locator(".turn.agent .sentence.heard").getByText(ANSWER).waitFor();
          await tab.getByRole("button", { name: "End", exact: true }).click();
          await tab.getByText("You ended the call.").waitFor();
        },
        { microphone: "allowed" },
      );
      const { id } = await newestCall(scenery);
      expect(await service.ended(id)).toMatchObject({ endReason: "caller_hangup", connectionType: "webrtc" });
      expect(agentText(await service.transcript(id))).toBe(`${GREETING} ${ANSWER}`);
      expect([errors, elsewhere]).toEqual([[], []]);
    });

    test("the widget holds a call in a page of another origin", async () => {
      let session: Awaited<ReturnType<typeof sessionFor>> | undefined;
      const page = await customerPage({
        contentPolicy: `default-src 'none'; img-src data:; script-src ${service.apiUrl}; connect-src ${service.apiUrl} ${scenery.webrtcUrl}`,
        html: () =>
          shopWith(
            `<trunkline-agent layout="inline" agent-id="${session?.agentId}" publishable-key="${session?.publishableKey}"></trunkline-agent>` +
              `<script type="module" src="${service.apiUrl}/widget/v1.js"></script>`,
          ),
      });
      session = await sessionFor(scenery, page.origin);
      const { errors, elsewhere } = await inChromium(
        page.origin,
        async (tab) => {
          await tab.getByRole("button", { name: "Start the call" }).click();
          await tab.getByText(GREETING).first().waitFor();
          await tab.getByRole("log").getByText(`Agent: ${GREETING}`).waitFor({ state: "attached" });
          expect(await newestCall(scenery)).toMatchObject({ connectionType: "webrtc", status: "active" });
          await tab.evaluate(`document.querySelector("trunkline-agent").sendText(${JSON.stringify(QUESTION)})`);
          await tab.getByRole("region", { name: "Transcript" }).getByText(ANSWER).waitFor();
          await tab.getByRole("status").getByText("Listening").waitFor();
          await tab.getByRole("button", { name: "End the call" }).click();
        },
        { microphone: "allowed", origins: [service.apiUrl] },
      );
      await page.close();
      const { id } = await newestCall(scenery);
      expect(await service.ended(id)).toMatchObject({ endReason: "caller_hangup", connectionType: "webrtc" });
      expect(agentText(await service.transcript(id))).toBe(`${GREETING} ${ANSWER}`);
      expect([errors, elsewhere]).toEqual([[], []]);
    });
  },
);
