import type { CallEvent } from "../../../src/call/events.ts";
import type { CallSpec, HttpTool } from "../../../src/core/calls/spec.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { asTurnId } from "../../../src/core/ids.ts";
import { JournalEncoder } from "../../../src/record/journal/format.ts";
import { journaledCommand, journaledEvent, journalHeader } from "../../../src/record/journal/redact.ts";
import { FIXED_PAUSES } from "../calls/fixed-pauses.ts";
import { SPEC, VirtualCall, type VirtualCallOptions } from "../calls/virtual-call.ts";
import { START } from "./example-call.ts";

/** Where the corpus lies, and how it is made again when a change of behaviour is meant. */
export const CORPUS = new URL("../../../fixtures/journals/", import.meta.url);
export const MAKE_CORPUS = "npx tsx test/support/journals/make-corpus.ts";

/** One awkward call. */
export interface EdgeCaseCall {
  /** Of its journal, without the ending. */
  name: string;
  options: VirtualCallOptions;
  /** What the caller does, and when. */
  script: (call: VirtualCall) => void;
}

/** A call in virtual time with a journal, as the gateway writes one; of audio there is none. */
class JournaledCall extends VirtualCall {
  readonly #encoder = new JournalEncoder();
  #written = 0;

  constructor(options: VirtualCallOptions) {
    super(options);
    const { sttHasInterims = true, promptTokensMax } = options;
    const spec = specOf(options);
    const bound = promptTokensMax === undefined ? {} : { promptTokensMax };
    const start = { ...START, spec, sttHasInterim: sttHasInterims, parameters: FIXED_PAUSES, ...bound };
    this.#encoder.header(journalHeader("trunkline/fixtures", start));
  }

  override handle(event: CallEvent): void {
    // What arrives after the end of the call reaches neither the call nor the journal.
    if (this.endReason !== undefined) return;
    const { nowMs } = this;
    if (event.kind === "frame-in")
      this.#encoder.frameIn(callMs(nowMs), event.mediaMs, event.isSpeech, undefined, false);
    else if (event.kind === "frame-out")
      this.#encoder.frameOut(callMs(nowMs), event.turnId, event.samples, undefined, false);
    else this.#encoder.event(callMs(nowMs), journaledEvent(event, true));
    super.handle(event);
    for (const { command } of this.commands.slice(this.#written)) {
      this.#encoder.command(callMs(nowMs), journaledCommand(command, true));
    }
    this.#written = this.commands.length;
  }

  bytes(): Buffer {
    return Buffer.from(this.#encoder.written());
  }
}

/** As a virtual call makes it. */
function specOf({ spec, greeting }: VirtualCallOptions): CallSpec {
  const { greeting: hello, ...rest } = SPEC;
  return { ...rest, ...(hello === undefined || greeting === "none" ? {} : { greeting: hello }), ...spec };
}

/** Past this every one of the calls is over. */
const UNTIL_MS = 120_000;

/** Holds the call, and returns its journal. */
export function journalOf({ options, script }: EdgeCaseCall): Buffer {
  const call = new JournaledCall(options);
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  script(call);
  call.run(UNTIL_MS);
  return call.bytes();
}

const LONG = "We have rye bread, white bread, rolls, and on Fridays a plum cake that people come for from far away.";
const TALKATIVE: VirtualCallOptions = { spec: { interruptible: true }, answer: () => ({ text: LONG }) };

const ORDERS: HttpTool = {
  kind: "http",
  name: "find_order",
  description: "Finds an order by its number.",
  parameters: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
  fixedArguments: {},
  timeoutMs: 10_000,
  method: "GET",
  url: "https://orders.example/{number}",
  headers: {},
};

const hangsUp = (call: VirtualCall, atMs: number): void =>
  call.at(atMs, () => call.handle({ kind: "leg-closed", reason: "caller_hangup" }));

const presses = (call: VirtualCall, atMs: number, keys: string): void => {
  for (const [index, digit] of [...keys].entries()) {
    call.at(atMs + index * 400, () => call.handle({ kind: "dtmf", digit }));
  }
};

/** The reply that is being made. */
const turnIdOf = (call: VirtualCall): number => call.ofKind("generate-reply").at(-1)?.turnId ?? 0;

export const EDGE_CASE_CALLS: readonly EdgeCaseCall[] = [
  {
    name: "interruption-by-words",
    options: TALKATIVE,
    script: (call) => {
      call.says(3_000, "what do you sell");
      call.says(7_000, "wait I meant cakes");
      hangsUp(call, 11_000);
    },
  },
  {
    name: "interruption-by-voice",
    options: { ...TALKATIVE, sttHasInterims: false, interim: () => ({ text: "wait", afterMs: 300 }) },
    script: (call) => {
      call.coughs(3_000, 1_000);
      call.at(4_300, () => call.handle({ kind: "stt-final", text: "what do you sell" }));
      call.coughs(7_000, 1_500);
      call.at(8_800, () => call.handle({ kind: "stt-final", text: "wait I meant cakes" }));
      hangsUp(call, 11_000);
    },
  },
  {
    name: "cough",
    options: TALKATIVE,
    script: (call) => {
      call.says(3_000, "what do you sell");
      call.coughs(6_500, 300);
      call.coughs(9_000, 200);
      // The third in one reply, which only words can pause by now.
      call.coughs(11_000, 300);
      hangsUp(call, 14_000);
    },
  },
  {
    name: "mm-hm",
    options: TALKATIVE,
    script: (call) => {
      call.says(3_000, "what do you sell");
      call.says(7_000, "mm-hm");
      hangsUp(call, 16_000);
    },
  },
  {
    name: "talk-over-greeting",
    options: { answer: () => ({ text: "Until six." }) },
    script: (call) => {
      call.says(700, "are you open today");
      hangsUp(call, 6_000);
    },
  },
  {
    name: "keys",
    options: TALKATIVE,
    script: (call) => {
      presses(call, 3_000, "123#");
      // Over the answer, and without an end.
      presses(call, 7_000, "45");
      hangsUp(call, 12_000);
    },
  },
  {
    name: "tool-with-late-result",
    options: {
      spec: { interruptible: true, tools: [ORDERS] },
      answer: (text) => (text === "where is order twelve" ? "hangs" : { text: "Anything else?" }),
    },
    script: (call) => {
      call.says(3_000, "where is order twelve");
      call.at(5_500, () => {
        const turnId = asTurnId(turnIdOf(call));
        call.handle({ kind: "reply-text", turnId, text: "Let me look." });
        call.handle({ kind: "reply-tool-call", turnId, id: "a", name: "find_order", argumentsJson: '{"number":"12"}' });
        call.handle({ kind: "reply-tool-call", turnId, id: "b", name: "no_such_tool", argumentsJson: "{}" });
        call.handle({ kind: "reply-end", turnId });
      });
      // The caller has had enough of waiting, and of the words that excuse it.
      call.says(9_000, "never mind");
      call.at(11_500, () => {
        const tool = call.ofKind("run-tool").at(-1);
        if (tool === undefined) return;
        const { turnId, toolCallId } = tool;
        call.handle({ kind: "tool-result", turnId, toolCallId, result: "It leaves tomorrow.", failed: false });
      });
      call.says(13_000, "and what of it");
      hangsUp(call, 17_000);
    },
  },
  {
    name: "hang-up-in-mid-reply",
    options: TALKATIVE,
    script: (call) => {
      call.says(3_000, "what do you sell");
      hangsUp(call, 6_510);
    },
  },
  {
    name: "inactivity",
    options: { spec: { inactivityTimeoutMs: 10_000 } },
    script: () => {},
  },
  {
    name: "model-hangs",
    options: { answer: () => "hangs" },
    script: (call) => {
      call.says(3_000, "what do you sell");
      call.says(18_000, "what do you sell");
    },
  },
  {
    name: "language-switch",
    options: {
      spec: { interruptible: true },
      answer: (text) => (text === "guten Tag" ? "hangs" : { text: "Goodbye!", hangUp: true }),
    },
    script: (call) => {
      call.coughs(3_000, 600);
      call.at(3_900, () => call.handle({ kind: "stt-final", text: "guten Tag", language: "de" }));
      call.coughs(9_000, 600);
      call.at(9_900, () => call.handle({ kind: "stt-final", text: "thank you", language: "en" }));
    },
  },
  {
    name: "typed-words",
    options: TALKATIVE,
    script: (call) => {
      call.at(3_000, () => call.handle({ kind: "typed", text: "what do you sell" }));
      call.at(6_000, () => call.handle({ kind: "typed", text: "only the cakes" }));
      hangsUp(call, 9_000);
    },
  },
  {
    name: "trimmed-conversation",
    options: { ...TALKATIVE, promptTokensMax: 250 },
    script: (call) => {
      for (let turn = 0; turn < 8; turn += 1) {
        call.at(3_000 + turn * 3_000, () => call.handle({ kind: "typed", text: `and what about day ${turn}` }));
      }
      call.at(16_000, () =>
        call.handle({ kind: "context-exceeded", provider: "openai", tokensMax: 150, retried: true }),
      );
      hangsUp(call, 28_000);
    },
  },
  {
    name: "goodbye",
    options: { answer: () => ({ text: "Thank you for calling. Goodbye!", hangUp: true }) },
    script: (call) => {
      call.says(3_000, "that was all");
      // A back-channel near the end of the last words, which is not answered any more.
      call.says(5_600, "okay");
    },
  },
  {
    name: "internal-error",
    options: TALKATIVE,
    script: (call) => {
      call.says(3_000, "what do you sell");
      call.at(6_500, () => call.handle({ kind: "internal-error", code: "internal" }));
    },
  },
  {
    name: "drained",
    options: TALKATIVE,
    script: (call) => {
      call.says(3_000, "what do you sell");
      call.at(6_000, () => call.handle({ kind: "goodbye-requested", reason: "drain_timeout" }));
      call.says(6_500, "but I want cakes");
    },
  },
];
