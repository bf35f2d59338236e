import { build } from 'esbuild'
import { readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { workOnFile } from '../../../example/scan/file-workers.ts'
import { readLyrics } from '../../../example/lyrics/read-lyrics.ts'
import { findCover } from '../../../example/media/find-cover.ts'
import { answerJob, type FileAnswer } from '../../../example/scan/answer-job.ts'
import { countTurns } from '../../count-turns.ts'
import { fifthOf } from '../../fifth.ts'
import type { Picture } from '../../../example/scan/picture-of.ts'
import type { FileTask } from '../../../example/scan/file-tasks.ts'
import { deferred } from '../../helper.ts'
import { followFiles, type Given } from '../follow-files.ts'
import { folder, mp3, put, start, until } from '../helper.ts'
import { flacComments, id3Frames, id3Padding, matroskaVoids } from '../make-legal.ts'
import { flacFile } from '../make-tags.ts'

const song = (title: string, more = {}) => mp3({ title, artist: 'One', album: 'Two', ...more })
const png = (bytes: number) => Buffer.concat([Buffer.from('\x89PNG\r\n', 'latin1'), Buffer.alloc(bytes, 7)])
/** Each is more than a worker has memory for, once it is parsed. */
const legal = {
  'comments.flac': () => flacComments(2e5), 'padding.mp3': () => id3Padding(3e6), 'frames.mp3': () => id3Frames(3e5)
}
/** The one that takes the least time. */
const tooMuch = legal['comments.flac']()

const readLink = (path: string) => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** A picture that is text of a comment, as those of Ogg files are. */
function flacWithPicture (bytes: number): Buffer {
  const data = png(bytes)
  const block = Buffer.alloc(32 + 9)
  block.writeUInt32BE(3, 0)
  block.writeUInt32BE(9, 4)
  block.write('image/png', 8)
  block.writeUInt32BE(data.length, 37)
  const picture = Buffer.concat([block, data]).toString('base64')
  return flacFile([['TITLE', 'B'], ['ARTIST', 'One'], ['METADATA_BLOCK_PICTURE', picture]])
}

t.test('what tags are read with is loaded in workers alone', async t => {
  const readersOf = async (entry: string) => {
    const { metafile } = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      packages: 'external'
    })
    const { imports } = Object.values(metafile.outputs)[0]!
    return ['music-metadata', 'strtok3'].filter(name => imports.some(({ path }) => path === name))
  }
  t.same(await readersOf('example/app.ts'), [])
  t.same(await readersOf('example/scan/file-worker.ts'), ['music-metadata', 'strtok3'])
})

t.test('a legal file that is too much for a worker is left out until it changes, and nothing beside it', async t => {
  const large = fifthOf(Object.entries(legal)).map(([path, make]) => [path, make()] as const)
  const MUSIC_DIR = realpathSync(folder(t, {
    ...Object.fromEntries(large),
    'One/Two/void.mka': matroskaVoids(20_000),
    ...Object.fromEntries(['A', 'B', 'C'].map(title => [`${title}.mp3`, song(title)]))
  }))
  const DATA_DIR = folder(t)
  const first = await start(t, { MUSIC_DIR, DATA_DIR })
  const titles = async (source: Pick<typeof first, 'data'>) =>
    (await source.data('/v1/search/tracks?keyword=one')).items.map(({ title }: { title: string }) => title).sort()
  const leftOut = ({ lines }: Pick<typeof first, 'lines'>) =>
    lines.flatMap(({ msg, path, reason }) => msg === 'file skipped' ? `${path}: ${reason}` : []).sort()
  const told = large.map(([path]) => `${path}: It takes more than 64 MB of memory to read it`).sort()
  t.same(leftOut(first), told)
  const there = ['A', 'B', 'C', 'void']
  t.same(await titles(first), there)
  await first.app.close()

  const read: string[] = []
  followFiles(t, ({ path }) => { read.push(path) })
  const second = await start(t, { MUSIC_DIR, DATA_DIR })
  t.same(leftOut(second), [])
  t.same(await titles(second), there)
  t.same(read, [])
  put(MUSIC_DIR, 'comments.flac', flacFile([['TITLE', 'D'], ['ARTIST', 'One'], ['ALBUM', 'Two']]))
  await until(async () => (await titles(second)).length === 5)
  t.same(read, ['comments.flac'])
  await second.app.close()
})

t.test('the source answers while a file is too much for a worker, and closes in the middle of it', async t => {
  const root = realpathSync(folder(t, { 'comments.flac': tooMuch }))
  const closing = new AbortController()
  const { signal } = closing
  const { turns } = await countTurns(async () => {
    const read = workOnFile('tags', root, 'comments.flac', signal)
    // Many times as many as where it is parsed between two of them.
    for (let turn = 0; turn < 1000; turn++) await setImmediate()
    closing.abort(new Error('closed'))
    await t.rejects(read, { message: 'closed' })
  })
  t.ok(turns >= 1000)
  put(root, 'a.mp3', song('A'))
  t.match(await workOnFile('tags', root, 'a.mp3'), { title: 'A' })
})

t.test('what is given up before it has begun is not begun', async t => {
  const root = realpathSync(folder(t, { 'a.mp3': song('A') }))
  const held: Given[] = []
  const letGo = followFiles(t, job => {
    held.push(job)
    return false
  })
  const closing = new AbortController()
  const { signal } = closing
  const readOne = () => t.rejects(workOnFile('tags', root, 'a.mp3', signal), { message: 'end' })
  const reads = Array.from({ length: 20 }, readOne)
  const { length } = held
  t.ok(length < 20)
  closing.abort(new Error('end'))
  await Promise.all(reads)
  t.equal(held.length, length)
  letGo()
  await readOne()
  t.match(await workOnFile('tags', root, 'a.mp3'), { title: 'A' })
})

t.test('a file that is too much has no cover and no lyrics; it is not asked again until it changes', async t => {
  const picture = png(100)
  const root = realpathSync(folder(t, {
    'a/bad.flac': tooMuch, 'a/good.mp3': song('A', { picture, lyrics: 'La la' })
  }))
  const read: string[] = []
  followFiles(t, ({ path }) => { read.push(path) })
  const paths = ['a/bad.flac', 'gone.mp3', 'a/good.mp3']
  for (let time = 0; time < 2; time++) {
    t.ok(Buffer.from((await findCover(root, paths))!.data).equals(picture))
    t.equal((await readLyrics(root, paths)).lyrics, 'La la')
  }
  t.equal(read.filter(path => path === 'a/bad.flac').length, 2, 'once for each of both')
  put(root, 'a/bad.flac', flacWithPicture(200))
  t.ok(Buffer.from((await findCover(root, paths))!.data).equals(png(200)))
})

t.test('a file that the system does not give in time is asked for a cover again', async t => {
  const picture = png(100)
  const root = realpathSync(folder(t, { 'a.mp3': song('A', { picture }) }))
  let time = 0
  followFiles(t, job => {
    if (time++ > 0) return true
    job.answer({ error: { message: 'late', mayRecover: true }, isOver: true })
    return false
  })
  t.equal(await findCover(root, ['a.mp3']), undefined)
  t.ok(Buffer.from((await findCover(root, ['a.mp3']))!.data).equals(picture))
})

t.test('large pictures of honest files are not too much, eight files at the same time', async t => {
  const picture = png(16e6)
  const root = realpathSync(folder(t, { 'a.mp3': song('A', { picture }), 'b.flac': flacWithPicture(4e6) }))
  const paths = Array.from({ length: 8 }, (_, at) => at % 2 === 0 ? 'a.mp3' : 'b.flac')
  const tags = await Promise.all(paths.map(path => workOnFile('tags', root, path)))
  t.same(tags.map(({ title }) => title), paths.map(path => path === 'a.mp3' ? 'A' : 'B'))
  t.equal((await findCover(root, ['a.mp3']))?.data.length, picture.length)
  t.equal((await findCover(root, ['b.flac']))?.data.length, 4e6 + 6)
})

t.test('no file stays open when a worker ends', { skip: process.platform !== 'linux' }, async t => {
  const root = realpathSync(folder(t, { 'a.flac': tooMuch }))
  await t.rejects(workOnFile('tags', root, 'a.flac'), { message: /more than 64 MB/ })
  const open = readdirSync('/proc/self/fd').map(fd => readLink(`/proc/self/fd/${fd}`))
  t.notOk(open.includes(join(root, 'a.flac')))
})

t.test('a worker tells that a file is late, and when the system has answered at last', async t => {
  const answers: FileAnswer[] = []
  const system = deferred<never>()
  const timers = t.capture(globalThis, 'setTimeout', setTimeout)
  const tasks = { tags: () => system.promise } as never
  answerJob({ id: 1, task: 'tags', root: '/', path: 'a' }, answer => { answers.push(answer) }, tasks)
  const giveUp = timers().find(({ args }) => args[1] === 30_000)!.args[0] as () => void
  giveUp()
  await until(() => answers.length === 1)
  t.same(answers, [
    { id: 1, error: { message: 'It takes longer than 30 seconds to read it', mayRecover: true }, isOver: false }
  ])
  system.reject(new Error('gone'))
  await until(() => answers.length === 2)
  t.same(answers[1], { id: 1, isOver: true })
})

t.test('a worker answers each job with what the file has, or why it has nothing', async t => {
  const picture = png(100)
  const root = realpathSync(folder(t, {
    'a.mp3': song('A', { lyrics: 'La la', back: png(50), picture }),
    'b.mp3': song('B', { synced: [[1000, 'La'], [2000, 'li']] }),
    'c.wav': 'no audio',
    'd.flac': flacFile([['TITLE', 'D'], ['SYNCEDLYRICS', 'La da']])
  }))
  const answer = async (task: FileTask, path: string) => {
    const answers: FileAnswer[] = []
    await answerJob({ id: 7, task, root, path }, answer => { answers.push(answer) })
    return answers
  }
  t.match(await answer('tags', 'a.mp3'), [{ id: 7, value: { title: 'A' }, isOver: true }])
  t.same((await answer('picture', 'a.mp3')).map(({ value }) => (value as Picture).data.length), [picture.length])
  t.match(await answer('picture', 'b.mp3'), [{ value: undefined }])
  t.match(await answer('picture', 'gone.mp3'), [{ value: undefined }])
  t.match(await answer('lyrics', 'a.mp3'), [{ value: 'La la' }])
  t.match(await answer('lyrics', 'b.mp3'), [{ value: '[00:01.00]La\n[00:02.00]li' }])
  t.match(await answer('lyrics', 'd.flac'), [{ value: 'La da' }])
  t.match(await answer('lyrics', 'gone.mp3'), [{ value: '' }])
  t.match(await answer('tags', 'gone.mp3'), [{ error: { mayRecover: true } }])
  t.match(await answer('tags', 'c.wav'), [{ error: { mayRecover: false }, isOver: true }])
})
