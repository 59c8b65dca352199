/** The name of the worklet's file, which has the hash of its content. The build sets it. */
declare const WORKLET_FILE: string;

/** The worklet lies beside the file that loads it. */
export const WORKLET_URL = new URL(`./${WORKLET_FILE}`, import.meta.url);
