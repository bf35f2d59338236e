import { createRequire } from 'node:module'

// These packages are installed beside the other tools of CI.
const require = createRequire(new URL('.ci/tools/package.json', import.meta.url))
const neostandard = require('neostandard')
const regexp = require('eslint-plugin-regexp')

export default [
  ...neostandard({ ts: true, ignores: ['dist', '.tap'] }),
  {
    rules: { '@stylistic/max-len': ['error', { code: 120 }] }
  },
  {
    // A text that something is compared with stays in one piece.
    files: ['test/**'],
    rules: {
      '@stylistic/max-len': ['error', { code: 120, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true }]
    }
  },
  {
    // Texts come from tags, files and requests: no expression may take more than linear time over one.
    files: ['lib/**', 'example/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }]
    }
  }
]
