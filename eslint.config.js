import neostandard from 'neostandard'
import * as regexp from 'eslint-plugin-regexp'

export default [
  ...neostandard({ ts: true, ignores: ['dist', '.tap'] }),
  {
    files: ['lib/**', 'schemas/**', 'example/**'],
    rules: { '@stylistic/max-len': ['error', { code: 120 }] }
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
