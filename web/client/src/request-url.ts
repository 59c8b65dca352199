/** A value of a query: of `metadata`, for example, an object of values by their keys. */
type QueryValue = string | number | boolean | Readonly<Record<string, string | number | boolean>> | undefined;

export type PathValues = Readonly<Record<string, string | number>>;
export type QueryValues = Readonly<Record<string, QueryValue>>;

/**
 * `baseUrl` with a path such as `/calls/{id}`, filled with values, and a query. Throws TypeError for a value that is missing or
 * would name another path: an empty one, `.` or `..`.
 */
export function requestUrl(baseUrl: string, path: string, values: PathValues, query: QueryValues): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const text = String(values[name] ?? "");
    if (/^\.{0,2}$/.test(text)) throw new TypeError(`${path}: ${JSON.stringify(text)} is no value of ${name}`);
    return encodeURIComponent(text);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (typeof value !== "object") search.set(name, String(value));
    else for (const [key, inner] of Object.entries(value)) search.set(`${name}[${key}]`, String(inner));
  }
  return `${baseUrl}${filled}${search.size > 0 ? `?${search}` : ""}`;
}
