import type { Listener, Playing, PlayReport } from '../../plays/index.ts'
import { positionOf, sounds } from '../../queue/index.ts'
import { rejectMany } from '../../source/index.ts'
import { itemMapper, type Call, type Method } from '../call.ts'
import { readIdOf } from '../ids.ts'
import { readNumber } from '../parameters.ts'
import { SubsonicError } from '../subsonic-error.ts'
import { tracksById } from './find-items.ts'
import { described } from '../write-xml.ts'

const states = ['starting', 'playing', 'paused', 'stopped'] as const
/** The range of playback rates. */
const rates = { least: 0.1, most: 10 }
/** The maximum number of tracks whose length is looked up, if each requires an adapter call. */
const mostLookedUp = 20

const listenerOf = ({ session, shownName: username, client, request }: Call): Listener => ({
  key: session.account.state.key, context: session.context, username, client, log: request.log, secrets: session.secrets
})

/** Returns lengths in milliseconds by id: `undefined` if unknown. Missing tracks have no entry. */
async function lengthsOf (call: Call, ids: readonly string[]): Promise<ReadonlyMap<string, number | undefined>> {
  const unknown = new Map<string, undefined>(ids.map(id => [id, undefined]))
  const isListed = await call.session.library() !== undefined
  if (!isListed && !call.session.has('getTrackDetail')) return unknown
  try {
    const tracks = [...await tracksById(call, ids, mostLookedUp)]
    const known = tracks.map(([id, { durationMs }]) => [id, durationMs] as const)
    return new Map([...isListed || ids.length <= mostLookedUp ? [] : unknown, ...known])
  } catch {
    return unknown
  }
}

/**
 * Records plays. It succeeds unless the source currently cannot store them, since apps repeat failed calls endlessly.
 */
const scrobble: Method = async call => {
  const { session, parameters } = call
  const { plays } = session
  const given = parameters.all('id')
  if (given.length === 0) parameters.required('id')
  rejectMany(given)
  const times = parameters.all('time').map(time => readNumber(time))
  const told = given.flatMap((text, index) => {
    const track = trackIdIn(text)
    return track === undefined ? [] : [{ track, time: times[index] }]
  })
  const isNotice = parameters.flag('submission') === false
  const shown = isNotice ? told.slice(-1) : told
  const listener = listenerOf(call)
  const lengths = await lengthsOf(call, shown.map(({ track }) => track))
  try {
    for (const { track, time } of shown) {
      // The track does not exist.
      if (!lengths.has(track)) continue
      const length = lengths.get(track)
      if (isNotice) await plays.report(listener, { track, length, state: 'playing', isNotice })
      else await plays.submit(listener, { track, length, time })
    }
  } catch (error) {
    notKept(call, error)
  }
  return {}
}

/** @throws errors of a source that stores plays itself: apps report the plays again */
function notKept ({ session }: Call, error: unknown): void {
  if (typeof session.context.adapter.getPlays === 'function') throw error
  session.warn(error, 'play not counted')
}

/** Returns the id of a track; apps may send ids of other kinds and servers. */
function trackIdIn (text: string): string | undefined {
  try {
    return readIdOf('track', text)
  } catch {
    return undefined
  }
}

/** Handles playback reports (OpenSubsonic's extension playbackReport). */
const reportPlayback: Method = async call => {
  const { session, parameters } = call
  const track = readIdOf('track', parameters.required('mediaId'))
  if (parameters.required('mediaType') !== 'song') throw new SubsonicError(10, 'Parameter mediaType must be song')
  parameters.required('positionMs')
  const position = parameters.integer('positionMs')!
  const given = parameters.required('state')
  const state = states.find(state => state === given)
  if (state === undefined) throw new SubsonicError(10, `Parameter state must be one of ${states.join(', ')}`)
  const lengths = await lengthsOf(call, [track])
  if (!lengths.has(track)) throw new SubsonicError(70, 'Track not found')
  const report: PlayReport = {
    track,
    length: lengths.get(track),
    state,
    position,
    rate: readRate(parameters.first('playbackRate')),
    isNotice: parameters.flag('ignoreScrobble') === true
  }
  await session.plays.report(listenerOf(call), report).catch(error => notKept(call, error))
  return {}
}

/** @throws SubsonicError 10 */
function readRate (text = '1'): number {
  const rate = Number(text)
  if (!(rate >= rates.least && rate <= rates.most)) {
    throw new SubsonicError(10, `Parameter playbackRate must be a number from ${rates.least} to ${rates.most}`)
  }
  return rate
}

const minutesSince = (time: number) => Math.floor((Date.now() - time) / 60_000)

/** Returns the tracks that the account and users who share it are playing. */
/** Returns what a page of the account plays by another replica, which alone has its reports. */
async function playedAtReplicas ({ session }: Call, here: readonly Playing[]): Promise<Playing[]> {
  const { account: { state }, context: { account, accountName = account ?? '' } } = session
  if (account === undefined) return []
  const read = await state.queues.read(account).catch(() => undefined)
  const time = Date.now()
  if (read === undefined || !sounds(read.now, time)) return []
  const { queue, now, current } = read
  const track = queue.entries.find(([id]) => id === current)?.[1]
  if (track === undefined || here.some(play => play.client === 'page' && play.track === track)) return []
  const position = positionOf(now, current, time)
  const startedAt = time - position
  return [{ username: accountName, client: 'page', track, startedAt, state: 'playing', rate: 1, position }]
}

const getNowPlaying: Method = async call => {
  const { session, isOpen } = call
  const here = await session.plays.playing(session.account.state.key)
  const playing = [...here, ...await playedAtReplicas(call, here)]
  const tracks = await tracksById(call, playing.map(({ track }) => track))
  const mapper = await itemMapper(call, { tracks: [...tracks.values()] })
  const entry = described(playing.filter(({ track }) => tracks.has(track)), play => {
    const { track, username, client, startedAt, state, position: positionMs, rate: playbackRate } = play
    return {
      ...mapper.song(tracks.get(track)!),
      username,
      minutesAgo: minutesSince(startedAt),
      playerId: 0,
      playerName: client,
      ...isOpen && { state, positionMs, playbackRate }
    }
  })
  return { nowPlaying: { entry } }
}

export const playMethods: Readonly<Record<string, Method>> = { scrobble, reportPlayback, getNowPlaying }
