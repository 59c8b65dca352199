import type { Schema } from "#client";
import { SCENARIO } from "../../../simulator/callers/scenario.ts";
import type { Script } from "../comparison.ts";

/** Telephone numbers reserved for fictional use. */
export const NUMBER = "+12025550187";
export const PERSON = "+12025550142";
export const TARGET = "+12025550147";

export const LANGUAGE = "en-US";
/** Other than the agent's, so that the two voices are easy to distinguish. */
export const PERSON_LANGUAGE = "en-GB";

/** The agent that answers the number and calls from it. */
export const AGENT: Omit<Schema<"NewAgentInput">, "voiceId"> = {
  name: "Hartwell Bakery",
  basePrompt: `${SCENARIO.systemPrompt}
Wedding cakes are made by Mrs Hartwell, whose number is plus one, two zero two, five five five, zero one four seven.`,
  languageId: LANGUAGE,
  callSettings: {
    greeting: "Hartwell Bakery, good morning. How can I help you?",
    recordingEnabled: true,
    selectedTools: [{ toolName: "hang_up" }, { toolName: "transfer" }],
  },
  /** Of the call that it places. */
  allowedOverrides: ["greeting"],
};

/** What the agent says first in the call that it places. */
export const OUTBOUND_GREETING = "Hello, this is Hartwell Bakery. Your birthday cake is ready.";

/** A call of the telephone demo: what the person says, each after the agent, and what must come of it. */
export interface PhoneScript extends Script {
  /** The numbers of the record. */
  readonly from: string;
  readonly to: string;
  readonly direction: "inbound" | "outbound";
}

const STOPPED_MS_MAX = 2_000;
const lines = (...texts: string[]): Script["lines"] => texts.map((text) => ({ text, interrupts: false }));

/** A person calls, asks, and wants to speak to a person. The reference LLM needs the number that it transfers to. */
export const INBOUND: PhoneScript = {
  direction: "inbound",
  from: PERSON,
  to: NUMBER,
  lines: lines(
    "Good morning, who makes your wedding cakes?",
    "Please connect me to her, at plus one, two zero two, five five five, zero one four seven.",
  ),
  endReason: "transferred",
  stoppedMsMax: STOPPED_MS_MAX,
};

/** The agent calls a person, who says goodbye. */
export const OUTBOUND: PhoneScript = {
  direction: "outbound",
  from: NUMBER,
  to: PERSON,
  lines: lines("Thank you very much, goodbye."),
  endReason: "agent_hangup",
  stoppedMsMax: STOPPED_MS_MAX,
};
