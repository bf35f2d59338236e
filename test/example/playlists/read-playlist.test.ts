import { realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readPlaylist } from '../../../example/playlists/read-playlist.ts'
import { fifo, folder } from '../helper.ts'

const read = (t: Test, content: string | Uint8Array, path = 'lists/Some list.m3u8') =>
  readPlaylist(realpathSync(folder(t, { [path]: content })), { path, size: content.length, mtimeMs: 1 })

t.test('lines are paths, comments are not', async t => {
  t.match(await read(t, '#EXTM3U\r\n#EXTINF:22,Some - One\r\na.mp3\r\n\r\n  b/c.mp3 \n'), {
    name: 'Some list', entries: ['a.mp3', 'b/c.mp3']
  })
})

t.test('the name inside counts before that of the file', async t => {
  t.equal((await read(t, '#EXTM3U\n#PLAYLIST:Été\na.mp3')).name, 'Été')
  t.equal((await read(t, '#PLAYLIST: \na.mp3')).name, 'Some list')
})

t.test('the name of the file is cleaned like the one inside', async t => {
  t.equal((await read(t, 'a.mp3', 'E\u0301te\u0301\u202e  two.m3u')).name, 'Été two')
  t.equal((await read(t, 'a.mp3', '\u202e.m3u')).name, '\u202e')
})

t.test('Latin-1, a mark, backslashes and file URLs are read', async t => {
  t.same((await read(t, Buffer.from('Été\\fa\xe7ade.mp3', 'latin1'))).entries, ['Été/façade.mp3'])
  t.same((await read(t, '\ufeffa.mp3')).entries, ['a.mp3'])
  t.same((await read(t, 'file:///music/a%20b.mp3\nhttps://radio.example.com/live\nfile://host/a%2Fb')).entries, [
    '/music/a b.mp3'
  ])
})

t.test('a link that leaves the folder is no playlist', async t => {
  const root = realpathSync(folder(t))
  symlinkSync(join(folder(t, { 'x.m3u': 'a.mp3' }), 'x.m3u'), join(root, 'x.m3u'))
  await t.rejects(readPlaylist(root, { path: 'x.m3u', size: 5, mtimeMs: 1 }))
})

t.test('a FIFO is no playlist, and a file that is far too large is none', async t => {
  const root = realpathSync(folder(t, { 'large.m3u': 'a\n'.repeat(6_000_000) }))
  fifo(root, 'fifo.m3u')
  for (const path of ['fifo.m3u', 'large.m3u']) {
    await t.rejects(readPlaylist(root, { path, size: 0, mtimeMs: 1 }), { message: 'not a playlist' })
  }
})

t.test('a line that is longer than any path is left out, and so are lines after the first 200,000', async t => {
  t.same((await read(t, `a.mp3\n/${'a/'.repeat(3000)}\nb.mp3`)).entries, ['a.mp3', 'b.mp3'])
  t.equal((await read(t, '#\na.mp3\n'.repeat(150_000))).entries.length, 100_000)
})
