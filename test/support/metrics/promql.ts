import type { Family } from "./exposition.ts";

/** What Prometheus adds to everything it scrapes. */
const OF_PROMETHEUS = ["instance", "job"];
/** Words of the language that may stand where a metric could. */
const WORDS = /^(and|or|unless|bool|offset|inf|nan)$/i;
/** In front of a list of labels. */
const BEFORE_LABELS = /^(by|without|on|ignoring|group_left|group_right)$/i;

const TOKEN = /"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[a-zA-Z_:][\w:]*|\d[\w.]*|[=!]~|[=!<>]=|\S/g;

/** A metric that is asked for, and the labels it is chosen by. */
interface Selector {
  metric: string;
  matchers: { label: string; value: string }[];
}

/** The metrics that a query asks for, and the labels that it groups by. Of no use for queries that Prometheus would not read. */
function readQuery(query: string): { selectors: Selector[]; groups: string[] } {
  const tokens: readonly string[] = query.match(TOKEN) ?? [];
  const selectors: Selector[] = [];
  const groups: string[] = [];
  /** The tokens of the list that is open at `from`, up to what closes it. */
  const list = (from: number, closing: string): string[] => tokens.slice(from + 1, tokens.indexOf(closing, from));
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as string;
    if (!/^[a-zA-Z_:]/.test(token) || WORDS.test(token)) continue;
    if (BEFORE_LABELS.test(token)) {
      const labels = list(at + 1, ")");
      groups.push(...labels.filter((label) => label !== ","));
      at += labels.length + 2;
    } else if (!/^(\(|by|without)$/i.test(tokens[at + 1] ?? "")) {
      const inner = tokens[at + 1] === "{" ? list(at + 1, "}") : [];
      const matchers = [...inner.join("").matchAll(/(\w+)(?:=~|!~|!=|=)"((?:[^"\\]|\\.)*)",?/g)];
      selectors.push({ metric: token, matchers: matchers.map(([, label = "", value = ""]) => ({ label, value })) });
      at += inner.length === 0 ? 0 : inner.length + 2;
    }
  }
  return { selectors, groups };
}

/**
 * What a query asks for that an exposition does not have: metrics, labels, and values of labels (each of the alternatives where there
 * are some). Variables of a dashboard stand for any value.
 */
export function unknownInQuery(query: string, families: ReadonlyMap<string, Family>): string[] {
  const samples = [...families.values()].flatMap((family) => family.samples);
  const { selectors, groups } = readQuery(query);
  const unknown: string[] = [];
  const labelsOfAll = new Set(OF_PROMETHEUS);
  for (const { metric, matchers } of selectors) {
    const own = samples.filter(({ name }) => name === metric);
    // What Prometheus says of a target itself is in no exposition.
    if (own.length === 0 && metric !== "up") unknown.push(metric);
    for (const { labels } of own) for (const label of Object.keys(labels)) labelsOfAll.add(label);
    for (const { label, value } of matchers) {
      if (OF_PROMETHEUS.includes(label)) continue;
      for (const one of value.split("|")) {
        if (!own.some(({ labels }) => labels[label] === one)) unknown.push(`${metric}{${label}="${one}"}`);
      }
    }
  }
  return [...unknown, ...groups.filter((label) => !labelsOfAll.has(label)).map((label) => `by (${label})`)];
}

/** The labels that a query's results have for sure: those of its outermost groups. */
export const groupsOf = (query: string): string[] => readQuery(query).groups;
