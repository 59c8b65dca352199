import { expect, onTestFinished, test } from "vitest";
import { CarrierEmulator } from "../../../src/simulator/emulator/emulator.ts";

const [NUMBER, PERSON] = ["+12025550187", "+12025550142"];

async function scene() {
  const emulator = new CarrierEmulator({ carrier: "telnyx", numbers: [NUMBER] });
  const url = await emulator.start();
  onTestFinished(() => emulator.stop());
  emulator.setWebhooks(NUMBER, { voiceUrl: "http://127.0.0.1:9/voice" });
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return { status: response.status, body: isJson ? (JSON.parse(text) as Record<string, unknown>) : text };
  };
  return { emulator, ask };
}

test("a person calls, presses a digit and hangs up", async () => {
  const { emulator, ask } = await scene();
  const created = await ask("POST", "/emulator/calls", { from: PERSON, to: NUMBER, givesUpAfterMs: 60_000 });
  expect(created).toMatchObject({
    status: 201,
    body: { direction: "inbound", from: PERSON, to: NUMBER, state: "ringing" },
  });
  const id = encodeURIComponent((created.body as { id: string }).id);
  const [leg] = emulator.network.legs;
  if (leg !== undefined) emulator.network.answer(leg);
  expect(await ask("POST", `/emulator/calls/${id}/press`, { digit: "5" })).toMatchObject({ status: 200 });
  expect(await ask("POST", `/emulator/calls/${id}/hang-up`)).toMatchObject({
    body: { state: "ended", cause: "completed" },
  });
  expect(await ask("GET", `/emulator/calls/${id}`)).toMatchObject({ body: { endedBy: "person" } });
  expect(await ask("GET", "/emulator/calls")).toMatchObject({ body: { calls: [{ state: "ended" }] } });
});

test("people, faults and webhook rules are set while the emulator runs", async () => {
  const { emulator, ask } = await scene();
  expect(await ask("POST", "/emulator/people", { number: PERSON, does: "busy" })).toMatchObject({ status: 200 });
  expect(emulator.network.dial({ from: NUMBER, to: PERSON, ringMsMax: 1_000 }).person.does).toBe("busy");
  const fault = { kind: "status", status: 429, retryAfterS: 2, endpoint: "calls.dial", times: 1 };
  expect(await ask("POST", "/emulator/faults", fault)).toMatchObject({ status: 201 });
  expect(await ask("GET", "/emulator/faults")).toMatchObject({ body: { faults: [fault] } });
  expect((await ask("DELETE", "/emulator/faults")).status).toBe(204);
  expect(emulator.faults).toEqual([]);
  expect((await ask("POST", "/emulator/webhooks", { does: "lost", kind: "incoming" })).status).toBe(201);
  emulator.call({ from: PERSON, to: NUMBER });
  expect(await ask("GET", "/emulator/webhooks")).toMatchObject({
    body: { webhooks: [{ kind: "incoming", status: -1 }] },
  });
  expect(await ask("GET", "/emulator/requests")).toMatchObject({ body: { requests: [] } });
});

test.each([
  ["POST", "/emulator/calls", { from: PERSON }, 400],
  ["POST", "/emulator/calls", { from: PERSON, to: PERSON }, 404],
  ["POST", "/emulator/calls", { from: PERSON, to: NUMBER, unknown: 1 }, 400],
  ["POST", "/emulator/faults", { kind: "sometimes" }, 400],
  ["POST", "/emulator/webhooks", { does: "early" }, 400],
  ["POST", "/emulator/people", { number: PERSON, does: "sing" }, 400],
  ["GET", "/emulator/calls/unknown", undefined, 404],
  ["GET", "/emulator/unknown", undefined, 404],
] as const)("%s %s with %j gets %i", async (method, path, body, status) => {
  const { ask } = await scene();
  expect((await ask(method, path, body)).status).toBe(status);
});

test("the page shows calls with the legs that they dialled, also without JavaScript, and escapes what others have chosen", async () => {
  const { emulator, ask } = await scene();
  expect((await ask("GET", "/")).body).toContain("No call yet");
  const leg = emulator.call({ from: "<b>anonymous</b>", to: NUMBER });
  emulator.network.dial({ from: NUMBER, to: PERSON, ringMsMax: 1_000, parent: leg });
  const page = (await ask("GET", "/")).body as string;
  expect(page).toContain('<noscript><meta http-equiv="refresh" content="2"></noscript>');
  expect(page).not.toContain("<b>");
  expect(page.indexOf(emulator.callIdOf(leg))).toBeLessThan(page.indexOf("&#8618;"));
});
