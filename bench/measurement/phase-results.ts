import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import type { Conversations } from "../generator/full-callers.ts";
import type { FleetReport, GeneratorSample } from "../generator/protocol.ts";
import { type Spread, spreadOf } from "../harness/statistics.ts";
import { FULL_CALL } from "../rig/speech.ts";
import { driftMs, framesPerCall, gapsOf, latenessMs, transitMs, type Window } from "./frame-analysis.ts";
import type { Phase } from "./phase.ts";
import type { GeneratorResult, Latencies, Load, Measured, PairCost, RoundResult } from "./result.ts";

// What a phase has shown: whether it may be believed, what a frame pair cost in it, and how late its frames were.

/** Fewer than this share of a call's frames, and it was not the full-duplex call that it was meant to be. */
const FRAMES_SHARE_MIN = 0.95;

/** A generator that is later than a frame sends frames in bunches, and one that is busier than this is about to be. */
const GENERATOR_LATE_P99_MS_MAX = FRAME_MS;
const GENERATOR_LOAD_MAX = 0.9;

/** Why what callers saw means nothing, where it is they who were late. */
export function lateGenerator({ load, late }: GeneratorResult): string[] {
  if (late.p99 <= GENERATOR_LATE_P99_MS_MAX && load <= GENERATOR_LOAD_MAX) return [];
  const how = `p99 ${late.p99.toFixed(1)} ms, ${Math.round(load * 100)} % of its core`;
  return [`the generator itself was late: ${how}. It needs a quieter machine, or fewer calls`];
}

/** Why the figures of a phase mean nothing; none when they do. */
export function problemsOf(phase: Phase, { calls }: Load): string[] {
  const { fleet, server, window, conversations, before, after } = phase;
  const problems = fleet.losses.map((loss) => `a connection was lost: ${loss}`);
  problems.push(...lateGenerator(generatorOf(fleet, window, before.generator, after.generator)));
  const expected = Math.floor((FRAMES_SHARE_MIN * (window.toMs - window.fromMs)) / FRAME_MS);
  const received = framesPerCall(fleet.received, window);
  if (received.fewest < expected) problems.push(`a call received ${received.fewest} frames, and not even ${expected}`);
  const sent = framesPerCall(fleet.sent, window);
  if (sent.fewest < expected) problems.push(`a call sent ${sent.fewest} frames, and not even ${expected}`);
  const lost = (what: string, from: Uint32Array, to: Uint32Array): void => {
    const differing = from.filter((count, call) => count !== to[call]).length;
    if (differing > 0) problems.push(`${what} differ in ${differing} of ${calls} calls`);
  };
  const { service } = server;
  if (service === undefined) {
    lost("frames sent and answered", fleet.sent.counts, fleet.received.counts);
    return problems;
  }
  lost("frames sent and heard", fleet.sent.counts, service.toStt.counts);
  lost("frames written and received", service.written.counts, fleet.received.counts);
  if (service.journalFailures > 0) problems.push(`${service.journalFailures} journals could not be written`);
  if (conversations !== undefined) problems.push(...misunderstandings(conversations, service.transcripts));
  return problems;
}

function misunderstandings({ understood, violations }: Conversations, byAgent: readonly string[]): string[] {
  const problems = violations.map((violation) => `the carrier complained of ${violation}`);
  for (const text of understood) {
    if (text !== FULL_CALL.hears) problems.push(`a caller understood ${JSON.stringify(text)}`);
  }
  for (const text of byAgent) {
    if (text !== FULL_CALL.says) problems.push(`the agent's STT understood ${JSON.stringify(text)}`);
  }
  return problems;
}

export function roundOf(phase: Phase, round: number, { calls }: Load): RoundResult {
  const { server, fleet, window, idle, before, after, conversations } = phase;
  const { cost, pairs, serverLoad } = costOf(phase);
  const { service } = server;
  return {
    round,
    pairs,
    cost,
    serverLoad,
    memoryPerCallBytes: (after.server.rssBytes - idle.rssBytes) / calls,
    loopDelayMs: server.loopDelayMs,
    ...(service === undefined ? {} : { gaps: gapsOf(fleet.received, window), driftMs: driftMs(service.due, window) }),
    generator: generatorOf(fleet, window, before.generator, after.generator),
    othersLoad: othersLoadOf(phase),
    conversations: conversations?.understood.length ?? 0,
  };
}

/** CPU per second over pairs per second: the two ends are never read at quite the same time. */
function costOf({ before, after }: Phase): { cost: PairCost; pairs: number; serverLoad: number } {
  const serverMs = after.server.atMs - before.server.atMs;
  const generatorMs = after.generator.atMs - before.generator.atMs;
  const sent = after.generator.sentFrames - before.generator.sentFrames;
  const received = after.generator.receivedFrames - before.generator.receivedFrames;
  const pairs = (sent + received) / 2;
  const perPair = (us: number): number => us / serverMs / (pairs / generatorMs);
  const userUs = perPair(after.server.userUs - before.server.userUs);
  const systemUs = perPair(after.server.systemUs - before.server.systemUs);
  const totalUs = userUs + systemUs;
  return { cost: { userUs, systemUs, totalUs }, pairs, serverLoad: (totalUs * pairs) / generatorMs / 1_000 };
}

export function generatorOf(
  { sent, startsMs }: FleetReport,
  window: Window,
  before: GeneratorSample,
  after: GeneratorSample,
): GeneratorResult {
  const load = (after.cpuUs - before.cpuUs) / 1_000 / (after.atMs - before.atMs);
  return { load, late: spreadOf(latenessMs(sent, startsMs, window)) };
}

function othersLoadOf({ before, after }: Phase): number {
  const tookMs = after.server.atMs - before.server.atMs;
  const serverUs = after.server.userUs + after.server.systemUs - before.server.userUs - before.server.systemUs;
  const generatorUs = after.generator.cpuUs - before.generator.cpuUs;
  const benchMs = (serverUs + generatorUs) / 1_000 + after.ownMs - before.ownMs;
  return Math.max(0, after.machineMs - before.machineMs - benchMs) / tookMs;
}

/** Every single value, so that the rounds can be put together. */
export type LatencyValues = Partial<Record<"roundTrip" | "toStt" | "written" | "arrived", Float32Array>>;

export function latenciesOf({ fleet, server, window }: Phase): LatencyValues {
  const { service } = server;
  if (service === undefined) return { roundTrip: transitMs(fleet.sent, fleet.received, window) };
  return {
    toStt: transitMs(fleet.sent, service.toStt, window),
    written: transitMs(service.due, service.written, window),
    arrived: transitMs(service.due, fleet.received, window),
  };
}

/** What a server has shown in all of its rounds. */
export function measuredOf(rounds: RoundResult[], values: readonly LatencyValues[]): Measured {
  const byCost = rounds.map(({ cost }) => cost).sort((a, b) => a.totalUs - b.totalUs);
  const cost = byCost[Math.floor((byCost.length - 1) / 2)] as PairCost;
  const latency: Latencies = {};
  for (const kind of ["roundTrip", "toStt", "written", "arrived"] as const) {
    const spread = pooled(values.map((value) => value[kind]));
    if (spread !== undefined) latency[kind] = spread;
  }
  return { rounds, cost, latency };
}

/** The rounds' values, put together. */
function pooled(rounds: readonly (Float32Array | undefined)[]): Spread | undefined {
  const values = rounds.flatMap((round) => (round === undefined ? [] : [round]));
  if (values.length === 0) return undefined;
  const all = new Float32Array(values.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const value of values) {
    all.set(value, at);
    at += value.length;
  }
  return spreadOf(all);
}
