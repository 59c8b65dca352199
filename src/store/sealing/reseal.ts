/** A page of rows to seal again. */
export interface ResealPage {
  /** The maximum number of rows. */
  limit: number;
  /** The `lastId` of the page before; absent for the first page. */
  afterId?: string | undefined;
}

/** What one page of sealing again has done. */
export interface Resealed {
  /** Rows whose secrets are now sealed with the current key. */
  resealed: number;
  /** Rows with a secret that cannot be opened; they stay as they are. */
  unsealable: readonly string[];
  /** Where the next page begins; absent at the end. */
  lastId?: string;
}

/** A store of sealed texts. */
export interface Resealable {
  /** Seals up to `limit` rows with the current key that were sealed with an earlier one. */
  reseal(page: ResealPage): Promise<Resealed>;
}
