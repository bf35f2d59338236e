/** Only the rule, which works in browsers. */
export { playThreshold, playedBetween, duplicatePlayWindow, type Progress, type ReportedPlay } from './play-rule.ts'
