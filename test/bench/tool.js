import { createRequire } from 'node:module'

const require = createRequire(new URL('../../.ci/tools/package.json', import.meta.url))

/** A package that only benchmarks need. It is installed with the tools of CI. */
export function tool (name) {
  try {
    return require(name)
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error
    throw new Error(`${name} is not installed: node .ci/tools/run.js installs it`)
  }
}
