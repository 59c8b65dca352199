import { describeMachine } from "../harness/machine.ts";
import { commitHere } from "../harness/project.ts";
import { findCores } from "../rig/cpu-cores.ts";
import { measureBargeIn } from "./browser/barge-in.ts";
import { measureStarts } from "./browser/starts.ts";
import { measureTones } from "./browser/tones.ts";
import { measureDelay } from "./delay.ts";
import { goalsOf } from "./goals.ts";
import { measureNetwork } from "./network.ts";
import { measureCalls, measureCapacity, measurePeers } from "./peers/bench.ts";
import type { Part, Scene, WebrtcOptions, WebrtcResult } from "./result.ts";

/** Measures the parts one after the other. Rejects where what one needs is not installed. */
export async function runWebrtcBench(options: WebrtcOptions, write: (line: string) => void): Promise<WebrtcResult> {
  const scene: Scene = { options, cores: findCores(), write, problems: [] };
  const when = async <T>(part: Part, measure: (scene: Scene) => T | Promise<T>): Promise<T | undefined> =>
    options.parts.includes(part) ? await measure(scene) : undefined;
  const measured = {
    options,
    delay: await when("delay", measureDelay),
    start: await when("start", measureStarts),
    bargeIn: await when("barge-in", measureBargeIn),
    tones: (await when("tones", measureTones)) ?? [],
    network: (await when("network", measureNetwork)) ?? [],
    peers: (await when("peers", measurePeers)) ?? [],
    capacity: (await when("capacity", measureCapacity)) ?? [],
    calls: await when("calls", measureCalls),
  };
  const { problems, cores } = scene;
  return { machine: describeMachine(), commit: commitHere(), cores, problems, ...measured, goals: goalsOf(measured) };
}
