import type { SttEvent } from "../../../contracts.ts";
import { loggableCode } from "../../../resilience/provider-error.ts";
import { endOfTurnField, endOfTurnIn, InterimFilter } from "../../interim-filter.ts";
import { transcriptLanguage, transcriptText } from "../../transcript-text.ts";
import type { JsonObject } from "../stt-socket.ts";

/** The answer to a request for an end where no turn is open. */
const NO_ACTIVE_TURN = "FORCE_END_TURN_NO_ACTIVE_TURN";

interface FluxTurnsOptions {
  /** The language of the call, BCP 47. */
  language: string;
  emit: (event: SttEvent) => void;
  /** Called when Flux has ended a turn, with words or without. */
  onEnded: () => void;
}

/**
 * The turns of one Flux stream. Each message has all words of the turn and the figure for its end, and replaces the one
 * before it; `EndOfTurn` is the final.
 */
export class FluxTurns {
  readonly #options: FluxTurnsOptions;
  readonly #interims = new InterimFilter();
  /** The index of the last ended turn; turns are counted from 0. */
  #endedIndex = -1;
  /** An end was requested, and neither it nor a warning has come. */
  #isRequested = false;

  constructor(options: FluxTurnsOptions) {
    this.#options = options;
  }

  /** The end of the turn was requested. */
  requested(): void {
    this.#isRequested = true;
  }

  /** Takes a message; returns what is wrong with it, if anything is. */
  take(message: JsonObject): string | undefined {
    switch (message.type) {
      case "TurnInfo":
        return this.#takeTurn(message);
      case "Warning":
        if (message.code === NO_ACTIVE_TURN && this.#isRequested) this.#finish("", undefined, undefined);
        return undefined;
      case "Error":
        return `reported error ${loggableCode(message.code) ?? "without a code"}`;
      default:
        return undefined;
    }
  }

  #takeTurn({ event, turn_index: index, transcript, end_of_turn_confidence, languages }: JsonObject) {
    if (typeof index !== "number" || typeof transcript !== "string") return "sent a malformed turn";
    if (index <= this.#endedIndex) return undefined;
    const text = transcriptText(transcript);
    const endOfTurn = endOfTurnIn(end_of_turn_confidence);
    if (event === "EndOfTurn") {
      this.#endedIndex = index;
      this.#finish(text, endOfTurn, languages);
    } else if (this.#interims.isNews(text, endOfTurn)) {
      this.#options.emit({ kind: "interim", text, ...endOfTurnField(endOfTurn) });
    }
    return undefined;
  }

  /** Emits the final. An empty one is emitted only after an interim, or where it was requested. */
  #finish(text: string, endOfTurn: number | undefined, languages: unknown): void {
    const { language: callLanguage, emit, onEnded } = this.#options;
    const isExpected = this.#interims.hasText || this.#isRequested;
    this.#interims.reset();
    this.#isRequested = false;
    onEnded();
    if (text === "" && !isExpected) return;
    const detected = onlyOne(languages);
    emit({
      kind: "final",
      text,
      ...(detected === undefined || text === "" ? {} : { language: transcriptLanguage(detected, callLanguage) }),
      ...(text === "" ? {} : endOfTurnField(endOfTurn)),
    });
  }
}

/** The detected language where it is certain: all words are in it. */
const onlyOne = (languages: unknown): string | undefined =>
  Array.isArray(languages) && languages.length === 1 && typeof languages[0] === "string" ? languages[0] : undefined;
