import { TrunklineCallError } from "./errors.ts";
import type { AudioFormat, StreamCodec } from "./messages.ts";
import { hasOpus, OPUS_BYTES_PER_S, OPUS_HZ, OpusStream } from "./opus-stream.ts";
import type { VolumeDetail } from "./types.ts";
import { AGENT_INPUT, type FromWorklet, MICROPHONE_INPUT, PROCESSOR, type ToWorklet } from "./worklet/messages.ts";

/** A browser starts an AudioContext within this time, or waits for a gesture. After a gesture it is only slow. */
const RESUME_MS_MAX = 1_500;
const RESUME_AFTER_GESTURE_MS_MAX = 5_000;

export interface AudioEngineListener {
  /** 20 ms of the microphone in the codec of the stream, while one is open, and how much of it makes a second. */
  onAudio(message: ArrayBuffer, bytesPerS: number): void;
  onMark(name: string): void;
  onCleared(playedMs: number): void;
  onVolume(volume: VolumeDetail): void;
  /** The browser's codec has failed: the stream is silent, and another one must have PCM. */
  onCodecFailed(error: unknown): void;
  /** The browser has stopped the audio, as for a telephone call. */
  onSuspended(): void;
}

/**
 * The page's AudioContext with the worklet that plays and records where the audio travels on the socket, and that measures how
 * loud both sides are in either case.
 */
export class AudioEngine {
  readonly #context: AudioContext;
  readonly #listener: AudioEngineListener;
  /** Whether the browser has Opus for a stream. */
  #hasOpus = false;
  #node: AudioWorkletNode | undefined;
  /** Of a stream of Opus; one without has PCM. */
  #opus: OpusStream | undefined;
  #pcmBytesPerS = 0;
  #microphone: MediaStreamAudioSourceNode | undefined;
  #agent: MediaStreamAudioSourceNode | undefined;

  /** To be made within the gesture that starts the call. Throws a TrunklineCallError where there is no Web Audio. */
  constructor(listener: AudioEngineListener) {
    if (!isSecureContext) throw new TrunklineCallError("insecure_page");
    if (typeof AudioWorkletNode === "undefined") throw new TrunklineCallError("no_web_audio");
    this.#listener = listener;
    this.#context = new AudioContext({ latencyHint: "interactive" });
  }

  /** Loads the worklet. Rejects with `worklet_failed`, and as `resume`. */
  async open(workletUrl: string | URL): Promise<void> {
    // Asked for before the first await, while the gesture counts.
    const running = this.resume();
    const loaded = this.#context.audioWorklet.addModule(workletUrl).catch((error) => {
      throw new TrunklineCallError("worklet_failed", error);
    });
    [this.#hasOpus] = await Promise.all([hasOpus(), running, loaded]);
    const node = new AudioWorkletNode(this.#context, PROCESSOR, {
      numberOfInputs: 2,
      numberOfOutputs: 1,
      outputChannelCount: [1],
      channelCount: 1,
      channelCountMode: "explicit",
    });
    node.port.onmessage = ({ data }: MessageEvent<ArrayBuffer | FromWorklet>) => this.#take(data);
    node.connect(this.#context.destination);
    this.#node = node;
    this.#context.onstatechange = () => void this.#keepRunning();
  }

  /** Rejects with `needs_gesture` where the browser does not let the page play, and with `no_loudspeaker` where it cannot. */
  async resume(): Promise<void> {
    const hasGesture = navigator.userActivation?.hasBeenActive === true;
    const withinMs = hasGesture ? RESUME_AFTER_GESTURE_MS_MAX : RESUME_MS_MAX;
    const refused = new Promise<void>((resolve) => setTimeout(resolve, withinMs));
    await Promise.race([this.#context.resume(), refused]);
    // After a gesture the page may play: Firefox then waits for a device.
    if (this.#context.state !== "running")
      throw new TrunklineCallError(hasGesture ? "no_loudspeaker" : "needs_gesture");
  }

  /** Records this track from here on, or nothing. */
  setMicrophone(track: MediaStreamTrack | undefined): void {
    this.#microphone?.disconnect();
    this.#microphone = this.#source(track, MICROPHONE_INPUT);
  }

  /** Measures this track, which something else plays, from here on; or nothing. */
  setAgent(track: MediaStreamTrack | undefined): void {
    this.#agent?.disconnect();
    this.#agent = this.#source(track, AGENT_INPUT);
  }

  /** A track without any sound. It has a source all the same: without one Chromium sends nothing. */
  silence(): MediaStreamTrack {
    const destination = this.#context.createMediaStreamDestination();
    const source = new ConstantSourceNode(this.#context, { offset: 0 });
    source.connect(destination);
    source.start();
    return destination.stream.getAudioTracks()[0] as MediaStreamTrack;
  }

  /** The best codec that a stream may have. */
  get streamCodec(): StreamCodec {
    return this.#hasOpus ? "opus" : "pcm_s16le";
  }

  /**
   * Audio travels on the socket from here on; `play` takes the agent's. False, and nothing changes, for a codec that the
   * browser does not have.
   */
  openStream(input: AudioFormat, output: AudioFormat): boolean {
    if (input.codec !== output.codec || !(input.codec === "pcm_s16le" || input.codec === this.streamCodec))
      return false;
    this.#closeOpus();
    if (input.codec === "opus") {
      this.#opus = this.#openOpus();
      this.#post({ type: "stream", inputHz: OPUS_HZ, outputHz: OPUS_HZ });
    } else {
      this.#pcmBytesPerS = 2 * input.sampleRate;
      this.#post({ type: "stream", inputHz: input.sampleRate, outputHz: output.sampleRate });
    }
    return true;
  }

  closeStream(): void {
    this.#closeOpus();
    this.#post({ type: "stop" });
  }

  play(message: ArrayBuffer): void {
    if (this.#opus === undefined) this.#playSamples(message);
    else this.#opus.decode(message);
  }

  mark(name: string): void {
    if (this.#opus === undefined) this.#post({ type: "mark", name });
    else this.#opus.mark(name);
  }

  clear(): void {
    this.#opus?.clear();
    this.#post({ type: "clear" });
  }

  /** Rejects with `not_supported` where the browser does not let pages choose. */
  async setOutputDevice(id: string): Promise<void> {
    const context = this.#context as AudioContext & { setSinkId?: (id: string) => Promise<void> };
    if (context.setSinkId === undefined) throw new TrunklineCallError("not_supported");
    await context.setSinkId(id).catch((error) => {
      throw new TrunklineCallError("not_supported", error);
    });
  }

  close(): void {
    this.#context.onstatechange = null;
    this.#closeOpus();
    this.#node?.disconnect();
    this.#microphone?.disconnect();
    this.#agent?.disconnect();
    void this.#context.close();
  }

  /** The browser has stopped the audio: for a moment, as where the loudspeaker changes, or until there is a gesture. */
  async #keepRunning(): Promise<void> {
    const { state } = this.#context;
    if (state === "running" || state === "closed") return;
    await this.resume().catch(() => {
      if (this.#context.state !== "closed") this.#listener.onSuspended();
    });
  }

  #openOpus(): OpusStream {
    return new OpusStream({
      onPacket: (packet) => this.#listener.onAudio(packet, OPUS_BYTES_PER_S),
      onSamples: (samples) => this.#playSamples(samples),
      onMark: (name) => this.#post({ type: "mark", name }),
      onFailed: (error) => {
        this.#hasOpus = false;
        this.#listener.onCodecFailed(error);
      },
    });
  }

  #closeOpus(): void {
    this.#opus?.close();
    this.#opus = undefined;
  }

  #playSamples(samples: ArrayBuffer): void {
    this.#node?.port.postMessage(samples, [samples]);
  }

  #source(track: MediaStreamTrack | undefined, input: number): MediaStreamAudioSourceNode | undefined {
    if (track === undefined || this.#node === undefined) return undefined;
    const source = this.#context.createMediaStreamSource(new MediaStream([track]));
    source.connect(this.#node, 0, input);
    return source;
  }

  #post(message: ToWorklet): void {
    this.#node?.port.postMessage(message);
  }

  #take(data: ArrayBuffer | FromWorklet): void {
    if (data instanceof ArrayBuffer) {
      if (this.#opus === undefined) this.#listener.onAudio(data, this.#pcmBytesPerS);
      else this.#opus.encode(data);
      return;
    }
    switch (data.type) {
      case "mark":
        this.#listener.onMark(data.name);
        return;
      case "cleared":
        this.#listener.onCleared(data.playedMs);
        return;
      case "levels":
        this.#listener.onVolume({ input: data.input, output: data.output });
    }
  }
}
