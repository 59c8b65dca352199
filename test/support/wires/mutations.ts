/** Values that a peer may put where they do not belong. */
const WRONG: readonly unknown[] = [
  undefined,
  null,
  0,
  -1,
  1e300,
  "",
  "NaN",
  "\u0000",
  "x".repeat(10_000),
  true,
  [],
  {},
];

/** Each near miss of a good JSON text: one member, at any depth, dropped or set to a value that does not belong there. */
export function* nearMisses(text: string): Generator<string> {
  for (const path of memberPaths(JSON.parse(text))) {
    for (const wrong of WRONG) {
      const copy: Record<string, unknown> = JSON.parse(text);
      const { parent, key } = memberAt(copy, path);
      parent[key] = wrong;
      yield JSON.stringify(copy);
    }
  }
}

/** The same object with the members of every object in another order: all rotations, and reversed. */
export function* reorderings(text: string): Generator<string> {
  const widest = memberPaths(JSON.parse(text)).length;
  for (let by = 0; by < widest; by += 1) {
    yield JSON.stringify(reordered(JSON.parse(text), (keys) => [...keys.slice(by), ...keys.slice(0, by)]));
  }
  yield JSON.stringify(reordered(JSON.parse(text), (keys) => keys.reverse()));
}

/** A good JSON text in which one member, at any depth, comes twice: in front and at the end of its object, each wrong once. */
export function* duplicates(text: string): Generator<string> {
  for (const path of memberPaths(JSON.parse(text))) {
    const copy: Record<string, unknown> = JSON.parse(text);
    const { parent, key } = memberAt(copy, path);
    const good = JSON.stringify(parent[key]);
    parent[key] = "\u0001";
    const marked = JSON.stringify(copy);
    const member = `${JSON.stringify(key)}:${JSON.stringify("\u0001")}`;
    for (const wrong of ['"other"', '""', "null", '"AAAA"', '"7"', good]) {
      yield marked.replace(member, () => `${JSON.stringify(key)}:${wrong},${JSON.stringify(key)}:${good}`);
      yield marked.replace(member, () => `${JSON.stringify(key)}:${good},${JSON.stringify(key)}:${wrong}`);
    }
  }
}

/** The bytes of a text with one of them changed, left out, doubled, or something put before it, at each position. */
export function* byteMutations(text: string, inserted: readonly string[]): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 1) {
    const before = bytes.subarray(0, at);
    const after = bytes.subarray(at + 1);
    for (let bit = 0; bit < 8; bit += 1)
      yield Buffer.concat([before, Buffer.of((bytes[at] as number) ^ (1 << bit)), after]);
    yield Buffer.concat([before, after]);
    yield Buffer.concat([before, bytes.subarray(at, at + 1), bytes.subarray(at)]);
    yield before;
    for (const part of inserted) yield Buffer.concat([before, Buffer.from(part), bytes.subarray(at)]);
    yield Buffer.concat([before, Buffer.from(`\\u00${(bytes[at] as number).toString(16).padStart(2, "0")}`), after]);
  }
}

function memberPaths(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [[...path, key], ...memberPaths(child, [...path, key])]);
}

function memberAt(root: Record<string, unknown>, path: readonly string[]) {
  let parent = root;
  for (const key of path.slice(0, -1)) parent = parent[key] as Record<string, unknown>;
  return { parent, key: path.at(-1) as string };
}

function reordered(value: unknown, order: (keys: string[]) => string[]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(order(Object.keys(fields)).map((key) => [key, reordered(fields[key], order)]));
}
