import t from 'tap'
import { mp3, startWith } from '../helper.ts'

const song = mp3({ title: 'Here' })

t.test('lines of playlists that lead to no track, and playlists that are not read, are in the log', async t => {
  const { lines } = await startWith(t, {
    'a.mp3': song,
    'in/mix.m3u': 'gone.mp3\n../a.mp3\nhttp://radio.test/live\nlost.mp3',
    'b.pls': '',
    'c.xspf': '',
    'd.XSPF': ''
  })
  t.match(lines.find(({ msg }) => msg === 'playlist entries missing'), { lines: '2 of in/mix.m3u' })
  t.match(lines.find(({ msg }) => msg === 'playlists ignored'), { files: '1 .pls, 2 .xspf' })
})

t.test('of many such playlists some are named, of whole ones none', async t => {
  const lists = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`${at}.m3u`, 'gone.mp3']))
  const many = await startWith(t, { 'a.mp3': song, ...lists })
  const line = (source: typeof many) => source.lines.find(({ msg }) => msg === 'playlist entries missing')?.lines
  t.match(line(many), /^1 of 0\.m3u, .+, 1 of 4\.m3u and others$/)
  t.equal(line(await startWith(t, { 'a.mp3': song, 'b.m3u': 'a.mp3' })), undefined)
})
