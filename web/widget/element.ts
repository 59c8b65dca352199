import { TrunklineCall, TrunklineCallError } from "../sdk/src/index.ts";
import { listDevices } from "../sdk/src/microphone.ts";
import type { CallEvents, CallState, Devices, ToolHandler } from "../sdk/src/types.ts";
import { WORKLET_URL } from "../ui/worklet-url.ts";
import { settingsOf, sourceOf } from "./settings.ts";
import { styleSheet } from "./style.ts";
import { textsFor } from "./texts/languages.ts";
import { WidgetView } from "./view.ts";

/** The widget lies in a folder of the service: the address before the folder is that of the service. */
const SERVICE_URL = new URL("..", import.meta.url).href;

/** All of a call: the compiler names one that is missing. */
const EVENTS = Object.keys({
  ready: true,
  state: true,
  transcript: true,
  mark: true,
  volume: true,
  error: true,
  ended: true,
} satisfies Record<keyof CallEvents, true>) as (keyof CallEvents)[];

/**
 * `<trunkline-agent>`: lets the visitors of a page talk to an agent. Its attributes and CSS are in docs/browser.md. Every event of
 * its call is dispatched on the element as `trunkline-<type>`.
 */
export class TrunklineAgent extends HTMLElement {
  static readonly observedAttributes = ["layout", "lang", "consent", "heading", "microphone"];

  readonly #tools = new Map<string, ToolHandler>();
  #inputId: string | undefined;
  #outputId: string | undefined;
  #call: TrunklineCall | undefined;
  #view: WidgetView | undefined;

  connectedCallback(): void {
    if (this.#view === undefined) this.#draw();
  }

  disconnectedCallback(): void {
    // An element that is only moved is connected again at once.
    queueMicrotask(() => {
      if (!this.isConnected) this.stop();
    });
  }

  attributeChangedCallback(): void {
    // A call that lasts keeps what it was drawn with.
    if (this.isConnected && !this.#isInCall) this.#draw();
  }

  get state(): CallState {
    return this.#call?.state ?? "idle";
  }

  /** The id of the current call at the service; undefined before it is ready. */
  get callId(): string | undefined {
    return this.#call?.callId;
  }

  get muted(): boolean {
    return this.#call?.muted ?? false;
  }

  /** Starts a call; to be called in a click or a key press. Rejects with what the event `trunkline-error` says. */
  async start({ microphone = settingsOf(this).microphone }: { microphone?: boolean } = {}): Promise<void> {
    if (this.#isInCall) throw new TrunklineCallError("already_started");
    const call = new TrunklineCall(sourceOf(this, SERVICE_URL), { microphone, workletUrl: WORKLET_URL });
    // No call has audio yet, so that both only remember the device.
    if (this.#inputId !== undefined) void call.setInputDevice(this.#inputId);
    if (this.#outputId !== undefined) void call.setOutputDevice(this.#outputId);
    for (const [name, handler] of this.#tools) call.registerTool(name, handler);
    for (const type of EVENTS) call.addEventListener(type, (event) => this.#dispatch(type, event.detail));
    this.#call = call;
    this.#view?.follow(call, microphone);
    await call.start();
  }

  /** Hangs up. */
  stop(): void {
    this.#call?.stop();
  }

  setMuted(muted: boolean): void {
    this.#call?.setMuted(muted);
    this.#view?.showMuted(muted);
  }

  /** Says something as the caller without speaking. */
  sendText(text: string): void {
    this.#current().sendText(text);
  }

  /** Presses keys of the telephone: `0`-`9`, `*`, `#`, `A`-`D`. */
  sendDtmf(digits: string): void {
    this.#current().sendDtmf(digits);
  }

  /** The microphones and loudspeakers, with names once the microphone was allowed. */
  listDevices(): Promise<Devices> {
    return listDevices();
  }

  /** The microphone of this call and of later ones. What it rejects with is an event `trunkline-error`, too. */
  async setInputDevice(id: string): Promise<void> {
    this.#inputId = id;
    await this.#call?.setInputDevice(id);
  }

  /** The loudspeaker of this call and of later ones. What it rejects with is an event `trunkline-error`, too. */
  async setOutputDevice(id: string): Promise<void> {
    this.#outputId = id;
    await this.#call?.setOutputDevice(id);
  }

  /** Goes on after an event `trunkline-error` with the code `needs_gesture`; to be called in a click or a key press. */
  async resumeAudio(): Promise<void> {
    await this.#call?.resumeAudio();
  }

  /** Carries out a tool of the agent, of the type `client`, in this page: in this call and in later ones. */
  registerTool(name: string, handler: ToolHandler): void {
    this.#tools.set(name, handler);
    this.#call?.registerTool(name, handler);
  }

  /** Throws `not_connected` where there was no call. */
  #current(): TrunklineCall {
    if (this.#call === undefined) throw new TrunklineCallError("not_connected");
    return this.#call;
  }

  get #isInCall(): boolean {
    return this.state !== "idle" && this.state !== "ended";
  }

  #draw(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const settings = settingsOf(this);
    if (settings.layout === "headless") {
      root.replaceChildren();
      this.#view = undefined;
      return;
    }
    // A sheet that a script makes needs no permission of a content security policy.
    root.adoptedStyleSheets = [styleSheet()];
    const page = this.closest("[lang]")?.getAttribute("lang");
    this.#view = new WidgetView({
      settings,
      ...textsFor([page, ...navigator.languages]),
      onStart: (microphone) => void this.#startFromView(microphone),
      onMute: () => this.setMuted(!this.muted),
    });
    root.replaceChildren(this.#view.element);
  }

  async #startFromView(microphone: boolean): Promise<void> {
    try {
      await this.start({ microphone });
    } catch (error) {
      if (error instanceof TrunklineCallError) return;
      // A mistake in the page, which its author has to see.
      this.#view?.showFailure();
      console.error(error);
    }
  }

  #dispatch(type: keyof CallEvents, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(`trunkline-${type}`, { detail, bubbles: true, composed: true }));
  }
}
