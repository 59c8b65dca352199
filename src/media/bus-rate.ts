/** The highest rate of the bus, Hz. */
export const BUS_RATE_HZ_MAX = 16_000;

/** The bus rate for audio of this rate, Hz: 8 kHz (telephone) or 16 kHz (wideband). It never adds bandwidth. */
export const busRateHz = (inboundRateHz: number): 8_000 | 16_000 => (inboundRateHz === 8_000 ? 8_000 : 16_000);
