import { RawLeg } from "../legs/raw-leg.ts";
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
  leg: RawLeg;
  sent: number;
}

/** Begins so many calls, whose agents listen and need no voice: on a busy machine that would be what fails first. */
export function beginCalls(service: Service, count: number): Promise<LiveCall[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { id, websocketUrl } = await service.createCall({ firstSpeaker: "user" });
      const leg = await RawLeg.start(websocketUrl);
      return { id, leg, sent: 0 };
    }),
  );
}

/** Sends so many frames into each call that lives. */
export function sendFrames(calls: readonly LiveCall[], frames: number): void {
  for (const call of calls) {
    if (call.leg.ws.ended) continue;
    call.leg.sendMedia(frames);
    call.sent += frames;
  }
}

/** Hangs up, and returns how often which end was recorded; each with every frame that was sent. */
export async function hangUpAll(service: Service, calls: readonly LiveCall[]): Promise<unknown[]> {
  for (const { leg } of calls) leg.ws.sendClose(1_000);
  return await Promise.all(
    calls.map(async ({ id, sent }) => {
      const { endReason, counters } = await service.ended(id, 15_000);
      return { endReason, lost: sent - (counters?.framesIn ?? 0) };
    }),
  );
}

/** Resolves with those calls whose connection has ended, when one has and no more come. */
export async function brokenCalls(calls: readonly LiveCall[]): Promise<LiveCall[]> {
  const broken = (): LiveCall[] => calls.filter(({ leg }) => leg.ws.ended);
  await until("a connection to break", 15_000, () => broken().length > 0);
  let before = 0;
  // The kernel ends all connections of a process in one go.
  await until("the last connection to break", 15_000, async () => {
    const now = broken().length;
    const settled = now === before;
    before = now;
    if (!settled) await new Promise((resolve) => setTimeout(resolve, 100));
    return settled;
  });
  return broken();
}
