import type { LocalSpeech } from "../../../src/speech/local/jobs.ts";

/** Local speech models that start no process: every job fails. */
export const NO_LOCAL_SPEECH: LocalSpeech = {
  submit: () => ({
    outcome: Promise.resolve({ outcome: "failed", reason: "there is no model" }),
    raise: () => {},
    cancel: () => {},
  }),
  close: () => {},
};

/** For configurations without local speech models. */
export const openNoLocalSpeech = async (): Promise<LocalSpeech> => NO_LOCAL_SPEECH;
