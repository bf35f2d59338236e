/** Returns whether a user of shared slots has reached its share: half of the slots that the others leave. */
export const isBeyondShare = (own: number, all: number, places: number): boolean => own >= (places - all + own) / 2
