import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { listen } from '../client/helper.ts'
import { heard, makeSound } from '../media/sound.ts'
import { skipWithout } from '../services.ts'
import { folder, pathOf, start, token } from './helper.ts'

const seconds = 8
const friendToken = 'a-token-of-the-friend'
const music = mkdtempSync(join(tmpdir(), 'others-'))
t.teardown(() => rmSync(music, { recursive: true, force: true }))
if (!skipWithout('ffmpeg', t)) {
  const noise = ['-af', 'volume=0.9,aeval=val(0)+0.004*(random(0)-0.5)']
  makeSound(music, 'a.flac', seconds, [...noise, '-metadata', 'title=There', '-metadata', 'artist=Friend'])
}

/** A home without music beside another source, and its track as Subsonic apps get it. */
async function home (t: Test, kind: 'SOURCE' | 'SUBSONIC', TRANSCODING: string) {
  const friend = await start(t, { MUSIC_DIR: music, DATA_DIR: folder(t), TRANSCODING, SOURCE_API_TOKEN: friendToken })
  const url = await listen(t, friend.app)
  const login = kind === 'SOURCE'
    ? { SOURCE_URL: url, SOURCE_TOKEN: friendToken }
    : { SUBSONIC_URL: url, SUBSONIC_USER: 'x', SUBSONIC_PASSWORD: friendToken }
  const { app, call } = await start(t, { MUSIC_DIR: folder(t), DATA_DIR: folder(t), TRANSCODING: 'true', ...login })
  const rest = (method: string, query: object, options = {}) =>
    call(`/rest/${method}?${new URLSearchParams({ u: 'x', p: token, c: 'app', ...query })}`, options)
  const found = (await rest('search3', { query: 'there', f: 'json' })).json()
  const [{ id }] = found['subsonic-response'].searchResult3.song
  /** What an app gets, by a redirect to either server. */
  const stream = async (query: object, options = {}) => {
    const answer = await rest('stream', { id, ...query }, options)
    const { location } = answer.headers
    if (location === undefined) return answer
    const target = new URL(location, 'http://localhost/rest/stream').href
    return (target.startsWith(url) ? friend.app : app).inject({ url: pathOf(target), ...options })
  }
  return { stream }
}

for (const kind of ['SOURCE', 'SUBSONIC'] as const) {
  for (const TRANSCODING of ['true', 'false']) {
    const name = `${kind === 'SOURCE' ? 'a source' : 'a Subsonic server'} that transcodes ${
      TRANSCODING === 'true' ? 'too' : 'nothing'}`
    t.test(`every parameter of stream applies to a track of ${name}`, async t => {
      const { stream } = await home(t, kind, TRANSCODING)
      for (const [maxBitRate, format, type] of [
        [96, undefined, 'audio/mpeg'], [128, undefined, 'audio/mpeg'], [192, undefined, 'audio/mpeg'],
        [320, 'mp3', 'audio/mpeg'], [96, 'opus', 'audio/ogg'], [128, 'aac', 'audio/mp4']
      ] as const) {
        const wish = { maxBitRate: String(maxBitRate), ...format && { format } }
        const whole = { ...wish, timeOffset: '3', estimateContentLength: 'true' }
        const { statusCode, headers, rawPayload } = await stream(whole)
        t.same([statusCode, headers['content-type']], [200, type], JSON.stringify(wish))
        t.equal(headers['content-length'], String(rawPayload.length))
        const { from, length } = heard(rawPayload)
        t.ok(Math.abs(from - 3) < 0.1 && Math.abs(length - (seconds - 3)) < 0.1, `${from} ${length}`)
        t.ok(rawPayload.length < (seconds - 3) * maxBitRate * 1000 / 8 * 1.15, `${rawPayload.length}`)
        const head = await stream({ ...wish, estimateContentLength: 'true' }, { method: 'HEAD' })
        const { rawPayload: all } = await stream(wish)
        t.same([head.headers['content-length'], head.rawPayload.length], [String(all.length), 0])
      }
      const raw = await stream({ format: 'raw', maxBitRate: '64' })
      t.equal(raw.headers['content-type'], 'audio/flac')
    })
  }
}
