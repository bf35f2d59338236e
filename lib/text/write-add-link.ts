/**
 * Returns the link that adds a source to a client app, with the token that the app will send. Values must not contain
 * `&`, because the format has no escaping.
 */
export function writeAddLink (host: string, token: string, name: string): string {
  const text = `type=wow&host=${host}&token=${token}&name=${name}`
  // Browsers have no Buffer.
  const base64 = btoa(String.fromCharCode(...new TextEncoder().encode(text)))
  return `aduoer://origin/add?auth=${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}
