import type { CallSource } from "../sdk/src/types.ts";
import { element, setText } from "../ui/elements.ts";
import { listLanguages, listVoices, type OwnerPage, type ScratchCall, startScratchCall } from "./service.ts";

/** What the person wants: which agent to call, and whether by voice. */
export interface Wish {
  source: CallSource;
  microphone: boolean;
}

export interface SetupOptions {
  /** Undefined where no owner link has opened the page: then only a saved agent can be called. */
  owner: OwnerPage | undefined;
  agentId: string;
  publishableKey: string;
  onWish: (wish: Wish) => void;
}

const PROMPT = `You answer the telephone of a small bakery. The bakery is open from eight to six, and closed on Monday. \
Answer in one or two short sentences.`;
const GREETING = "Hello, this is the bakery. How can I help you?";
const HOW_TO_OPEN = "npm run admin -- owner-link";

type Mode = "prompt" | "agent";

/** The form in which a person chooses an agent. */
export class SetupView {
  readonly element: HTMLFormElement;
  readonly #options: SetupOptions;
  readonly #problem = element("p", { class: "problem", role: "alert" });
  readonly #prompt = element("textarea", { id: "prompt", rows: 5, required: true, maxlength: 100_000 }, PROMPT);
  readonly #greeting = element("input", { id: "greeting", value: GREETING, autocomplete: "off" });
  readonly #language = element("select", { id: "language", required: true });
  readonly #voice = element("select", { id: "voice", required: true });
  readonly #agentId: HTMLInputElement;
  readonly #key: HTMLInputElement;
  readonly #panels: Readonly<Record<Mode, HTMLFieldSetElement>>;
  #mode: Mode;

  constructor(options: SetupOptions) {
    this.#options = options;
    const code = { spellcheck: "false", autocomplete: "off", required: true, class: "code" };
    this.#agentId = element("input", { id: "agent", placeholder: "agent_…", value: options.agentId, ...code });
    this.#key = element("input", { id: "key", placeholder: "pk_…", value: options.publishableKey, ...code });
    this.#panels = { prompt: this.#promptPanel(), agent: this.#agentPanel() };
    this.#mode = options.owner === undefined || options.agentId !== "" ? "agent" : "prompt";
    this.element = element(
      "form",
      { class: "card setup" },
      this.#modes(),
      this.#panels.prompt,
      this.#panels.agent,
      this.#problem,
      element(
        "div",
        { class: "actions" },
        element("button", { class: "primary", value: "voice" }, "Start talking"),
        element("button", { class: "plain", value: "text" }, "Write instead"),
      ),
    );
    this.element.addEventListener("submit", (event) => this.#submit(event));
    this.#show(this.#mode);
    if (options.owner !== undefined) void this.#fillLanguages();
  }

  /** Says why a call did not start. */
  showProblem(message: string): void {
    setText(this.#problem, message);
  }

  #modes(): HTMLElement {
    const choice = (mode: Mode, label: string): HTMLElement => {
      const input = element("input", { type: "radio", name: "mode", value: mode, checked: mode === this.#mode });
      input.addEventListener("change", () => this.#show(mode));
      return element("label", {}, input, element("span", {}, label));
    };
    const legend = element("legend", { class: "hidden" }, "Agent to call");
    return element(
      "fieldset",
      { class: "modes" },
      legend,
      choice("prompt", "A prompt"),
      choice("agent", "A saved agent"),
    );
  }

  #promptPanel(): HTMLFieldSetElement {
    if (this.#options.owner === undefined) {
      const how = element("code", {}, HOW_TO_OPEN);
      return element(
        "fieldset",
        { class: "panel" },
        element("p", { class: "locked" }, "The operator of this service can try a prompt here. On its machine, run"),
        element("p", { class: "command" }, how),
        element("p", { class: "hint" }, "and open the link that it prints. The link works once, within 15 minutes."),
      );
    }
    this.#language.addEventListener("change", () => void this.#fillVoices());
    return element(
      "fieldset",
      { class: "panel" },
      field("Instructions", this.#prompt),
      field("Its first words", this.#greeting, "Leave it empty, and the agent finds its own."),
      element("div", { class: "pair" }, field("Language", this.#language), field("Voice", this.#voice)),
    );
  }

  #agentPanel(): HTMLFieldSetElement {
    const hint = `The publishable key must name the agent, and ${location.origin} as one of its origins.`;
    return element(
      "fieldset",
      { class: "panel" },
      field("Agent", this.#agentId),
      field("Publishable key", this.#key, hint),
    );
  }

  #show(mode: Mode): void {
    this.#mode = mode;
    this.showProblem("");
    for (const [name, panel] of Object.entries(this.#panels)) {
      panel.hidden = name !== mode;
      // What is hidden is neither checked nor sent.
      panel.disabled = name !== mode;
    }
    const isLocked = mode === "prompt" && this.#options.owner === undefined;
    const actions = this.element?.querySelector<HTMLElement>(".actions");
    if (actions) actions.hidden = isLocked;
  }

  async #fillLanguages(): Promise<void> {
    try {
      const languages = await listLanguages();
      const options = languages.map(({ code, name }) => element("option", { value: code }, `${name} (${code})`));
      this.#language.replaceChildren(...options);
      const wanted = ["en-US", ...navigator.languages, "en"].find((code) => languages.some((one) => one.code === code));
      if (wanted !== undefined) this.#language.value = wanted;
      await this.#fillVoices();
    } catch (error) {
      this.showProblem(messageOf(error));
    }
  }

  async #fillVoices(): Promise<void> {
    const language = this.#language.value;
    const voices = await listVoices(language).catch((error: unknown) => {
      this.showProblem(messageOf(error));
      return [];
    });
    // Another language may have been chosen meanwhile.
    if (language !== this.#language.value) return;
    const label = ({ name, provider }: (typeof voices)[number]): string => `${name} · ${provider}`;
    this.#voice.replaceChildren(...voices.map((voice) => element("option", { value: voice.id }, label(voice))));
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    this.showProblem("");
    const { submitter } = event;
    const microphone = !(submitter instanceof HTMLButtonElement && submitter.value === "text");
    this.#options.onWish({ source: this.#source(), microphone });
  }

  #source(): CallSource {
    const { owner } = this.#options;
    if (this.#mode === "prompt" && owner !== undefined) {
      const greeting = this.#greeting.value.trim();
      const call: ScratchCall = {
        systemPrompt: this.#prompt.value,
        language: this.#language.value,
        voice: this.#voice.value,
        ...(greeting !== "" && { greeting }),
      };
      return { session: () => startScratchCall(owner, call) };
    }
    const apiUrl = new URL(".", location.href).href;
    return {
      session: { apiUrl, agentId: this.#agentId.value.trim(), publishableKey: this.#key.value.trim() },
    };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function field(label: string, control: HTMLElement, hint?: string): HTMLElement {
  const hintId = `${control.id}-hint`;
  if (hint !== undefined) control.setAttribute("aria-describedby", hintId);
  return element(
    "div",
    { class: "field" },
    element("label", { for: control.id }, label),
    control,
    hint === undefined ? undefined : element("p", { class: "hint", id: hintId }, hint),
  );
}
