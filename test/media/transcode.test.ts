import fastify from 'fastify'
import fs, { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import os from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { bitrateOf, createTranscoder, mediaProxy, readTranscoding, transcodedUrl } from 'fastify-source-origin/media'
import { TimeoutError } from 'fastify-source-origin'
import { limits } from '../../lib/media/transcode/run-ffmpeg.ts'
import { grace } from '../../lib/media/transcode/run.ts'
import { until } from '../example/helper.ts'
import { fifthOf } from '../fifth.ts'
import { deferred } from '../helper.ts'
import { replace, replaceExports } from '../replace.ts'
import { skipWithout } from '../services.ts'
import { load, open as openStream, read, signer, song, startUpstream } from './helper.ts'
import { fake, folder, heard, makeSound } from './sound.ts'
import { serve, warnings } from './transcode-server.ts'

t.test('from any format, time and way to any other: what is heard begins and ends where it should', async t => {
  skipWithout('ffmpeg', t)
  const sources: [name: string, args: string[]][] = [
    ['a.wav', []], ['a.flac', []], ['cbr.mp3', ['-b:a', '96k']], ['vbr.mp3', ['-q:a', '4']],
    ['a.ogg', ['-c:a', 'libvorbis']], ['a.opus', ['-c:a', 'libopus']], ['a.m4a', ['-c:a', 'aac']],
    ['alac.m4a', ['-c:a', 'alac']]
  ]
  await t.test('all of them', async t => {
    const { base, files } = await serve(t)
    for (const [name, args] of sources) makeSound(files, name, 9, args)
    const cases = sources.flatMap(([name]) => ['mp3', 'opus', 'aac', 'flac'].flatMap(format =>
      [0, 4].flatMap(start => ['', '1'].map(pipe => ({ name, format, start, pipe })))))
    for (const { name, format, start, pipe } of fifthOf(cases, 3)) {
      const { status, body } = await load(`${base}/${name}?${new URLSearchParams({ format, start: `${start}`, pipe })}`)
      const title = `${name} as ${format} from ${start}${pipe && ', as it comes'}`
      if (!t.equal(status, 200, title)) continue
      const { from, length } = heard(body)
      t.ok(Math.abs(from - start) < 0.1, `${title}: ${from}`)
      t.ok(Math.abs(length - 9 + start) < 0.1, `${title}: ${length}`)
    }
  })
})

t.test('what is made is as large as its bitrate says', async t => {
  skipWithout('ffmpeg', t)
  await t.test('MP3, Opus and AAC', async t => {
    const { base, files } = await serve(t)
    const seconds = 20
    makeSound(files, 'a.flac', seconds)
    for (const format of ['mp3', 'opus', 'aac']) {
      const { body } = await load(`${base}/a.flac?${new URLSearchParams({ format, bitrate: '64000' })}`)
      const bitrate = body.length * 8 / seconds
      t.ok(bitrate < 64_000 * 1.05, `${format}: ${bitrate}`)
    }
  })
})

t.test('equal ones are one run, are sent while they are made, and are kept: a range of them is exact', async t => {
  const { base, files, cacheDir } = await serve(t, { ffmpeg: fake(t, 'echo $$; sleep 0.3; printf "the rest"') })
  writeFileSync(join(files, 'a'), 'x')
  const first = await openStream(`${base}/a`)
  const all = read(first)
  await new Promise<Buffer>(resolve => first.once('data', resolve))
  const others = [load(`${base}/a`), load(`${base}/a`, { range: 'bytes=-4' }), load(`${base}/a`, { range: 'bytes=0-' })]
  const [second, part, again] = await Promise.all(others)
  const whole = (await all).body
  t.match(String(whole), /^\d+\nthe rest$/)
  t.same([second!.body, again!.body], [whole, whole])
  t.same([part!.status, String(part!.body)], [206, 'rest'])
  t.equal(second!.headers['content-type'], 'audio/ogg')
  t.notOk(second!.headers['content-length'])
  const kept = await load(`${base}/a`, { range: 'bytes=0-2' })
  t.same([kept.status, kept.body, kept.headers.etag], [206, whole.subarray(0, 3), (await load(`${base}/a`)).headers.etag])
  await until(() => readdirSync(cacheDir).every(name => /^[\da-f]{64}\.opus$/.test(name)))
})

t.test('one that is asked for as a whole tells its length; HEAD makes nothing', async t => {
  const { base, files, cacheDir } = await serve(t, { ffmpeg: fake(t, 'printf sound') })
  writeFileSync(join(files, 'a'), 'x')
  const head = await load(`${base}/a`, {}, 'HEAD')
  t.same([head.status, head.headers['content-length'], readdirSync(cacheDir)], [200, undefined, []])
  t.equal((await load(`${base}/a?whole=true`)).headers['content-length'], '5')
  t.equal((await load(`${base}/a`, {}, 'HEAD')).headers['content-length'], '5')
  const part = await load(`${base}/a?start=1&whole=true`)
  t.equal(part.headers['content-length'], '5')
  await until(() => readdirSync(cacheDir).length === 1)
})

t.test('HEAD of one that is asked for as a whole tells its length', async t => {
  const { base, files } = await serve(t, { ffmpeg: fake(t, 'printf sound') })
  writeFileSync(join(files, 'a'), 'x')
  for (const start of ['', '&start=1']) {
    const head = await load(`${base}/a?whole=true${start}`, {}, 'HEAD')
    t.same([head.status, head.headers['content-length'], head.body.length], [200, '5', 0])
  }
})

t.test('HEAD of one that cannot be stored tells no length', async t => {
  const prepare = async () => { throw new Error('the disk is full') }
  const { base, files } = await serve(t, { ffmpeg: fake(t, 'printf sound'), prepare })
  writeFileSync(join(files, 'a'), 'x')
  const head = await load(`${base}/a?whole=true`, {}, 'HEAD')
  t.same([head.status, head.headers['content-length'], head.headers['content-type']], [200, undefined, 'audio/ogg'])
})

const endless = 'while :; do printf 0123456789; sleep 0.01; done'

t.test('a run ends when its last listener has left, and leaves nothing', async t => {
  replace(t, grace, 'ms', 0)
  const { base, files, cacheDir, lines } = await serve(t, { ffmpeg: fake(t, `exec 9>"$0.$$"; ${endless}`), concurrency: 1 })
  writeFileSync(join(files, 'a'), 'x')
  const [one, other] = [await openStream(`${base}/a`), await openStream(`${base}/a`)]
  one.destroy()
  await new Promise(resolve => other.once('data', resolve))
  t.equal(readdirSync(cacheDir).length, 1)
  other.destroy()
  await until(() => readdirSync(cacheDir).length === 0)
  t.same(warnings(lines), [])
})

t.test('a listener who comes back soon finds the run going on', async t => {
  const { base, files } = await serve(t, { ffmpeg: fake(t, 'echo $$; sleep 0.3; echo end') })
  writeFileSync(join(files, 'a'), 'x')
  const one = await openStream(`${base}/a`)
  const begun = await new Promise<Buffer>(resolve => one.once('data', resolve))
  one.destroy()
  t.equal(String((await load(`${base}/a`)).body), `${begun}end\n`)
})

const failing: [title: string, line: string, reason: RegExp][] = [
  ['ends with an error', 'echo "$0: /dev/fd/3: no sound" >&2; exit 3', /^ffmpeg ended with 3: .*input: no sound$/],
  ['tells of covers after an error', 'echo "no sound" >&2; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do ' +
    'echo "[png] Picture size 12000x12000 exceeds specified max pixel count 1" >&2; done; exit 3', /3: no sound$/],
  ['is killed', 'kill -9 $$', /^ffmpeg ended with SIGKILL/],
  ['finds nothing', 'true', /^ffmpeg has found no sound$/],
  ['is stopped', 'kill -STOP $$', /^No sound came for 300 ms$/]
]
for (const [title, line, reason] of failing) {
  t.test(`where ffmpeg ${title} before the first byte, the answer is 502 and one line tells why`, async t => {
    replace(t, limits, 'idle', 300)
    const { base, files, cacheDir, lines } = await serve(t, { ffmpeg: fake(t, line) })
    writeFileSync(join(files, 'a'), 'x')
    t.equal((await load(`${base}/a`)).status, 502)
    t.match(warnings(lines), [['track not transcoded', reason]])
    await until(() => readdirSync(cacheDir).length === 0)
  })
}

t.test('what fails after its first byte ends the connection', async t => {
  const { base, files } = await serve(t, { ffmpeg: fake(t, 'printf begin; sleep 0.1; exit 1') })
  writeFileSync(join(files, 'a'), 'x')
  t.equal((await load(`${base}/a`)).complete, false)
  t.equal((await load(`${base}/a`, { range: 'bytes=1-' })).status, 502, 'who waits for the end is told')
})

t.test('runs wait for each other, and what is not there is told when its turn has come', async t => {
  const { base, files } = await serve(t, { ffmpeg: fake(t, 'sleep 0.1; printf sound'), concurrency: 1 })
  for (const name of ['a', 'b']) writeFileSync(join(files, name), 'x')
  t.same((await Promise.all(['a', 'b', 'c'].map(name => load(`${base}/${name}`)))).map(({ status }) => status), [200, 200, 500])
})

t.test('input that fails is told, and input that is not read to its end is left', async t => {
  const { app, base, files } = await serve(t, { ffmpeg: fake(t, 'head -c 1') })
  writeFileSync(join(files, 'a'), Buffer.alloc(2 ** 20))
  t.equal((await load(`${base}/a?pipe=1`)).status, 200)
  const transcoder = await createTranscoder({ cacheDir: folder(t), log: app.log, ffmpeg: fake(t, 'cat') })
  t.teardown(() => transcoder.close())
  const fails = async function * () { yield Buffer.from('part'); throw new TimeoutError() }
  const other = fastify()
  t.teardown(() => other.close())
  other.get('/', (_request, reply) =>
    transcoder.send(reply, { key: 'a', profile: { format: 'opus' }, isWhole: true, open: fails }))
  t.equal((await other.inject('/')).statusCode, 502)
})

t.test('audio without a byte is told, and nothing of it is stored', async t => {
  const { base, files, cacheDir } = await serve(t, { ffmpeg: fake(t, 'cat') })
  writeFileSync(join(files, 'a'), '')
  for (const url of [`${base}/a?pipe=1`, `${base}/a`]) t.equal((await load(url)).status, 502)
  await until(() => readdirSync(cacheDir).length === 0)
})

t.test('an MP4 that comes as bytes is written down first, up to a limit', async t => {
  const mp4 = (length: number) => Buffer.concat([Buffer.from('0000ftyp'), Buffer.alloc(length)])
  const { base, files, cacheDir } = await serve(t, { ffmpeg: fake(t, 'wc -c < /dev/fd/3'), cacheSize: 100_000 })
  for (const [name, length] of [['a', 70_000], ['b', 100_000]] as const) writeFileSync(join(files, name), mp4(length))
  t.equal(String((await load(`${base}/a?pipe=1`)).body).trim(), '70008')
  await until(() => readdirSync(cacheDir).join().endsWith('.opus'))
  t.equal((await load(`${base}/b?pipe=1`)).status, 502)
  await until(() => readdirSync(cacheDir).length === 0)
})

t.test('what was not used for longest goes first; what a kill has left is removed, others are left alone', async t => {
  const cacheDir = folder(t)
  const name = `${'0'.repeat(64)}.opus`
  for (const file of ['half.new', 'other', name]) writeFileSync(join(cacheDir, file), 'x')
  const { base, files } = await serve(t, { cacheDir, ffmpeg: fake(t, 'head -c 8000 /dev/zero'), cacheSize: 30_000 })
  for (const name of ['a', 'b', 'c']) writeFileSync(join(files, name), 'x')
  const kept = () => readdirSync(cacheDir).filter(file => file.endsWith('.opus') && file !== name)
  await load(`${base}/a`)
  await until(() => kept().length === 1)
  const [first] = kept()
  t.notOk(readdirSync(cacheDir).includes('half.new'))
  await load(`${base}/b`)
  await until(() => kept().length === 2)
  await load(`${base}/a`)
  await load(`${base}/c`)
  await until(() => kept().length === 2 && readdirSync(cacheDir).length === 3)
  t.ok(kept().includes(first!))
  rmSync(join(cacheDir, first!))
  t.equal((await load(`${base}/a`)).body.length, 8000, 'one that somebody has deleted is made again')
})

t.test('on a full disk what is stored makes room, and if that is not enough nothing is stored', async t => {
  const { base, files, cacheDir, lines } = await serve(t, { ffmpeg: fake(t, 'printf sound') })
  for (const name of ['a', 'b', 'c']) writeFileSync(join(files, name), 'x')
  await load(`${base}/a`)
  await until(() => readdirSync(cacheDir).some(name => name.endsWith('.opus')))
  const handle = await open(join(files, 'a'))
  const kind = Object.getPrototypeOf(handle)
  await handle.close()
  const { write } = kind
  let failures = 1
  replace(t, kind, 'write', function (this: object, ...args: unknown[]) {
    if (failures-- > 0) throw Object.assign(new Error('no space'), { code: failures > 0 ? 'EDQUOT' : 'ENOSPC' })
    return write.apply(this, args)
  })
  t.equal(String((await load(`${base}/b`)).body), 'sound')
  await until(() => readdirSync(cacheDir).join().endsWith('.opus'))
  failures = 2
  t.equal(String((await load(`${base}/c`)).body), 'sound')
  await until(() => readdirSync(cacheDir).length === 0)
  t.match(warnings(lines), [['transcodings not stored', 'no space']])
})

t.test('a client that leaves while it waits is not answered, and keeps nobody from the rest', async t => {
  const prepared = deferred<void>()
  const ffmpeg = fake(t, 'printf be; sleep 0.3; printf gin')
  const { app, base, files } = await serve(t, { ffmpeg, prepare: () => prepared.promise })
  writeFileSync(join(files, 'a'), 'x')
  const leave = async (headers: Record<string, string>) => {
    const left = request(`${base}/a`, { headers }).on('error', () => {}).end()
    const [, response] = await once(app.server, 'request')
    left.destroy()
    await once(response, 'close')
  }
  await leave({})
  prepared.resolve()
  const all = load(`${base}/a`)
  await leave({ range: 'bytes=1-' })
  t.equal(String((await all).body), 'begin')
})

t.test('where a system has no descriptors and no shell, ffmpeg opens the file by its path', async t => {
  const ffmpeg = fake(t, 'for name; do case "$name" in */a) cat "$name" ;; esac; done')
  const { base, files } = await serve(t, { ffmpeg })
  writeFileSync(join(files, 'a'), 'sound')
  replace(t, process, 'platform', 'win32')
  replaceExports(t, fs, { existsSync: () => false })
  t.equal(String((await load(`${base}/a`)).body), 'sound')
})

t.test('with a folder that cannot be written to, ffmpeg\'s bytes are sent and not stored', async t => {
  const prepare = async () => { throw new Error('no disk') }
  const { base, files, lines } = await serve(t, { ffmpeg: fake(t, 'printf sound'), prepare })
  writeFileSync(join(files, 'a'), 'x')
  const { status, body } = await load(`${base}/a`, { range: 'bytes=1-' })
  t.same([status, String(body)], [200, 'sound'])
  t.equal(String((await load(`${base}/a`)).body), 'sound')
  t.match(warnings(lines), [['transcodings not stored', 'no disk']])
})

t.test('the end of the server ends all runs', async t => {
  const { app, base, files, cacheDir, transcoder } = await serve(t, { ffmpeg: fake(t, endless) })
  writeFileSync(join(files, 'a'), 'x')
  const one = await openStream(`${base}/a`)
  const all = read(one).catch(error => error)
  await transcoder.close()
  t.equal((await all).complete, false)
  t.same(readdirSync(cacheDir), [])
  await app.close()
})

const lacking: [title: string, ffmpeg: (t: Test) => string, formats: string[], told: RegExp][] = [
  ['is not installed', t => join(folder(t), 'none'), [], /not installed/],
  ['is too old', t => fake(t, '', 'ffmpeg version 3.4.2'), [], /version 3\.4\.2 is too old/],
  ['is another program', t => fake(t, '', 'hello'), [], /is not ffmpeg/],
  ['was built without some encoders', t => fake(t, '', 'ffmpeg version N-1-g1', 'flac'), ['flac'], /undefined/]
]
for (const [title, ffmpeg, formats, told] of lacking) {
  t.test(`an ffmpeg that ${title} is told in one line, and nothing else ends`, async t => {
    const profiles = { saver: { format: 'opus' }, best: { format: 'flac' } } as const
    const { base, transcoder, lines } = await serve(t, { ffmpeg: ffmpeg(t), profiles })
    t.same([transcoder.formats, Object.values(transcoder.profiles).map(({ format }) => format)], [formats, formats])
    const said = lines.filter(({ msg }) => /ffmpeg/.test(msg)).map(({ reason }) => String(reason))
    t.match(said, [told])
    t.equal((await load(`${base}/a`)).status, 501)
  })
}

t.test('a missing ffmpeg is a warning only if it was named', async t => {
  const named = await serve(t, { ffmpeg: join(folder(t), 'none') })
  t.equal(warnings(named.lines).length, 1)
  const { PATH } = process.env
  process.env.PATH = folder(t)
  t.teardown(() => { process.env.PATH = PATH })
  t.same(warnings((await serve(t)).lines), [])
})

t.test('what the system refuses to make slower runs as fast as the rest', async t => {
  replaceExports(t, os, { setPriority: () => { throw new Error('not allowed') } })
  const { base, files } = await serve(t, { ffmpeg: fake(t, 'printf sound') })
  writeFileSync(join(files, 'a'), 'x')
  t.equal((await load(`${base}/a`)).status, 200)
})

t.test('a URL says what is made of it; whatever else is in a query is none of that', async t => {
  const url = transcodedUrl(
    'http://a.example/b?c=d', { format: 'mp3', bitrate: 96_000 }, { startSeconds: 1.5, isWhole: true }
  )
  t.equal(url, 'http://a.example/b?c=d&format=mp3&bitrate=96000&start=1.5&whole=true')
  const query = Object.fromEntries(new URL(url).searchParams)
  t.same(readTranscoding(query), { profile: { format: 'mp3', bitrate: 96_000 }, startSeconds: 1, isWhole: true })
  t.equal(transcodedUrl('/b', { format: 'flac' }), '/b?format=flac')
  t.same([1, 100_000, 500_000].map(bitrate => bitrateOf({ format: 'opus', bitrate })), [32_000, 96_000, 256_000])
  const odd = { format: 'mp3', bitrate: '96001', start: '-1', whole: 'false' }
  t.same(readTranscoding(odd), { profile: { format: 'mp3' }, startSeconds: 0, isWhole: undefined })
  t.equal(readTranscoding({ format: 'constructor' }), undefined)
})

t.test('wrong options are named', async t => {
  const right = { cacheDir: 'a', log: { info () {}, warn () {} } }
  for (const [wrong, named] of [
    [{ cacheDir: '' }, /cacheDir/], [{ cacheSize: 500 }, /cacheSize/], [{ concurrency: 0 }, /concurrency/],
    [{ profiles: { a: { format: 'wma' } } }, /profiles/], [{ profiles: { a: { format: 'mp3', bitrate: 96 } } }, /profiles/],
    [{ profiles: { a: 1 } }, /profiles/], [{ ffmpg: 'a' }, /ffmpeg/]
  ] as const) await t.rejects(createTranscoder({ ...right, ...wrong } as never), { message: named })
})

t.test('mediaProxy transcodes what its URLs ask for, of files and of upstreams', async t => {
  const upstream = await startUpstream(t, song(70_000), ({ url }) =>
    url === '/page' ? { headers: { 'content-type': 'text/html' } } : {})
  const files = folder(t)
  writeFileSync(join(files, 'a.flac'), 'x')
  const app = fastify()
  t.teardown(() => app.close())
  const log = { info () {}, warn () {} }
  const ffmpeg = fake(t, 'if [ -e /dev/fd/3 ]; then wc -c < /dev/fd/3; else wc -c; fi')
  const transcoder = await createTranscoder({ cacheDir: folder(t), log, ffmpeg })
  app.addHook('onClose', () => transcoder.close())
  await app.register(mediaProxy, {
    signer,
    transcoder,
    kinds: {
      file: { root: files, file: ({ id }) => id },
      audio: {
        resolve: ({ id }) => ({ url: `${upstream.origin}/${id}` }), hosts: [upstream.host], allowPrivate: true
      }
    }
  })
  const ask = async (kind: string, id?: string) => {
    const url = transcodedUrl(app.mediaUrl(kind, { id }, { extension: 'flac' }), { format: 'opus' })
    const { statusCode, headers, body } = await app.inject(url)
    return statusCode === 200 ? [headers['content-type'], Number(body)] : statusCode
  }
  t.same(await ask('file', 'a.flac'), ['audio/ogg', 1])
  t.same([await ask('file', 'b.flac'), await ask('file')], [404, 404])
  t.same(await ask('audio', 'song'), ['audio/ogg', 70_000])
  t.equal(await ask('audio', 'page'), 502)
})

t.test('no cover in a file is decoded, which would take hundreds of MB', async t => {
  const { base, files } = await serve(t, { ffmpeg: fake(t, 'echo "$@"') })
  writeFileSync(join(files, 'a'), 'x')
  t.match(String((await load(`${base}/a`)).body), /-max_pixels 1 .*-i/)
})

t.test('a cover that is not decoded is no reason to fail', async t => {
  if (skipWithout('ffmpeg', t)) return
  const { base, files, lines } = await serve(t)
  const sound = makeSound(files, 'sound.mp3', 2)
  const [picture, covered] = [join(files, 'cover.png'), join(files, 'covered.mp3')]
  execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'color=red:s=600x600', '-frames:v', '1', picture])
  const maps = ['-map', '0:a', '-map', '1:v', '-c', 'copy']
  execFileSync('ffmpeg', ['-v', 'error', '-i', sound, '-i', picture, ...maps, covered])
  const { length } = heard((await load(`${base}/covered.mp3`)).body)
  t.ok(Math.abs(length - 2) < 0.1, `${length}`)
  t.same(warnings(lines), [])
})
