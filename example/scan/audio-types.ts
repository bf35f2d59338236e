/** Extensions that Chromium plays. */
const played = ['.mp3', '.flac', '.m4a', '.m4b', '.mp4', '.ogg', '.oga', '.opus', '.wav', '.aac', '.mka', '.webm']
/** Extensions that need transcoding for Chromium. */
const transcoded = ['.aif', '.aiff', '.ape', '.dsf', '.wma', '.wv']
const others = ['.dff', '.mpc', '.tta', '.au', '.caf', '.ac3']

/** Extensions of audio files. */
export interface AudioTypes {
  readonly listed: ReadonlySet<string>
  /** Extensions that scans only count. */
  readonly others: ReadonlySet<string>
}

/** @param isTranscoding whether scans list files that need transcoding */
export const audioTypes = (isTranscoding: boolean): AudioTypes => ({
  listed: new Set([...played, ...isTranscoding ? transcoded : []]),
  others: new Set([...others, ...isTranscoding ? [] : transcoded])
})
