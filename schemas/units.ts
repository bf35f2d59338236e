/** The limits of numbers in a wrong unit. The check and the warnings of development use the same limits. */

/** The range of milliseconds in early 1970. A time within it is probably a current time in seconds. */
const secondsOfOurDays = [50_000_000, 4_000_000_000] as const

/** The minimum bitrate in bit/s. No music codec has a lower one. */
const lowestBitrate = 4000

export const isTimeInSeconds = (time: number): boolean => time >= secondsOfOurDays[0] && time <= secondsOfOurDays[1]

export const isBitrateInKbit = (bitrate: number): boolean => bitrate > 0 && bitrate < lowestBitrate
