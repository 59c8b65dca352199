/** The STT of a service that transcribes every language: for `catalogueOf`. */
export const ANY_STT = (): readonly string[] => ["reference"];
