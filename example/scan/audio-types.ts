/** What Chromium opens. */
const played = ['.mp3', '.flac', '.m4a', '.m4b', '.mp4', '.ogg', '.oga', '.opus', '.wav', '.aac', '.mka', '.webm']
/** What it does not open, and ffmpeg does. */
const transcoded = ['.aif', '.aiff', '.ape', '.dsf', '.wma', '.wv']
const others = ['.dff', '.mpc', '.tta', '.au', '.caf', '.ac3']

/** Extensions of files with audio. */
export interface AudioTypes {
  readonly listed: ReadonlySet<string>
  /** Those that are counted only. */
  readonly others: ReadonlySet<string>
}

/** @param isTranscoding whether files that browsers do not open are listed: they get what is made of them */
export const audioTypes = (isTranscoding: boolean): AudioTypes => ({
  listed: new Set([...played, ...isTranscoding ? transcoded : []]),
  others: new Set([...others, ...isTranscoding ? [] : transcoded])
})
