import t from 'tap'
import { pathOf, start } from './helper.ts'
import { testLinear } from './test-linear.ts'

// Whole requests, as players and pages send them to the example.

const { app, call, data } = await start(t)
const { items: [track] } = await data('/v1/search/tracks?keyword=freude')
const audio = pathOf((await data(`/v1/track/url?id=${track.id}`)).url)
const cover = pathOf(track.album.coverUrl)

const inHeader = (text: string) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ')
const inUrl = encodeURIComponent
const headers = [
  'accept-encoding', 'access-control-request-headers', 'authorization', 'host', 'if-match', 'if-modified-since',
  'if-none-match', 'if-range', 'if-unmodified-since', 'origin', 'range'
]
const operations = [
  'album/detail', 'artist/detail', 'playlist/detail', 'toplist/detail', 'track', 'track/lyrics', 'track/similar',
  'track/url'
]

testLinear(t, {
  ...Object.fromEntries(headers.map(name => [`a request with ${name}`, (text: string) =>
    Promise.all([audio, cover, '/', '/v1/track/new'].map(url =>
      call(url, { headers: { authorization: 'Bearer the token of the tests', [name]: inHeader(text) } })))])),
  'a media URL': text => Promise.all(['audio', 'cover'].map(kind =>
    app.inject(`/media/${kind}/${inUrl(text)}/${inUrl(text)}?expires=${inUrl(text)}&signature=${inUrl(text)}`))),
  'ids that nothing has': text => Promise.all(operations.map(path => call(`/v1/${path}?id=${inUrl(text)}`))),
  'what is searched for': text => Promise.all(['suggest', 'tracks', 'artists', 'albums', 'playlists'].map(what =>
    call(`/v1/search/${what}?keyword=${inUrl(text)}`))),
  'a category': text => call(`/v1/playlist/list?category=${inUrl(text)}`),
  'the name of a playlist': text => call('/v1/playlist/create', { method: 'POST', payload: { name: text } })
}, { random: 3 })
