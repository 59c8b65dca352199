/** What the capabilities of an STT say of its finals, as far as `hasFinalForEach` needs it. */
export interface FinalsOfStt {
  readonly interimTranscripts: boolean;
  readonly finalPerUtterance?: boolean | undefined;
}

/** Whether the STT sends one final for each utterance as the call divides them, coughs included, in their order. */
export const hasFinalForEach = ({ interimTranscripts, finalPerUtterance = false }: FinalsOfStt): boolean =>
  !interimTranscripts || finalPerUtterance;
