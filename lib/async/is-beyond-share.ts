/** What fits into places that are shared: one may take half of those that the others leave. */
export const isBeyondShare = (own: number, all: number, places: number): boolean => own >= (places - all + own) / 2
