import { effect, untracked } from '@preact/signals'
import type { Track } from '../../../client/index.ts'
import {
  DeviceQueue, mostEntries, positionOf, sounds, type QueueContent, type QueueOperation
} from '../../../queue/internal.ts'
import type { OwnAnswers } from '../../page-responses.ts'
import { clock, moment, text } from '../texts/index.ts'
import { audio, onAudio } from './audio.ts'
import { markMissing } from './missing-tracks.ts'
import { newId } from './new-id.ts'
import { say } from './notices.ts'
import { isOwn, type OwnInput } from './own.ts'
import { toggle } from './player.ts'
import { playerNote } from './player-note.ts'
import { stop } from './playback.ts'
import { duration, given, playing, position } from './player-state.ts'
import { isPrivate } from './private.ts'
import { adopt, content, current, entries, lists, nameOf } from './queue.ts'
import { source } from './saved-sources.ts'
import { askOwn, offers, session } from './session.ts'
import { keepHere, recallHere } from './storage.ts'
import { deviceName, isOfBrowser, thisDevice } from './this-device.ts'
import { tracksOf } from './tidy.ts'
import { isPassing, tryLater } from './try-later.ts'

// Shares the queue with the other devices of the account. Changes apply here at once, and are sent afterwards.

/** The time in milliseconds between reports of a device that plays. */
const reportEvery = 15_000
/** The time in milliseconds in which changes are collected. */
const collectFor = 300
/** The maximum number of operations of a request. */
const mostOperations = 100
/** The maximum size in characters of a request that completes after the page is closed. */
const mostLeaving = 60_000
/** The time in milliseconds in which two devices start at once. */
const sameTime = 2000
/** The number of tracks of a request. */
const tracksAtOnce = 50

/** The number of tracks that are loaded before and after the current one: some sources are called for each. */
const mostAhead = 500

type Answer = OwnAnswers['GET listening']

/** The storage key of the queue that is shared; empty = none. */
let shared = ''
let copy = new DeviceQueue(newId)
/** Whether the queue of the account was read. */
let isReady = false
/** Whether the queue of the account is being shown. */
let isShowing = false
/** The list that was shared last. */
let sharedList = 0
let sentEntry: string | undefined
let isReportWanted = false
let isSending = false
let attempt = 0
let callOff: () => void = () => {}
let timer: ReturnType<typeof setTimeout> | undefined
/** Tracks by id, for entries of other devices. */
const known = new Map<string, Track>()

/** Stands for a track until it is loaded. */
const unknown = (id: string): Track =>
  ({ id, title: '…', artists: [], album: { id: '', name: '', coverUrl: '' }, durationMs: 0, qualities: [] })
const isUnknown = ({ title, durationMs }: Track) => title === '…' && durationMs === 0

effect(() => {
  const isShared = session.value === 'open' && isOwn(source.value) && offers.value.queue === true && !isPrivate.value
  const name = isShared ? nameOf('shared', source.value) : ''
  untracked(() => { if (name !== shared) open(name) })
})

async function open (name: string): Promise<void> {
  callOff()
  clearTimeout(timer)
  shared = name
  isReady = false
  playerNote.value = undefined
  known.clear()
  if (name === '') return
  copy = DeviceQueue.restore(newId, recallHere<unknown>(name, undefined))
  const stored = copy.queue
  const ids = new Set(stored.entries.map(([id]) => id))
  // The browser stores the tracks of a part of a long queue.
  if (entries.value.every(({ key }) => ids.has(key))) show(stored)
  else copy = new DeviceQueue(newId)
  sharedList = lists.value
  read()
}

/** Reads the queue of the account. */
async function read (): Promise<void> {
  const name = shared
  try {
    const answer = await askOwn('GET listening')
    if (name !== shared || answer.now === undefined) return
    for (const track of tracksOf(answer.tracks)) known.set(track.id, track)
    isReady = true
    attempt = 0
    receive([], answer)
  } catch (error) {
    if (name === shared && isPassing(error)) callOff = tryLater(error, attempt++, read)
  }
}

/** The clock of the server minus the one of this device, in milliseconds. */
let ahead = 0

/** Shows the state after a request. What plays here is never replaced, unless another device plays now. */
function receive (sent: readonly QueueOperation[], answer: Answer): void {
  const { queue, current, time = Date.now() } = answer
  const now = answer.now!
  ahead = time - Date.now()
  const had = content()
  const wasShared = copy.known.list !== undefined
  const lost = copy.answered(sent, { queue, current, now })
  // Music that the listener chose here later wins, unless both devices began at the same time.
  const isElsewhere = now.device !== thisDevice && sounds(now, time) && now.since > startedAt - sameTime
  const isLost = lost !== undefined || (!wasShared && had.entries.length > 0)
  if (isLost && (copy.queue.revision === 0 || (playing.value && !isElsewhere))) {
    // The server has no queue yet, or the list here goes on.
    copy.fill(limited(had))
    isReportWanted = true
  } else {
    if (playing.value && isElsewhere) {
      playing.value = false
      audio().pause()
    }
    show(copy.queue)
    if (!playing.value && now.device !== thisDevice) showPosition()
    if (isLost && !isSame(had, copy.queue)) {
      say(text('queueReplaced', { count: had.entries.length }), false, {
        label: text('undo'), run: () => playOther(had, position.value, false)
      })
    }
  }
  sentEntry = untracked(() => copy.queue.current)
  store()
  note(answer)
  if (playing.value && now.device !== thisDevice) isReportWanted = true
  if (copy.pending.length > 0 || isReportWanted) soon()
}

const isSame = (one: QueueContent, other: QueueContent) =>
  one.entries.length === other.entries.length && one.entries.every(([, track], at) => track === other.entries[at]![1])

/** Returns a queue with the maximum number of entries. */
function limited (queue: QueueContent): QueueContent {
  if (queue.entries.length <= mostEntries) return queue
  say(text('queueLimit', { count: mostEntries }), true)
  return { ...queue, entries: queue.entries.slice(0, mostEntries) }
}

/** Shows a queue. The entry that plays stays, also if another device has removed it. */
function show (queue: QueueContent): void {
  const sounding = playing.value ? entries.value.find(({ key }) => key === current.value?.key) : undefined
  const isLeft = sounding === undefined || queue.entries.some(([id]) => id === sounding.key)
  const place = queue.entries.findIndex(([id]) => id === queue.current)
  const kept = isLeft
    ? queue
    : {
        ...queue,
        entries: queue.entries.toSpliced(Math.max(0, place), 0, [sounding.key, sounding.track.id] as const)
      }
  isShowing = true
  adopt(sounding === undefined ? kept : { ...kept, current: sounding.key }, id => known.get(id) ?? unknown(id))
  isShowing = false
  if (!isLeft) copy.change(content())
  loadTracks()
}

/** Shows the position at which another device is, or was. */
function showPosition (): void {
  if (given.value !== undefined) stop()
  position.value = positionOf(copy.now, copy.queue.current, Date.now() + ahead) / 1000
  duration.value = (current.value?.track.durationMs ?? 0) / 1000
}

let isLoading = false

/** Loads the tracks of other devices, beginning at the current one. */
async function loadTracks (): Promise<void> {
  if (isLoading) return
  isLoading = true
  const name = shared
  try {
    for (;;) {
      const at = Math.max(0, entries.value.findIndex(({ key }) => key === current.value?.key))
      const before = entries.value.slice(Math.max(0, at - mostAhead), at).reverse()
      const list = [...entries.value.slice(at, at + mostAhead), ...before].map(({ track }) => track)
      const ids = [...new Set(list.filter(isUnknown).map(({ id }) => id))].slice(0, tracksAtOnce)
      if (ids.length === 0 || name !== shared) return
      const { items } = await askOwn('GET tracks', { id: ids })
      const tracks = new Map(tracksOf(items).map(track => [track.id, track]))
      for (const id of ids) {
        if (tracks.has(id)) continue
        tracks.set(id, { ...unknown(id), title: text('gone') })
        markMissing(id, true)
      }
      entries.value = entries.value.map(({ key, track }) => ({ key, track: tracks.get(track.id) ?? track }))
    }
  } catch {
    // They are loaded with the next state.
  } finally {
    isLoading = false
  }
}

/** Offers what plays on another device, or was played there last. */
function note ({ device = '', offer, time = 0 }: Answer): void {
  const { now, queue } = copy
  const app = isOfBrowser(now.device) && !sounds(now, time) ? undefined : device
  if (offer !== undefined) {
    playerNote.value = {
      text: text('queueOffer', { app: offer.by, count: offer.content.entries.length }),
      label: text('playHere'),
      run: () => playOther(offer.content, offer.position / 1000, true)
    }
  } else if (now.turn > 0 && now.device !== thisDevice && app !== undefined && queue.entries.length > 0) {
    const at = { device, position: clock(positionOf(now, queue.current, time) / 1000), time: moment(now.at - ahead) }
    playerNote.value = {
      text: text(sounds(now, time) ? 'playsOn' : 'continueFrom', at), label: text('playHere'), run: playHere
    }
  } else playerNote.value = undefined
}

/** Plays the queue of the account here, from the position of the other device. */
function playHere (): void {
  showPosition()
  isReportWanted = true
  toggle()
  send()
}

/** Makes another list the queue of the account. */
function playOther (queue: QueueContent, from: number, isPlaying: boolean): void {
  isShowing = true
  adopt(queue, id => known.get(id) ?? unknown(id))
  isShowing = false
  if (playing.value) toggle()
  stop()
  position.value = from
  duration.value = (current.value?.track.durationMs ?? 0) / 1000
  copy.fill(queue)
  isReportWanted = true
  loadTracks()
  if (isPlaying) toggle()
  send()
}

const store = () => keepHere(shared, copy.stored)

effect(() => {
  const list = lists.value
  const now = content()
  untracked(() => {
    if (shared === '' || isShowing) return
    if (list !== sharedList) copy.fill(limited(now))
    else if (copy.queue.list !== undefined) copy.change(limited(now))
    // The queue of a new device never replaces the queue of the account.
    else if (isReady && now.entries.length > 0) copy.fill(limited(now))
    else return
    sharedList = list
    if (now.current !== sentEntry) isReportWanted = true
    if (copy.pending.length === 0 && !isReportWanted) return
    sentEntry = now.current
    soon()
  })
})

/** The time of the server at which the listener started the music. */
let startedAt = 0
effect(() => {
  if (playing.value) startedAt = Date.now() + ahead
  untracked(report)
})
onAudio('seeked', report)
setInterval(() => {
  if (playing.value) report()
  // Another device may have stopped.
  else if (playerNote.value !== undefined) look()
}, reportEvery)

function report (): void {
  if (shared === '' || current.value === undefined) return
  // A device that was taken over pauses: the other one plays.
  if (!playing.value && copy.now.device !== thisDevice) return
  isReportWanted = true
  soon()
}

function soon (): void {
  clearTimeout(timer)
  timer = setTimeout(send, collectFor)
}

const reportNow = () => ({
  seen: copy.now.turn,
  ...current.value !== undefined && { entry: current.value.key },
  position: Math.max(0, position.value * 1000),
  isPlaying: playing.value
})

/** Sends the changes of this device, and reads the changes of others. */
async function send (isLeaving = false): Promise<void> {
  clearTimeout(timer)
  if (shared === '' || !isReady || (isSending && !isLeaving)) return
  const name = shared
  const operations = copy.pending.slice(0, mostOperations)
  const request = {
    device: thisDevice,
    ...deviceName.value !== '' && { name: deviceName.value },
    known: copy.known,
    operations: isLeaving && JSON.stringify(operations).length > mostLeaving ? [] : operations,
    ...isReportWanted && { report: { ...reportNow(), ...isLeaving && { isPlaying: false } } }
  }
  store()
  isReportWanted = false
  isSending = true
  try {
    const answer = await askOwn('POST listening', request as OwnInput<'POST listening'>, undefined, isLeaving)
    isSending = false
    attempt = 0
    if (name === shared && answer.now !== undefined) receive(request.operations, answer)
  } catch (error) {
    isSending = false
    if (name !== shared) return
    if (isPassing(error)) {
      isReportWanted ||= 'report' in request
      callOff()
      callOff = tryLater(error, attempt++, send)
    } else {
      // The server will not accept them later either.
      copy = new DeviceQueue(newId)
      read()
    }
  }
}

const look = () => { if (document.visibilityState === 'visible') send() }
document.addEventListener('visibilitychange', look)
addEventListener('online', look)
addEventListener('pagehide', () => {
  if (shared === '' || copy.now.device !== thisDevice) return
  isReportWanted = true
  send(true)
})
