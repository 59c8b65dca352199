/** Numbers the starts of the control process, so that what precedes a start is known without a clock. */
export interface EpochStore {
  /** One more than the last number that any process got. */
  next(): Promise<number>;
}
