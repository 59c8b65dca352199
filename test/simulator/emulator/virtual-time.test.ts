import { describe, expect, test } from "vitest";
import { CarrierEmulator } from "../../../src/simulator/emulator/emulator.ts";
import { PERSON_DEFAULT, type Scenario } from "../../../src/simulator/emulator/scenario.ts";
import type { SendWebhook } from "../../../src/simulator/emulator/webhook-sender.ts";
import { ManualClock } from "../../support/manual-clock.ts";

// Whole calls without a socket: the clock is the test's, and so is the customer.

const [NUMBER, PERSON, TARGET] = ["+12025550187", "+12025550142", "+12025550143"];
const VOICE = "http://customer.test/voice";
const DIAL = 'Dial action="http://customer.test/result" timeout="20"';
const DOCUMENTS = {
  twilio: `<Response><Say>One moment.</Say><${DIAL}>${TARGET}</Dial></Response>`,
  plivo: `<Response><Speak>One moment.</Speak><${DIAL}><Number>12025550143</Number></Dial></Response>`,
} as const;

/** An inbound call that is transferred, and what the customer received of it, with its times. */
async function transferredCall(carrier: keyof typeof DOCUMENTS, scenario: Partial<Scenario>) {
  const clock = new ManualClock();
  const received: { atMs: number; path: string; body: string }[] = [];
  const send: SendWebhook = async (url, { body = "" }) => {
    received.push({ atMs: Number(clock.nowMs()), path: new URL(url).pathname, body });
    const document = url === VOICE ? DOCUMENTS[carrier] : "<Response/>";
    return { status: 200, contentType: "text/xml", body: document };
  };
  const emulator = new CarrierEmulator({ carrier, clock, send, numbers: [NUMBER], scenario });
  emulator.setWebhooks(NUMBER, { voiceUrl: VOICE, statusUrl: "http://customer.test/status" });
  const leg = emulator.call({ from: PERSON, to: NUMBER });
  await clock.play(120_000);
  return { received, leg, legs: emulator.network.legs, clock };
}

describe.each(["twilio", "plivo"] as const)("%s", (carrier) => {
  test.each([
    ["busy", { does: "busy" }, 0],
    ["silent until the ring time-out", { does: "no_answer" }, 20],
    ["there for a minute", { does: "answer", hangsUpAfterMs: 60_000 }, 60],
  ] as const)("a call that is transferred to someone who is %s asks afterwards what to do, and ends", async (_, plan, seconds) => {
    const { received, leg, clock } = await transferredCall(carrier, { people: { [TARGET]: [plan] } });
    expect(received.map(({ path }) => path)).toEqual(["/voice", "/result", "/status"]);
    expect(leg).toMatchObject({ state: "ended", cause: "completed", endedBy: "account" });
    // After the speech of 0.7 s, and less than a second until it rings and is answered.
    expect(received[1]?.atMs).toBeGreaterThan(seconds * 1_000);
    expect(received[1]?.atMs).toBeLessThan(seconds * 1_000 + 1_500);
    expect(clock.pending).toBe(0);
  });

  test("a caller who hangs up while the target rings ends both legs, and the customer is asked all the same", async () => {
    const { received, legs } = await transferredCall(carrier, {
      people: { [TARGET]: [{ does: "no_answer" }] },
      person: { ...PERSON_DEFAULT, hangsUpAfterMs: 5_000 },
    });
    expect(legs.map(({ cause }) => cause)).toEqual(["completed", "canceled"]);
    expect(received.map(({ path }) => path)).toContain("/result");
  });

  test("the same seed gives the same webhooks, byte by byte, and another one other ids", async () => {
    const [first, again, other] = await Promise.all([3, 3, 4].map((seed) => transferredCall(carrier, { seed })));
    expect(first?.received).toEqual(again?.received);
    expect(first?.received).not.toEqual(other?.received);
  });
});

test.each([
  ["twilio", "SipHeader_X-Customer=17"],
  ["telnyx", '"custom_headers":[{"name":"X-Customer","value":"17"}]'],
  ["plivo", "X-PH-X-Customer=17"],
] as const)("%s passes the SIP headers of a caller on as %s", async (carrier, expected) => {
  const bodies: string[] = [];
  const send: SendWebhook = async (_, { body = "" }) => {
    bodies.push(body);
    return { status: 200, contentType: "text/xml", body: "<Response/>" };
  };
  const clock = new ManualClock();
  const emulator = new CarrierEmulator({ carrier, clock, send, numbers: [NUMBER] });
  emulator.setWebhooks(NUMBER, { voiceUrl: VOICE });
  emulator.call({ from: PERSON, to: NUMBER }, { headers: { "X-Customer": "17" } });
  await clock.play(100);
  expect(bodies[0]).toContain(expected);
});

test("telnyx sends an event that is not answered with 2xx again, with the same id", async () => {
  const sent: { atMs: number; id: string }[] = [];
  const clock = new ManualClock();
  const send: SendWebhook = async (_, { body = "" }) => {
    sent.push({ atMs: Number(clock.nowMs()), id: (JSON.parse(body) as { data: { id: string } }).data.id });
    return { status: sent.length === 1 ? 500 : 200, contentType: "", body: "" };
  };
  const emulator = new CarrierEmulator({ carrier: "telnyx", clock, send, numbers: [NUMBER] });
  emulator.setWebhooks(NUMBER, { voiceUrl: VOICE });
  emulator.call({ from: PERSON, to: NUMBER });
  await clock.play(10_000);
  expect(sent.map(({ atMs }) => atMs)).toEqual([0, 1_000]);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
});
