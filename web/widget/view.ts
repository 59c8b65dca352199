import type { CallState, TrunklineCall } from "../sdk/src/index.ts";
import { TEXT_CHARS_MAX } from "../sdk/src/messages.ts";
import { Conversation } from "../ui/conversation.ts";
import { element, ICONS, icon, setText } from "../ui/elements.ts";
import { Meter } from "../ui/meter.ts";
import { TranscriptView } from "../ui/transcript-view.ts";
import { errorTextOf } from "./error-texts.ts";
import type { Settings } from "./settings.ts";
import type { ChosenTexts } from "./texts/languages.ts";

export interface WidgetViewOptions extends ChosenTexts {
  settings: Settings;
  /** The visitor starts a call, with the microphone or without. */
  onStart: (microphone: boolean) => void;
  onMute: () => void;
}

/** What the widget shows: a button that opens a panel, or the panel alone. */
export class WidgetView {
  readonly element: HTMLElement;
  readonly #options: WidgetViewOptions;
  readonly #launcher: HTMLButtonElement;
  readonly #panel: HTMLElement;
  readonly #status = element("p", { class: "status", part: "status", role: "status" });
  readonly #problem = element("p", { class: "problem", part: "problem", role: "alert" });
  readonly #intro: HTMLElement;
  readonly #start: HTMLButtonElement;
  readonly #write: HTMLButtonElement;
  readonly #talk: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #form: HTMLFormElement;
  readonly #mute: HTMLButtonElement;
  readonly #end: HTMLButtonElement;
  readonly #you: Meter;
  readonly #agent: Meter;
  #transcript: TranscriptView;
  #conversation = new Conversation();
  #call: TrunklineCall | undefined;
  #needsGesture = false;

  constructor(options: WidgetViewOptions) {
    this.#options = options;
    const { settings, texts, language, direction } = options;
    const button = (name: string, ...children: (Node | string)[]): HTMLButtonElement =>
      element("button", { type: "button", class: name, part: `button ${name}` }, ...children);
    this.#start = button("start", icon(...ICONS.microphone), texts.start);
    this.#write = button("write", texts.write);
    this.#mute = button("mute");
    this.#end = button("end", icon(...ICONS.end), texts.end);
    this.#you = new Meter(texts.user, "input", "meter");
    this.#agent = new Meter(texts.agent, "output", "meter");
    this.#transcript = new TranscriptView(texts);
    this.#input = element("input", {
      id: "message",
      part: "input",
      placeholder: texts.message,
      autocomplete: "off",
      maxlength: TEXT_CHARS_MAX,
      dir: "auto",
    });
    this.#form = this.#messageForm();
    this.#intro = this.#introduction();
    this.#talk = element("div", { class: "talk", hidden: true });
    this.#launcher = button("launcher", icon(...ICONS.talk), element("span", {}, settings.heading ?? texts.open));
    this.#panel = this.#makePanel();
    const isFloating = settings.layout === "floating";
    this.#panel.hidden = isFloating;
    this.element = element(
      "div",
      { class: settings.layout, lang: language, dir: direction },
      this.#panel,
      isFloating ? this.#launcher : undefined,
    );
    this.#listen();
  }

  /** Shows a call from its beginning. */
  follow(call: TrunklineCall, microphone: boolean): void {
    this.#call = call;
    this.#conversation = new Conversation();
    const { texts } = this.#options;
    this.#transcript = new TranscriptView(texts);
    this.#talk.replaceChildren(
      element("div", { class: "meters" }, microphone ? this.#you.element : undefined, this.#agent.element),
      this.#transcript.element,
      this.#transcript.announcer,
      this.#form,
      element("div", { class: "actions" }, microphone ? this.#mute : undefined, this.#end),
    );
    setText(this.#problem, "");
    this.showMuted(false);
    this.#show("call");
    this.#followEvents(call);
    // The button that was pressed is gone.
    (microphone ? this.#mute : this.#input).focus();
  }

  showMuted(muted: boolean): void {
    const { texts } = this.#options;
    this.#mute.replaceChildren(icon(...(muted ? ICONS.muted : ICONS.microphone)), muted ? texts.unmute : texts.mute);
    this.#mute.classList.toggle("on", muted);
  }

  /** A call could not be started for a reason that is no business of the visitor's. */
  showFailure(): void {
    setText(this.#problem, this.#options.texts.failed);
  }

  #followEvents(call: TrunklineCall): void {
    const { texts } = this.#options;
    call.addEventListener("state", ({ detail: { state } }) => {
      if (call === this.#call) this.#showState(state);
    });
    call.addEventListener("transcript", ({ detail }) => {
      this.#conversation.transcript(detail);
      this.#transcript.show(this.#conversation.turns);
    });
    call.addEventListener("volume", ({ detail }) => {
      this.#you.show(detail.input);
      this.#agent.show(detail.output);
    });
    call.addEventListener("error", ({ detail }) => {
      const { code, fatal } = detail;
      const key = errorTextOf(detail, call.callId !== undefined);
      if (key === undefined) return;
      this.#needsGesture = code === "needs_gesture";
      setText(this.#problem, texts[key]);
      // The call did not begin: the visitor may try the other way.
      if (fatal && call.state === "idle") this.#show("intro", code.includes("microphone") ? this.#write : this.#start);
    });
    call.addEventListener("ended", () => {
      this.#conversation.end();
      this.#transcript.show(this.#conversation.turns);
      this.#showEnd();
    });
  }

  #showState(state: CallState): void {
    const { texts } = this.#options;
    const text = state === "idle" ? "" : texts[state];
    setText(this.#status, text);
    this.element.dataset.state = state;
    const isInCall = state !== "idle" && state !== "ended";
    const name = this.#options.settings.heading ?? texts.open;
    this.#launcher.setAttribute("aria-label", isInCall ? `${name}: ${text}` : name);
    // What was lost or blocked is there again.
    if (isInCall && state !== "reconnecting" && !this.#needsGesture) setText(this.#problem, "");
  }

  #showEnd(): void {
    this.#you.reset();
    this.#agent.reset();
    this.#talk.querySelector(".meters")?.remove();
    this.#form.remove();
    this.#talk.querySelector(".actions")?.remove();
    const { texts } = this.#options;
    const again = element("button", { type: "button", class: "start", part: "button start" }, texts.again);
    again.addEventListener("click", () => this.#show("intro", this.#start));
    this.#talk.append(element("div", { class: "actions" }, again));
    if (this.#panel.hidden === false) again.focus();
  }

  #show(part: "intro" | "call", focused?: HTMLElement): void {
    this.#intro.hidden = part !== "intro";
    this.#talk.hidden = part !== "call";
    if (part === "intro") setText(this.#status, "");
    focused?.focus();
  }

  #setOpen(isOpen: boolean): void {
    this.#panel.hidden = !isOpen;
    this.#launcher.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) this.#launcher.focus();
    else if (!this.#intro.hidden) (this.#start.hidden ? this.#write : this.#start).focus();
    else this.#input.focus();
  }

  #listen(): void {
    const { onStart, onMute, settings } = this.#options;
    this.#start.addEventListener("click", () => onStart(true));
    this.#write.addEventListener("click", () => onStart(false));
    this.#mute.addEventListener("click", onMute);
    this.#end.addEventListener("click", () => this.#call?.stop());
    this.#start.hidden = !settings.microphone;
    // A browser that has stopped the sound starts it again in a click.
    this.element.addEventListener("click", () => {
      if (!this.#needsGesture) return;
      this.#needsGesture = false;
      setText(this.#problem, "");
      void this.#call?.resumeAudio();
    });
    if (settings.layout !== "floating") return;
    this.#launcher.setAttribute("aria-expanded", "false");
    this.#launcher.addEventListener("click", () => this.#setOpen(this.#panel.hidden !== false));
    this.#panel.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") this.#setOpen(false);
    });
  }

  #introduction(): HTMLElement {
    const { settings, texts } = this.#options;
    const consent = settings.consent === undefined ? texts.consent : settings.consent;
    return element(
      "div",
      { class: "intro" },
      consent === null ? undefined : element("p", { class: "consent", part: "consent" }, consent),
      element("div", { class: "actions" }, this.#start, this.#write),
    );
  }

  #messageForm(): HTMLFormElement {
    const { texts } = this.#options;
    const send = element(
      "button",
      { class: "send", part: "button send", "aria-label": texts.send },
      icon(...ICONS.send),
    );
    const label = element("label", { for: "message", class: "hidden" }, texts.message);
    const form = element("form", { class: "message", part: "message" }, label, this.#input, send);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.#input.value.trim();
      if (text === "") return;
      this.#call?.sendText(text);
      this.#input.value = "";
    });
    return form;
  }

  #makePanel(): HTMLElement {
    const { settings, texts } = this.#options;
    const heading = settings.heading ?? texts.open;
    const close = element("button", {
      type: "button",
      class: "close",
      part: "button close",
      "aria-label": texts.close,
    });
    close.append(icon(...ICONS.close));
    close.addEventListener("click", () => this.#setOpen(false));
    const isFloating = settings.layout === "floating";
    return element(
      "section",
      { class: "panel", part: "panel", role: isFloating ? "dialog" : "group", "aria-label": heading },
      element(
        "div",
        { class: "header", part: "header" },
        element("span", { class: "dot", "aria-hidden": "true" }),
        element("div", { class: "names" }, element("p", { class: "heading", part: "heading" }, heading), this.#status),
        isFloating ? close : undefined,
      ),
      this.#intro,
      this.#talk,
      this.#problem,
    );
  }
}
