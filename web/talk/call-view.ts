import type { TrunklineCall } from "../sdk/src/index.ts";
import { TEXT_CHARS_MAX } from "../sdk/src/messages.ts";
import type { CallState, TurnLatency } from "../sdk/src/types.ts";
import { Conversation } from "../ui/conversation.ts";
import { element, ICONS, icon, setText } from "../ui/elements.ts";
import { Meter } from "../ui/meter.ts";
import { TranscriptView } from "../ui/transcript-view.ts";
import { fillDevices } from "./devices.ts";
import { endTextOf } from "./end-texts.ts";

const STATE_TEXTS: Readonly<Record<CallState, string>> = {
  idle: "Connecting",
  connecting: "Connecting",
  listening: "Listening",
  thinking: "Thinking",
  speaking: "Speaking",
  held: "On hold",
  reconnecting: "The connection was lost. Trying again",
  ended: "The call is over",
};

const PROGRESS_TEXTS = {
  generated: "Generated: the LLM has written it",
  sent: "Sent: its audio arrives in this browser",
  heard: "Heard: it was played to the end",
  cut: "Heard in part: you interrupted it, or the call ended",
  unheard: "Not heard",
} as const;

export interface CallViewOptions {
  call: TrunklineCall;
  /** Whether the call began with a microphone. */
  microphone: boolean;
  onAgain: () => void;
}

/** A call while it lasts, and what was said in it. */
export class CallView {
  readonly element: HTMLElement;
  readonly #options: CallViewOptions;
  readonly #conversation = new Conversation();
  readonly #transcript = new TranscriptView({
    transcript: "Transcript",
    agent: "Agent",
    user: "You",
    delay: (delayMs) => `answered after ${seconds(delayMs)}`,
    progress: PROGRESS_TEXTS,
  });
  readonly #state = element("p", { class: "state", role: "status" }, STATE_TEXTS.connecting);
  readonly #orb = element(
    "div",
    { class: "orb", "aria-hidden": "true" },
    element("span", { class: "ring" }),
    element("span", { class: "core" }),
  );
  readonly #delay = element("p", { class: "turn-delay" });
  readonly #problem = element("p", { class: "problem", role: "alert" });
  readonly #you = new Meter("You", "input");
  readonly #agent = new Meter("Agent", "output");
  readonly #mute = element("button", { type: "button", class: "round" });
  readonly #end = element("button", { type: "button", class: "round danger" }, icon(...ICONS.end), "End");
  readonly #again = element("button", { type: "button", class: "primary", hidden: true }, "Talk again");
  readonly #text = element("input", {
    id: "text",
    placeholder: "Write to the agent",
    autocomplete: "off",
    maxlength: TEXT_CHARS_MAX,
  });
  readonly #form: HTMLFormElement;
  readonly #devices = element("details", { class: "devices" }, element("summary", {}, "Microphone and loudspeaker"));

  constructor(options: CallViewOptions) {
    this.#options = options;
    this.#form = element(
      "form",
      { class: "write" },
      element("label", { for: "text", class: "hidden" }, "Write to the agent"),
      this.#text,
      element("button", { class: "send", "aria-label": "Send" }, icon(...ICONS.send)),
    );
    this.element = element(
      "section",
      { class: "card call", "aria-label": "Call", "data-state": "connecting" },
      element("div", { class: "stage" }, this.#orb, element("div", {}, this.#state, this.#delay)),
      element("div", { class: "meters" }, this.#you.element, this.#agent.element),
      this.#transcript.element,
      this.#transcript.announcer,
      legend(),
      this.#problem,
      this.#form,
      element("div", { class: "actions" }, this.#mute, this.#end, this.#again),
      this.#devices,
    );
    this.#showMuted(false);
    for (const one of [this.#mute, this.#you.element]) one.hidden = !options.microphone;
    this.#devices.hidden = true;
    this.#listen();
  }

  /** Moves the focus to what a person does next. */
  focus(): void {
    (this.#options.microphone ? this.#mute : this.#text).focus();
  }

  #listen(): void {
    const { call, microphone, onAgain } = this.#options;
    if (microphone) call.addEventListener("ready", () => void fillDevices(this.#devices, call));
    call.addEventListener("state", ({ detail }) => this.#showState(detail.state, detail.latency));
    call.addEventListener("transcript", ({ detail }) => {
      this.#conversation.transcript(detail);
      this.#transcript.show(this.#conversation.turns);
    });
    call.addEventListener("mark", ({ detail }) => {
      if (this.#conversation.mark(detail) !== undefined) this.#transcript.show(this.#conversation.turns);
    });
    call.addEventListener("volume", ({ detail }) => {
      this.#you.show(detail.input);
      this.#agent.show(detail.output);
      this.#orb.style.setProperty("--level", detail.output.toFixed(3));
    });
    call.addEventListener("error", ({ detail }) => {
      setText(this.#problem, detail.message);
      if (detail.code === "needs_gesture") this.#offerResume();
    });
    call.addEventListener("ended", ({ detail }) => this.#showEnd(detail.reason));
    this.#mute.addEventListener("click", () => {
      call.setMuted(!call.muted);
      this.#showMuted(call.muted);
    });
    this.#end.addEventListener("click", () => call.stop());
    this.#again.addEventListener("click", onAgain);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
  }

  #send(): void {
    const text = this.#text.value.trim();
    if (text === "") return;
    this.#options.call.sendText(text);
    this.#text.value = "";
  }

  #showState(state: CallState, latency: TurnLatency | undefined): void {
    this.element.dataset.state = state;
    setText(this.#state, STATE_TEXTS[state]);
    if (state === "listening" || state === "thinking" || state === "held") setText(this.#problem, "");
    // At the end of the call the sentence that was spoken is one that was cut.
    if (state === "ended") return;
    const spoken = this.#conversation.speaking(state === "speaking");
    if (spoken !== undefined) this.#transcript.show(this.#conversation.turns);
    const delayMs = latency?.firstFrameMs;
    if (typeof delayMs !== "number") return;
    setText(this.#delay, stagesOf(latency ?? {}));
    if (this.#conversation.delay(delayMs) !== undefined) this.#transcript.show(this.#conversation.turns);
  }

  #showMuted(muted: boolean): void {
    this.#mute.replaceChildren(icon(...(muted ? ICONS.muted : ICONS.microphone)), muted ? "Unmute" : "Mute");
    this.#mute.classList.toggle("on", muted);
  }

  /** A browser that has stopped the sound starts it again only in a click. */
  #offerResume(): void {
    const resume = element("button", { type: "button", class: "plain" }, "Go on");
    resume.addEventListener("click", () => {
      setText(this.#problem, "");
      void this.#options.call.resumeAudio();
    });
    this.#problem.append(" ", resume);
  }

  #showEnd(reason: string): void {
    this.element.dataset.state = "ended";
    setText(this.#state, STATE_TEXTS.ended);
    this.#conversation.end();
    this.#transcript.show(this.#conversation.turns);
    this.#transcript.note(endTextOf(reason));
    this.#you.reset();
    this.#agent.reset();
    this.#orb.style.removeProperty("--level");
    for (const hidden of [this.#mute, this.#end, this.#form, this.#devices]) hidden.hidden = true;
    this.#again.hidden = false;
    this.#again.focus();
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

/** How the delay of a turn came about. A stage that the turn did not have is left out. */
function stagesOf(latency: TurnLatency): string {
  const { endOfTurnMs, llmRequestedMs, firstTextMs, firstSegmentMs, firstAudioMs, firstFrameMs } = latency;
  const step = (name: string, from?: number | null, to?: number | null): string[] =>
    typeof from === "number" && typeof to === "number" ? [`${name} ${seconds(to - from)}`] : [];
  const steps = [
    ...step("end of turn", 0, endOfTurnMs),
    ...step("LLM", llmRequestedMs, firstTextMs),
    ...step("TTS", firstSegmentMs, firstAudioMs),
  ];
  return `Answered after ${seconds(firstFrameMs ?? 0)}${steps.length > 0 ? `: ${steps.join(", ")}` : ""}`;
}

function legend(): HTMLElement {
  const entry = (progress: "generated" | "sent" | "heard", text: string): HTMLElement =>
    element("span", {}, element("span", { class: `sentence ${progress}` }, text));
  return element(
    "p",
    { class: "legend" },
    entry("generated", "generated"),
    entry("sent", "sent"),
    entry("heard", "heard"),
  );
}
