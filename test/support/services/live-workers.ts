import { RawCaller } from "../../callers/raw-caller.ts";
import { type Service, until } from "./service.ts";

/** Process ids of the workers that have a place, as the supervisor tells of them, the oldest first. */
export function workerPids(service: Service): number[] {
  const ofWorkers = (msg: string): (number | undefined)[] =>
    service
      .logged(msg)
      .filter((line) => line.kind === "worker")
      .map((line) => line.pid);
  const gone = new Set([
    ...ofWorkers("process died"),
    ...ofWorkers("process exited"),
    ...ofWorkers("process replaced"),
  ]);
  return ofWorkers("process started").filter((pid): pid is number => pid !== undefined && !gone.has(pid));
}

/** A live call of carrier_a, and the frames that its caller has sent. */
export interface LiveCall {
  id: string;
  caller: RawCaller;
  sent: number;
}

/** Begins so many calls, whose agents listen and need no voice: on a busy machine that would be what fails first. */
export function beginCalls(service: Service, count: number): Promise<LiveCall[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { id, websocketUrl } = await service.createCall({ firstSpeaker: "user" });
      const caller = await RawCaller.startAt(service, websocketUrl);
      return { id, caller, sent: 0 };
    }),
  );
}

/** Sends so many frames into each call that lives. */
export function sendFrames(calls: readonly LiveCall[], frames: number): void {
  for (const call of calls) {
    if (call.caller.ws.ended) continue;
    call.caller.sendFrames(frames);
    call.sent += frames;
  }
}

/** Hangs up, and returns how often which end was recorded; each with every frame that was sent. */
export async function hangUpAll(service: Service, calls: readonly LiveCall[]): Promise<unknown[]> {
  for (const { caller } of calls) caller.hangUp();
  return await Promise.all(
    calls.map(async ({ id, sent }) => {
      const { endReason, counters } = await service.ended(id, 15_000);
      return { endReason, lost: sent - (counters?.framesIn ?? 0) };
    }),
  );
}

/**
 * Resolves with those calls whose connection has ended, once the process `pid` is gone. The kernel has ended all of its
 * connections before the supervisor learns that it is, and logs it; what remains is that this process reads their ends.
 */
export async function brokenCalls(service: Service, calls: readonly LiveCall[], pid: number): Promise<LiveCall[]> {
  await until(`process ${pid} to be gone`, 15_000, () => !workerPids(service).includes(pid));
  let before = -1;
  return await until("the last connection to break", 15_000, () => {
    const broken = calls.filter(({ caller }) => caller.ws.ended);
    const settled = broken.length > 0 && broken.length === before;
    before = broken.length;
    return settled && broken;
  });
}
