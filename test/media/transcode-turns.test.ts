import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { grace } from '../../lib/media/transcode/run.ts'
import { stall } from '../../lib/media/transcode/slot.ts'
import { until } from '../example/helper.ts'
import { deferred } from '../helper.ts'
import { isRunning } from '../is-running.ts'
import { replace } from '../replace.ts'
import { load, open as openStream } from './helper.ts'
import { fake } from './sound.ts'
import { serve } from './transcode-server.ts'

/** What an ffmpeg does with a file whose first line names it: `long` is an hour, `other` one that
 * differs each time, `short` one that is shorter the second time, `stuck` makes nothing. The rest end. */
const household = `name=$(head -n 1 /dev/fd/3); echo "$name $$" >> "$0.log"
case "$name" in
long*) while :; do head -c 65536 /dev/zero; done ;;
short*) if grep -q "^$name " "$0.begun"; then printf 0; else echo "$name " >> "$0.begun"; cat /dev/zero; fi ;;
other*) while :; do printf %065536d $$; sleep 0.002; done ;;
stuck*) sleep 60 ;;
*) printf sound ;;
esac`

async function home (t: Test, options = {}) {
  const ffmpeg = fake(t, household)
  const served = await serve(t, { ffmpeg, concurrency: 1, ...options })
  const song = (name: string) => {
    writeFileSync(join(served.files, name), `${name}\n`)
    return `${served.base}/${name}`
  }
  const pids = (name: string) => readFileSync(`${ffmpeg}.log`, 'utf8').split('\n')
    .filter(line => line.startsWith(`${name} `)).map(line => Number(line.split(' ')[1]))
  return { ...served, ffmpeg, song, pids }
}

/** A stream of which the first bytes are there. */
async function listening (url: string): Promise<IncomingMessage> {
  const stream = await openStream(url)
  await once(stream, 'readable')
  stream.read()
  return stream
}

t.test('beside an hour of music others hear their songs, from one process that goes on', async t => {
  const { song, pids } = await home(t)
  const long = await listening(song('long'))
  for (const name of ['a', 'b', 'c']) t.equal(String((await load(song(name))).body), 'sound')
  const part = await load(song('d'), { range: 'bytes=-2' })
  t.same([part.status, String(part.body)], [206, 'nd'])
  t.equal(pids('long').length, 1)
  const more = once(long, 'data')
  long.resume()
  await more
  long.destroy()
})

/** Begins more long runs than there may be processes. @returns the stream whose process has ended, the others left */
async function tooMany (served: Awaited<ReturnType<typeof home>>, name: string) {
  const streams: IncomingMessage[] = []
  for (let at = 0; at < 7; at++) streams.push(await listening(served.song(`${name}${at}`)))
  const ended = streams.findIndex((_stream, at) => served.pids(`${name}${at}`).some(pid => !isRunning(pid)))
  for (const [at, stream] of streams.entries()) if (at !== ended) stream.destroy()
  return { stream: streams[ended]!, pids: () => served.pids(`${name}${ended}`) }
}

t.test('of more long runs than processes one is made again from where it was', async t => {
  const { stream, pids } = await tooMany(await home(t), 'long')
  const more = once(stream, 'data')
  stream.resume()
  await more
  await until(() => pids().length > 1)
  t.notOk(stream.closed)
  stream.destroy()
})

for (const [what, name] of [['differs', 'other'], ['is shorter', 'short']] as const) {
  t.test(`where what is made again ${what}, the connection ends`, async t => {
    const { stream } = await tooMany(await home(t), name)
    await new Promise(resolve => stream.on('error', () => {}).once('close', resolve).resume())
    t.notOk(stream.complete)
  })
}

t.test('a run that nobody hears any more gives its slot up at once', async t => {
  const { song } = await home(t)
  const long = await listening(song('long'))
  long.destroy()
  t.equal(String((await load(song('a'))).body), 'sound')
})

t.test('a client that leaves while its run goes on is no error', async t => {
  replace(t, grace, 'ms', 0)
  const { song, cacheDir, lines } = await home(t)
  const left = request(song('long'), { headers: { range: 'bytes=-2' } }).on('error', () => {}).end()
  await until(() => readdirSync(cacheDir).length === 1)
  left.destroy()
  await until(() => readdirSync(cacheDir).length === 0)
  t.same(lines.filter(({ level }) => level > 30), [])
})

t.test('a process that makes nothing loses its slot while others wait', async t => {
  replace(t, stall, 'ms', 20)
  const { app, ffmpeg, song } = await home(t)
  const stuck = load(song('stuck')).catch(error => error)
  await until(() => existsSync(`${ffmpeg}.log`))
  t.equal(String((await load(song('a'))).body), 'sound')
  await app.close()
  await stuck
})

t.test('an input that does not come takes no slot', async t => {
  const never = deferred<void>()
  let opened = 0
  const slow = async function * () {
    if (opened++ === 0) await never.promise
    yield Buffer.from('bytes')
  }
  const { base } = await serve(t, { ffmpeg: fake(t, 'cat'), concurrency: 1 }, slow)
  const first = openStream(`${base}/a`)
  await until(() => opened === 1)
  t.equal(String((await load(`${base}/b`)).body), 'bytes')
  never.resolve()
  ;(await first).resume()
})

t.test('what a wrapper has started ends with it', async t => {
  const ffmpeg = fake(t, 'sleep 1234 & echo $! > "$0.pid"; echo begin; wait')
  const { base, files } = await serve(t, { ffmpeg })
  writeFileSync(join(files, 'a'), 'x')
  const stream = await listening(`${base}/a`)
  const pid = Number(readFileSync(`${ffmpeg}.pid`))
  t.ok(isRunning(pid))
  replace(t, grace, 'ms', 0)
  stream.destroy()
  await until(() => !isRunning(pid))
})

t.test('sixty songs of one account wait behind each other: beyond the bound they are 503 and come later', async t => {
  const { song } = await home(t)
  const long = []
  for (let at = 0; at < 4; at++) long.push(await listening(`${song(`long${at}`)}?account=kim`))
  const kims = Array.from({ length: 60 }, (_, at) => load(`${song('b')}?account=kim&start=${at + 1}`))
  const others = await load(`${song('a')}?account=sam`)
  t.equal(String(others.body), 'sound')
  for (const stream of long) stream.destroy()
  const answers = await Promise.all(kims)
  const late = answers.filter(({ status }) => status === 503)
  t.ok(late.length > 0 && late.length <= 30, `${late.length}`)
  t.same(new Set(answers.map(({ status }) => status)), new Set([200, 503]))
})
