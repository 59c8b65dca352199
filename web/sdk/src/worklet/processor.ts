import { Capture } from "./capture.ts";
import { Level } from "./level.ts";
import { AGENT_INPUT, type FromWorklet, MICROPHONE_INPUT, PROCESSOR, type ToWorklet } from "./messages.ts";
import { Playback } from "./playback.ts";

// The scope of an AudioWorklet, which TypeScript's library does not have.
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

/** How often the levels are reported. */
const LEVELS_HZ = 20;

/** The audio of a call on the browser's audio thread, which no hidden page and no busy script slows down. */
class AudioProcessor extends AudioWorkletProcessor {
  readonly #inputLevel = new Level();
  readonly #outputLevel = new Level();
  #capture: Capture | undefined;
  #playback: Playback | undefined;
  #untilLevels = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<ArrayBuffer | ToWorklet>) => {
      if (data instanceof ArrayBuffer) this.#playback?.push(new Int16Array(data, 0, data.byteLength >> 1));
      else this.#take(data);
    };
  }

  process(inputs: readonly Float32Array[][], outputs: readonly Float32Array[][]): boolean {
    const microphone = inputs[MICROPHONE_INPUT]?.[0];
    const output = outputs[0]?.[0];
    if (microphone !== undefined) {
      this.#inputLevel.add(microphone);
      this.#capture?.write(microphone);
    }
    if (output !== undefined) this.#playback?.read(output);
    const agent = this.#playback === undefined ? inputs[AGENT_INPUT]?.[0] : output;
    if (agent !== undefined) this.#outputLevel.add(agent);
    this.#untilLevels -= output?.length ?? 0;
    if (this.#untilLevels <= 0) {
      this.#untilLevels += sampleRate / LEVELS_HZ;
      this.#emit({ type: "levels", input: this.#inputLevel.read(), output: this.#outputLevel.read() });
    }
    return true;
  }

  #take(message: ToWorklet): void {
    switch (message.type) {
      case "stream":
        this.#capture = new Capture(sampleRate, message.inputHz, ({ buffer }) =>
          this.port.postMessage(buffer, [buffer]),
        );
        this.#playback = new Playback(message.outputHz, sampleRate, (name) => this.#emit({ type: "mark", name }));
        return;
      case "stop":
        this.#capture = undefined;
        this.#playback = undefined;
        return;
      case "mark":
        this.#playback?.mark(message.name);
        return;
      case "clear":
        if (this.#playback !== undefined) this.#emit({ type: "cleared", playedMs: this.#playback.clear() });
    }
  }

  #emit(message: FromWorklet): void {
    this.port.postMessage(message);
  }
}

registerProcessor(PROCESSOR, AudioProcessor);
