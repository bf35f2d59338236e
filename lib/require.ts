import * as face from './index.ts'
import { sourceOrigin } from './source-origin.ts'

// `require` returns the plugin itself, as with other Fastify plugins, with every other export as a property.
const plugin = Object.assign(sourceOrigin, face)

export { plugin as 'module.exports' }
