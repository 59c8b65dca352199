import { openAiCode } from "../../../openai-languages.ts";

/** The models that transcribe while the caller speaks. They find no end of a turn: it is refused in their session. */
const STREAMING_MODEL = /^gpt-(?:live-transcribe|realtime-whisper)(?:-|$)/;
/** The model that detects the language where it is given none, and reports it. */
const DETECTING_MODEL = /^gpt-transcribe(?:-|$)/;
/** The models that take several languages; the others take one. */
const LANGUAGES_MODEL = /^gpt-(?:live-)?transcribe(?:-|$)/;

/** What a model does in a realtime session. */
export interface ModelAbilities {
  /** It transcribes while the caller speaks; the others when their semantic VAD has found the end of the turn, or on request. */
  readonly streams: boolean;
  readonly detectsLanguage: boolean;
}

export const abilitiesOf = (model: string): ModelAbilities => ({
  streams: STREAMING_MODEL.test(model),
  detectsLanguage: DETECTING_MODEL.test(model),
});

interface SessionOptions {
  model: string;
  /** BCP 47; undefined where the model is to detect the language. */
  language: string | undefined;
  /** The format of the audio that is sent. */
  format: Readonly<Record<string, string | number>>;
}

/** The event that configures a transcription session. */
export function sessionUpdate({ model, language, format }: SessionOptions): string {
  const code = language === undefined ? undefined : openAiCode(language);
  const named = LANGUAGES_MODEL.test(model) ? { languages: [code] } : { language: code };
  const input = {
    format,
    transcription: { model, ...(code === undefined ? {} : named) },
    turn_detection: abilitiesOf(model).streams ? null : { type: "semantic_vad", eagerness: "high" },
  };
  return JSON.stringify({ type: "session.update", session: { type: "transcription", audio: { input } } });
}
