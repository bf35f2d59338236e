/** The content of a media URL. */
export interface MediaName { kind: string, params: Record<string, string>, name: string }

/**
 * Returns the path below the prefix: `/<kind>/<params>/<name>`. No part contains a slash, so different media have
 * different paths.
 */
export const writeMediaPath = ({ kind, params, name }: MediaName): string =>
  `/${kind}/${Buffer.from(JSON.stringify(params)).toString('base64url')}/${encodeURIComponent(name)}`

/**
 * @param rest the path below the prefix as Fastify decodes it, without its leading slash
 * @returns the path as it was signed, and a function that parses it after the signature was checked
 */
export function readMediaPath (rest: string): { path: string, read: () => MediaName } {
  const [kind = '', params = '', name = '', ...more] = rest.split('/')
  return {
    path: '/' + [kind, params, name, ...more].map(encodeURIComponent).join('/'),
    read: () => ({ kind, params: JSON.parse(Buffer.from(params, 'base64url').toString()), name })
  }
}
