/** Only the rule, which works in browsers. */
export { heardAfter, playedBetween, samePlayWithin, type Progress, type ToldPlay } from './heard-rule.ts'
