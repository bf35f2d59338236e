import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import {
  answer, dieAt, fail, faultsWith, hang, hold, limit, rawAnswer, redirect, type Behaviour
} from '../faulty-upstream.ts'
import { fakeTime } from '../fake-time.ts'
import { fifthOf, share } from '../fifth.ts'
import { difference } from '../media/helper.ts'
import { checksWith } from './checks.ts'
import { audio, goodApi, limits, secret, startSource, track } from './source.ts'

// One for all tests: undici's own clock lives as long as the process.
const time = fakeTime(t)
const { askAll, askTrack, checkAnswer, checkLimits, checkRecovery, count } = checksWith(time)

/** The status of each fault where nothing is kept; a time limit may pass before it. */
const faults: Record<string, [behaviour: Behaviour, status: number]> = Object.fromEntries(Object.entries({
  ...faultsWith(secret),
  refused: fail(401),
  unplayable: fail(451),
  limitUntil: (...call: Parameters<Behaviour>) => limit(new Date(Date.now() + 60_000).toUTCString())(...call)
}).map(([name, behaviour]) =>
  [name, [behaviour, /^limit/.test(name) ? 429 : { refused: 401, unplayable: 422, gone: 404 }[name] ?? 502]]))

for (const [name, [behaviour, status]] of fifthOf(Object.entries(faults))) {
  t.test(`an upstream that only does "${name}" gets few calls, and clients get answers in time`, async t => {
    const source = await startSource(t)
    source.api.always(behaviour)
    const { statuses } = await askAll(t, source)
    t.strictSame(statuses.filter(found => ![status, 429, 502, 504].includes(found)), [])
    for (const account of ['ann', 'bob']) {
      t.ok(count(source, account, /^\/songs\?id=1&/) <= 1 + limits.retries)
      t.ok(count(source, account, /^\/favorites/) <= 1)
    }
    await checkRecovery(t, source)
  })
}

for (const [name, [behaviour, status]] of fifthOf(Object.entries(faults), 1)) {
  const isOutage = status >= 500 || status === 429
  t.test(`after "${name}" clients get ${isOutage ? 'what was kept' : status}`, async t => {
    const source = await startSource(t)
    const first = (await source.track('ann', '1')).body
    time.advance(61_000)
    source.api.always(behaviour)
    const answers = Promise.all(Array.from({ length: 5 }, () => askTrack(source, 'ann', '1')))
    await time.passUntil(answers)
    for (const answer of await answers) {
      checkAnswer(t, source, answer)
      if (isOutage) t.equal(answer.value.body, first)
      else t.ok([status, 200].includes(answer.value.statusCode))
    }
    t.ok(count(source, 'ann', /^\/songs/) <= 2 + limits.retries)
    checkLimits(t, source)
    await checkRecovery(t, source)
  })
}

const html = answer('<script>alert(1)</script>', 200, { 'content-type': 'text/html' })
/** What a host of media does, and the status that players get: 200 is the whole song, 0 a part that breaks off. */
const media: Record<string, [behaviour: (port: number) => Behaviour, status: number]> = {
  ...Object.fromEntries(Object.entries(faults)
    .filter(([name]) => !['hangInBody', 'unplayable', 'refused'].includes(name))
    .map(([name, [behaviour, status]]) => [name, [() => behaviour, status]])),
  refused: [() => fail(401), 502],
  html: [() => html, 502],
  'a part, and nothing more': [() => startOnly, 0],
  'a redirect to a private address': [port => redirect(`https://127.0.0.1:${port}/song`), 502],
  'a redirect to a private address as one number': [port => redirect(`https://2130706433:${port}/song`), 502],
  'a redirect to a name that resolves there': [port => redirect(`https://localhost:${port}/song`), 502],
  'a redirect to http': [port => redirect(`http://localhost:${port}/song`), 502],
  'a redirect to another host': [() => redirect('https://elsewhere.example/song'), 502],
  'redirects without end': [() => redirect('https://cdn.example/again'), 502],
  'a connection that ends every 50 bytes': [() => breaking(50), 200],
  'URLs that expire after 50 bytes': [() => expiring(50), 200]
}

const startOnly: Behaviour = response => {
  response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': audio.length })
  response.write(audio.subarray(0, 100))
}

/** Sends so many bytes of what was asked for, then ends the connection. */
const breaking = (bytes: number): Behaviour => (response, { headers }) => {
  const start = Number(/\d+/.exec(headers.range ?? '0')![0])
  const raw = rawAnswer(audio.subarray(start), headers.range === undefined ? 200 : 206, {
    'content-type': 'audio/mpeg', etag: '"1"', 'content-range': `bytes ${start}-199/200`
  })
  return dieAt(Math.min(raw.length, raw.length - (audio.length - start) + bytes), 'end', raw)(response, undefined!)
}

/** A URL works for so many bytes: what goes on from there first is refused, and works with another one. */
const expiring = (bytes: number): Behaviour => {
  const known = new Set<string | undefined>([undefined, 'bytes=0-'])
  return (response, arrival) => {
    const { range } = arrival.headers
    const isKnown = known.has(range)
    known.add(range)
    return (isKnown ? breaking(bytes) : fail(403))(response, arrival)
  }
}

for (const [name, [behaviour, status]] of fifthOf(Object.entries(media), 2)) {
  const outcome = status === 200 ? 'the whole song' : status === 0 ? 'a song that is not complete' : String(status)
  t.test(`a player gets ${outcome} when the host of the media does "${name}"`, async t => {
    const source = await startSource(t)
    source.cdn.always(behaviour(source.inside.port))
    const { songs } = await askAll(t, source)
    for (const { status: found, complete } of songs) {
      if (status === 0) t.notOk(complete)
      else t.ok([status, ...status === 200 ? [] : [504]].includes(found), `status ${found}`)
      if (status === 200) t.ok(complete)
    }
    await checkRecovery(t, source)
  })
}

t.test('what takes too long in all, a login and a call, is 504 when the time of the plugin is over', async t => {
  const source = await startSource(t)
  source.api.plan(hang, hang, goodApi)
  source.api.always(hang)
  const asked = askTrack(source, 'ann', '1')
  await time.passUntil(asked)
  const answer = await asked
  checkAnswer(t, source, answer)
  t.equal(answer.value.statusCode, 504)
  await checkRecovery(t, source)
})

t.test('while the upstream is slow, equal questions are one call, and the others wait for their places', async t => {
  const source = await startSource(t)
  for (const account of ['ann', 'bob'] as const) {
    await Promise.all(['a', 'b', 'c'].map(id => source.track(account, id)))
    t.equal(count(source, account, /^\/login/), 1)
  }
  const { behaviour, release } = hold(goodApi)
  source.api.always(behaviour)
  const before = source.api.arrivals.length
  const ids = ['1', '2', '3', '4', ...Array.from({ length: 100 }, () => '1')]
  const answers = Promise.all(ids.flatMap(id => [askTrack(source, 'ann', id), askTrack(source, 'bob', id)]))
  await source.api.arrived(before + limits.concurrency)
  // Time for one call too many.
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  release()
  for (const answer of await answers) {
    checkAnswer(t, source, answer)
    t.equal(answer.value.statusCode, 200)
  }
  t.equal(source.api.arrivals.length, before + 8)
  t.equal(source.api.mostAtOnce(), limits.concurrency)
  checkLimits(t, source)
})

for (const how of ['end', 'reset'] as const) {
  t.test(`a connection of either upstream that dies (${how}) at any byte costs clients nothing`, async t => {
    const source = await startSource(t)
    await source.track('ann', 'first')
    const raw = rawAnswer(JSON.stringify(track('1', 'ann')))
    for (let bytes = 0; bytes < raw.length; bytes += share) {
      source.api.plan(dieAt(bytes, how, raw))
      const asked = askTrack(source, 'ann', `${bytes}`)
      await time.pass(250)
      const answer = await asked
      checkAnswer(t, source, answer)
      t.equal(answer.value.statusCode, 200, `byte ${bytes}`)
      time.advance(60_000)
    }
    const rawSong = rawAnswer(audio, 200, { 'content-type': 'audio/mpeg', etag: '"1"' })
    for (let bytes = 0; bytes < rawSong.length; bytes += share) {
      source.cdn.plan(dieAt(bytes, how, rawSong))
      const { body, complete } = await source.play('ann', '1')
      if (!complete || !body.equals(audio)) t.fail(`byte ${bytes}: ${difference(body, audio)}`)
    }
    checkLimits(t, source)
  })
}
