import t from 'tap'
import { PathFinder } from '../../../example/playlists/path-finder.ts'

const known = [
  'a.mp3', 'b/c.mp3', 'music/a.mp3', 'Artist/Album/d.mp3', 'Björk/e.mp3', '100% e.mp3', 'f%20g.mp3', 'f g.mp3'
]
const finds: [playlist: string, entry: string, path: string | undefined][] = [
  ['x.m3u', 'a.mp3', 'a.mp3'],
  ['x.m3u', './b/../a.mp3', 'a.mp3'],
  ['b/x.m3u', 'c.mp3', 'b/c.mp3'],
  ['b/x.m3u', '../a.mp3', 'a.mp3'],
  ['b/x.m3u', 'a.mp3', undefined],
  ['x.m3u', '../a.mp3', undefined],
  ['x.m3u', '/music/b/c.mp3', 'b/c.mp3'],
  ['x.m3u', '/home/somebody/Music/Artist/Album/d.mp3', 'Artist/Album/d.mp3'],
  ['x.m3u', 'C:/Users/Some Body/Artist/Album/d.mp3', 'Artist/Album/d.mp3'],
  ['x.m3u', '/music/nothing.mp3', undefined],
  ['x.m3u', `/${'far/'.repeat(500)}Artist/Album/d.mp3`, 'Artist/Album/d.mp3'],
  ['x.m3u', '/music/music/a.mp3', 'music/a.mp3'],
  ['x.m3u', '/music/a.mp3', 'a.mp3'],
  ['x.m3u', 'Bjo\u0308rk/e.mp3', 'Björk/e.mp3'],
  ['b/x.m3u', '../Bj%C3%B6rk/e.mp3', 'Björk/e.mp3'],
  ['x.m3u', '/home/me/Bj%C3%B6rk/e.mp3', 'Björk/e.mp3'],
  ['x.m3u', '100% e.mp3', '100% e.mp3'],
  ['x.m3u', '100% nothing.mp3', undefined],
  ['x.m3u', 'f%20g.mp3', 'f%20g.mp3'],
  ['b/x.m3u', '../f%20%67.mp3', 'f g.mp3']
]
for (const [playlist, entry, path] of finds) {
  t.test(`${entry.slice(0, 60)} in ${playlist} is ${path}`, async t => {
    t.equal(new PathFinder('/music', path => known.find(one => one === path)).find(playlist, entry), path)
  })
}
