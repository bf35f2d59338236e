export { isSamePlay } from './heard-rule.ts'
export { listenerKey } from './listener-key.ts'
export type { Listener } from './play-teller.ts'
export { Plays, type HeardPlay, type PlayReport } from './plays.ts'
