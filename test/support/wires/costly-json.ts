/** A JSON object that begins with `members` and is filled with objects of one different key each: the slowest to parse, byte for byte. */
export function differentKeys(bytes: number, seed: number, members: string, list = "a"): string {
  const parts: string[] = [];
  let left = bytes - members.length - list.length - '{,"":[]}'.length;
  for (let key = 0; ; key += 1) {
    const part = `${key === 0 ? "" : ","}{"${((seed % 10_000) * 100_003 + key * 7).toString(36)}":1}`;
    if (part.length > left) break;
    left -= part.length;
    parts.push(part);
  }
  return `{${members},"${list}":[${parts.join("")}]${" ".repeat(left)}}`;
}

/** `text` with a member of `x` at its end, so that it is `bytes` long. */
export function padded(text: string, bytes: number): string {
  const room = bytes - text.length - ',"x":""'.length;
  return room < 0 ? text : `${text.slice(0, -1)},"x":"${"x".repeat(room)}"}`;
}
