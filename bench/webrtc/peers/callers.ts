import { serve } from "../../rig/child-process.ts";
import { LeanCaller, speechPackets } from "./lean-caller.ts";
import { Slots } from "./slots.ts";

// Many WebRTC callers in one process: they send prepared packets, and count what they get.

export interface CallersSample {
  sent: number;
  received: number;
  /** Turns since the last sample, and how late they were. */
  lateMs: Float32Array;
}

export type CallersQuestions = {
  /** The offer of another caller. */
  offer: { ask: number; answer: string };
  /** Its answer; answered when packets can be sent. It speaks from then on. */
  connect: { ask: { id: number; sdp: string }; answer: undefined };
  hangUp: { ask: number; answer: undefined };
  sample: { ask: undefined; answer: CallersSample };
};

const packets = speechPackets();
const callers = new Map<number, LeanCaller>();
let lates: number[] = [];
const speaking = new Slots<LeanCaller>((caller, lateMs) => {
  caller.sendNext();
  lates.push(lateMs);
});

const callerOf = (id: number): LeanCaller => {
  const caller = callers.get(id);
  if (caller === undefined) throw new Error(`there is no caller ${id}`);
  return caller;
};
const sum = (of: (caller: LeanCaller) => number): number =>
  [...callers.values()].reduce((total, caller) => total + of(caller), 0);

serve<CallersQuestions>({
  offer(id) {
    const caller = new LeanCaller(packets, id);
    callers.set(id, caller);
    return caller.offer();
  },
  async connect({ id, sdp }) {
    const caller = callerOf(id);
    await caller.connect(sdp);
    speaking.add(caller);
    return undefined;
  },
  hangUp(id) {
    const caller = callerOf(id);
    callers.delete(id);
    speaking.remove(caller);
    caller.close();
    return undefined;
  },
  sample() {
    const lateMs = Float32Array.from(lates);
    lates = [];
    return { sent: sum(({ sent }) => sent), received: sum(({ received }) => received), lateMs };
  },
});
