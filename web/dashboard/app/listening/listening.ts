import { signal } from "@preact/signals";
import type { Schema } from "../../../client/src/index.ts";
import { api } from "../api.ts";
import { endOf, type ListeningEnd } from "./ends.ts";
import { type Levels, PROCESSOR, type Side, type ToWorklet } from "./messages.ts";
import workletUrl from "./worklet.ts?worker&url";

export type ListeningState =
  | { status: "connecting" }
  | { status: "listening"; sinceMs: number }
  | { status: "ended"; end: ListeningEnd }
  /** The service refused the request, or the browser plays nothing. */
  | { status: "failed"; error: unknown };

const SILENCE: Levels = { caller: 0, agent: 0 };

/** The first message of the connection. */
interface Start {
  sampleRate: number;
}

/**
 * One person who listens to a live call: asks for an address, connects, and plays both sides until the call ends. Nothing is sent, and no
 * microphone is used. To be made within a click, so that the browser lets the page play.
 */
export class Listening {
  readonly state = signal<ListeningState>({ status: "connecting" });
  readonly levels = signal<Levels>(SILENCE);
  readonly muted = { caller: signal(false), agent: signal(false) } as const;
  /** The browser plays nothing until the person clicks again. */
  readonly isSuspended = signal(false);
  readonly #context = new AudioContext({ latencyHint: "balanced" });
  readonly #left = new AbortController();
  #node: AudioWorkletNode | undefined;
  #socket: WebSocket | undefined;

  constructor(callId: Schema<"CallSummary">["id"]) {
    void this.resume();
    this.#run(callId).catch((error: unknown) => this.#end({ status: "failed", error }));
  }

  /** Lets the browser play: within a click. */
  async resume(): Promise<void> {
    await this.#context.resume().catch(() => {});
  }

  /** Mutes one side, or lets it be heard again. */
  setMuted(side: Side, isMuted: boolean): void {
    this.muted[side].value = isMuted;
    this.#post({ type: "mute", side, isMuted });
  }

  /** Leaves the call; the state stays as it is. */
  stop(): void {
    this.#left.abort();
    this.#close();
  }

  async #run(callId: Schema<"CallSummary">["id"]): Promise<void> {
    const context = this.#context;
    const [{ url }] = await Promise.all([
      api.post("/calls/{id}/listen", { path: { id: callId }, signal: this.#left.signal }),
      context.audioWorklet.addModule(workletUrl),
    ]);
    if (this.#left.signal.aborted) return;
    const node = new AudioWorkletNode(context, PROCESSOR, { numberOfInputs: 0, outputChannelCount: [2] });
    node.port.onmessage = ({ data }: MessageEvent<Levels>) => {
      this.levels.value = data;
    };
    node.connect(context.destination);
    this.#node = node;
    this.#watchSuspension();
    this.#connect(url);
  }

  #connect(url: string): void {
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data !== "string") {
        this.#node?.port.postMessage(data, [data]);
        return;
      }
      const { sampleRate } = JSON.parse(data) as Start;
      this.#post({ type: "start", rateHz: sampleRate });
      this.state.value = { status: "listening", sinceMs: Date.now() };
    };
    socket.onclose = ({ reason }) => this.#end({ status: "ended", end: endOf(reason) });
    this.#socket = socket;
  }

  #watchSuspension(): void {
    const onChange = (): void => {
      this.isSuspended.value = this.#context.state === "suspended";
    };
    this.#context.onstatechange = onChange;
    onChange();
  }

  #end(state: ListeningState): void {
    if (this.#left.signal.aborted) return;
    this.#close();
    this.levels.value = SILENCE;
    this.isSuspended.value = false;
    this.state.value = state;
  }

  #close(): void {
    if (this.#socket !== undefined) {
      this.#socket.onclose = null;
      this.#socket.close();
    }
    this.#node?.disconnect();
    this.#context.onstatechange = null;
    if (this.#context.state !== "closed") void this.#context.close();
  }

  #post(message: ToWorklet): void {
    this.#node?.port.postMessage(message);
  }
}
