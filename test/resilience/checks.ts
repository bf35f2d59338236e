import type { LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import type { fakeTime } from '../fake-time.ts'
import { difference, type Loaded } from '../media/helper.ts'
import { audio, goodApi, goodCdn, limits, track, type startSource } from './source.ts'

type Source = Awaited<ReturnType<typeof startSource>>
/** A value, and how many milliseconds it took by the clock of the test. */
interface Timed<T> { value: T, took: number, expected?: object | undefined }

/** What every answer of /v1 has to keep, whatever the upstream does. */
function checkAnswer (t: Test, source: Source, { value, took, expected }: Timed<LightMyRequestResponse>): void {
  const { statusCode, headers, body } = value
  t.ok(took <= limits.answered, `${took} ms`)
  const isOk = statusCode === 200
  t.ok(isOk || [401, 404, 422, 429, 500, 502, 503, 504].includes(statusCode), `status ${statusCode}`)
  t.match(JSON.parse(body), isOk ? { code: 200, data: Object } : { code: statusCode, message: String, data: null })
  if (isOk && expected !== undefined) t.strictSame(JSON.parse(body).data, expected)
  t.equal(headers['cache-control'], isOk && headers.etag !== undefined ? 'private, no-cache' : 'no-store')
  t.equal(headers.vary, headers['cache-control'] === 'no-store' ? undefined : 'Authorization')
  if (statusCode === 429) t.match(headers['retry-after'], /^\d+$/)
  checkSecrets(t, source, 'an answer', [headers, body])
}

/** The whole song, a part of it that is not taken for the whole, or an error of the contract. */
function checkMedia (t: Test, source: Source, { value, took }: Timed<Loaded>): void {
  const { status, headers, body, complete } = value
  // Three attempts to find it, and three to load it; undici's clock goes in steps of half a second.
  t.ok(took <= 6 * (limits.timeout + 1000), `${took} ms`)
  if (status === 200) {
    t.equal(difference(body, audio.subarray(0, body.length)), '')
    t.equal(complete, body.length === audio.length)
  } else {
    t.ok([401, 404, 422, 429, 502, 503, 504].includes(status), `status ${status}`)
    t.match(JSON.parse(body.toString()), { code: status, message: String, data: null })
    t.equal(headers['cache-control'], 'no-store')
  }
  for (const name of ['set-cookie', 'location']) t.equal(headers[name], undefined)
  checkSecrets(t, source, 'an answer', [headers, body.toString('latin1')])
}

function checkSecrets (t: Test, { secrets }: Source, where: string, left: unknown): void {
  const text = JSON.stringify(left)
  t.strictSame(secrets.filter(secret => text.includes(secret)), [], `${where} has no secret`)
}

/** What is true at any time: of the calls of the upstream, of the private network, and of the log. */
function checkLimits (t: Test, source: Source): void {
  const { api, inside, lines } = source
  checkSecrets(t, source, 'the log', lines)
  t.notMatch(JSON.stringify(lines), 'signature=')
  t.ok(api.mostAtOnce() <= limits.concurrency, `${api.mostAtOnce()} calls at once`)
  for (const account of ['ann', 'bob']) {
    t.ok(api.mostAtOnce(account) <= limits.accountConcurrency, `${api.mostAtOnce(account)} calls of ${account} at once`)
  }
  t.equal(inside.connections(), 0)
}

/** Requests of one account that arrived at a path. */
const count = ({ api }: Source, account: string, url: RegExp) =>
  api.arrivals.filter(({ url: found, headers }) => headers['x-account'] === account && url.test(found)).length

/** What is asked of a source, and what has to be true of it, by the clock of the test. */
export function checksWith (time: ReturnType<typeof fakeTime>) {
  /** @param expected the data of a 200 */
  async function timed<T> (promise: Promise<T>, expected?: object): Promise<Timed<T>> {
    const begun = time.now()
    const value = await promise
    return { value, took: time.now() - begun, expected }
  }

  const askTrack = (source: Source, account: 'ann' | 'bob', id: string) =>
    timed(source.track(account, id), track(id, account))

  /** Everything that clients of two accounts ask for at once. */
  async function askAll (t: Test, source: Source) {
    const accounts = ['ann', 'bob'] as const
    const answers = accounts.flatMap(account => [
      ...['1', '1', '1', '1', '1', '2', '3'].map(id => askTrack(source, account, id)),
      timed(source.favorite(account, '1'))
    ])
    const songs = accounts.map(account => timed(source.play(account, '1')))
    const all = [Promise.all(answers), Promise.all(songs)] as const
    await time.passUntil(Promise.all(all))
    for (const answer of await all[0]) checkAnswer(t, source, answer)
    for (const song of await all[1]) checkMedia(t, source, song)
    checkLimits(t, source)
    const [found, loaded] = await Promise.all(all)
    return { statuses: found.map(({ value }) => value.statusCode), songs: loaded.map(({ value }) => value) }
  }

  /** Lets all pauses and lifetimes end, and looks whether everything works again. */
  async function checkRecovery (t: Test, source: Source): Promise<void> {
    source.api.always(goodApi)
    source.cdn.always(goodCdn)
    time.advance(4_000_000)
    t.strictSame((await source.track('ann', '1')).json().data, track('1', 'ann'))
    t.equal((await source.favorite('ann', '1')).statusCode, 200)
    const { body, complete } = await source.play('ann', '1')
    t.ok(complete && body.equals(audio))
  }

  return { askAll, askTrack, checkAnswer, checkLimits, checkRecovery, count }
}
