import { type Verdict, verdictOf } from "../harness/verdict.ts";
import { LATE_P99_MS_MAX } from "./peers/bench.ts";
import type { CallsResult, CapacityStep, NetworkRow, PeersResult, ToneRow, WebrtcResult } from "./result.ts";

// What is asked of WebRTC calls, and whether a run shows it.

type Measured = Omit<WebrtcResult, "goals" | "machine" | "commit" | "cores" | "problems">;

const CONNECTED_MS_MAX = 300;
const GREETING_MS_MAX = 700;
const BARGE_IN_MS_MAX = 250;
const CPU_PERCENT_MAX: Readonly<Record<PeersResult["codec"], number>> = { wasm: 1.2, native: 1 };
const CODEC_NAMES: Readonly<Record<PeersResult["codec"], string>> = {
  wasm: "libopus-wasm",
  native: "the native codec",
};
const MEGABYTE = 1e6;
const PEER_BYTES_MAX = 1.5 * MEGABYTE;
const TONE_DB_MIN: Readonly<Record<ToneRow["direction"], number>> = { down: 45, up: 33 };
const FEC_BAD_SHARE_MAX = 0.02;
/** Memory that does not grow: what V8 leaves to chance. */
const GROWTH_SHARE_MAX = 0.05;
/** The reduced form fails beyond so many times a goal: the machine may have other things to do. */
const GROSS_TIMES = 5;

export const goalsOf = (result: Measured): Verdict[] => [
  ...startGoals(result),
  ...result.peers.flatMap(peerGoals),
  ...delayGoals(result),
  ...result.tones.filter(({ lossShare }) => lossShare === 0.01).map(toneGoal),
  ...fecGoals(result.tones),
  ...speechFecGoals(result.network),
  ...bargeInGoals(result),
  ...capacityGoals(result.capacity),
  ...(result.calls === undefined ? [] : callsGoals(result.calls)),
];

const ms = (value: number): string => `${value.toFixed(0)} ms`;

function startGoals({ start }: Measured): Verdict[] {
  if (start === undefined) return [];
  const connected = start.stages.ready;
  const { greetingMs } = start;
  return [
    {
      budget: `start() to connected, median of ${connected.count}, <= ${CONNECTED_MS_MAX} ms`,
      measured: `${ms(connected.p50)}, p90 ${ms(connected.p90)}`,
      verdict: verdictOf(connected.p50 <= CONNECTED_MS_MAX),
    },
    {
      budget: `start() to the greeting's first sample, cached, median of ${greetingMs.count}, <= ${GREETING_MS_MAX} ms`,
      measured: `${ms(greetingMs.p50)}, p90 ${ms(greetingMs.p90)}`,
      verdict: verdictOf(greetingMs.p50 <= GREETING_MS_MAX),
    },
  ];
}

function peerGoals({ codec, peers, cpuPercentPerPeer, bytesPerPeer }: PeersResult): Verdict[] {
  const [name, maxPercent] = [CODEC_NAMES[codec], CPU_PERCENT_MAX[codec]];
  return [
    {
      budget: `CPU a peer, ${peers} peers, ${name}, <= ${maxPercent} % of a core`,
      measured: `${cpuPercentPerPeer.toFixed(2)} %`,
      verdict: verdictOf(cpuPercentPerPeer <= maxPercent),
    },
    {
      budget: `memory a peer, ${name}, <= ${PEER_BYTES_MAX / MEGABYTE} MB`,
      measured: `${(bytesPerPeer / MEGABYTE).toFixed(2)} MB`,
      verdict: verdictOf(bytesPerPeer <= PEER_BYTES_MAX),
    },
  ];
}

function delayGoals({ delay }: Measured): Verdict[] {
  if (delay === undefined) return [];
  const { packets, waitedMs, heldFrames } = delay;
  return [
    {
      budget: "own added delay in, in order, 0 frames",
      measured: `${heldFrames} frames, ${waitedMs} ms, of ${packets} packets`,
      verdict: verdictOf(heldFrames === 0 && waitedMs === 0),
    },
  ];
}

function toneGoal({ direction, seconds, medianDb, bad, windows }: ToneRow): Verdict {
  const least = TONE_DB_MIN[direction];
  return {
    budget: `tone ${direction}, 1 % loss, 10 ms jitter, ${seconds} s, median >= ${least} dB, 0 windows bad`,
    measured: `${medianDb.toFixed(1)} dB, ${bad} of ${windows} bad`,
    verdict: verdictOf(medianDb >= least && bad === 0),
  };
}

const badText = ({ bad, windows }: ToneRow): string => `${((100 * bad) / windows).toFixed(1)} %`;

function fecGoals(tones: readonly ToneRow[]): Verdict[] {
  const up = tones.filter(({ direction, lossShare }) => direction === "up" && lossShare === 0.05);
  const [on, off] = [up.find(({ fec }) => fec), up.find(({ fec }) => !fec)];
  if (on === undefined || off === undefined) return [];
  return [
    {
      budget: `tone up, 5 % loss with FEC, <= ${100 * FEC_BAD_SHARE_MAX} % of windows bad`,
      measured: `${badText(on)}, without FEC ${badText(off)}`,
      verdict: verdictOf(on.bad <= FEC_BAD_SHARE_MAX * on.windows),
    },
  ];
}

/** A tone is concealed as well as it is restored, because it goes on as it was: what FEC is for shows with speech. */
function speechFecGoals(network: readonly NetworkRow[]): Verdict[] {
  const speech = network.filter(
    ({ sound, lossShare, jitterMs }) => sound === "speech" && lossShare === 0.05 && jitterMs === 10,
  );
  const [on, off] = [speech.find(({ fec }) => fec), speech.find(({ fec }) => !fec)];
  if (on === undefined || off === undefined) return [];
  return [
    {
      budget: `speech up, 5 % loss with FEC, <= ${100 * FEC_BAD_SHARE_MAX} % of windows of 20 ms bad`,
      measured: `${(100 * on.badShare).toFixed(1)} %, without FEC ${(100 * off.badShare).toFixed(1)} %`,
      verdict: verdictOf(on.badShare <= FEC_BAD_SHARE_MAX),
    },
  ];
}

function bargeInGoals({ bargeIn }: Measured): Verdict[] {
  if (bargeIn === undefined) return [];
  const { silenceMs } = bargeIn;
  return [
    {
      budget: `barge-in, speech at the browser to silence at its output, p90 of ${silenceMs.count}, <= ${BARGE_IN_MS_MAX} ms`,
      measured: `${ms(silenceMs.p90)}, median ${ms(silenceMs.p50)}`,
      verdict: verdictOf(silenceMs.p90 <= BARGE_IN_MS_MAX),
    },
  ];
}

function capacityGoals(steps: readonly CapacityStep[]): Verdict[] {
  const last = steps.at(-1);
  if (last === undefined) return [];
  const holding = steps.filter(({ lateMs }) => lateMs.p99 <= LATE_P99_MS_MAX).at(-1);
  return [
    {
      budget: `whole calls on one core, packets late by <= ${LATE_P99_MS_MAX} ms at p99 (no goal)`,
      measured: `${holding?.peers ?? 0} peers; p99 ${last.lateMs.p99.toFixed(1)} ms with ${last.peers}`,
      verdict: "not shown",
    },
  ];
}

function callsGoals({ calls, before, early, after }: CallsResult): Verdict[] {
  const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);
  return [
    {
      budget: `${calls} calls opened and closed, memory flat after ${early.calls} (+ ${100 * GROWTH_SHARE_MAX} %)`,
      measured: `${megabytes(early.rssBytes)} MB, then ${megabytes(after.rssBytes)} MB`,
      verdict: verdictOf(after.rssBytes <= (1 + GROWTH_SHARE_MAX) * early.rssBytes),
    },
    {
      budget: `${calls} calls opened and closed, descriptors as before`,
      measured: `${before.descriptors}, then ${after.descriptors}`,
      verdict: verdictOf(after.descriptors <= before.descriptors),
    },
  ];
}

/** What misses its goal grossly, whatever else the machine does. */
export function grossExcess({ start, bargeIn, peers, delay, calls }: Measured): string[] {
  const excess: string[] = [];
  const connectedMs = start?.stages.ready.p50 ?? 0;
  if (connectedMs > GROSS_TIMES * CONNECTED_MS_MAX) excess.push(`a start takes ${ms(connectedMs)}`);
  const silenceMs = bargeIn?.silenceMs.p50 ?? 0;
  if (silenceMs > GROSS_TIMES * BARGE_IN_MS_MAX) excess.push(`an interruption takes ${ms(silenceMs)}`);
  for (const { codec, cpuPercentPerPeer } of peers)
    if (cpuPercentPerPeer > GROSS_TIMES * CPU_PERCENT_MAX[codec])
      excess.push(`${codec}: a peer takes ${cpuPercentPerPeer.toFixed(1)} % of a core`);
  if (delay !== undefined && delay.heldFrames > 0)
    excess.push(`packets in order are held for ${delay.heldFrames} frames`);
  if (calls !== undefined && calls.after.descriptors > calls.before.descriptors) excess.push("calls leave descriptors");
  return excess;
}
