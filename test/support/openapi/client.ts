import { OpenapiDocument, type Operation, type Parameter } from "./document.ts";

/** What an operation is given: its parameters by their names, wherever they go, and its body. */
export interface Arguments {
  parameters?: Readonly<Record<string, string | number | Readonly<Record<string, string>>>>;
  body?: object;
}

export interface ClientAnswer<Body> {
  status: number;
  headers: Headers;
  bytes: Buffer;
  /** The parsed JSON; undefined for anything else. */
  body: Body;
}

/** Where a key goes, as the document says. */
interface KeyScheme {
  in: "header";
  name: string;
}

/**
 * A client of an API of which it knows nothing but its OpenAPI document: paths, methods, where parameters and the key go.
 * It holds every answer against the document, and rejects with what is wrong with it.
 */
export class OpenapiClient {
  readonly #documentUrl: string;
  readonly #document: OpenapiDocument;
  readonly #key: string;

  private constructor(documentUrl: string, json: ConstructorParameters<typeof OpenapiDocument>[0], key: string) {
    this.#documentUrl = documentUrl;
    this.#document = new OpenapiDocument(json);
    this.#key = key;
  }

  static async of(documentUrl: string, key: string): Promise<OpenapiClient> {
    const response = await fetch(documentUrl);
    return new OpenapiClient(documentUrl, (await response.json()) as Record<string, unknown>, key);
  }

  /** The examples of an operation's body. */
  bodyExamples(operationId: string): readonly unknown[] {
    return this.#document.operation(operationId).bodyExamples;
  }

  async call<Body = unknown>(operationId: string, given: Arguments = {}): Promise<ClientAnswer<Body>> {
    const operation = this.#document.operation(operationId);
    const [contentType = ""] = Object.keys(operation.requestBody?.content ?? {});
    const response = await fetch(this.#urlOf(operation, given), {
      method: operation.method,
      headers: {
        ...this.#keyOf(operation),
        ...valuesIn("header", operation, given),
        ...(given.body !== undefined && { "Content-Type": contentType }),
      },
      ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString("utf8");
    const { status, headers } = response;
    const problems = this.#document.answerProblems(operation, { status, headers: Object.fromEntries(headers), text });
    if (problems.length > 0) throw new Error(`${operationId} is not answered as documented: ${problems.join("; ")}`);
    const isJson = headers.get("content-type")?.startsWith("application/json");
    return { status, headers, bytes, body: (isJson ? JSON.parse(text) : undefined) as Body };
  }

  #urlOf(operation: Operation, given: Arguments): URL {
    let address = operation.address;
    for (const [name, value] of Object.entries(valuesIn("path", operation, given))) {
      address = address.replace(`{${name}}`, encodeURIComponent(value));
    }
    const url = new URL(address, this.#documentUrl);
    for (const [name, value] of Object.entries(valuesIn("query", operation, given))) url.searchParams.set(name, value);
    return url;
  }

  #keyOf({ needsKey }: Operation): Record<string, string> {
    const { components, security } = this.#document.json as {
      components: { securitySchemes: Record<string, KeyScheme> };
      security: [Record<string, unknown>];
    };
    const [name = ""] = Object.keys(security[0]);
    const scheme = components.securitySchemes[name];
    return needsKey && scheme !== undefined ? { [scheme.name]: this.#key } : {};
  }
}

/** The values that go to one part of a request, by the names that they have there. */
function valuesIn(part: Parameter["in"], operation: Operation, { parameters = {} }: Arguments): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(parameters)) {
    const parameter = operation.parameters.find((one) => one.name === name);
    if (parameter === undefined) throw new Error(`${operation.operationId} has no parameter ${name}`);
    if (parameter.in !== part) continue;
    if (typeof value !== "object") values[name] = String(value);
    else if (parameter.style !== "deepObject") throw new Error(`${name} is no object`);
    else for (const [key, text] of Object.entries(value)) values[`${name}[${key}]`] = text;
  }
  return values;
}
