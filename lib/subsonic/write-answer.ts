import { sdkVersion } from '../sdk-version.ts'
import type { Parameters } from './parameters.ts'
import { SubsonicError } from './subsonic-error.ts'
import { writeXml, type JsonObject } from './write-xml.ts'

const callbackName = /^[A-Za-z_$][\w$.]{0,127}$/

/** The members that every answer has, failed ones too: apps send a wrong login to find out what the server is. */
const envelope = (name: string, status: 'ok' | 'failed') =>
  ({ status, version: '1.16.1', type: name, serverVersion: sdkVersion, openSubsonic: true })

/** An answer as it leaves. */
export interface WrittenAnswer { readonly type: string, readonly body: string }

/**
 * Writes an answer in the format that the call asks for by `f`: XML, `json` or `jsonp`.
 *
 * @param name the `type` of the server
 * @param answer what the envelope holds, or the error
 */
export function writeAnswer (name: string, parameters: Parameters, answer: JsonObject | SubsonicError): WrittenAnswer {
  const format = parameters.first('f')?.trim().toLowerCase()
  const callback = parameters.first('callback') ?? ''
  if (format === 'jsonp' && !callbackName.test(callback)) {
    return writeJson(name, new SubsonicError(10, 'Required parameter is missing or no name of a function: callback'))
  }
  if (format === 'json') return writeJson(name, answer)
  if (format === 'jsonp') {
    return { type: 'text/javascript; charset=utf-8', body: `${callback}(${writeJson(name, answer).body});` }
  }
  return {
    type: 'text/xml; charset=utf-8',
    body: writeXml('subsonic-response', { xmlns: 'http://subsonic.org/restapi', ...filled(name, answer) })
  }
}

const writeJson = (name: string, answer: JsonObject | SubsonicError): WrittenAnswer =>
  ({ type: 'application/json; charset=utf-8', body: JSON.stringify({ 'subsonic-response': filled(name, answer) }) })

const filled = (name: string, answer: JsonObject | SubsonicError): JsonObject => answer instanceof SubsonicError
  ? { ...envelope(name, 'failed'), error: { code: answer.code, message: answer.message } }
  : { ...envelope(name, 'ok'), ...answer }
