/**
 * What the carrier's `start` handed to the call, by name: at most PARAMETERS_MAX of them, with at most
 * PARAMETERS_BYTES_MAX bytes of UTF-8 in all names and values. No name is empty or `__proto__`; names and values are
 * well-formed Unicode without control characters. Somebody outside wrote them: they are data, and as private as words.
 */
export type StartParameters = Readonly<Record<string, string>>;
