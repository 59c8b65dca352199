import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { holdShortCall, RawCaller, SHORT_CALL_FRAMES } from "../../callers/raw-caller.ts";
import { Service, until, withStores } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

/** Longer than the test: nothing that it sees happens because a drain is over. */
const DRAIN_MS = 120_000;
const GONE_MS_MAX = 10_000;
const RECORD_MS_MAX = 10_000;

/** Kills the supervisor alone, and starts another service on its directory and its media port at once. */
async function killedAndStartedAgain(service: Service): Promise<Service> {
  const { dataDir, apiKey, mediaUrl } = service;
  service.process.signal("SIGKILL");
  await service.process.exited;
  return await Service.start({ dataDir, apiKey, env: environment(new URL(mediaUrl).port) });
}

const environment = (mediaPort = "0") => ({ DRAIN_MS: String(DRAIN_MS), WORKERS: "1", MEDIA_PORT: mediaPort });

/** A service whose supervisor is killed during a call, and the service that is started on its data directory. */
async function killedDuringCall() {
  const service = await Service.start({ env: environment() });
  const live = await service.createCall({ firstSpeaker: "user", inactivityTimeout: 300 });
  const caller = await RawCaller.startAt(service, live.websocketUrl);
  caller.sendFrames(SHORT_CALL_FRAMES);
  const next = await killedAndStartedAgain(service);
  return { service, live, caller, next };
}

test("ADV-L5: after the supervisor's SIGKILL the next service starts at once, and calls of the old worker continue and have correct records", {
  retry: ifMachineStalled,
  timeout: 90_000,
}, async () => {
  const { service, live, caller, next } = await killedDuringCall();
  expect((await next.fetch("GET", "/readyz")).status).toBe(200);
  expect(new URL(next.mediaUrl).port).toBe(new URL(service.mediaUrl).port);
  // Nothing is left of the old service's but the socket of its worker, which still has the call.
  const sockets = readdirSync(join(next.dataDir, "run")).map((name) => name.split("-")[0]);
  expect(sockets.toSorted()).toEqual(["control", "worker", "worker"]);

  expect(await holdShortCall(next, await next.createCall())).toMatchObject({ endReason: "caller_hangup" });
  expect((await next.call(live.id)).status).toBe("active");
  caller.sendFrames(SHORT_CALL_FRAMES);
  caller.hangUp();
  expect(await next.ended(live.id, RECORD_MS_MAX)).toMatchObject({
    status: "ended",
    endReason: "caller_hangup",
    transcriptComplete: true,
    recording: { complete: true },
    counters: { framesIn: 2 * SHORT_CALL_FRAMES },
  });
  await until("the old service's processes to be gone", GONE_MS_MAX, () => service.process.living().length === 0);
  expect(await next.stop()).toBe(0);
});

test("ADV-L5: the next service can be stopped while the old worker still has a call, whose record is made at the next start", {
  retry: ifMachineStalled,
  timeout: 90_000,
}, async () => {
  const { service, live, caller, next } = await killedDuringCall();
  expect(await next.stop()).toBe(0);
  const { dataDir, apiKey } = service;
  const statusOf = () => withStores(dataDir, ({ calls }, accountId) => calls.get(accountId, live.id));
  expect(await statusOf()).toMatchObject({ status: "active" });
  caller.hangUp();
  await until("the old worker to be gone", GONE_MS_MAX, () => service.process.living().length === 0);
  const last = await Service.start({ dataDir, apiKey, env: environment() });
  expect(await last.ended(live.id, RECORD_MS_MAX)).toMatchObject({
    endReason: "caller_hangup",
    counters: { framesIn: SHORT_CALL_FRAMES },
  });
  expect(await last.stop()).toBe(0);
});
