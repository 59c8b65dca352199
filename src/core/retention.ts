/** The parts of an ended call that can be deleted before its record. */
export const RETAINED_PARTS = ["recording", "transcript", "record"] as const;
export type RetainedPart = (typeof RETAINED_PARTS)[number];

/** The names of these days in the configuration and the API. */
export const RETENTION_FIELDS = {
  recording: "recordingDays",
  transcript: "transcriptDays",
  record: "recordDays",
} as const satisfies Record<RetainedPart, string>;

/** Days from a call's end until each part of it is deleted; undefined keeps it. */
export type RetentionDays = Readonly<Record<RetainedPart, number | undefined>>;

/** About a century. */
export const RETENTION_DAYS_MAX = 36_500;

export interface RetentionRules {
  /** The default of all accounts. */
  readonly days: RetentionDays;
  /** By the account's name. */
  readonly accounts: ReadonlyMap<string, RetentionDays>;
}

export const KEEP_ALL: RetentionDays = { recording: undefined, transcript: undefined, record: undefined };

/** The rules of one account. */
export const retentionDaysOf = ({ days, accounts }: RetentionRules, accountName: string): RetentionDays =>
  accounts.get(accountName) ?? days;

/** Whether any rule deletes anything. */
export const deletesAnything = ({ days, accounts }: RetentionRules): boolean =>
  [days, ...accounts.values()].some((of) => RETAINED_PARTS.some((what) => of[what] !== undefined));
