import t from 'tap'
import { buildCatalogue } from '../../../example/catalogue/build-catalogue.ts'
import type { AudioFile } from '../../../example/scan/read-audio-file.ts'
import { AlbumRepair } from '../../../example/scan/repair-albums.ts'
import { countTurns } from '../helper.ts'

const files = Array.from({ length: 1000 }, (_, at): AudioFile => ({
  path: `${at}.mp3`,
  size: 1,
  mtimeMs: 1,
  trackId: String(at),
  title: `Title ${at}`,
  artists: [`Artist ${at}`],
  album: `Album ${at}`,
  albumArtist: `Artist ${at}`,
  genres: ['Pop'],
  durationMs: 1,
  format: 'mp3',
  lossless: false,
  bitrate: 1,
  added: 1,
  texts: { title: `Grüße ${at}`, artists: [`Artist ${at}`], genres: [], isCompilation: false, isUnclear: true }
}))
const playlist = { path: 'all.m3u', size: 1, mtimeMs: 1, name: 'All', entries: files.map(({ path }) => path) }

t.test('others have their turn while a large catalogue is made', async t => {
  const { result, turns } = await countTurns(t, () => buildCatalogue('/music', files, [playlist]))
  t.equal(result.tracks.size, 1000)
  t.equal(result.playlists.get([...result.playlists.keys()][0]!)!.tracks.length, 1000)
  // Five loops over all tracks, one over all albums, one over all artists, one over all entries.
  t.ok(turns > 8 * 400, `${turns} turns`)
})

t.test('others have their turn while the encodings of many albums are repaired', async t => {
  const { result, turns } = await countTurns(t, () => new AlbumRepair().repair(files))
  t.equal(result.length, 1000)
  t.ok(turns > 2 * 400, `${turns} turns`)
})
