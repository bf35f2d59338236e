import * as face from './index.ts'
import { sourceOrigin } from './source-origin.ts'

// What `require` returns: the plugin itself, as with other Fastify plugins, with all names of the public face on it.
const plugin = Object.assign(sourceOrigin, face)

export { plugin as 'module.exports' }
