import type { Stage } from "../calls/stages.ts";
import { RETAINED_PARTS, type RetentionDays } from "../retention.ts";

/** How many calls an account may have and create; what is absent has no limit but those of the service. */
export interface AccountLimits {
  /** At once, created or active. */
  concurrentCalls?: number | undefined;
  creationsPerMinute?: number | undefined;
  /** In progress at once; others wait. */
  concurrentTranscriptions?: number | undefined;
}

/** The ids of the providers that the calls of an account may use; an absent stage may use all that are configured. */
export type AllowedProviders = Readonly<Partial<Record<Stage, readonly string[]>>>;

/** What an account may have. Empty settings are those of an account that has all that the service has. */
export interface AccountSettings {
  limits?: AccountLimits;
  /** Shorter than the service's, or without effect. */
  retention?: Partial<RetentionDays>;
  providers?: AllowedProviders;
  /** Ids of voices; absent for all. */
  voices?: readonly string[];
  /** Codes; a bare language (`en`) stands for its regions, too. Absent for all. */
  languages?: readonly string[];
}

/** Changes of an account's settings: null is again what the service has, undefined stays. */
export interface AccountSettingsChanges {
  limits?: Changes<AccountLimits> | undefined;
  retention?: Changes<RetentionDays> | undefined;
  providers?: Changes<AllowedProviders> | undefined;
  voices?: readonly string[] | null | undefined;
  languages?: readonly string[] | null | undefined;
}

type Changes<T> = { readonly [Name in keyof T]?: T[Name] | null | undefined };

/** The settings after a change. What has become empty is absent. */
export function changedSettings(before: AccountSettings, changes: AccountSettingsChanges): AccountSettings {
  const groups = {
    limits: merged(before.limits, changes.limits),
    retention: merged(before.retention, changes.retention),
    providers: merged(before.providers, changes.providers),
  };
  const { voices, languages } = merged<Pick<AccountSettings, "voices" | "languages">>(before, {
    voices: changes.voices,
    languages: changes.languages,
  });
  return {
    ...Object.fromEntries(Object.entries(groups).filter(([, group]) => Object.keys(group).length > 0)),
    ...(voices !== undefined && { voices }),
    ...(languages !== undefined && { languages }),
  };
}

function merged<T extends object>(before: T | undefined, changes: Changes<T> | undefined): Partial<T> {
  const given = Object.entries(changes ?? {}).filter(([, value]) => value !== undefined);
  const all = Object.entries({ ...before, ...Object.fromEntries(given) });
  return Object.fromEntries(all.filter(([, value]) => value !== null && value !== undefined)) as Partial<T>;
}

/** The names of the settings that a change gives, such as `limits.concurrentCalls`. */
export const settingsIn = ({ limits, retention, providers, voices, languages }: AccountSettingsChanges): string[] =>
  Object.entries({ limits, retention, providers, voices, languages }).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (value === null || Array.isArray(value)) return [name];
    return Object.entries(value).flatMap(([part, given]) => (given === undefined ? [] : [`${name}.${part}`]));
  });

/** The days after which parts of an account's calls are deleted: its own or the service's, whichever are fewer. */
export const strictestDays = (service: RetentionDays, own: Partial<RetentionDays> = {}): RetentionDays =>
  Object.fromEntries(
    RETAINED_PARTS.map((part) => {
      const days = [service[part], own[part]].filter((given) => given !== undefined);
      return [part, days.length === 0 ? undefined : Math.min(...days)];
    }),
  ) as RetentionDays;

/** Whether the account may use a provider in a stage. */
export const allows = (providers: AllowedProviders | undefined, stage: Stage, provider: string): boolean =>
  providers?.[stage]?.includes(provider) ?? true;
