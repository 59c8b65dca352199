/**
 * An exposition in Prometheus' text format, each of whose samples has this label, too. The value has no quotes, backslashes or line
 * breaks. It comes first: labels have no order.
 */
export function withConstantLabel(exposition: string, label: string, value: string): string {
  return exposition
    .split("\n")
    .map((line) => (line === "" || line.startsWith("#") ? line : labelled(line, `${label}="${value}"`)))
    .join("\n");
}

/** The name of a metric ends with a brace or a space, of which it has none itself. */
function labelled(sample: string, label: string): string {
  const end = sample.search(/[{ ]/);
  const name = sample.slice(0, end);
  return sample[end] === "{" ? `${name}{${label},${sample.slice(end + 1)}` : `${name}{${label}}${sample.slice(end)}`;
}
