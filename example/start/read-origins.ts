/** What WebViews and extensions send, whose addresses are no web sites; old WebViews say `file://`. */
const ofApps = /^(?:[a-z][a-z0-9+.-]*:\/\/[^\s/,?#@*]+|file:\/\/)$/i

/** An origin as browsers send it, `undefined` for what none sends. */
function readOrigin (text: string): string | undefined {
  if (text === 'null') return text
  if (ofApps.test(text) && !/^https?:/i.test(text)) return text.replace(/^[^:]+/, scheme => scheme.toLowerCase())
  // A host with a * is one to the parser, and to no browser.
  if (!URL.canParse(text) || text.includes('*')) return undefined
  const { origin, href } = new URL(text)
  // Of other schemes it is `null`.
  return href === `${origin}/` && !/[?#]/.test(text) ? origin : undefined
}

/** The origins of a list with commas as browsers send them, or `*` for all; `undefined` where one of them is none. */
export function readOrigins (text: string): '*' | string[] | undefined {
  if (text.trim() === '*') return '*'
  const origins = text.split(',').map(origin => readOrigin(origin.trim()))
  return origins.every(origin => origin !== undefined) ? origins : undefined
}
