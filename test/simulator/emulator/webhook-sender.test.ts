import { describe, expect, test } from "vitest";
import { webhookAddress } from "../../../src/simulator/emulator/connection-overrides.ts";
import type { WebhookKind, WebhookRule } from "../../../src/simulator/emulator/scenario.ts";
import { type SendWebhook, type Webhook, WebhookSender } from "../../../src/simulator/emulator/webhook-sender.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const webhook = (kind: WebhookKind, body: string, callId = "call"): Webhook => ({
  kind,
  callId,
  url: "http://127.0.0.1/hook",
  method: "POST",
  request: () => ({ headers: {}, body }),
});

/** A sender whose requests are recorded with their time, and answered with `statuses`, then with 200. */
function makeSender(
  rules: readonly WebhookRule[] = [],
  statuses: (number | "none")[] = [],
  retryAfterMs: readonly number[] = [],
) {
  const clock = new ManualClock();
  const sent: string[] = [];
  const send: SendWebhook = async (_, { body = "" }, signal) => {
    sent.push(`${Number(clock.nowMs())} ${body}`);
    const status = statuses.shift() ?? 200;
    if (status === "none")
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    return { status: Number(status), contentType: "text/xml", body: `answer to ${body}` };
  };
  const sender = new WebhookSender({ clock, send, rules, retryAfterMs, timeoutMs: 15_000 });
  return { clock, sender, sent };
}

test("the webhooks of one call are sent one after the other, even when one is answered late", async () => {
  const { clock, sender, sent } = makeSender([], ["none"]);
  sender.notify(webhook("ringing", "1"));
  sender.notify(webhook("answered", "2"));
  sender.notify(webhook("ringing", "of another call", "other"));
  await clock.play(20_000);
  expect(sent).toEqual(["0 1", "0 of another call", "15000 2"]);
});

test.each([
  ["late", { does: "late", delayMs: 300, kind: "ringing" }, ["0 2", "300 1"]],
  ["twice", { does: "twice", kind: "ringing" }, ["0 1", "0 1", "0 2"]],
  ["lost", { does: "lost", kind: "ringing" }, ["0 2"]],
  ["after the next one", { does: "after_next", kind: "ringing" }, ["0 2", "0 1"]],
  ["as usual, because the rule is for another kind", { does: "lost", kind: "ended" }, ["0 1", "0 2"]],
] as const)("a webhook may be sent %s", async (_, rule, expected) => {
  const { clock, sender, sent } = makeSender([rule]);
  sender.notify(webhook("ringing", "1"));
  sender.notify(webhook("answered", "2"));
  await clock.play(1_000);
  expect(sent).toEqual(expected);
});

test("a rule holds as often as it says", async () => {
  const { clock, sender, sent } = makeSender([{ does: "lost", times: 1 }]);
  sender.notify(webhook("ringing", "1"));
  sender.notify(webhook("answered", "2"));
  sender.addRule({ does: "lost", kind: "ended", times: 1 });
  sender.notify(webhook("ended", "3"));
  await clock.play(1_000);
  expect(sent).toEqual(["0 2"]);
  expect(sender.sent.map(({ status }) => status)).toEqual([-1, -1, 200]);
});

describe("a webhook that asks for a document", () => {
  test("gets the answer", async () => {
    const { sender } = makeSender();
    expect((await sender.ask(webhook("incoming", "1")))?.body).toBe("answer to 1");
  });

  test("that is sent twice gets the first answer", async () => {
    const { sender, sent } = makeSender([{ does: "twice" }], [200, 500]);
    expect((await sender.ask(webhook("incoming", "1")))?.status).toBe(200);
    expect(sent).toEqual(["0 1", "0 1"]);
  });

  test("is sent again as often as the carrier does it", async () => {
    const { clock, sender, sent } = makeSender([], [500, 404, 503], [1_000, 2_000]);
    expect(await clock.drive(sender.ask(webhook("incoming", "1")))).toBeUndefined();
    expect(sent).toEqual(["0 1", "1000 1", "3000 1"]);
  });

  test.each([
    ["#rc=2&rp=all", [500, 404, 200], ["0 1", "1000 1", "2000 1"]],
    ["#rc=1&rp=5xx,ct", [500, 500, 200], ["0 1", "1000 1"]],
    ["#rc=5&rp=5xx", [404, 200], ["0 1"]],
    ["#rc=5", [500, 200], ["0 1"]],
    ["#rc=9&rp=all", [500, 500, 500, 500, 500, 500, 200], [0, 1, 2, 3, 4, 5].map((s) => `${s * 1_000} 1`)],
    ["", [500, 500, 200], ["0 1", "100 1"]],
  ])("and whose address ends with %j is sent again as that says: after %j at %j", async (fragment, statuses, expected) => {
    const { clock, sender, sent } = makeSender([], statuses, [100]);
    const { url, ...retries } = webhookAddress(`http://127.0.0.1/hook${fragment}`);
    expect(url).toBe("http://127.0.0.1/hook");
    await clock.drive(sender.ask({ ...webhook("incoming", "1"), ...retries }));
    expect(sent).toEqual(expected);
  });

  test("gets nothing when it is lost, or not answered in time", async () => {
    const lost = makeSender([{ does: "lost" }]);
    expect(await lost.sender.ask(webhook("incoming", "1"))).toBeUndefined();
    const silent = makeSender([], ["none"]);
    expect(await silent.clock.drive(silent.sender.ask(webhook("incoming", "1")), 1_000)).toBeUndefined();
    expect(silent.sender.sent).toMatchObject([{ status: 0 }]);
  });

  test("lets those go that waited for the next one of their call", async () => {
    const { clock, sender, sent } = makeSender([{ does: "after_next", kind: "initiated" }]);
    sender.notify(webhook("initiated", "1"));
    await sender.ask(webhook("answered", "2"));
    await clock.play(1);
    expect(sent).toEqual(["0 2", "0 1"]);
  });
});
