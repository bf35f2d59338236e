// Plays a track of the example over a socket.
import assert from 'node:assert/strict'
import { token, withExample } from './start-example.js'

await withExample(async address => {
  const get = (url, headers = {}) => fetch(new URL(url, address), { headers })
  const data = async url => {
    const response = await get(url, { authorization: token })
    assert.equal(response.status, 200, url)
    return (await response.json()).data
  }

  assert.equal((await (await get('/status')).json()).status, 'online')
  assert.equal((await get('/v1/status')).status, 401)
  assert.ok((await data('/v1/status')).capabilities.includes('streaming'))
  const { items } = await data('/v1/search/tracks?keyword=prelude')
  assert.ok(items.length > 0)
  const { url } = await data(`/v1/track/url?id=${encodeURIComponent(items[0].id)}`)
  const part = await get(url, { range: 'bytes=0-99' })
  assert.equal(part.status, 206)
  assert.match(part.headers.get('content-type'), /^audio\//)
  assert.equal((await part.arrayBuffer()).byteLength, 100)
})
console.log(`Node ${process.version}: the example starts, plays and stops`)
