/**
 * The link that makes a client app take a source over. It holds the token. `undefined` where `&` in a value leaves no
 * way to write it.
 */
export function addLink (host: string, token: string, name: string): string | undefined {
  if (/&/.test(host + token + name)) return undefined
  const text = `type=wow&host=${host}&token=${token}&name=${name}`
  const base64 = btoa(String.fromCharCode(...new TextEncoder().encode(text)))
  return `aduoer://origin/add?auth=${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}
