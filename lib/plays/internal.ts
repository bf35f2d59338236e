/** The rule alone, safe in browsers. */
export { heardAfter, playedBetween, samePlayWithin, type Progress, type ToldPlay } from './heard-rule.ts'
