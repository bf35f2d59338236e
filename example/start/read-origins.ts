/** Origins that WebViews and browser extensions send. They are not web sites; old WebViews send `file://`. */
const ofApps = /^(?:[a-z][a-z0-9+.-]*:\/\/[^\s/,?#@*]+|file:\/\/)$/i

/** Returns an origin as browsers send it; `undefined` if no browser sends it. */
function readOrigin (text: string): string | undefined {
  if (text === 'null') return text
  if (ofApps.test(text) && !/^https?:/i.test(text)) return text.replace(/^[^:]+/, scheme => scheme.toLowerCase())
  // The parser accepts a host with *, but no browser does.
  if (!URL.canParse(text) || text.includes('*')) return undefined
  const { origin, href } = new URL(text)
  // The parser returns the origin `null` for other schemes.
  return href === `${origin}/` && !/[?#]/.test(text) ? origin : undefined
}

/** Parses a list of origins with commas, or `*` for all origins. Returns `undefined` if an origin is not valid. */
export function readOrigins (text: string): '*' | string[] | undefined {
  if (text.trim() === '*') return '*'
  const origins = text.split(',').map(origin => readOrigin(origin.trim()))
  return origins.every(origin => origin !== undefined) ? origins : undefined
}
