import t from 'tap'
import { start, token } from './helper.ts'

for (const GENRE_PLAYLISTS of ['', 'true']) {
  t.test(`GENRE_PLAYLISTS=${GENRE_PLAYLISTS}: Subsonic apps see lists of the folder, of genres if it says so`, async t => {
    const { app } = await start(t, { GENRE_PLAYLISTS, PAGE_TITLE: 'Home' })
    const { body } = await app.inject(`/rest/getPlaylists?f=json&u=x&p=${encodeURIComponent(token)}`)
    const { playlist } = JSON.parse(body)['subsonic-response'].playlists
    const isOfGenre = ({ comment = '' }) => comment.startsWith('Every track of the genre')
    t.equal(playlist.some(isOfGenre), GENRE_PLAYLISTS === 'true')
    t.ok(playlist.some((list: { comment?: string, readonly: boolean }) => list.readonly && !isOfGenre(list)))
    const { coverArt } = playlist.find(({ id }: { id: string }) => id === 'sp-daily')
    t.equal(coverArt, 'sp-daily')
    const cover = await app.inject(`/rest/getCoverArt?id=${coverArt}&u=x&p=${encodeURIComponent(token)}`)
    t.equal(cover.statusCode, 302)
  })
}
