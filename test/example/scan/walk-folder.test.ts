import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { nothingSeen, walkFolder, type FoundFile } from '../../../example/scan/walk-folder.ts'
import { folder } from '../helper.ts'

/** All that a walk finds, in the order of the paths. */
async function walkAll (
  root: string,
  onUnreadable: (path: string, error: unknown) => void = () => {},
  more: Parameters<typeof walkFolder>[3] = {}
) {
  const seen = nothingSeen()
  const [audio, playlists]: [FoundFile[], FoundFile[]] = [[], []]
  for await (const folder of walkFolder(root, seen, onUnreadable, more)) {
    audio.push(...folder.audio)
    playlists.push(...folder.playlists)
  }
  for (const files of [audio, playlists]) files.sort((a, b) => a.path < b.path ? -1 : 1)
  return { audio, playlists, ...seen }
}

async function walk (root: string) {
  const unreadable: string[] = []
  const { audio, playlists } = await walkAll(realpathSync(root), path => unreadable.push(path))
  return { audio: audio.map(({ path }) => path), playlists: playlists.map(({ path }) => path), unreadable }
}

t.test('audio and playlists of all folders are listed by name, other files are not', async t => {
  const root = folder(t, {
    'b/x.FLAC': '',
    'a.mp3': '',
    'b/c/y.opus': '',
    'cover.jpg': '',
    'l.m3u8': '',
    'b/z.M3U': '',
    'song.lrc': '',
    'x.mp3/': ''
  })
  t.same(await walk(root), {
    audio: ['a.mp3', 'b/c/y.opus', 'b/x.FLAC'], playlists: ['b/z.M3U', 'l.m3u8'], unreadable: []
  })
})

t.test('size and time of a file are told', async t => {
  const { audio } = await walkAll(realpathSync(folder(t, { 'a.mp3': 'four' })), () => {})
  t.match(audio, [{ path: 'a.mp3', size: 4 }])
  t.ok(Math.abs(Date.now() - audio[0]!.mtimeMs - 3_600_000) < 60_000)
})

t.test('what systems leave is skipped, music that begins with a dot is not', async t => {
  const root = folder(t, {
    '._a.mp3': '', '.Trash-1000/a.mp3': '', '@eaDir/a.mp3': '', '.38 Special/a.mp3': '', '...And More/b.mp3': ''
  })
  t.same((await walk(root)).audio, ['...And More/b.mp3', '.38 Special/a.mp3'])
})

t.test('bins, snapshots and copies of systems and programs are skipped, albums of such names are not', async t => {
  const litter = [
    '$RECYCLE.BIN', 'RECYCLER/S-1-5-21-12', 'System Volume Information', '@Recycle', '@Recently-Snapshot', '@tmp',
    '#snapshot', '.recycle', '.deleted', '.stversions', '.sync/Archive', '.snapshots', '.zfs',
    '.Spotlight-V100', '.dropbox.cache',
    '__MACOSX', 'lost+found', '.git'
  ]
  const music = ['Recycler/a.mp3', 'Snapshot/a.mp3', 'deleted/a.mp3', 'tmp/a.mp3']
  const paths = [...litter.map(name => `Album/${name}/a.mp3`), ...music]
  const root = folder(t, Object.fromEntries(paths.map(path => [path, ''])))
  t.same((await walk(root)).audio, music)
})

t.test('a folder that is marked is left out with all that is below it, wherever a walk begins', async t => {
  const root = folder(t, {
    '.nomedia': '',
    'a.mp3': '',
    'b/.nomedia': '',
    'b/b.mp3': '',
    'b/c/c.mp3': '',
    'd/.ndignore': '',
    'd/e/f/d.mp3': '',
    'g/h/g.mp3': ''
  })
  t.same((await walk(root)).audio, ['a.mp3', 'g/h/g.mp3'])
  const from = ['b', 'b/c', 'd/e/f', 'g/h']
  const { audio } = await walkAll(realpathSync(root), () => {}, { from })
  t.same(audio.map(({ path }) => path), ['g/h/g.mp3'])
})

t.test('patterns of a mark leave out what they match, below it, wherever a walk begins', async t => {
  const root = folder(t, {
    '.plexignore': '\ufeff# Of all folders\r\n*.wav\r\n/Talk/\r\n',
    'a.wav': '',
    'a.mp3': '',
    'Talk/t.mp3': '',
    'b/Talk/t.mp3': '',
    'b/.ndignore': 'Live*/\n!Live at Home/\nc/*.flac',
    'b/c/x.flac': '',
    'b/c/x.mp3': '',
    'b/Live/y.mp3': '',
    'b/Live at Home/y.mp3': '',
    'd/.ignore': '  \n# nothing\n',
    'd/e/d.mp3': '',
    'f/.nomedia': 'x'.repeat(100_000),
    'f/f.mp3': ''
  })
  const music = ['a.mp3', 'b/Live at Home/y.mp3', 'b/Talk/t.mp3', 'b/c/x.mp3']
  t.same((await walk(root)).audio, music)
  const from = ['Talk', 'b', 'b/c', 'b/Live', 'b/Live at Home', 'b/Talk', 'd/e', 'f']
  const { audio } = await walkAll(realpathSync(root), () => {}, { from })
  t.same(audio.map(({ path }) => path).sort(), music.slice(1))
})

t.test('links inside the folder are followed, circles end, links that leave or lead nowhere are left out', async t => {
  const root = folder(t, { 'a/b/x.mp3': '', 'y.mp3': '' })
  const outside = folder(t, { 'z.mp3': '' })
  symlinkSync('../..', join(root, 'a/b/up'))
  symlinkSync('../y.mp3', join(root, 'a/link.mp3'))
  symlinkSync(outside, join(root, 'out'))
  symlinkSync(join(outside, 'z.mp3'), join(root, 'out.mp3'))
  symlinkSync('nowhere.mp3', join(root, 'dead.mp3'))
  t.same(await walk(root), { audio: ['a/b/x.mp3', 'a/link.mp3', 'y.mp3'], playlists: [], unreadable: [] })
})

t.test('what cannot be read is told, and the rest is listed', async t => {
  const name = Buffer.from([0x66, 0xff, 0x2e, 0x6d, 0x70, 0x33]) // f\xff.mp3: no UTF-8
  const root = folder(t, { 'a.mp3': '' })
  const bytes = Buffer.concat([Buffer.from(`${root}/`), name])
  writeFileSync(bytes, '')
  const { audio, unreadable } = await walk(root)
  t.same(audio, ['a.mp3'])
  t.equal(unreadable.length, 1)
})

t.test('a folder whose name is no UTF-8 is told with that reason, others with that of the system', async t => {
  const root = folder(t, { 'a.mp3': '' })
  mkdirSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]))
  const told: [path: string, message: string][] = []
  const tell = (path: string, error: unknown) => told.push([path, (error as Error).message])
  await walkAll(realpathSync(root), tell)
  await walkAll('/nowhere/at/all', tell)
  t.match(told, [['\ufffd', 'Its name is not UTF-8'], ['', /^ENOENT/]])
})

t.test('a folder that went away is told', async t => {
  const told: string[] = []
  t.match(await walkAll('/nowhere/at/all', path => told.push(path)), { audio: [], playlists: [] })
  t.same(told, [''])
})

t.test('what players do not open is counted, whatever its case', async t => {
  const names =
    ['a.wma', 'b/c.WMA', 'b/d.ape', 'b/e.aac', 'b/f.mka', 'b/g.m4b', 'b/h.webm', 'i.caf', 'j.au', 'k.AC3']
  const root = folder(t, Object.fromEntries(names.map(name => [name, ''])))
  const { audio, others } = await walkAll(realpathSync(root))
  t.same(audio.map(({ path }) => path), ['b/e.aac', 'b/f.mka', 'b/g.m4b', 'b/h.webm'])
  t.same(Object.fromEntries(others), { '.wma': 2, '.ape': 1, '.caf': 1, '.au': 1, '.ac3': 1 })
})

t.test('a .cue file beside one long file is counted, beside several it tells nothing new', async t => {
  const root = folder(t, {
    'one/a.flac': '',
    'one/a.cue': '',
    'one/b.cue': '',
    'many/a.flac': '',
    'many/b.flac': '',
    'many/a.cue': '',
    'none/a.cue': ''
  })
  t.equal((await walkAll(realpathSync(root))).sheets, 1)
})

t.test('folders on another device than the one above are mounts, unless they are empty or links', async t => {
  const files = { 'a/x.mp3': '', 'a/disk/in/y.mp3': '', 'a/bare disk/.keep': '', '@eaDir/disk/z.mp3': '' }
  const root = realpathSync(folder(t, files))
  symlinkSync('@eaDir/disk', join(root, 'link'))
  const { stat } = promises
  t.teardown(syncBuiltinESMExports)
  t.intercept(promises, 'stat', {
    async value (path: string) {
      const stats = await stat(path)
      return Object.assign(stats, path.includes('disk') ? { dev: 7, ino: 8, birthtimeMs: 9 } : {})
    }
  })
  syncBuiltinESMExports()
  const { audio, mounts } = await walkAll(root)
  t.same(audio.map(({ path }) => path), ['a/disk/in/y.mp3', 'a/x.mp3', 'link/z.mp3'])
  t.same([...mounts], [['a/disk', '7 8 9']])
})
