/** What numbers in a wrong unit look like. The check and the warnings of development use the same limits. */

/** Milliseconds of early 1970. A time between them is probably one of our days in seconds. */
const secondsOfOurDays = [50_000_000, 4_000_000_000] as const

/** bit/s. No music codec has less. */
const lowestBitrate = 4000

export const isTimeInSeconds = (time: number): boolean => time >= secondsOfOurDays[0] && time <= secondsOfOurDays[1]

export const isBitrateInKbit = (bitrate: number): boolean => bitrate > 0 && bitrate < lowestBitrate
