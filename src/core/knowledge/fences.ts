/** The fence of a call is this many random bytes, in hexadecimal digits. */
export const FENCE_BYTES = 16;

/** The line before and after documents in a text. Only a call's own fence makes one: documents cannot know it. */
export const fenceLine = (fence: string): string => `----- ${fence} -----`;

const ANY_FENCE_LINE = fenceLine(`[0-9a-f]{${2 * FENCE_BYTES}}`);

/** The documents in a text with their two lines: the first line, and what stands between them. */
export const FENCED_BLOCK = new RegExp(`^(${ANY_FENCE_LINE})\\n([\\s\\S]*?)\\n\\1$`, "m");

/** The last line of a text that ends with documents, and the end of the line before. */
export const FENCED_BLOCK_END = new RegExp(`\\n${ANY_FENCE_LINE}$`);
