import type { LightMyRequestResponse } from 'fastify'
import assert from 'node:assert/strict'
import { checkEnvelope } from './answer-schema.ts'
import { expectedXml, parseXml } from './helper.ts'

/** The formats of answers, and what asks for each. */
export const formats = { json: { f: 'json' }, jsonp: { f: 'jsonp', callback: 'call_back.of' }, xml: {} }
export type Format = keyof typeof formats

const types: Record<Format, string> = {
  json: 'application/json; charset=utf-8', jsonp: 'text/javascript; charset=utf-8', xml: 'text/xml; charset=utf-8'
}

/** What every member of every answer keeps: no null, whole numbers, times with milliseconds and zone, ids of text. */
function checkMembers (value: any, path = ''): void {
  assert.notEqual(value, null, path)
  if (typeof value === 'number') assert.ok(Number.isSafeInteger(value) && value >= 0, `${path} = ${value}`)
  if (/\.(created|changed|starred)$/.test(path)) assert.match(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, path)
  if (/(^|\.)(id|parent|albumId|artistId|coverArt|name|title|album|artist)$/.test(
    path
  ) && !/musicFolder\.id$/.test(path) && typeof value !== 'object') {
    assert.equal(typeof value, 'string', path)
  }
  if (typeof value !== 'object') return
  if (value.mediaType === 'song') checkSong(value, path)
  for (const [name, member] of Object.entries<any>(value)) {
    for (const item of Array.isArray(member) ? member : [member]) {
      checkMembers(item, path === '' ? name : `${path}.${name}`)
    }
  }
}

/** What strict apps want of every song. */
function checkSong (song: any, path: string): void {
  for (const name of ['id', 'title', 'album', 'artist', 'coverArt', 'suffix', 'contentType', 'path', 'created']) {
    assert.equal(typeof song[name], 'string', `${path}.${name}`)
  }
  for (const name of ['duration', 'size']) assert.equal(typeof song[name], 'number', `${path}.${name}`)
  for (const name of ['artists', 'albumArtists', 'genres']) assert.ok(Array.isArray(song[name]), `${path}.${name}`)
  assert.deepEqual([song.type, song.isDir, song.isVideo], ['music', false, false], path)
}

/** The envelope of an answer in JSON or JSONP, checked; of XML what it parses to. */
export function readAnswer (format: Format, { headers, body }: LightMyRequestResponse): any {
  assert.equal(headers['content-type'], types[format])
  assert.equal(headers['cache-control'], 'no-store')
  if (format === 'xml') {
    const { '@xmlns': namespace, ...root } = parseXml(body)
    assert.equal(namespace, 'http://subsonic.org/restapi')
    return root
  }
  const text = format === 'json' ? body : /^call_back\.of\((.*)\);$/s.exec(body)![1]!
  const envelope = JSON.parse(text)['subsonic-response']
  const { status, version, type, serverVersion, openSubsonic, ...rest } = envelope
  assert.deepEqual({ version, type, openSubsonic }, {
    version: '1.16.1', type: 'fastify-source-origin', openSubsonic: true
  })
  assert.match(serverVersion, /^\d+\.\d+\.\d+/)
  if (status === 'failed') {
    assert.deepEqual(Object.keys(rest), ['error'])
    assert.ok([0, 10, 50, 70].includes(rest.error.code), String(rest.error.code))
    assert.equal(typeof rest.error.message, 'string')
  } else assert.equal(status, 'ok')
  checkEnvelope(envelope)
  checkMembers(envelope)
  return envelope
}

/** What an answer in XML must be for one in JSON. */
export const checkXml = (xml: any, json: any): void => assert.deepEqual(xml, expectedXml(json))
