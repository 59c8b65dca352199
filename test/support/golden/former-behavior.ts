// In what this build differs from the one that recorded the golden calls. They are never recorded anew.

/** Turn parameters that are younger than the golden journals: a replay takes values with which nothing changes. */
export const YOUNGER_PARAMETERS: readonly string[] = [
  "endpointQuestionMs",
  "turnWaitMsMin",
  "turnWaitMsMax",
  "interimRequestMs",
  "interimIntervalMs",
  "interimRequestsMax",
  "inactivityRequestMs",
  "inactivityGraceMs",
  "wordlessCallMsMax",
  "echoWindowMs",
];

/** Those of the golden journals that no longer exist. */
export const FORMER_PARAMETERS: readonly string[] = ["sustainedSpeechMs"];

/** Golden calls in which speech without words cut a reply. Since version 5 of the journal only words do. */
export const FORMER_BEHAVIOR: readonly string[] = ["interruption-without-transcripts"];
export const FORMER_CANCEL_REASON = "sustained_speech";
