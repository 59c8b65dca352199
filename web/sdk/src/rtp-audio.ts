import { TrunklineCallError } from "./errors.ts";
import type { IceServer } from "./messages.ts";
import { RtpPlayout } from "./rtp-playout.ts";

/** Without a connection by then the audio travels on the socket. */
const CONNECT_MS_MAX = 5_000;
/** A browser that knows all addresses of both ends, and has tried none of them so long after, will try none. */
const UNTRIED_MS_MAX = 500;
/** With the service's lead of 60 ms, a buffer of this size neither runs dry nor plays faster than it was spoken. */
const JITTER_BUFFER_MS = 100;
/** How often the browser is asked what it plays. */
const POLL_MS = 20;
const RAMP_STEP_MS = 5;
const RAMP_STEPS = 2;
/** After a `clear` the browser has played what it held. */
const REOPEN_MS = 250;

export interface RtpAudioListener {
  onOffer(sdp: string): void;
  onTrack(track: MediaStreamTrack): void;
  onMark(name: string): void;
  /** The browser does not play the agent's audio until there is a gesture. */
  onBlocked(): void;
  /** There is no connection, or no longer. Once, and the last of all callbacks; not after `close`. */
  onFailed(): void;
}

/** The audio of a call by WebRTC: the microphone out, the agent in, and what of the agent was played. */
export class RtpAudio {
  readonly #listener: RtpAudioListener;
  readonly #peer: RTCPeerConnection;
  readonly #transceiver: RTCRtpTransceiver;
  /** Chromium plays a remote track only through an element. */
  readonly #element = new Audio();
  readonly #playout = new RtpPlayout();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  readonly #polling: ReturnType<typeof setInterval>;
  #cancelReopening = (): void => {};
  #isClosed = false;

  constructor(iceServers: IceServer[], microphone: MediaStreamTrack, listener: RtpAudioListener) {
    this.#listener = listener;
    this.#peer = new RTCPeerConnection({ bundlePolicy: "max-bundle", iceServers });
    this.#transceiver = this.#peer.addTransceiver(microphone, { direction: "sendrecv" });
    this.#peer.ontrack = ({ track }) => this.#play(track);
    this.#peer.onconnectionstatechange = () => {
      if (this.#peer.connectionState === "failed" || this.#peer.connectionState === "closed") this.#fail();
    };
    this.#after(CONNECT_MS_MAX, () => {
      if (this.#peer.connectionState !== "connected") this.#fail();
    });
    this.#polling = setInterval(() => this.poll(), POLL_MS);
  }

  /** Makes the offer. */
  async open(): Promise<void> {
    try {
      await this.#peer.setLocalDescription(await this.#peer.createOffer());
      if (!this.#isClosed) this.#listener.onOffer(this.#peer.localDescription?.sdp ?? "");
    } catch {
      this.#fail();
    }
  }

  async answer(sdp: string): Promise<void> {
    try {
      await this.#peer.setRemoteDescription({ type: "answer", sdp });
      this.#failUntried();
    } catch {
      this.#fail();
    }
  }

  /** Sends this track from here on. */
  async setMicrophone(track: MediaStreamTrack): Promise<void> {
    await this.#transceiver.sender.replaceTrack(track);
  }

  /** Rejects with `not_supported` where the browser does not let pages choose. */
  async setOutputDevice(id: string): Promise<void> {
    if (!("setSinkId" in this.#element)) throw new TrunklineCallError("not_supported");
    await this.#element.setSinkId(id).catch((error) => {
      throw new TrunklineCallError("not_supported", error);
    });
  }

  /** Rejects with `needs_gesture` where the browser does not let the page play. */
  async resume(): Promise<void> {
    await this.#element.play().catch((error) => {
      throw new TrunklineCallError("needs_gesture", error);
    });
  }

  mark(name: string, rtpTimestamp: number): void {
    this.#playout.mark(name, rtpTimestamp);
    this.poll();
  }

  /** Audio before `rtpTimestamp` that was not played is not heard. Returns how much was played. */
  clear(rtpTimestamp: number): number {
    // Also where no mark waits: how far playback has come is what counts here.
    this.#observe();
    const playedMs = this.#playout.clear(rtpTimestamp);
    // Timers of a hidden page are slow.
    this.#ramp(document.hidden ? 0 : RAMP_STEPS - 1);
    this.#cancelReopening();
    this.#cancelReopening = this.#after(REOPEN_MS, () => {
      this.#playout.reopen();
      this.#open();
    });
    return playedMs;
  }

  /** Asks the browser what it plays. Its timer is slow in a hidden page, so others may ask, too. */
  poll(): void {
    if (this.#playout.isWaiting) this.#observe();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#polling);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#peer.onconnectionstatechange = null;
    this.#peer.close();
    this.#element.srcObject = null;
  }

  #observe(): void {
    const source = this.#transceiver.receiver.getSynchronizationSources()[0];
    if (source === undefined) return;
    for (const name of this.#playout.observe(source.rtpTimestamp)) this.#listener.onMark(name);
    this.#open();
  }

  #play(track: MediaStreamTrack): void {
    const { receiver } = this.#transceiver;
    if ("jitterBufferTarget" in receiver) receiver.jitterBufferTarget = JITTER_BUFFER_MS;
    this.#element.srcObject = new MediaStream([track]);
    this.resume().catch(() => !this.#isClosed && this.#listener.onBlocked());
    this.#listener.onTrack(track);
  }

  /** Turns the agent down within 10 ms, and off: where a page may not set the volume, as on iOS, that alone counts. */
  #ramp(step: number): void {
    if (!this.#playout.isClosed) return;
    this.#element.volume = step / RAMP_STEPS;
    this.#element.muted = step === 0;
    if (step > 0) this.#after(RAMP_STEP_MS, () => this.#ramp(step - 1));
  }

  #open(): void {
    if (this.#playout.isClosed) return;
    this.#element.volume = 1;
    this.#element.muted = false;
  }

  /** Runs `task` unless the call is over by then; returns what cancels it. */
  #after(delayMs: number, task: () => void): () => void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      task();
    }, delayMs);
    this.#timers.add(timer);
    return () => clearTimeout(timer);
  }

  /** Firefox connects to no address of its own machine, and does not say so: a page of `localhost` would wait in vain. */
  #failUntried(): void {
    if (this.#isClosed) return;
    this.#after(UNTRIED_MS_MAX, () => {
      if (this.#peer.iceConnectionState !== "new") return;
      if (this.#peer.iceGatheringState === "complete") this.#fail();
      else this.#failUntried();
    });
  }

  #fail(): void {
    if (this.#isClosed) return;
    this.close();
    this.#listener.onFailed();
  }
}
