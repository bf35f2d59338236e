/** The rule alone, safe in browsers. */
export { neededFor, playedBetween, type Progress, type ToldPlay } from './heard-rule.ts'
