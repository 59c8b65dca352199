/** A shown line as a pattern: `…` stands for anything, and a space for as many as there are. */
const patternOf = (line: string): RegExp =>
  new RegExp(
    line
      .trim()
      .split("…")
      .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/\s+/g, "\\s+"))
      .join(".*"),
  );

/** The shown lines between two lines of `…`. */
function groupsOf(shown: string): string[][] {
  const groups: string[][] = [[]];
  for (const line of shown.split("\n").filter((one) => one.trim() !== "")) {
    if (line.trim() === "…") groups.push([]);
    else groups.at(-1)?.push(line);
  }
  return groups.filter((group) => group.length > 0);
}

/**
 * The first lines that a page shows and `output` does not have, one a line; empty when it has them all. Lines follow each other
 * directly, except where the page has a line of `…` between them. Empty lines do not count.
 */
export function missingOutput(shown: string, output: string): string {
  const lines = output.split(/\r?\n/).filter((line) => line.trim() !== "");
  let from = 0;
  for (const group of groupsOf(shown)) {
    const patterns = group.map(patternOf);
    const at = lines.findIndex(
      (_, index) => index >= from && patterns.every((pattern, offset) => pattern.test(lines[index + offset] ?? "")),
    );
    if (at === -1) return group.join("\n");
    from = at + group.length;
  }
  return "";
}
