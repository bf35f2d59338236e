/**
 * The link that adds a source to a client app, with the token that the app will send. No value may have a `&`: there is
 * no way to write it.
 */
export function writeAddLink (host: string, token: string, name: string): string {
  const text = `type=wow&host=${host}&token=${token}&name=${name}`
  // Not a Buffer: browsers have none.
  const base64 = btoa(String.fromCharCode(...new TextEncoder().encode(text)))
  return `aduoer://origin/add?auth=${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}
