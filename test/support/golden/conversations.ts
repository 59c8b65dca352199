import type { PhraseOrigin } from "../../../src/core/phrases/phrases.ts";
import type { Scene } from "./scene.ts";

/** What the agent says at length. */
export const LONG =
  "We have rye bread, white bread, rolls, and on Fridays a plum cake that people come for from far away.";
const SHORT = "We are open until six.";

/** A conversation of two questions. */
export const conversation = (scene: Scene): Scene =>
  scene
    .replies("We have bread and rolls.")
    .replies(SHORT)
    .says(2_400, "what do you sell")
    .says(7_000, "until when are you open?")
    .hangsUp(12_000);

/** The caller asks, and says something else over the answer, which stops. */
export const interruption = (scene: Scene): Scene =>
  scene.replies(LONG).replies(SHORT).says(2_400, "what do you sell").says(6_500, "wait I meant today").hangsUp(12_000);

/** An STT without interim transcripts: only sound that goes on interrupts. */
export function interruptionWithoutTranscripts(scene: Scene): void {
  scene.providers.sttHasPartials = false;
  interruption(scene).sounds(7_700, 8_600);
}

/** A back-channel over the answer, which pauses it, is ignored, and lets it go on. */
export const backChannel = (scene: Scene): Scene =>
  scene.replies(LONG).says(2_400, "what do you sell").says(6_500, "mm-hm").hangsUp(15_000);

/** Coughs pause the answer twice; a third time the sound is ignored. */
export const cough = (scene: Scene): Scene =>
  scene
    .replies(LONG)
    .says(2_400, "what do you sell")
    .sounds(5_500, 5_900)
    .sounds(8_000, 8_300)
    .sounds(10_500, 10_900)
    .hangsUp(16_000);

/** Babble that goes on without a word: the answer is paused, and resumed although the voice has not ended. */
export const babble = (scene: Scene): Scene =>
  scene.replies(LONG).says(2_400, "what do you sell").sounds(6_000, 10_000).hangsUp(16_000);

/** The caller speaks over a greeting that may not be interrupted, and is answered when it is over. */
export const greetingNotInterrupted = (scene: Scene): Scene =>
  scene.replies(SHORT).says(600, "are you open today").hangsUp(7_000);

/** A greeting that may be interrupted. */
export const greetingInterrupted = (scene: Scene): Scene =>
  scene.with({ interruptible: true, greeting: LONG }).replies(SHORT).says(1_000, "are you open today").hangsUp(7_000);

/** There is no greeting: the LLM opens the conversation. */
export function llmOpens(scene: Scene): void {
  scene.withoutGreeting = true;
  scene.replies("Good morning, bakery.").replies(SHORT).says(3_000, "are you open").hangsUp(7_000);
}

/** The caller speaks first. */
export function callerOpens(scene: Scene): void {
  scene.with({ firstSpeaker: "user" });
  scene.withoutGreeting = true;
  scene.replies(SHORT).says(1_000, "hello, are you open").hangsUp(6_000);
}

/** The caller breathes in the middle of a turn, which trails off: one turn, and one answer. */
export const trailingTurn = (scene: Scene): Scene =>
  scene.replies(SHORT).says(2_400, "I would like to know and").says(4_400, "if you are open").hangsUp(9_000);

/** The caller hangs up in the middle of an answer. */
export const hangUpInReply = (scene: Scene): Scene =>
  scene.replies(LONG).says(2_400, "what do you sell").hangsUp(6_510);

/** Keys: an entry that ends with `#`, one over the answer, and one that only time ends. */
export const dtmf = (scene: Scene): Scene =>
  scene.replies(LONG).replies(SHORT).presses(2_400, "12#").presses(6_500, "34").hangsUp(14_000);

/** Typed text, and more of it over the answer. */
export const typed = (scene: Scene): Scene =>
  scene
    .replies(LONG)
    .replies(SHORT)
    .at(2_400, (call) => call.types("what do you sell"))
    .at(5_000, (call) => call.types("only today"))
    .hangsUp(9_000);

/** A preemptive reply is started and used. */
export const preemptiveUsed = (scene: Scene): Scene => conversation(scene.preempts());

/** A preemptive reply is started and cancelled, because the caller goes on. */
export const preemptiveCancelled = (scene: Scene): Scene =>
  scene
    .preempts()
    .replies(LONG)
    .replies(SHORT)
    .says(2_400, "what do you sell and")
    .says(4_450, "when are you open")
    .hangsUp(9_500);

/** The call changes its language because the caller speaks another one, and back. */
export function languageDetected(scene: Scene): void {
  german(scene)
    .replies("Wir haben Brot und Kuchen.")
    .replies(SHORT)
    .says(2_400, "was haben Sie denn", { language: "de" })
    .says(7_500, "and when are you open", { language: "en" })
    .hangsUp(12_000);
}

/** No voice speaks the language, and the phrases of the service are not built in. */
export function languageWithoutVoice(scene: Scene): void {
  german(scene).replies("Tere.").says(2_400, "tere kas te olete avatud", { language: "et" }).hangsUp(8_500);
  scene.phrases.set("et", {
    origin: "english",
    phrases: {
      inactivity: "Still there?",
      apology: "Sorry.",
      filler: "One moment.",
      goodbye: "Goodbye.",
      limit: "No.",
    },
  });
}

/** There is a German voice, and phrases in German that are not the built-in ones. */
export function german(scene: Scene, origin: PhraseOrigin = "translated"): Scene {
  scene.speaks({
    voices: [
      { id: "scripted/one", name: "One", language: "en-US", provider: "scripted" },
      { id: "scripted/two", name: "Two", language: "de-DE", provider: "scripted" },
    ],
  });
  scene.phrases.set("de", {
    origin,
    phrases: {
      inactivity: "Sind Sie noch da?",
      apology: "Das hat nicht geklappt.",
      filler: "Einen Moment bitte.",
      goodbye: "Auf Wiedersehen.",
      limit: "Das geht gerade nicht.",
    },
  });
  return scene;
}

/** A caller who is muted: no audio arrives for a while. */
export function muted(scene: Scene): void {
  conversation(scene).muted.push({ fromMs: 4_500, untilMs: 6_500 });
}

/** The caller is silent: asked three times, then the call ends. */
export const inactivity = (scene: Scene): Scene =>
  scene.with({ inactivityTimeoutMs: 6_000, greeting: "Hello." }).replies(SHORT);

/** The same without asking. */
export const inactivityHangUp = (scene: Scene): Scene =>
  scene.with({ inactivityTimeoutMs: 6_000, inactivityAction: "hang_up" }).replies(SHORT);

/** The longest duration of the call is over in the middle of an answer. */
export const maxDuration = (scene: Scene): Scene =>
  scene.with({ maxDurationMs: 6_000 }).replies(LONG).says(2_400, "what do you sell");
