/**
 * Whether a text is a serialized origin of a web page, exactly as browsers send it in the header `Origin` (HTML standard,
 * section 7.1.1): scheme, host and port, in lower case, in ASCII, without the scheme's default port and a slash at its
 * end.
 */
export const isSerializedOrigin = (text: string): boolean => serializedOriginOf(text) === text;

/** The serialized origin of an `http` or `https` address; undefined for anything else. */
export const serializedOriginOf = (text: string): string | undefined =>
  /^https?:\/\//i.test(text) && !text.includes("*") && URL.canParse(text) ? new URL(text).origin : undefined;
