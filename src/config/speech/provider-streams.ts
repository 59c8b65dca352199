import { PROVIDER_STREAMS_MAX } from "../../core/limits/speech-providers/providers.ts";

/** Reads PROVIDER_STREAMS_MAX, such as `elevenlabs:5, deepgram:50`: streams at once, by provider. Problems are added to `problems`. */
export function readStreamsMax(given: string, problems: string[]): Record<string, number> {
  const streamsMax: Record<string, number> = {};
  for (const part of given === "" ? [] : given.split(",")) {
    const [, name, count] = /^\s*([a-z]{1,32})\s*:\s*(\d{1,6})\s*$/.exec(part) ?? [];
    if (name === undefined || !(Number(count) >= 1 && Number(count) <= PROVIDER_STREAMS_MAX)) {
      const right = `a provider and a number from 1 to ${PROVIDER_STREAMS_MAX}, elevenlabs:5, or several, separated by commas`;
      problems.push(`PROVIDER_STREAMS_MAX must be ${right}, not ${JSON.stringify(part)}`);
    } else streamsMax[name] = Number(count);
  }
  return streamsMax;
}
