import type { ProviderDescriptor } from "../../provider-descriptor.ts";
import { assemblyAiStt } from "./assemblyai/descriptor.ts";
import { deepgramStt } from "./deepgram/descriptor.ts";
import { fluxStt } from "./flux/descriptor.ts";
import { localStt } from "./local/descriptor.ts";
import { openAiStt } from "./openai/descriptor.ts";
import { openAiRealtimeStt } from "./openairealtime/descriptor.ts";
import { referenceStt } from "./reference/descriptor.ts";

/** Every STT provider, in the order of docs/configuration.md. */
export const STT_PROVIDERS: readonly ProviderDescriptor<"stt">[] = [
  deepgramStt,
  fluxStt,
  assemblyAiStt,
  openAiStt,
  openAiRealtimeStt,
  localStt,
  referenceStt,
];
