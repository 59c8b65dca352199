import { AudioEngine } from "./audio-engine.ts";
import { browserClock } from "./clock.ts";
import { Connection, type ConnectionEnd } from "./connection.ts";
import { asCallError, type CallErrorCode, END_ERRORS, TrunklineCallError } from "./errors.ts";
import { type ClientMessage, type IceServer, type Ready, type ServiceMessage, TEXT_CHARS_MAX } from "./messages.ts";
import { isMicrophoneAllowed, listDevices, openMicrophone } from "./microphone.ts";
import { RtpAudio } from "./rtp-audio.ts";
import { websocketUrlOf } from "./session.ts";
import { Tools } from "./tools.ts";
import type { CallEvents, CallOptions, CallSource, CallState, Devices, ToolHandler, TurnLatency } from "./types.ts";

/** So many texts and digits wait for the connection, while the microphone and the call are opened. */
const PENDING_MAX = 32;
/** How the service closes a socket of which it has stopped or lost the call. */
const SERVICE_CLOSES: readonly number[] = [1_001, 1_011, 1_012, 1_013];

/** Gets the events of a type. */
type CallListener<Type extends keyof CallEvents> =
  | ((event: CallEvents[Type]) => void)
  | { handleEvent(event: CallEvents[Type]): void };

/** A call to an agent from this page, once: another call is another object. */
export class TrunklineCall extends EventTarget {
  readonly #source: CallSource;
  readonly #options: CallOptions;
  readonly #tools = new Tools();
  #state: CallState = "idle";
  #callId: string | undefined;
  #isMuted = false;
  #inputId: string | undefined;
  #outputId: string | undefined;
  #engine: AudioEngine | undefined;
  #microphone: MediaStreamTrack | undefined;
  #connection: Connection | undefined;
  /** What was typed before there was a connection. */
  #pending: ClientMessage[] = [];
  #rtp: RtpAudio | undefined;
  /** The audio travels on the socket, and WebRTC is not tried again. */
  #isOnSocket: boolean;
  /** Of the `start()` that waits for `ready`. */
  #starting: { resolve(): void; reject(error: unknown): void } | undefined;
  readonly #unlisten: (() => void)[] = [];

  constructor(source: CallSource, options: CallOptions = {}) {
    super();
    this.#source = source;
    this.#options = options;
    this.#isOnSocket = options.transport === "websocket" || typeof RTCPeerConnection === "undefined";
  }

  get state(): CallState {
    return this.#state;
  }

  /** The call's id at the service; undefined before `ready`. */
  get callId(): string | undefined {
    return this.#callId;
  }

  get muted(): boolean {
    return this.#isMuted;
  }

  override addEventListener<Type extends keyof CallEvents>(
    type: Type,
    listener: CallListener<Type> | null,
    options?: boolean | AddEventListenerOptions,
  ): void {
    super.addEventListener(type, listener as EventListener | null, options);
  }

  override removeEventListener<Type extends keyof CallEvents>(
    type: Type,
    listener: CallListener<Type> | null,
    options?: boolean | EventListenerOptions,
  ): void {
    super.removeEventListener(type, listener as EventListener | null, options);
  }

  /**
   * Opens the microphone and the call; resolves when audio flows. To be called in a click or a key press. Rejects with a
   * TrunklineCallError, which is an event `error`, too. A start that failed before the connection is opened, as with
   * `needs_gesture`, may be repeated.
   */
  async start(): Promise<void> {
    if (this.#state !== "idle") throw new TrunklineCallError("already_started");
    this.#setState("connecting");
    try {
      const early = this.#createEarly();
      // Where the audio fails first, this is its error.
      early.catch(() => {});
      await this.#openAudio();
      const url = (await early) ?? (await this.#createCall());
      this.#requireStarting();
      await this.#connect(url);
    } catch (error) {
      // With a connection the call has ended, and said so; so has one that was stopped.
      if (this.#connection !== undefined) throw error;
      if (!this.#isStarting()) throw new TrunklineCallError("not_connected", error);
      const failure = asCallError(error, "not_supported");
      this.#closeAudio();
      this.#setState("idle");
      this.#emit("error", failure.detail(true));
      throw failure;
    }
  }

  /** Hangs up. */
  stop(): void {
    if (this.#state === "idle" || this.#state === "ended") return;
    this.#connection?.close({ type: "end" });
    this.#end("caller_hangup");
  }

  /** Silences the microphone, or not. */
  setMuted(muted: boolean): void {
    this.#isMuted = muted;
    if (this.#microphone !== undefined) this.#microphone.enabled = !muted;
  }

  /** Says something as the caller without speaking: 1 to 16,384 characters, not blank. From `start()` on; it waits for the agent. */
  sendText(text: string): void {
    if (text.length > TEXT_CHARS_MAX || text.trim() === "") {
      throw new RangeError(`a text must have 1 to ${TEXT_CHARS_MAX} characters, and not be blank`);
    }
    this.#sendToCall({ type: "text", text });
  }

  /** Presses keys of the telephone: `0`-`9`, `*`, `#`, `A`-`D`. */
  sendDtmf(digits: string): void {
    if (!/^[0-9*#A-D]+$/.test(digits)) throw new RangeError("digits must be of 0-9, *, #, A-D");
    for (const digit of digits) this.#sendToCall({ type: "dtmf", digit });
  }

  /** Carries out a tool of the agent, of the type `client`, in this page. */
  registerTool(name: string, handler: ToolHandler): void {
    this.#tools.register(name, handler);
  }

  listDevices(): Promise<Devices> {
    return listDevices();
  }

  /**
   * The microphone for this call, also while it lasts. Gives one to a call that began without. What it rejects with is an event
   * `error`, too.
   */
  async setInputDevice(id: string): Promise<void> {
    this.#inputId = id;
    if (this.#engine !== undefined) await this.#reported(this.#useMicrophone());
  }

  /**
   * The loudspeaker for this call, also while it lasts. Rejects with `not_supported` where browsers do not let pages choose, which
   * is an event `error`, too.
   */
  async setOutputDevice(id: string): Promise<void> {
    this.#outputId = id;
    const audio = this.#rtp ?? this.#engine;
    if (audio !== undefined) await this.#reported(audio.setOutputDevice(id));
  }

  /** Goes on after an event `error` with the code `needs_gesture`. To be called in a click or a key press. */
  async resumeAudio(): Promise<void> {
    await Promise.all([this.#engine?.resume(), this.#rtp?.resume()]);
  }

  #createCall(): Promise<string> {
    return websocketUrlOf(this.#source, !this.#isOnSocket);
  }

  /** The call is created while the audio is opened, where that will hardly fail: a call that is not used counts as a start. */
  async #createEarly(): Promise<string | undefined> {
    if (navigator.userActivation?.hasBeenActive !== true) return;
    const { microphone = true } = this.#options;
    return !microphone || (await isMicrophoneAllowed()) ? await this.#createCall() : undefined;
  }

  async #openAudio(): Promise<void> {
    const engine = new AudioEngine({
      onAudio: (message, bytesPerS) => this.#connection?.sendAudio(message, bytesPerS),
      onMark: (name) => this.#played(name),
      onCleared: (playedMs) => this.#connection?.send({ type: "cleared", playedMs }),
      onVolume: (volume) => {
        this.#rtp?.poll();
        this.#emit("volume", volume);
      },
      onCodecFailed: (error) => this.#openAgain(error),
      onSuspended: () => this.#emit("error", new TrunklineCallError("needs_gesture").detail(false)),
    });
    this.#engine = engine;
    const { workletUrl = new URL("./worklet.js", import.meta.url), microphone = true } = this.#options;
    const opened = await Promise.allSettled([engine.open(workletUrl), microphone && this.#openMicrophone()]);
    for (const result of opened) if (result.status === "rejected") throw result.reason;
    this.#requireStarting();
    engine.setMicrophone(this.#microphone);
  }

  /** A microphone instead of the one before, for which nothing is wired yet. */
  async #openMicrophone(): Promise<MediaStreamTrack> {
    const track = await openMicrophone(this.#options.audio ?? {}, this.#inputId);
    if (this.#state === "ended") {
      track.stop();
      throw new TrunklineCallError("not_connected");
    }
    this.#microphone?.stop();
    this.#microphone = track;
    track.enabled = !this.#isMuted;
    track.onended = () => void this.#loseMicrophone();
    return track;
  }

  async #useMicrophone(): Promise<void> {
    const track = await this.#openMicrophone();
    this.#engine?.setMicrophone(track);
    await this.#rtp?.setMicrophone(track);
  }

  /** The service needs audio, which is silence then. */
  async #loseMicrophone(): Promise<void> {
    this.#microphone = undefined;
    this.#engine?.setMicrophone(undefined);
    this.#emit("error", new TrunklineCallError("microphone_lost").detail(false));
    if (this.#engine !== undefined) await this.#rtp?.setMicrophone(this.#engine.silence());
  }

  async #connect(url: string): Promise<void> {
    this.#connection = new Connection({
      resume: this.#options.resume ?? true,
      clock: browserClock,
      openSocket: (address) => new WebSocket(address),
      random: Math.random,
      onMessage: (message) => this.#receive(message),
      onAudio: (message) => this.#engine?.play(message),
      onLost: () => {
        this.#closeRtp();
        this.#setState("reconnecting");
      },
      onEnd: (end) => this.#lose(end),
    });
    this.#watchPage(this.#connection);
    for (const message of this.#pending.splice(0)) this.#connection.sendToCall(message);
    const ready = new Promise<void>((resolve, reject) => {
      this.#starting = { resolve, reject };
    });
    try {
      this.#connection.open(url);
    } catch (error) {
      // The address is none, or none of a socket.
      this.#fail(new TrunklineCallError("invalid_request", error));
    }
    await ready;
  }

  #watchPage(connection: Connection): void {
    const listen = (target: EventTarget, type: string, listener: () => void): void => {
      target.addEventListener(type, listener);
      this.#unlisten.push(() => target.removeEventListener(type, listener));
    };
    listen(window, "online", () => connection.networkChanged());
    listen(window, "pagehide", () => this.stop());
    const { connection: network } = navigator as { connection?: EventTarget & { type?: string } };
    if (network === undefined) return;
    let type = network.type;
    // It changes with each estimate of the bandwidth, too.
    listen(network, "change", () => {
      if (network.type !== type) connection.networkChanged();
      type = network.type;
    });
  }

  #receive(message: ServiceMessage): void {
    switch (message.type) {
      case "hello":
        this.#openRtp(message.iceServers);
        return;
      case "answer":
        void this.#rtp?.answer(message.sdp);
        return;
      case "ready":
        this.#ready(message);
        return;
      case "state":
        this.#setState(message.state, message.latency);
        return;
      case "transcript": {
        const { type: _, ...transcript } = message;
        this.#emit("transcript", transcript);
        return;
      }
      case "mark":
        this.#emit("mark", { name: message.name, played: false });
        if (this.#rtp === undefined) this.#engine?.mark(message.name);
        else this.#rtp.mark(message.name, message.rtpTimestamp ?? 0);
        return;
      case "clear":
        this.#clear(message.rtpTimestamp ?? 0);
        return;
      case "fallback":
        this.#fallBack();
        return;
      case "error":
        this.#refused(message.code, message.message);
        return;
      case "toolCall":
        void this.#tools.run(message).then((result) => this.#connection?.sendToCall(result));
        return;
      case "ended":
        this.#connection?.close();
        this.#ended(message.reason);
    }
  }

  #ready({ callId, transport = "websocket", input, output }: Ready): void {
    if (transport === "rtp") this.#engine?.closeStream();
    else if (this.#engine?.openStream(input, output) === true) {
      this.#isOnSocket = true;
      this.#closeRtp();
    } else {
      this.#fail(new TrunklineCallError("not_supported", `the codec ${input.codec}`));
      return;
    }
    this.#callId = callId;
    // What does not work is an event `error`.
    if (this.#outputId !== undefined) this.setOutputDevice(this.#outputId).catch(() => {});
    this.#emit("ready", { callId, transport });
    if (this.#isStarting() || this.#state === "reconnecting") this.#setState("listening");
    this.#starting?.resolve();
  }

  #openRtp(iceServers: IceServer[]): void {
    this.#closeRtp();
    const engine = this.#engine;
    if (engine === undefined) return;
    if (this.#isOnSocket) {
      this.#connection?.send({ type: "fallback", codec: engine.streamCodec });
      return;
    }
    try {
      this.#rtp = new RtpAudio(iceServers, this.#microphone ?? engine.silence(), {
        onOffer: (sdp) => this.#connection?.send({ type: "offer", sdp }),
        onTrack: (track) => engine.setAgent(track),
        onMark: (name) => this.#played(name),
        onBlocked: () => this.#emit("error", new TrunklineCallError("needs_gesture").detail(false)),
        onFailed: () => this.#fallBack(),
      });
      void this.#rtp.open();
    } catch {
      // A browser whose policy forbids WebRTC, or that cannot read the servers.
      this.#fallBack();
    }
  }

  /** WebRTC does not work: the audio travels on the socket from here on. */
  #fallBack(): void {
    this.#closeRtp();
    if (this.#isOnSocket) return;
    this.#isOnSocket = true;
    this.#connection?.send({ type: "fallback", codec: this.#engine?.streamCodec ?? "pcm_s16le" });
  }

  /** The codec of the stream has failed. A socket keeps its codec, so a new one gets another, where there may be one. */
  #openAgain(error: unknown): void {
    if (this.#connection?.canResume === true) this.#connection.reopen();
    else this.#fail(new TrunklineCallError("not_supported", error));
  }

  #closeRtp(): void {
    this.#rtp?.close();
    this.#rtp = undefined;
    this.#engine?.setAgent(undefined);
  }

  #played(name: string): void {
    this.#connection?.send({ type: "mark", name });
    this.#emit("mark", { name, played: true });
  }

  /** The caller has interrupted the agent. */
  #clear(rtpTimestamp: number): void {
    if (this.#rtp === undefined) this.#engine?.clear();
    else this.#connection?.send({ type: "cleared", playedMs: this.#rtp.clear(rtpTimestamp) });
  }

  /** The service did not take a message. */
  #refused(code: string, message: string): void {
    if (code === "bad_offer") this.#fallBack();
    else {
      const known: CallErrorCode = code === "rate_limited" ? code : "protocol_error";
      this.#emit("error", new TrunklineCallError(known, `${code}: ${message}`).detail(false));
    }
  }

  #lose({ how, code, reason }: ConnectionEnd): void {
    const cause = `closed with ${code} ${reason}`;
    if (how === "refused" && navigator.onLine) {
      this.#fail(new TrunklineCallError(this.#source.url === undefined ? "service_unavailable" : "url_expired", cause));
    } else if (how !== "closed") this.#fail(new TrunklineCallError("unreachable", cause));
    else if (SERVICE_CLOSES.includes(code)) this.#fail(new TrunklineCallError("service_unavailable", cause), reason);
    else if (reason === "") this.#fail(new TrunklineCallError("connection_lost", cause));
    else this.#ended(reason);
  }

  /** The service has ended the call: as calls end, or by a fault. */
  #ended(reason: string): void {
    const code = END_ERRORS[reason];
    if (code === undefined) this.#end(reason);
    else this.#fail(new TrunklineCallError(code, `the call ended with ${reason}`), reason);
  }

  #fail(error: TrunklineCallError, reason = ""): void {
    this.#connection?.close({ type: "end" });
    this.#emit("error", error.detail(true));
    this.#end(reason === "" ? error.code : reason, error);
  }

  #end(reason: string, error = new TrunklineCallError("not_connected", reason)): void {
    if (this.#state === "ended") return;
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
    this.#closeRtp();
    this.#closeAudio();
    this.#setState("ended");
    this.#emit("ended", { reason });
    this.#starting?.reject(error);
  }

  #closeAudio(): void {
    this.#engine?.close();
    this.#engine = undefined;
    if (this.#microphone !== undefined) this.#microphone.onended = null;
    this.#microphone?.stop();
    this.#microphone = undefined;
  }

  /** Sends what belongs to the call, or lets it wait. Throws `not_connected` where there is no call, or too much waits. */
  #sendToCall(message: ClientMessage): void {
    if (this.#connection !== undefined && this.#state !== "ended" && this.#connection.sendToCall(message)) return;
    const isOpening = this.#connection === undefined && this.#isStarting();
    if (!isOpening || this.#pending.length >= PENDING_MAX) throw new TrunklineCallError("not_connected");
    this.#pending.push(message);
  }

  /** Makes what a device rejects with an event `error`, too. */
  async #reported(change: Promise<void>): Promise<void> {
    try {
      await change;
    } catch (error) {
      const failure = asCallError(error, "not_supported");
      // The call may have ended meanwhile.
      if (this.#state !== "ended") this.#emit("error", failure.detail(false));
      throw failure;
    }
  }

  #isStarting(): boolean {
    return this.#state === "connecting";
  }

  /** Throws where `stop` came during the start. */
  #requireStarting(): void {
    if (!this.#isStarting()) throw new TrunklineCallError("not_connected");
  }

  #setState(state: CallState, latency?: TurnLatency): void {
    if (state === this.#state && latency === undefined) return;
    this.#state = state;
    this.#emit("state", { state, ...(latency !== undefined && { latency }) });
  }

  #emit<Type extends keyof CallEvents>(type: Type, detail: CallEvents[Type]["detail"]): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
