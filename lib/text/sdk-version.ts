import { createRequire } from 'node:module'

const { version } = createRequire(import.meta.url)('fastify-source-origin/package.json') as { version: string }

/** Version of this package (SemVer). */
export const sdkVersion = version
