import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { TrunklineClient } from "#client";
import { hasChromium } from "../../support/network/chromium.ts";
import { agentText, Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { adminClientOf, BOOK, spoken } from "../../support/web/page-calls.ts";
import { originOf, SdkPage, UNPROCESSED } from "../../support/web/sdk-page.ts";

const GREETING = "Hello Kim, this is the bakery.";
/** Of several seconds, which a test interrupts. */
const LONG_GREETING = `${GREETING} We have rye bread, wheat bread, rolls, cakes, pies, biscuits and tarts, on each day of the week but Monday.`;
const ANSWER = "The bakery is open from eight to six.";
const TEST_MS_MAX = 60_000;

let service: Service;
/** With the scope `admin`, as the setup of a publishable key needs it. */
let adminClient: TrunklineClient;
let sdk: SdkPage;
beforeAll(async () => {
  service = await Service.start();
  adminClient = await adminClientOf(service);
});
afterEach(() => sdk?.close());

interface AgentOptions {
  greeting?: string;
  limits?: object;
  tools?: (typeof BOOK)[];
}

/** An agent, and a publishable key for pages of this origin. */
async function sessionFor(origin: string, { greeting = GREETING, limits = {}, tools = [] }: AgentOptions = {}) {
  const agent = await adminClient.post("/agents", {
    body: {
      name: "Shop",
      basePrompt: `${ANSWER} It is closed on Monday.`,
      languageId: "en-US",
      voiceId: "reference/gmw/en-US",
      callSettings: {
        interruptible: true,
        greeting: greeting.replace("Kim", "{{visitor}}"),
        selectedTools: [{ toolName: "hang_up" }, ...tools.map((definition) => ({ definition }))],
      },
      variables: [{ name: "visitor", type: "string", default: "there" }],
    },
  });
  const { key } = await adminClient.post("/publishable-keys", {
    body: {
      name: "shop",
      agentIds: [agent.id],
      origins: [origin],
      limits: { startsPerMinutePerAddress: 100, ...limits },
    },
  });
  const variables = { visitor: "Kim" };
  return { session: { apiUrl: service.apiUrl, agentId: agent.id, publishableKey: key, variables } };
}

type Scene = AgentOptions & Omit<Parameters<typeof SdkPage.open>[0], "connect">;

/** A page that may call the service, and the session of its calls. */
async function scene(options: Scene = {}): Promise<object> {
  const server = await SdkPage.serve();
  const source = await sessionFor(originOf(server), options);
  sdk = await SdkPage.open({ ...options, source, connect: [service.apiUrl, service.mediaUrl] }, server);
  return source;
}

const agentSays = (text: string) =>
  sdk.event("transcript", `event.final && event.role === "agent" && event.text.includes("${text}")`);
const callId = () => sdk.run<string>("page.call.callId");

describe.skipIf(!hasChromium)(
  "the browser SDK with the service",
  { retry: ifMachineStalled, timeout: TEST_MS_MAX },
  () => {
    test("the greeting is heard, a spoken question is answered, and stop hangs up", async () => {
      const source = await scene({ microphone: await spoken("When is the bakery open?", 4_500) });
      expect(await sdk.start(source, { audio: UNPROCESSED })).toBe("started");
      await agentSays(GREETING);
      await sdk.event(
        "transcript",
        `event.final && event.role === "user" && event.text === "When is the bakery open?"`,
      );
      await agentSays("open from eight to six");
      const volumes = await sdk.events("volume");
      expect(volumes.filter(({ output }) => Number(output) > 0.4).length).toBeGreaterThan(30);
      expect(volumes.filter(({ input }) => Number(input) > 0.4).length).toBeGreaterThan(10);
      const states = (await sdk.events("state")).map(({ state }) => state);
      expect(states.slice(0, 3)).toEqual(["connecting", "listening", "speaking"]);
      expect(states).toContain("thinking");
      expect(await sdk.events("ready")).toMatchObject([{ callId: await callId(), transport: "websocket" }]);
      const id = await callId();
      await sdk.run("page.call.stop()");
      expect(await service.ended(id)).toMatchObject({ endReason: "caller_hangup", transcriptComplete: true });
      expect(agentText(await service.transcript(id))).toBe(`${GREETING} ${ANSWER}`);
      expect(await sdk.events("ended")).toMatchObject([{ reason: "caller_hangup" }]);
      expect(await sdk.run("page.call.state")).toBe("ended");
      expect(sdk.errors).toEqual([]);
    });

    test("the caller's words stop the agent, and no more of its answer is heard", async () => {
      const source = await scene({
        greeting: LONG_GREETING,
        microphone: await spoken("When is the bakery open?", 3_000),
      });
      expect(await sdk.start(source, { audio: UNPROCESSED })).toBe("started");
      const interrupted = await sdk.event("transcript", `event.final && event.role === "agent"`);
      expect(interrupted.text).toMatch(/^Hello Kim/);
      expect(String(interrupted.text).length).toBeLessThan(LONG_GREETING.length - 20);
      await agentSays("open from eight to six");
      expect(sdk.errors).toEqual([]);
    });

    test("without a microphone the caller types, interrupts, presses keys, and a tool of the page runs", async () => {
      const source = await scene({ greeting: LONG_GREETING, devices: "none", tools: [BOOK] });
      const options = { microphone: false, transport: "websocket" };
      await sdk.run(`void page.open(${JSON.stringify(source)}, ${JSON.stringify(options)}).registerTool("book_table", ({ people }) => {
      page.booked = people;
      return { message: "A table for " + people + " is booked." };
    })`);
      expect(await sdk.run("page.again()")).toBe("started");
      const speaking = await sdk.event("volume", "event.output > 0.4");
      await sdk.event("volume", `event.atMs > ${speaking.atMs + 2_000}`);
      await sdk.run(`page.call.sendText("I would like to book a table for four people.")`);
      await agentSays("A table for 4 is booked");
      expect(await sdk.run("page.booked")).toBe(4);
      const stopped = await sdk.event(
        "transcript",
        `event.final && event.role === "agent" && event.text.startsWith("Hello")`,
      );
      expect(String(stopped.text).length).toBeLessThan(LONG_GREETING.length - 20);
      await sdk.run(`page.call.sendDtmf("12#")`);
      await sdk.event("transcript", `event.final && event.role === "user" && event.text === "DTMF: 12"`);
      await sdk.run(`page.call.sendText("Goodbye.")`);
      expect(await sdk.event("ended")).toMatchObject({ reason: "agent_hangup" });
      expect(await sdk.events("error")).toEqual([]);
      expect(sdk.errors).toEqual([]);
    });

    test("a muted caller is not heard, and sees it", async () => {
      const source = await scene({ microphone: await spoken("When is the bakery open?", 4_500) });
      await sdk.run(`page.open(${JSON.stringify(source)}, ${JSON.stringify({ audio: UNPROCESSED })}).setMuted(true)`);
      expect(await sdk.run("page.again()")).toBe("started");
      expect(await sdk.run("page.call.muted")).toBe(true);
      const { atMs } = await sdk.event("volume");
      await sdk.event("volume", `event.atMs > ${atMs + 9_000}`);
      const inputs = (await sdk.events("volume")).map(({ input }) => input);
      expect(inputs.filter((input) => input !== 0)).toEqual([]);
      expect((await sdk.events("transcript")).filter(({ role }) => role === "user")).toEqual([]);
      expect(await sdk.events("error")).toEqual([]);
    });

    test("a refused microphone and a missing one are errors that people understand, and cost no call", async () => {
      const source = await scene({ devices: "refused" });
      expect(await sdk.start(source)).toBe(
        "TrunklineCallError microphone_refused: The microphone is blocked. " +
          "Allow it for this page in the browser's settings, then try again.",
      );
      expect(await sdk.events("error")).toMatchObject([{ code: "microphone_refused", fatal: true }]);
      expect(await sdk.run("page.call.state")).toBe("idle");
      await sdk.close();
      const other = await scene({ devices: "none" });
      expect(await sdk.start(other)).toContain("no_microphone: No microphone was found.");
      const { body } = await service.api<{ data: { status: string }[] }>("GET", "/calls?status=created");
      expect(body.data).toEqual([]);
    });

    test("devices are listed, and changed while the call lasts", async () => {
      const source = await scene();
      expect(await sdk.start(source)).toBe("started");
      const { inputs, outputs } =
        await sdk.run<Record<"inputs" | "outputs", { id: string; label: string }[]>>("page.call.listDevices()");
      expect(inputs.length).toBeGreaterThan(1);
      expect(inputs.every(({ label }) => label !== "")).toBe(true);
      await sdk.run(`page.call.setInputDevice("${inputs.at(-1)?.id}")`);
      const { atMs } = await sdk.event("volume");
      await sdk.event("volume", `event.atMs > ${atMs} + 500 && event.input > 0.2`);
      if (outputs.length > 0) await sdk.run(`page.call.setOutputDevice("${outputs.at(-1)?.id}")`);
      expect(await sdk.events("error")).toEqual([]);
      const failed = await sdk.run<string>(`page.call.setInputDevice("none").catch(({ code }) => code)`);
      expect(failed).toBe("no_microphone");
      expect(await sdk.events("error")).toMatchObject([{ code: "no_microphone", fatal: false }]);
    });

    test("an address that has expired, or was used, is an error", async () => {
      await scene({ devices: "none" });
      const { websocketUrl: url } = await service.createCall({ connectionType: "websocket" });
      expect(await sdk.start({ url }, { microphone: false })).toBe("started");
      await sdk.run("page.call.stop()");
      expect(await sdk.start({ url }, { microphone: false })).toContain("TrunklineCallError url_expired");
      expect(await sdk.events("error")).toMatchObject([{ code: "url_expired", fatal: true }]);
      expect(await sdk.events("ended")).toMatchObject([{ reason: "url_expired" }]);
      expect(await sdk.run("page.again()")).toContain("already_started");
    });

    test("a limit of starts is an error", async () => {
      const source = await scene({ devices: "none", limits: { startsPerMinute: 2 } });
      expect(await sdk.start(source, { microphone: false })).toBe("started");
      await sdk.run("page.call.stop()");
      expect(await sdk.start(source, { microphone: false })).toContain("TrunklineCallError rate_limited");
      expect(await sdk.run("page.call.state")).toBe("idle");
    });

    test("a service that dies is an error, and the call is over", async () => {
      const dying = await Service.start();
      sdk = await SdkPage.open({ devices: "none", connect: [dying.mediaUrl] });
      const { websocketUrl: url } = await dying.createCall({ connectionType: "websocket" });
      expect(await sdk.start({ url }, { microphone: false })).toBe("started");
      await dying.process.kill();
      expect(await sdk.event("ended")).toMatchObject({ reason: "connection_lost" });
      expect(await sdk.events("error")).toMatchObject([{ code: "connection_lost", fatal: true }]);
    });

    test("a service that stops ends the call with its reason, and an error that people understand", async () => {
      const stopping = await Service.start({ env: { DRAIN_MS: "500" } });
      sdk = await SdkPage.open({ devices: "none", connect: [stopping.mediaUrl] });
      const { websocketUrl: url } = await stopping.createCall({ connectionType: "websocket" });
      expect(await sdk.start({ url }, { microphone: false })).toBe("started");
      await stopping.stop();
      expect(await sdk.event("ended")).toMatchObject({ reason: "drain_timeout" });
      expect(await sdk.events("error")).toMatchObject([{ code: "service_unavailable", fatal: true }]);
    });

    test("a page that is closed hangs up", async () => {
      const source = await scene({ devices: "none" });
      expect(await sdk.start(source, { microphone: false })).toBe("started");
      const id = await callId();
      await sdk.page.goto("about:blank");
      expect(await service.ended(id)).toMatchObject({ endReason: "caller_hangup" });
    });

    test("a browser that wants a gesture says so, and the same call starts with one", async () => {
      // Nothing may be evaluated before: the browser takes that for a gesture.
      await scene({ devices: "none", autoplay: false, automatic: { microphone: false } });
      await until("the start to fail", 15_000, () => sdk.outcomes.length > 0);
      expect(sdk.outcomes[0]).toContain("TrunklineCallError needs_gesture");
      await sdk.page.getByRole("button").click();
      await until("the call to start", 15_000, () => sdk.outcomes.length > 1);
      expect(sdk.outcomes[1]).toBe("started");
      expect(await sdk.run("page.call.state")).not.toBe("idle");
    });
  },
);
