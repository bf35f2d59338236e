import { createYield } from '../async/create-yield.ts'
import { longAsBytes } from '../reply/index.ts'
import { jsonType } from '../text/media-type-of.ts'
import { sdkVersion } from '../text/sdk-version.ts'
import type { Parameters } from './parameters.ts'
import { SubsonicError } from './subsonic-error.ts'
import { Described, isLong, longSlices, xmlPieces, type Json, type JsonObject } from './write-xml.ts'

const callbackName = /^[A-Za-z_$][\w$.]{0,127}$/

/** Returns the properties of every response, also of errors: apps send a wrong login to identify the server. */
const envelope = (name: string, status: 'ok' | 'failed') =>
  ({ status, version: '1.16.1', type: name, serverVersion: sdkVersion, openSubsonic: true })

/** A serialised response. */
export interface WrittenAnswer { readonly type: string, readonly body: string | Buffer }

/**
 * Serialises a response in the format of parameter `f`: XML, `json` or `jsonp`. Long responses yield to the event loop.
 *
 * @param name the `type` of the server
 * @param answer the content of the envelope, or the error
 * @param goOn called periodically during a long response; rejects if the client has disconnected
 */
export async function writeAnswer (
  name: string, parameters: Parameters, answer: JsonObject | SubsonicError, goOn: () => Promise<void>
): Promise<WrittenAnswer> {
  const format = parameters.name('f')?.trim().toLowerCase()
  if (format === 'json') return { type: jsonType, body: await joined(jsonOf(name, answer), goOn) }
  if (format === 'jsonp') {
    const callback = parameters.name('callback') ?? ''
    if (callbackName.test(callback)) {
      const body = await joined(calling(callback, jsonOf(name, answer)), goOn)
      return { type: 'text/javascript; charset=utf-8', body }
    }
    const error = new SubsonicError(10, 'Required parameter is missing or no name of a function: callback')
    return { type: jsonType, body: await joined(jsonOf(name, error), goOn) }
  }
  const pieces = xmlPieces('subsonic-response', { xmlns: 'http://subsonic.org/restapi', ...filled(name, answer) })
  return { type: 'text/xml; charset=utf-8', body: await joined(pieces, goOn) }
}

function jsonOf (name: string, answer: JsonObject | SubsonicError): Iterable<string> {
  const value = { 'subsonic-response': filled(name, answer) }
  return isLong(value) ? jsonPieces(value) : [JSON.stringify(value)]
}

function * calling (callback: string, pieces: Iterable<string>): Generator<string, void, undefined> {
  yield `${callback}(`
  yield * pieces
  yield ');'
}

function * jsonPieces (value: Json): Generator<string, void, undefined> {
  if (!isLong(value)) yield JSON.stringify(value)
  else if (Array.isArray(value) || value instanceof Described) {
    yield '['
    let mark = ''
    const slices = longSlices(value)
    for (const some of slices ?? value as readonly Json[]) {
      yield mark
      if (slices === undefined) yield * jsonPieces(some)
      else yield JSON.stringify(some).slice(1, -1)
      mark = ','
    }
    yield ']'
  } else {
    let mark = '{'
    for (const [name, member] of Object.entries(value as JsonObject)) {
      if (member === undefined) continue
      yield `${mark}${JSON.stringify(name)}:`
      yield * jsonPieces(member)
      mark = ','
    }
    yield '}'
  }
}

/** The number of characters that are buffered as a string. */
const mostOfText = 2 ** 16

async function joined (pieces: Iterable<string>, goOn: () => Promise<void>): Promise<string | Buffer> {
  if (Array.isArray(pieces)) return longAsBytes(pieces.join(''))
  const pause = createYield()
  const written: Buffer[] = []
  let text = ''
  for (const piece of pieces) {
    await pause()
    text += piece
    if (text.length < mostOfText) continue
    written.push(Buffer.from(text))
    text = ''
    await goOn()
  }
  return written.length === 0 ? longAsBytes(text) : Buffer.concat([...written, Buffer.from(text)])
}

const errorOf = ({ code, message, helpUrl }: SubsonicError): JsonObject => ({ code, message, helpUrl })

const filled = (name: string, answer: JsonObject | SubsonicError): JsonObject => answer instanceof SubsonicError
  ? { ...envelope(name, 'failed'), error: errorOf(answer) }
  : { ...envelope(name, 'ok'), ...answer }
