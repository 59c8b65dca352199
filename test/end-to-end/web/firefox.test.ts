import { networkInterfaces } from "node:os";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { agentText } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import {
  ANSWER,
  type BakeryAgent,
  type BakeryService,
  newestCall,
  type PageSession,
  QUESTION,
  sessionFor,
  startBakery,
} from "../../support/web/bakery-service.ts";
import { customerPage, shopWith } from "../../support/web/customer-page.ts";
import { type FirefoxOptions, FirefoxTab, hasFirefox } from "../../support/web/firefox.ts";
import { BOOK } from "../../support/web/page-calls.ts";
import { originOf, SdkPage, servePage } from "../../support/web/sdk-page.ts";
import { hasPulseaudio, type SilentLoudspeaker, silentLoudspeaker } from "../../support/web/silent-loudspeaker.ts";

// Three of the journeys that Chromium takes in the other files of this folder, in Debian's Firefox.

const TEST_MS_MAX = 120_000;
const NEEDS = "(only where firefox-esr and pulseaudio are installed)";
const ENTER = "\uE007";

let bakery: BakeryService;
let loudspeaker: SilentLoudspeaker;
let tab: FirefoxTab;
const canRun = hasFirefox && hasPulseaudio;
/** Firefox connects to no loopback address. */
const address = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
beforeAll(async () => {
  if (!canRun) return;
  loudspeaker = await silentLoudspeaker();
  bakery = await startBakery("42020-42029", address === undefined ? {} : { WEBRTC_PUBLIC_ADDRESS: address });
}, TEST_MS_MAX);
afterEach(() => tab?.close(), TEST_MS_MAX);
afterAll(() => loudspeaker?.close());

/** The element with this role that shows or is called this. */
const called = (selector: string, name: string, root = "document"): string =>
  `[...${root}.querySelectorAll("${selector}")].find((each) => (each.getAttribute("aria-label") ?? each.textContent).trim() === ${JSON.stringify(name)})`;
const shows = (text: string, root = "document.body"): string => `${root}.textContent.includes(${JSON.stringify(text)})`;
const event = (type: string, condition = "true"): string =>
  `page.events.find((event) => event.type === "${type}" && (${condition}))`;

/** Opens a page with the SDK; the session is for its calls. */
async function sdkPage(
  agent: BakeryAgent,
  at = bakery,
  sound: FirefoxOptions = loudspeaker,
): Promise<{ session: PageSession; close: () => void }> {
  tab = await FirefoxTab.open(sound);
  const server = await SdkPage.serve();
  const session = await sessionFor(at, originOf(server), agent);
  servePage(server, [at.service.apiUrl, at.webrtcUrl]);
  await tab.goto(originOf(server));
  await tab.until("globalThis.page !== undefined");
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { session, close };
}

const WIDGET = `document.querySelector("trunkline-agent").shadowRoot`;

describe.skipIf(!canRun)("Firefox", { retry: ifMachineStalled, timeout: TEST_MS_MAX }, () => {
  test.skipIf(address === undefined)(
    `holds a call of the SDK over WebRTC: both sides are heard, texts, keys and a tool arrive, and the agent hangs up ${NEEDS}`,
    async () => {
      const { session, close } = await sdkPage({ tools: [BOOK] });
      await tab.run(`void page.open(${JSON.stringify({ session })}, {}).registerTool("book_table", ({ people }) => {
      page.booked = people;
      return { message: "A table for " + people + " is booked." };
    })`);
      expect(await tab.run("page.again()")).toBe("started");
      expect(await tab.run(event("ready"))).toMatchObject({ transport: "rtp" });
      await tab.until(event("volume", "event.output > 0.3"));
      // The browser's own microphone of tests has a tone.
      await tab.until(event("volume", "event.input > 0.1"));
      await tab.run("page.call.setMuted(true)");
      await tab.until(event("transcript", `event.final && event.text.startsWith("Hello")`));
      await tab.run(`page.call.sendText("I would like to book a table for four people.")`);
      await tab.until(event("transcript", `event.final && event.text.includes("A table for 4 is booked")`));
      expect(await tab.run("page.booked")).toBe(4);
      await tab.run(`page.call.sendDtmf("12#")`);
      await tab.until(event("transcript", `event.final && event.text === "DTMF: 12"`));
      await tab.run(`page.call.sendText("Goodbye.")`);
      expect(await tab.until(event("ended"))).toMatchObject({ reason: "agent_hangup" });
      expect(await tab.run(`page.events.filter(({ type }) => type === "error")`)).toEqual([]);
      close();
      expect(tab.errors).toEqual([]);
    },
  );

  test(`that connects to no address of its own machine does not wait for it, and the call takes place on the socket ${NEEDS}`, async () => {
    const local = await startBakery("42030-42035");
    const { session, close } = await sdkPage({}, local);
    const startedMs = await tab.run<number>("performance.now()");
    expect(await tab.run(`page.start(${JSON.stringify({ session })}, { microphone: false })`)).toBe("started");
    const ready = await tab.run<{ atMs: number; transport: string }>(event("ready"));
    expect(ready.transport).toBe("websocket");
    // Without that it would wait for 5 s more than the rest takes.
    expect(ready.atMs - startedMs).toBeLessThan(5_000);
    await tab.until(event("volume", "event.output > 0.3"));
    await tab.run("page.call.stop()");
    close();
    await local.service.stop();
  });

  test(`that has no loudspeaker says so, and asks for no further click ${NEEDS}`, async () => {
    const { session, close } = await sdkPage({}, bakery, { environment: { PULSE_SERVER: "unix:/nowhere" } });
    await tab.click("document.body");
    await tab.until("navigator.userActivation.hasBeenActive");
    const outcome = await tab.run<string>(`page.start(${JSON.stringify({ session })}, { microphone: false })`);
    expect(outcome).toContain("TrunklineCallError no_loudspeaker");
    close();
  });

  test(`shows a live call on /talk, whose agent is heard and answers ${NEEDS}`, async () => {
    const { service } = bakery;
    tab = await FirefoxTab.open(loudspeaker);
    const { agentId, publishableKey } = await sessionFor(bakery, service.apiUrl);
    await tab.goto(`${service.apiUrl}/talk#agent=${agentId}&key=${publishableKey}`);
    await tab.until(called("button", "Start talking"));
    await tab.click(called("button", "Start talking"));
    await tab.until(`document.querySelector(".turn.agent .sentence.heard")?.textContent.startsWith("Hello")`);
    expect(await newestCall(bakery)).toMatchObject({ connectionType: "webrtc", status: "active" });
    await tab.click(called("button", "Mute"));
    await tab.click(`document.querySelector('input[aria-label="Write to the agent"], #message, form input')`);
    await tab.type(QUESTION + ENTER);
    await tab.until(
      `[...document.querySelectorAll(".turn.agent .sentence.heard")].some(({ textContent }) => textContent.includes(${JSON.stringify(ANSWER)}))`,
    );
    await tab.click(called("button", "End"));
    await tab.until(shows("You ended the call."));
    const { id } = await newestCall(bakery);
    expect(await service.ended(id)).toMatchObject({ endReason: "caller_hangup", connectionType: "webrtc" });
    expect(agentText(await service.transcript(id))).toContain(ANSWER);
    expect(tab.errors).toEqual([]);
  });

  test(`holds a call of the widget in a page of another origin under a strict policy ${NEEDS}`, async () => {
    const { service, webrtcUrl } = bakery;
    tab = await FirefoxTab.open(loudspeaker);
    let attributes = "";
    const page = await customerPage({
      contentPolicy: `default-src 'none'; img-src data:; script-src ${service.apiUrl}; connect-src ${service.apiUrl} ${webrtcUrl}`,
      html: () =>
        shopWith(
          `<trunkline-agent layout="inline" ${attributes}></trunkline-agent>` +
            `<script type="module" src="${service.apiUrl}/widget/v1.js"></script>`,
        ),
    });
    const { agentId, publishableKey } = await sessionFor(bakery, page.origin);
    attributes = `agent-id="${agentId}" publishable-key="${publishableKey}"`;
    await tab.goto(page.origin);
    await tab.until(`document.querySelector("trunkline-agent")?.shadowRoot`.concat(" !== null"));
    await tab.until(called("button", "Start the call", WIDGET));
    await tab.click(called("button", "Start the call", WIDGET));
    await tab.until(shows("Hello", `${WIDGET}.querySelector('[role="log"]')`));
    expect(await newestCall(bakery)).toMatchObject({ connectionType: "webrtc", status: "active" });
    await tab.run(`document.querySelector("trunkline-agent").sendText(${JSON.stringify(QUESTION)})`);
    await tab.until(shows(ANSWER, WIDGET));
    await tab.click(called("button", "End the call", WIDGET));
    const { id } = await newestCall(bakery);
    expect(await service.ended(id)).toMatchObject({ endReason: "caller_hangup", connectionType: "webrtc" });
    await page.close();
    expect(tab.errors).toEqual([]);
  });
});
