import type { Settings } from './settings.ts'

/** The web origins that may call, as @fastify/cors has them. */
export function originsOf ({ CORS_ORIGIN }: Pick<Settings, 'CORS_ORIGIN'>): false | '*' | string[] {
  if (CORS_ORIGIN === '') return false
  return CORS_ORIGIN === '*' ? '*' : CORS_ORIGIN.split(',').map(origin => origin.trim())
}
