import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { type Conversations, converse } from "../generator/full-callers.ts";
import type { FleetReport, GeneratorSample } from "../generator/protocol.ts";
import { machineBusyMs } from "../harness/machine.ts";
import type { Child } from "../rig/child-process.ts";
import { benchLine } from "../rig/lines.ts";
import { machineMonotonicMs } from "../rig/monotonic.ts";
import type { ServerQuestions, ServerReport, ServerSample, ServiceQuestions } from "../rig/protocol.ts";
import type { Rig } from "../rig/rig.ts";
import type { Window } from "./frame-analysis.ts";
import type { Load } from "./result.ts";

const HOST = "127.0.0.1";
/** How long connecting may take before frames go untimed: generous, and 4 bytes a frame is all it costs. */
const CONNECT_S = 3;
const CALLS_CONNECTED_PER_S = 100;

/** Everything that was seen of one contestant in one round. */
export interface Phase {
  window: Window;
  idle: ServerSample;
  before: Reading;
  after: Reading;
  server: ServerReport;
  fleet: FleetReport;
  /** Undefined where there were none. */
  conversations?: Conversations;
}

/** Both ends at one time. */
export interface Reading {
  server: ServerSample;
  generator: GeneratorSample;
  /** CPU time of the bench's own process, and of all programs of the machine, ms. */
  ownMs: number;
  machineMs: number;
}

/** A server to be loaded. */
export interface Subject {
  server: Child<ServerQuestions>;
  /** The same server, where it is ours. */
  service?: Child<ServiceQuestions>;
  /** Its calls have their audio in their journals. */
  recorded: boolean;
}

/**
 * Brings all calls up against one server, measures, and takes them down again. `measure` is what happens while it is measured, for
 * `seconds` or so.
 */
export async function runPhase(
  { server, service, recorded }: Subject,
  { wire, calls, seconds, warmUpSeconds, talkers }: Load,
  { generator, speech, progress }: Pick<Rig, "generator" | "speech" | "progress">,
  measure = (sample: () => Promise<GeneratorSample>) => progress.during("measuring", seconds, sample),
): Promise<Phase> {
  const framesMax = framesWithin(CONNECT_S + calls / CALLS_CONNECTED_PER_S + warmUpSeconds + seconds);
  const baseMs = machineMonotonicMs();
  const { port, paths } = await server.ask("begin", { wire, calls, framesMax, baseMs, recorded });
  const idle = await server.ask("sample", undefined);
  const audio = speech.callerAudio;
  const target = { host: HOST, port, secure: false };
  await generator.ask("begin", { target, wire, paths, framesMax, baseMs, audio });
  const nextUrl = async (): Promise<string> => `ws://${HOST}:${port}${await service?.ask("fullCall", undefined)}`;
  const sample = (): Promise<GeneratorSample> => generator.ask("sample", undefined);
  const read = async (): Promise<Reading> => {
    const [ofServer, ofGenerator] = await Promise.all([server.ask("sample", undefined), sample()]);
    const { user, system } = process.cpuUsage();
    return { server: ofServer, generator: ofGenerator, ownMs: (user + system) / 1_000, machineMs: machineBusyMs() };
  };
  await progress.during("warm-up", warmUpSeconds, sample);
  const before = await read();
  await measure(sample);
  const after = await read();
  if (service !== undefined && talkers > 0) progress.print("whole conversations among the calls");
  const conversations = service && (await converse(nextUrl, benchLine(wire), speech, talkers));
  const fleet = await generator.ask("finish", undefined);
  const report = await server.ask("finish", undefined);
  const window = { fromMs: before.generator.atMs, toMs: after.generator.atMs };
  return {
    window,
    idle,
    before,
    after,
    server: report,
    fleet,
    ...(conversations === undefined ? {} : { conversations }),
  };
}

/** How many frames a call has in `seconds`. */
export const framesWithin = (seconds: number): number => Math.ceil((seconds * 1_000) / FRAME_MS);
