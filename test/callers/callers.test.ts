import { afterEach, expect, test } from "vitest";
import { type MediaService, mediaService } from "../support/services/media-service.ts";
import { CountingCaller } from "./counting-caller.ts";
import { RawCaller } from "./raw-caller.ts";

const FRAMES = 5;

let service: MediaService;
afterEach(() => service.close());

const until = (what: () => unknown) => expect.poll(what, { timeout: 10_000, interval: 5 });

test("the service counts every frame of a raw caller, and its end is a hang-up", async () => {
  service = await mediaService();
  const { callId, token } = await service.create();
  const caller = await RawCaller.start(`${service.url}/stream/${token}`);
  caller.sendFrames(FRAMES);
  caller.hangUp();
  expect(await service.ended(callId)).toMatchObject({ endReason: "caller_hangup", counters: { framesIn: FRAMES } });
});

test("a counting caller knows the frames of both directions, the answer to its ping, and that it hung up", async () => {
  service = await mediaService();
  const { callId, token } = await service.create();
  const caller = new CountingCaller(callId, `${service.url}/stream/${token}`, () => performance.now());
  await until(() => caller.story.outcome).toBe("live");
  caller.sendFrames(FRAMES);
  caller.ping();
  await until(() => caller.answersMs.length).toBe(1);
  await until(() => caller.story.received).toBeGreaterThan(0);
  caller.hangUp();
  await until(() => caller.isOver).toBe(true);
  const { counters } = await service.ended(callId);
  expect(caller.story).toMatchObject({ outcome: "hung_up", sent: counters?.framesIn, received: counters?.framesOut });
});

test("a counting caller whose token is unknown is refused", async () => {
  service = await mediaService();
  const caller = new CountingCaller("none", `${service.url}/stream/unknown`, () => performance.now());
  await until(() => caller.story.outcome).toBe("refused");
  expect(caller.story.why).toBe("HTTP/1.1 401 Unauthorized");
});
