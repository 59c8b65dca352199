import { FRAME_MS } from "../../src/core/limits.ts";
import { type Spread, spreadOf } from "../statistics.ts";
import { driftMs, framesPerCall, latenessMs, transitMs } from "./analysis.ts";
import type { GeneratorResult, LoadOptions, PairCost, RoundResult } from "./load-result.ts";
import type { Phase } from "./phase.ts";
import { FULL_CALL } from "./speech.ts";

// What a phase has shown: whether it may be believed, what a frame pair cost in it, and how late its frames were.

/** Fewer than this share of a call's frames, and it was not the full-duplex call that it was meant to be. */
const FRAMES_SHARE_MIN = 0.95;

/** Why the figures of a phase mean nothing; none when they do. */
export function problemsOf(phase: Phase, { calls, seconds }: LoadOptions): string[] {
  const { fleet, server, window, callers } = phase;
  const problems = fleet.losses.map((loss) => `a connection was lost: ${loss}`);
  const expected = Math.floor((FRAMES_SHARE_MIN * seconds * 1_000) / FRAME_MS);
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
  lost("frames sent and heard", fleet.sent.counts, service.heard.counts);
  lost("frames written and received", service.written.counts, fleet.received.counts);
  if (service.journalFailures > 0) problems.push(`${service.journalFailures} journals could not be written`);
  if (callers !== undefined) problems.push(...misunderstandings(callers, service.understood));
  return problems;
}

function misunderstandings(callers: NonNullable<Phase["callers"]>, byAgent: readonly string[]): string[] {
  const problems = callers.violations.map((violation) => `the carrier complained of ${violation}`);
  if (callers.understood.length === 0) problems.push("no conversation came to its end");
  for (const text of callers.understood) {
    if (text !== FULL_CALL.hears) problems.push(`a caller understood ${JSON.stringify(text)}`);
  }
  for (const text of byAgent) {
    if (text !== FULL_CALL.says) problems.push(`the agent's ear understood ${JSON.stringify(text)}`);
  }
  return problems;
}

export function roundOf(phase: Phase, round: number, { calls }: LoadOptions): RoundResult {
  const { server, window, idle, before, after, callers } = phase;
  const { cost, pairs, serverLoad } = costOf(phase);
  const { service } = server;
  return {
    round,
    pairs,
    cost,
    serverLoad,
    memoryPerCallBytes: (after.server.rssBytes - idle.rssBytes) / calls,
    loopDelayMs: server.loopDelayMs,
    ...(service === undefined ? {} : { driftMs: driftMs(service.due, window) }),
    generator: generatorOf(phase, after.generator.atMs - before.generator.atMs),
    othersLoad: othersLoadOf(phase),
    conversations: callers?.understood.length ?? 0,
  };
}

/** CPU per second over pairs per second: the two ends are never read in quite the same moment. */
function costOf({ before, after }: Phase): { cost: PairCost; pairs: number; serverLoad: number } {
  const serverMs = after.server.atMs - before.server.atMs;
  const generatorMs = after.generator.atMs - before.generator.atMs;
  const sent = after.generator.sentFrames - before.generator.sentFrames;
  const received = after.generator.receivedFrames - before.generator.receivedFrames;
  const pairs = (sent + received) / 2;
  const perPair = (us: number): number => us / serverMs / (pairs / generatorMs);
  const userUs = perPair(after.server.userUs - before.server.userUs);
  const systemUs = perPair(after.server.systemUs - before.server.systemUs);
  const earUs = perPair(after.server.earUs - before.server.earUs);
  const totalUs = userUs + systemUs;
  return { cost: { userUs, systemUs, totalUs, earUs }, pairs, serverLoad: (totalUs * pairs) / generatorMs / 1_000 };
}

function generatorOf({ fleet, window, before, after }: Phase, tookMs: number): GeneratorResult {
  const load = (after.generator.cpuUs - before.generator.cpuUs) / 1_000 / tookMs;
  return { load, late: spreadOf(latenessMs(fleet.sent, fleet.startsMs, window)) };
}

function othersLoadOf({ before, after }: Phase): number {
  const tookMs = after.server.atMs - before.server.atMs;
  const serverUs = after.server.userUs + after.server.systemUs - before.server.userUs - before.server.systemUs;
  const generatorUs = after.generator.cpuUs - before.generator.cpuUs;
  const benchMs = (serverUs + generatorUs) / 1_000 + after.ownMs - before.ownMs;
  return Math.max(0, after.machineMs - before.machineMs - benchMs) / tookMs;
}

/** Every single value, so that the rounds can be put together. */
export type LatencyValues = Partial<Record<"roundTrip" | "heard" | "written" | "arrived", Float32Array>>;

export function latenciesOf({ fleet, server, window }: Phase): LatencyValues {
  const { service } = server;
  if (service === undefined) return { roundTrip: transitMs(fleet.sent, fleet.received, window) };
  return {
    heard: transitMs(fleet.sent, service.heard, window),
    written: transitMs(service.due, service.written, window),
    arrived: transitMs(service.due, fleet.received, window),
  };
}

/** The rounds' values, put together. */
export function pooled(rounds: readonly (Float32Array | undefined)[]): Spread | undefined {
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
