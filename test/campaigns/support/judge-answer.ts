import { Value } from '@sinclair/typebox/value'
import { operations, schemas } from 'fastify-source-origin'
import { schemasOf } from '../../../lib/contract/schemas-of.ts'
import { token } from '../../helper.ts'
import { secret } from './hostile-values.ts'

export interface Answer {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

const redirects: Record<string, string> = { '/v1/track/fm': 'roam', '/v1/track/lyric': 'lyrics' }

/** What is wrong with an answer of a path under /v1, whoever asked: docs/reference/contract.md, Envelope. */
export function problemOf ({ method, path, status, headers, body }: Answer): string | undefined {
  const whole = `${JSON.stringify(headers)}${body}`
  if (whole.includes(secret)) return 'a secret left the source'
  if (whole.includes(token)) return 'the token left the source'
  if ('x-injected' in headers) return 'a header was injected'
  if (status === 308) {
    return headers.location?.toString().startsWith(
      redirects[path] ?? ' '
    )
      ? undefined
      : `redirects to ${headers.location}`
  }
  if (status === 304) return body === '' ? undefined : 'a 304 has a body'
  if (headers['content-type'] !== 'application/json; charset=utf-8') {
    return `the content type is ${headers['content-type']}`
  }
  if (method === 'HEAD') return body === '' ? undefined : 'an answer to HEAD has a body'
  let value: any
  try {
    value = JSON.parse(body)
  } catch {
    return 'the body is no JSON'
  }
  const members = Object.keys(value).join()
  if (status === 200) {
    if (members !== 'code,data' || value.code !== 200) {
      return `a success has the members ${members} and the code ${value.code}`
    }
    const operation = operations.find(operation => operation.path === path && (operation.method === method))
    if (operation === undefined) return path === '/v1/status' ? undefined : 'there is no such operation'
    const violation = Value.Errors(schemasOf(operation.adapterMethod).data, [...schemas], value.data).First()
    return violation === undefined ? undefined : `data breaks the contract: ${violation.path} ${violation.message}`
  }
  if (status < 400 || status > 599) return `the status is ${status}`
  if (members !== 'code,message,data' || !Number.isInteger(value.code) || typeof value.message !== 'string' ||
    value.message === '' || value.data !== null) return 'no error envelope'
  return undefined
}
