// What a test file that runs in a group gets for `tap`: the test of this file in place of the one of the process.

export * from 'tap'
export default globalThis.testOfFile
