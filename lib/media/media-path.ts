/** The meaning of a media URL. */
export interface MediaName { kind: string, params: Record<string, string>, name: string }

/** The path below the prefix: `/<kind>/<params>/<name>`. None of the three has a slash, so no others give the same. */
export const writeMediaPath = ({ kind, params, name }: MediaName): string =>
  `/${kind}/${Buffer.from(JSON.stringify(params)).toString('base64url')}/${encodeURIComponent(name)}`

/**
 * @param rest the path below the prefix as Fastify decodes it, without the slash before it
 * @returns the path in the form in which it was signed, and how to read it once that is proven
 */
export function readMediaPath (rest: string): { path: string, read: () => MediaName } {
  const [kind = '', params = '', name = '', ...more] = rest.split('/')
  return {
    path: '/' + [kind, params, name, ...more].map(encodeURIComponent).join('/'),
    read: () => ({ kind, params: JSON.parse(Buffer.from(params, 'base64url').toString()), name })
  }
}
