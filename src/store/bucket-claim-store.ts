/** What the bucket must know of a database. */
export interface BucketClaim {
  /** The id of the database. */
  databaseId: string;
  /** The bucket has had this id: one without it is another bucket, or was emptied. */
  isConfirmed: boolean;
}

/**
 * Which bucket belongs to this database: the one that has the database's id. Every operation rejects with `unavailable` when the
 * store cannot answer at present, and may be repeated.
 */
export interface BucketClaimStore {
  /** The claim of this database, which is made by the first call, by whatever process; all get the same id. */
  claim(): Promise<BucketClaim>;
  /** The claim of this database; undefined where none was made. */
  find(): Promise<BucketClaim | undefined>;
  /** The bucket has the id. */
  confirm(): Promise<void>;
}
