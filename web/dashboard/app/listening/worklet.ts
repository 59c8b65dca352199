import { Level } from "../../../sdk/src/worklet/level.ts";
import { HeardAudio } from "./heard-audio.ts";
import { type Levels, PROCESSOR, SIDES, type ToWorklet } from "./messages.ts";

// The scope of an AudioWorklet, which TypeScript's library does not have.
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

/** How often the levels are reported. */
const LEVELS_HZ = 10;

/** Plays a call on the browser's audio thread, the caller left and the agent right, as the recording has it. */
class ListenProcessor extends AudioWorkletProcessor {
  readonly #levels = { caller: new Level(), agent: new Level() };
  readonly #muted = { caller: false, agent: false };
  #audio: HeardAudio | undefined;
  #untilLevels = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<ArrayBuffer | ToWorklet>) => {
      if (data instanceof ArrayBuffer) this.#audio?.push(new Int16Array(data, 0, data.byteLength >> 1));
      else if (data.type === "start") this.#audio = new HeardAudio(data.rateHz, sampleRate);
      else this.#muted[data.side] = data.isMuted;
    };
  }

  process(_inputs: readonly Float32Array[][], [output]: readonly Float32Array[][]): boolean {
    const [caller, agent] = output ?? [];
    if (caller === undefined || agent === undefined) return true;
    const outputs = { caller, agent };
    this.#audio?.read(outputs);
    for (const side of SIDES) {
      this.#levels[side].add(outputs[side]);
      if (this.#muted[side]) outputs[side].fill(0);
    }
    this.#untilLevels -= caller.length;
    if (this.#untilLevels <= 0) {
      this.#untilLevels += sampleRate / LEVELS_HZ;
      this.port.postMessage({
        caller: this.#levels.caller.read(),
        agent: this.#levels.agent.read(),
      } satisfies Levels);
    }
    return true;
  }
}

registerProcessor(PROCESSOR, ListenProcessor);
