export { default } from '../subsonic-server/index.ts'
export * from '../subsonic-server/index.ts'
export * from '../subsonic-client/index.ts'
