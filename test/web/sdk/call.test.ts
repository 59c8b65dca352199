import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { END_REASONS, SERVICE_FAULT_REASONS } from "../../../src/core/calls/reasons.ts";
import { TrunklineCall } from "../../../web/sdk/src/call.ts";
import { END_ERRORS, ERROR_SENTENCES, TrunklineCallError } from "../../../web/sdk/src/errors.ts";
import type { CallOptions, ErrorDetail } from "../../../web/sdk/src/types.ts";
import { settled } from "../../support/manual-clock.ts";
import { type FakeBrowser, fakeBrowser, openedMicrophone } from "../../support/web/fake-browser.ts";

let browser: FakeBrowser;
let errors: ErrorDetail[];
let ends: string[];
beforeEach(() => {
  browser = fakeBrowser();
  errors = [];
  ends = [];
});
afterEach(() => vi.unstubAllGlobals());

function newCall(options: CallOptions = { microphone: false }): TrunklineCall {
  const call = new TrunklineCall({ url: "wss://voice.example/api/v1/stream/t" }, options);
  call.addEventListener("error", ({ detail }) => errors.push(detail));
  call.addEventListener("ended", ({ detail }) => ends.push(detail.reason));
  return call;
}
async function readyCall(): Promise<TrunklineCall> {
  const call = newCall();
  const started = call.start();
  await settled();
  browser.sockets[0]?.isReady();
  await started;
  return call;
}
const codeOf = (act: () => void): unknown => {
  try {
    act();
  } catch (error) {
    return error instanceof TrunklineCallError ? error.code : error;
  }
  return undefined;
};

describe("a call that the service ends", () => {
  test.each([
    ["drain_timeout", "service_unavailable"],
    ["worker_lost", "service_unavailable"],
    ["provider_error", "service_unavailable"],
    ["unreachable", "unreachable"],
    ["connection_lost", "connection_lost"],
    ["slow_consumer", "connection_lost"],
    ["token_expired", "url_expired"],
    ["audio_flood", "protocol_error"],
  ] as const)("by a fault, %s, has the error %s with its sentence, once", async (reason, code) => {
    await readyCall();
    browser.sockets[0]?.tells({ type: "ended", reason });
    browser.sockets[0]?.isLost({ code: 1_001, reason });
    expect(errors).toMatchObject([{ code, message: ERROR_SENTENCES[code], fatal: true }]);
    expect(ends).toEqual([reason]);
  });

  test.each([
    "agent_hangup",
    "max_duration",
    "inactivity",
    "api_hangup",
  ])("as calls end, %s, has no error", async (reason) => {
    await readyCall();
    browser.sockets[0]?.tells({ type: "ended", reason });
    expect([errors, ends]).toEqual([[], [reason]]);
  });

  test("before it was ready rejects the start with that error", async () => {
    const started = newCall().start();
    await settled();
    browser.sockets[0]?.opens().tells({ type: "ended", reason: "drain_timeout" });
    await expect(started).rejects.toMatchObject({ code: "service_unavailable" });
    expect(ends).toEqual(["drain_timeout"]);
  });

  test("by its own fault has an error, whatever the reason, and no error for a reason that there is not", () => {
    expect(Object.keys(END_ERRORS)).toEqual(expect.arrayContaining([...SERVICE_FAULT_REASONS]));
    expect(END_REASONS).toEqual(expect.arrayContaining(Object.keys(END_ERRORS)));
  });
});

describe("a call of a session", () => {
  const created = (): { calls: number; source: { session: () => Promise<{ websocketUrl: string }> } } => {
    const counted = {
      calls: 0,
      source: {
        session: async () => {
          counted.calls += 1;
          return { websocketUrl: "wss://voice.example/api/v1/stream/t" };
        },
      },
    };
    return counted;
  };

  test.each([
    ["prompt", 0],
    ["denied", 0],
    ["granted", 1],
  ] as const)("with the permission %s is created %i times while the microphone is opened, and once in all", async (permission, early) => {
    let opened = (_stream: unknown): void => {};
    browser.microphone = () =>
      new Promise((resolve) => {
        opened = resolve;
      });
    browser.permission = permission;
    browser.hasGesture = true;
    const counted = created();
    const started = new TrunklineCall(counted.source).start();
    await settled();
    expect([counted.calls, browser.sockets.length]).toEqual([early, 0]);
    opened(await openedMicrophone());
    await settled();
    browser.sockets[0]?.isReady();
    await started;
    expect(counted.calls).toBe(1);
  });

  test("is not created before the page had a gesture, without which nothing may be played", async () => {
    browser.isSuspended = true;
    const counted = created();
    await expect(new TrunklineCall(counted.source, { microphone: false }).start()).rejects.toMatchObject({
      code: "needs_gesture",
    });
    expect(counted.calls).toBe(0);
  });

  test("that cannot be created while the microphone is refused has the error of the microphone", async () => {
    browser.permission = "granted";
    browser.hasGesture = true;
    browser.microphone = () => Promise.reject(new DOMException("No.", "NotAllowedError"));
    const call = new TrunklineCall({ session: () => Promise.reject(new Error("no")) });
    await expect(call.start()).rejects.toMatchObject({ code: "microphone_refused" });
  });
});

describe("what is typed", () => {
  test("while the call is opened waits until it is ready, in order", async () => {
    browser.microphone = openedMicrophone;
    const call = newCall({});
    const started = call.start();
    call.sendText("hello");
    call.sendDtmf("1#");
    await settled();
    call.sendText("again");
    browser.sockets[0]?.isReady();
    await started;
    expect(browser.sockets[0]?.sent).toEqual([
      { type: "text", text: "hello" },
      { type: "dtmf", digit: "1" },
      { type: "dtmf", digit: "#" },
      { type: "text", text: "again" },
    ]);
    call.stop();
  });

  test("beyond 32 messages before there is a connection, without a call, or after it, is not_connected", async () => {
    const call = newCall();
    expect(codeOf(() => call.sendText("too early"))).toBe("not_connected");
    const started = call.start();
    for (let text = 0; text < 32; text += 1) call.sendText("hello");
    expect(codeOf(() => call.sendText("too much"))).toBe("not_connected");
    await settled();
    browser.sockets[0]?.isReady();
    await started;
    expect(browser.sockets[0]?.sent.length).toBe(32);
    call.stop();
    expect(codeOf(() => call.sendText("too late"))).toBe("not_connected");
  });
});

describe("a change of device that fails in the call", () => {
  test("is an event error that is not fatal, and rejects", async () => {
    const call = await readyCall();
    await expect(call.setOutputDevice("headset")).rejects.toMatchObject({ code: "not_supported" });
    await expect(call.setInputDevice("headset")).rejects.toMatchObject({ code: "no_microphone" });
    expect(errors).toMatchObject([
      { code: "not_supported", fatal: false },
      { code: "no_microphone", fatal: false },
    ]);
    expect(call.state).toBe("listening");
    call.stop();
  });

  test("is no error of a call that ended meanwhile", async () => {
    const call = await readyCall();
    let opened = (_stream: unknown): void => {};
    browser.microphone = () =>
      new Promise((resolve) => {
        opened = resolve;
      });
    const changed = call.setInputDevice("headset");
    call.stop();
    opened(await openedMicrophone());
    await expect(changed).rejects.toMatchObject({ code: "not_connected" });
    expect(errors).toEqual([]);
  });
});
