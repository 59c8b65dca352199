import { readConfig } from "../../../src/config/config.ts";
import { readServiceAccess } from "../../../src/config/environment.ts";

/** Every environment variable that the service or a command reads by its name. */
export function variablesRead(): Set<string> {
  const read = new Set<string>();
  const providers = {
    STT: "deepgram,assemblyai,openai,reference",
    TTS: "elevenlabs,cartesia,openai,espeak,reference",
    MODEL_A: "openai:a,anthropic:b,gemini:c,reference",
  };
  const env = new Proxy<Record<string, string>>(providers, {
    get(target, name) {
      if (typeof name === "string") read.add(name);
      return Reflect.get(target, name);
    },
  });
  try {
    readConfig(env);
  } catch {
    // The environment has none of the required API keys. That is reported after everything was read.
  }
  readServiceAccess(env);
  return read;
}
