/** The rate of the bus for audio that comes at this one, Hz: the telephone's, or wide band. More than came would be invented. */
export const busRateHz = (inboundRateHz: number): 8_000 | 16_000 => (inboundRateHz === 8_000 ? 8_000 : 16_000);
