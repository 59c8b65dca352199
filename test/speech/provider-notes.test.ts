import { expect, test } from "vitest";
import { providerNotes } from "../../src/speech/provider-notes.ts";

const REAL = "openai:gpt-4o-mini";
const COMPLETE = {
  stt: "deepgram",
  tts: "espeak",
  models: { model_a: REAL, model_b: REAL, model_c: REAL },
};

test("a setup of real providers has no note", () => {
  expect(providerNotes(COMPLETE)).toEqual([]);
});

test("local speech recognition understands people, so it has no note", () => {
  expect(providerNotes({ ...COMPLETE, stt: "local" })).toEqual([]);
});

test("the reference STT and TTS have a note each, also as the last fallback", () => {
  const notes = [
    "STT names reference, a test instrument that decodes the reference TTS and does not understand people: " +
      "leave STT unset for local speech recognition, or set, for example, STT=deepgram with DEEPGRAM_API_KEY",
    "TTS names reference, a test instrument whose speech carries audible data for the reference STT: " +
      "set TTS, for example TTS=espeak, which needs no API key",
  ];
  expect(providerNotes({ ...COMPLETE, stt: "reference", tts: "reference" })).toEqual(notes);
  expect(providerNotes({ ...COMPLETE, stt: "deepgram, reference", tts: "espeak,reference" })).toEqual(notes);
});

test("the reference LLM has one note, which names the models that use it", () => {
  const note = (variables: string, example: string) =>
    `${variables} the reference LLM, which answers by rule from the prompt and holds no conversation: ` +
    `set ${example}=openai:gpt-4o-mini with OPENAI_API_KEY, for example`;
  const reference = { model_a: "reference", model_b: "reference", model_c: "reference" };
  expect(providerNotes({ ...COMPLETE, models: reference })).toEqual([
    note("MODEL_A, MODEL_B, MODEL_C name", "MODEL_B"),
  ]);
  expect(providerNotes({ ...COMPLETE, models: { ...COMPLETE.models, model_c: `${REAL}, reference` } })).toEqual([
    note("MODEL_C names", "MODEL_C"),
  ]);
});
