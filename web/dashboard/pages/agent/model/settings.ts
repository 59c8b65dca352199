import type { CallSettings } from "./definition.ts";

interface SettingOf<Name extends keyof CallSettings> {
  name: Name;
  label: string;
  hint?: string;
}

/** A setting that is one of a few words, or on or off. */
export interface ChoiceSetting extends SettingOf<keyof CallSettings> {
  kind: "choice";
  choices: readonly { value: string | boolean; label: string }[];
  /** What counts where the agent says nothing. */
  usual: string | boolean;
}

export interface NumberSetting extends SettingOf<keyof CallSettings> {
  kind: "number";
  min: number;
  max: number;
  step: number | "any";
  /** Undefined: no bound. */
  usual: number | undefined;
}

export type Setting = ChoiceSetting | NumberSetting;

const YES_NO = [
  { value: true, label: "Yes" },
  { value: false, label: "No" },
] as const;

/** How the call begins. */
export const OPENING_SETTINGS: readonly Setting[] = [
  {
    kind: "choice",
    name: "firstSpeaker",
    label: "First speaker",
    choices: [
      { value: "agent", label: "The agent" },
      { value: "user", label: "The caller" },
    ],
    usual: "agent",
  },
  {
    kind: "choice",
    name: "interruptible",
    label: "First message can be interrupted",
    hint: "Every later one can.",
    choices: YES_NO,
    usual: false,
  },
];

export const LLM_SETTINGS: readonly Setting[] = [
  {
    kind: "choice",
    name: "model",
    label: "Model",
    choices: ["model_a", "model_b", "model_c"].map((value) => ({ value, label: value })),
    usual: "model_b",
  },
  { kind: "number", name: "temperature", label: "Temperature", hint: "0 to 1.", min: 0, max: 1, step: "any", usual: 0 },
  {
    kind: "choice",
    name: "languagePinned",
    label: "Stays in its language",
    hint: "Otherwise it follows the caller's, where the STT detects it.",
    choices: YES_NO,
    usual: false,
  },
  {
    kind: "choice",
    name: "useParameters",
    label: "Reads the carrier's parameters",
    hint: "Those of the stream's start, as data in the prompt.",
    choices: YES_NO,
    usual: false,
  },
];

export const LIMIT_SETTINGS: readonly Setting[] = [
  {
    ...{ kind: "number", name: "maxDuration", label: "Longest call, seconds" },
    ...{ min: 60, max: 7_200, step: 1, usual: 3_000 },
  },
  {
    ...{ kind: "number", name: "inactivityTimeout", label: "Silence until it acts, seconds" },
    ...{ min: 10, max: 300, step: 1, usual: 30 },
  },
  {
    kind: "choice",
    name: "inactivityAction",
    label: "After that silence",
    choices: [
      { value: "prompt", label: "Ask whether the caller is there" },
      { value: "hang_up", label: "Hang up" },
    ],
    usual: "prompt",
  },
  {
    ...{ kind: "number", name: "maxCost", label: "Most a call may cost" },
    ...{ min: 0.001, max: 1_000_000, step: "any", usual: undefined },
    hint: "In the currency of the prices that the service is configured with.",
  },
];

export const STORAGE_SETTINGS: readonly Setting[] = [
  { kind: "choice", name: "recordingEnabled", label: "Audio is recorded", choices: YES_NO, usual: true },
  { kind: "choice", name: "transcriptEnabled", label: "Words are stored", choices: YES_NO, usual: true },
];

/** What can be kept out of what is stored. */
export const REDACTIONS: readonly { value: NonNullable<CallSettings["redact"]>[number]; label: string }[] = [
  { value: "card_number", label: "Card numbers" },
  { value: "phone_number", label: "Telephone numbers" },
  { value: "email", label: "Email addresses" },
  { value: "national_id", label: "National ids" },
  { value: "variables", label: "Values of variables" },
];

const ALL: readonly Setting[] = [...OPENING_SETTINGS, ...LLM_SETTINGS, ...LIMIT_SETTINGS, ...STORAGE_SETTINGS];

const OTHER_LABELS: Readonly<Record<string, string>> = {
  greeting: "Greeting",
  redact: "Redaction",
  analysis: "Analysis after the call",
  selectedTools: "Built-in and own tools",
  voice: "Voice",
  language: "Language",
};

/** The name of a setting, or of an override, for people. */
export const settingLabel = (name: string): string =>
  OTHER_LABELS[name] ?? ALL.find((setting) => setting.name === name)?.label ?? name;

/** All settings of calls that have a field of their own. */
export const ALL_SETTINGS = ALL;

/** What a call from an agent may bring in place of the agent's own, if the agent allows it. */
export const OVERRIDE_NAMES = [
  "voice",
  "language",
  "greeting",
  "firstSpeaker",
  "interruptible",
  "model",
  "temperature",
  "languagePinned",
  "useParameters",
  "maxDuration",
  "inactivityTimeout",
  "inactivityAction",
  "maxCost",
  "recordingEnabled",
  "transcriptEnabled",
  "redact",
  "analysis",
  "selectedTools",
] as const;

/** How the value that counts where the agent says nothing is named. */
export function usualText({ choices, usual }: ChoiceSetting): string {
  const label = choices.find(({ value }) => value === usual)?.label ?? String(usual);
  return `Default: ${label.toLowerCase()}`;
}
