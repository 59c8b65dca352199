/** The language of a tag (BCP 47), whatever its region and script: `de` of `de-AT`, of `DE`, and of an STT's `de_AT`. */
export const primaryLanguage = (tag: string): string => tag.split(/[-_]/, 1)[0]?.toLowerCase() ?? "";

/** Whether two tags name one language: `de` and `de-AT` do. */
export const isSameLanguage = (a: string, b: string): boolean => primaryLanguage(a) === primaryLanguage(b);
