import type { DeclaredReader } from "../../../../core/configuration/variable.ts";
import type { TtsDeps } from "../../../provider-descriptor.ts";
import type { EspeakPoolOptions } from "./pool.ts";

// What the providers that run eSpeak processes have in common. Each has processes of its own.

export const ESPEAK_VARIABLES = {
  ESPEAK_PROCESSES: {
    default: "2",
    range: [1, 16],
    meaning: "eSpeak processes of the media worker; the control process has one more",
  },
} as const;

interface EspeakSettings {
  processes: number;
}

export const readEspeakSettings = ({ integer }: DeclaredReader<keyof typeof ESPEAK_VARIABLES>): EspeakSettings => ({
  processes: integer("ESPEAK_PROCESSES"),
});

export const poolOptions = (
  { processes }: EspeakSettings,
  { clock, listsVoicesOnly, onProcessFailure }: TtsDeps,
): EspeakPoolOptions => ({ children: listsVoicesOnly ? 1 : processes, clock, onProcessFailure });
