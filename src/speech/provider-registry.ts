import { strict as assert } from "node:assert";
import type { Stage } from "../core/calls/stages.ts";
import type { DeclaredReader, Variables } from "../core/configuration/variable.ts";
import type { ConfiguredProvider, ProviderDescriptor } from "./provider-descriptor.ts";

/** The providers of a stage with their settings, by their ids. */
export type ConfiguredProviders<S extends Stage> = ReadonlyMap<string, ConfiguredProvider<S>>;

/** The names in a comma-separated list, in order and without duplicates. */
export const namesIn = (given: string): string[] => [...new Set(given.split(",").map((name) => name.trim()))];

/** The providers of one stage. */
export class ProviderRegistry<S extends Stage> {
  /** In the order of the list. */
  readonly ids: readonly string[];
  /** The variables of all providers, with the defaults and meanings that docs/configuration.md shows. */
  readonly variables: Variables;
  /** See ProviderDescriptor. */
  readonly foreignVariables: readonly RegExp[];
  /** The provider that serves trials, and a relative clause that says why it holds no conversation. */
  readonly testInstrument: { readonly id: string; readonly limits: string };
  readonly #descriptors: ReadonlyMap<string, ProviderDescriptor<S>>;

  constructor(descriptors: readonly ProviderDescriptor<S>[]) {
    this.#descriptors = new Map(descriptors.map((descriptor) => [descriptor.id, descriptor]));
    this.ids = [...this.#descriptors.keys()];
    this.variables = Object.assign({}, ...descriptors.map(({ variables }) => variables));
    this.foreignVariables = descriptors.flatMap(({ foreignVariables }) => foreignVariables ?? []);
    assert.equal(this.ids.length, descriptors.length, "two providers have the same id");
    const [instrument] = descriptors.flatMap(({ id, capabilities: { testInstrument: limits } }) =>
      limits === undefined ? [] : [{ id, limits }],
    );
    assert.ok(instrument !== undefined, "a stage needs a test instrument");
    this.testInstrument = instrument;
  }

  /** The provider of this id; undefined for any other text. */
  find(id: string): ProviderDescriptor<S> | undefined {
    return this.#descriptors.get(id);
  }

  /** Reads the settings of every provider. Only those of the providers that are named need to be valid. */
  configure(read: DeclaredReader): ConfiguredProviders<S> {
    return new Map([...this.#descriptors].map(([id, descriptor]) => [id, descriptor.configure(read)]));
  }

  /**
   * The problems of `given`, the value of `variable`: unknown names, and what is wrong with the settings of the known
   * ones. Each problem names the variable and what would be right.
   */
  problemsIn(given: string, variable: string, configured: ConfiguredProviders<S>): string[] {
    const right = this.ids.toSorted().join(", ");
    return namesIn(given).flatMap(
      (name) =>
        configured.get(name)?.problems() ?? [`${variable} must be one of ${right}, not ${JSON.stringify(name)}`],
    );
  }
}
