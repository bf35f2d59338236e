import type { Catalogue } from '../catalogue/catalogue.ts'
import { genreKey } from '../catalogue/track-rows.ts'
import { StartError } from '../start/start-error.ts'
import type { Limits } from '../catalogue/limits.ts'

const settings = 'genres, folders, explicit, bitrate, download, delete, share'

type Setting = (catalogue: Catalogue, given: readonly string[]) => Limits

/** Creates a setting that is `false` or omitted. Omitted settings do not limit the account. */
const onOrOff = (name: 'explicit' | 'download' | 'delete' | 'share'): Setting => (_catalogue, [said, ...more]) => {
  if ((said !== 'on' && said !== 'off') || more.length > 0) throw new StartError('Say on or off')
  return { [name]: said === 'on' ? undefined : false }
}

const isAll = (given: readonly string[]) => given.length === 1 && given[0] === 'all'

const each: Readonly<Record<string, Setting>> = {
  genres (catalogue, given) {
    if (isAll(given)) return { genres: undefined }
    const known = new Map(catalogue.facets('tracks').genres.map(({ name }) => [genreKey(name), name]))
    const genres = given.map(name => {
      const found = known.get(genreKey(name))
      if (found === undefined) throw new StartError(`No track has the genre ${name}`)
      return found
    })
    return { genres }
  },

  folders (catalogue, given) {
    if (isAll(given)) return { folders: undefined }
    const folders = given.map(path =>
      path.normalize('NFC').split('/').filter(part => part !== '' && part !== '.').join('/'))
    const empty = folders.findIndex(folder => !catalogue.hasFolder(folder))
    if (empty !== -1) throw new StartError(`No track is in the folder ${given[empty]} of the music`)
    return { folders }
  },

  bitrate (_catalogue, [said = '', ...more]) {
    if (said === 'all' && more.length === 0) return { bitrate: undefined }
    if (!/^[1-9]\d{0,4}$/.test(said) || more.length > 0) throw new StartError('Say how many kbit/s, or all')
    return { bitrate: Number(said) * 1000 }
  },

  explicit: onOrOff('explicit'),
  download: onOrOff('download'),
  delete: onOrOff('delete'),
  share: onOrOff('share')
}

/**
 * Returns the limits of an account after a change.
 *
 * @param given the setting and its values
 * @throws StartError for an unknown setting or an invalid value
 */
export function changeLimits (limits: Limits, catalogue: Catalogue, [name = '', ...given]: readonly string[]): Limits {
  const change = Object.hasOwn(each, name) ? each[name] : undefined
  if (change === undefined) throw new StartError(`SETTING must be one of ${settings}`)
  if (given.length === 0) throw new StartError(`Say what ${name} is to be`)
  return { ...limits, ...change(catalogue, given) }
}

/** Returns limits as the changes that make them: each is a setting with its values. */
export function listLimits ({ genres, folders, bitrate, ...may }: Limits): (readonly [string, ...string[]])[] {
  return [
    ...genres ? [['genres', ...genres] as const] : [],
    ...folders ? [['folders', ...folders] as const] : [],
    ...bitrate ? [['bitrate', String(bitrate / 1000)] as const] : [],
    ...Object.entries(may).filter(([, value]) => value === false).map(([name]) => [name, 'off'] as const)
  ]
}

/** Returns readable descriptions of limits, one line each. */
export function describeLimits ({ genres, folders, explicit, bitrate, ...may }: Limits): string[] {
  return [
    genres && `sees genres: ${genres.join(', ')}`,
    folders && `sees folders: ${folders.join(', ')}`,
    explicit === false && 'sees nothing explicit',
    bitrate && `gets ${bitrate / 1000} kbit/s at most`,
    may.download === false && 'saves no files',
    may.delete === false && 'deletes no playlists',
    may.share === false && 'shares no playlists'
  ].filter(line => typeof line === 'string')
}
