/** The limits of numbers in a wrong unit. The check and the warnings of development use the same limits. */

/** The range of milliseconds in early 1970. A time within it is probably a current time in seconds. */
const secondsOfOurDays = [50_000_000, 4_000_000_000] as const

/** The minimum bitrate in bit/s. No music codec has a lower one. */
const lowestBitrate = 4000

export const isTimeInSeconds = (time: number): boolean => time >= secondsOfOurDays[0] && time <= secondsOfOurDays[1]

/** The maximum duration in seconds of a file with a real bitrate below the minimum: silence in FLAC. */
const longestSilence = 7200

/** @param size the size of the audio in bytes, if known */
export function isBitrateInKbit (bitrate: number, size?: unknown): boolean {
  if (bitrate <= 0 || bitrate >= lowestBitrate) return false
  return !(Number(size) > 0 && Number(size) * 8 / bitrate < longestSilence)
}

/** The factor between the bytes of a file and the bytes that duration and bitrate imply, for any format. */
const tolerance = Math.sqrt(1000)

/** Returns whether the size of a quality shows that a duration is in milliseconds, although it is very short. */
export const agreesWithSize = (durationMs: number, qualities: unknown): boolean =>
  Array.isArray(qualities) && qualities.some(quality => Number(quality?.size) > 0 &&
    Number(quality?.size) * 8 / Number(quality?.bitrate) < durationMs / tolerance)
