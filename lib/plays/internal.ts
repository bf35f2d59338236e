/** The rule alone, safe in browsers. */
export { neededFor, playedBetween, type Progress } from './heard-rule.ts'
