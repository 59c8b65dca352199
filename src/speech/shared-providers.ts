import type { Stage } from "../core/calls/stages.ts";
import type { ConfiguredProvider, StageTypes, SttDeps } from "./provider-descriptor.ts";
import type { ConfiguredProviders } from "./provider-registry.ts";
import type { BatchStt } from "./stt/batch/contract.ts";

/**
 * The same providers, each of whose adapters is created once and shared by all that ask for it. `keyOf` tells apart adapters of
 * one provider.
 */
export const sharedProviders = <S extends Stage>(
  configured: ConfiguredProviders<S>,
  keyOf: (deps: StageTypes[S]["deps"]) => string,
): ConfiguredProviders<S> =>
  new Map([...configured].map(([id, provider]) => [id, new SharedProvider(provider, keyOf)]));

class SharedProvider<S extends Stage> implements ConfiguredProvider<S> {
  readonly #provider: ConfiguredProvider<S>;
  readonly #keyOf: (deps: StageTypes[S]["deps"]) => string;
  readonly #created = new Map<string, Promise<StageTypes[S]["provider"]>>();
  #batch: Promise<BatchStt> | undefined;

  constructor(provider: ConfiguredProvider<S>, keyOf: (deps: StageTypes[S]["deps"]) => string) {
    this.#provider = provider;
    this.#keyOf = keyOf;
  }

  get settings(): object {
    return this.#provider.settings;
  }

  get credentialOf(): string | undefined {
    return this.#provider.credentialOf;
  }

  problems(): readonly string[] {
    return this.#provider.problems();
  }

  servesLanguage(language: string): boolean {
    return this.#provider.servesLanguage(language);
  }

  create(deps: StageTypes[S]["deps"]): Promise<StageTypes[S]["provider"]> {
    const key = this.#keyOf(deps);
    const created = this.#created.get(key) ?? this.#provider.create(deps);
    this.#created.set(key, created);
    return created;
  }

  createBatch(deps: SttDeps): Promise<BatchStt> | undefined {
    this.#batch ??= this.#provider.createBatch(deps);
    return this.#batch;
  }

  withApiKey(apiKey: string): ConfiguredProvider<S> {
    return this.#provider.withApiKey(apiKey);
  }
}
