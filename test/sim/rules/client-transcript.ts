import type { CallCommand } from "../../../src/call/events.ts";
import type { TranscriptUpdate } from "../../../src/core/calls/transcript.ts";
import type { Chronicle } from "../observer/chronicle.ts";
import type { Facts } from "../observer/facts.ts";
import type { Invariant } from "../plan/kinds.ts";
import type { Rule } from "./rule.ts";

const SHOWN: Invariant = "clients are shown the turns of the call";
const DTMF = "DTMF: ";

/** What clients are shown while turns go on: numbered turns, each closed with what became of it, and what the LLM is asked. */
export class ClientTranscript implements Rule {
  readonly #facts: Facts;
  readonly #chronicle: Chronicle;
  /** What was shown last of a turn that is not closed. */
  readonly #open: Record<TranscriptUpdate["role"], TranscriptUpdate | undefined> = {
    agent: undefined,
    user: undefined,
  };
  #turnCount = 0;
  /** The turn that the last command completed: it is closed next. */
  #completed: { role: string; text: string } | undefined;
  /** The caller's turn that the LLM was asked to answer by the last event. */
  #asked: string | undefined;
  #spokenTurnId = 0;

  constructor(facts: Facts, chronicle: Chronicle) {
    this.#facts = facts;
    this.#chronicle = chronicle;
  }

  event(): void {
    this.#checkAsked();
    this.#asked = undefined;
  }

  command(command: CallCommand): void {
    const completed = this.#completed;
    this.#completed = undefined;
    if (completed !== undefined && command.kind !== "transcript") this.#wrong(`${completed.role}'s turn is not closed`);
    switch (command.kind) {
      case "transcript":
        this.#onTranscript(command, completed);
        return;
      case "turn":
        this.#completed = command.turn;
        if (command.turn.role === "user") this.#asked = undefined;
        return;
      case "generate-reply": {
        const last = command.messages.at(-1);
        this.#asked = last?.role === "user" ? last.text : undefined;
        // A DTMF entry is shown once it has become a part of the turn; words are shown as they come.
        if (this.#asked?.includes(DTMF) === false) this.#checkAsked();
        return;
      }
      case "speak":
        if (command.turnId !== this.#spokenTurnId && this.#open.agent !== undefined)
          this.#wrong("the reply before is open");
        this.#spokenTurnId = command.turnId;
        return;
      case "end":
        if (this.#open.agent !== undefined) this.#wrong("the last reply is open");
        return;
      default:
        return;
    }
  }

  #onTranscript(shown: TranscriptUpdate, completed: { role: string; text: string } | undefined): void {
    const { role, text, final, turnId } = shown;
    const open = this.#open[role];
    if (open === undefined) this.#turnCount += 1;
    const expectedId = open?.turnId ?? this.#turnCount;
    if (turnId !== expectedId) this.#wrong(`turn ${turnId} is shown, not ${expectedId}`);
    if (!final && (text === "" || text === open?.text)) this.#wrong(`turn ${turnId} is shown without news`);
    const closedText = completed?.role === role ? completed.text : "";
    if (final && text !== closedText) this.#wrong(`turn ${turnId} ends with ${JSON.stringify(text)}`);
    if (completed !== undefined && !(final && completed.role === role))
      this.#wrong(`${completed.role}'s turn is not closed`);
    this.#open[role] = final ? undefined : shown;
  }

  #checkAsked(): void {
    const shown = this.#open.user?.text;
    if (this.#asked === undefined || this.#asked === shown) return;
    this.#wrong(`asked ${JSON.stringify(this.#asked)}, shown ${JSON.stringify(shown)}`);
  }

  #wrong(detail: string): void {
    this.#chronicle.violated(SHOWN, `${detail}, at ${this.#facts.nowMs} ms`);
  }
}
