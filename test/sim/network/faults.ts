import {
  CARRIER_MESSAGE_BYTES_MAX,
  DTMF_PER_SECOND_MAX,
  MALFORMED_PER_SECOND_MAX,
} from "../../../src/core/limits/streams/messages.ts";
import { frameBytes, silenceByte } from "../../../src/simulator/audio/format.ts";
import { formatsOf, type SimulatedLine as Wire } from "../../../src/simulator/lines.ts";
import type { SimulatedPeer } from "../../../src/simulator/peers/peer.ts";
import type { Connection } from "../../support/calls/connection.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { differentKeys } from "../../support/wires/costly-json.ts";
import type { FaultPlan } from "../plan/fault-plan.ts";
import type { Fault } from "../plan/kinds.ts";
import type { Process } from "../process.ts";
import type { SimulatedConnection } from "./connection.ts";
import { faultsOf } from "./message-kinds.ts";

export interface FaultsOptions {
  world: ManualClock;
  process: Process;
  fate: FaultPlan;
  /** What the call comes over. */
  wire: Wire;
  line: SimulatedConnection;
  carrier: SimulatedPeer;
  /** The call has not ended yet. */
  isLive(): boolean;
}

const KEYS = [..."0123456789*#"];

/** More audio at once than any pause before it can excuse: messages of 100 ms. */
const FLOOD_MESSAGES = 200;
const FLOOD_FRAMES = 5;

/** A message of 100 ms of silence. */
function floodMessage(wire: Wire): string | Uint8Array {
  const { inbound } = formatsOf(wire);
  const audio = Buffer.alloc(FLOOD_FRAMES * frameBytes(inbound), silenceByte(inbound));
  if (wire.wire === "websocket") return audio;
  return JSON.stringify({ event: "media", media: { track: "inbound", payload: audio.toString("base64") } });
}

/** What comes once comes early, or at any time. */
const ONCE_WITHIN_MS = [3_000, 8_000, 30_000];
const LOOP_STALL_MS_MAX = 1_500;
const NETWORK_STALL_MS_MAX = 3_000;

/** More to parse than any wire allows at once. */
function floodWithTexts(connection: Connection): void {
  for (let seed = 1; seed <= 5; seed += 1) {
    const text = differentKeys(CARRIER_MESSAGE_BYTES_MAX, seed, '"type":"toolResult","id":"1","event":"weather"');
    connection.message(Buffer.from(text), false);
  }
}

const BREAKAGES: readonly ((line: SimulatedConnection) => void)[] = [
  // A second and more of audio, or audio where none goes.
  (line) => line.fail("protocol_error", (connection) => connection.message(new Uint8Array(110_000), true)),
  (line) =>
    line.fail("protocol_error", (connection) => {
      connection.message(new Uint8Array(CARRIER_MESSAGE_BYTES_MAX + 1), false);
    }),
  (line) => line.breakProtocol(),
  (line) => line.fail("message_flood", floodWithTexts),
];

/** Schedules the troubles that have a time of their own, rather than a message that they come with. */
export function scheduleFaults({ world, process, fate, wire, line, carrier, isLive }: FaultsOptions): void {
  const { random, chronicle } = fate;
  const after = (delayMs: number, trouble: Fault, task: () => void): void => {
    world.after(delayMs, () => {
      if (!isLive()) return;
      chronicle.note(trouble);
      task();
    });
  };
  const once = (trouble: Fault, task: () => void): void => {
    if (fate.has(trouble)) after(random.between(0, random.pick(ONCE_WITHIN_MS)), trouble, task);
  };
  const often = (trouble: Fault, minMs: number, maxMs: number, task: () => void): void => {
    if (!fate.has(trouble)) return;
    after(random.between(minMs, maxMs), trouble, () => {
      task();
      often(trouble, minMs, maxMs, task);
    });
  };

  const nuisances = faultsOf(wire.wire);
  often("unknown-event", 100, 3_000, () => line.pass(random.pick(nuisances.unknown)));
  often("malformed", 2_000 / MALFORMED_PER_SECOND_MAX, 2_000, () => line.pass(random.pick(nuisances.nonsense)));
  often("dtmf", 2_000 / DTMF_PER_SECOND_MAX, 8_000, () => carrier.pressDigit(random.pick(KEYS)));
  often("network-stall", 1_000, 10_000, () => {
    const forMs = random.between(100, NETWORK_STALL_MS_MAX);
    chronicle.tell("network", () => `stalls for ${Math.round(forMs)} ms`);
    random.pick([line.in, line.out]).stall(forMs);
  });
  // One stall is over before the next one begins.
  often("loop-stall", LOOP_STALL_MS_MAX + 100, 10_000, () => {
    const forMs = random.between(20, LOOP_STALL_MS_MAX);
    chronicle.tell("process", () => `is stuck for ${Math.round(forMs)} ms`);
    process.stall(forMs);
  });
  once("stuck-socket", () => line.clog());
  once("malformed-flood", () => line.passFatal("protocol_error", Array(MALFORMED_PER_SECOND_MAX + 1).fill("{")));
  once("audio-flood", () => {
    const message = floodMessage(wire);
    // What comes before its start is dropped, however much it is.
    if (line.started) line.passFatal("audio_flood", Array(FLOOD_MESSAGES).fill(message));
  });
  once("broken-protocol", () => random.pick(BREAKAGES)(line));
  once("ended-by-api", () => line.fail("api_hangup", (connection) => connection.end("api_hangup")));
  once("drained", () => line.fail("drain_timeout", (connection) => connection.end("drain_timeout")));
}
