/**
 * An error for users of this package: an invalid argument or option. This file has no dependencies, because clients in
 * browsers throw these errors too.
 */
export interface AuthorError extends TypeError {
  /** The stable code, for example `SOURCE_ORIGIN_ERR_INVALID_OPTION`. */
  readonly code: string
}

const authorError = (code: string, message: string): AuthorError =>
  Object.assign(new TypeError(message), { code: `SOURCE_ORIGIN_ERR_${code}` })

/**
 * `SOURCE_ORIGIN_ERR_INVALID_OPTION`. The message does not contain the value, because it may be a secret.
 *
 * @param must the rule for the value: `a function`
 */
export const invalidOption = (name: string, must: string) =>
  authorError('INVALID_OPTION', `Option "${name}" must be ${must}`)

/**
 * `SOURCE_ORIGIN_ERR_UNKNOWN_OPTION`
 *
 * @param meant the option that was probably meant
 */
export const unknownOption = (name: string, meant?: string) =>
  authorError('UNKNOWN_OPTION', `Unknown option "${name}"${meant === undefined ? '' : `: did you mean "${meant}"?`}`)

export const isOptionError = (error: unknown): error is AuthorError =>
  error instanceof TypeError && /^SOURCE_ORIGIN_ERR_(INVALID|UNKNOWN)_OPTION$/.test(String((error as AuthorError).code))

/** `SOURCE_ORIGIN_ERR_INVALID_CONTEXT`: `resolveContext` returned an invalid context. */
export const invalidContext = (message: string) => authorError('INVALID_CONTEXT', message)

/** `SOURCE_ORIGIN_ERR_DECORATOR_TAKEN`: the app has a decorator with a name that the plugin needs. */
export const decoratorTaken = (name: string) =>
  authorError('DECORATOR_TAKEN', `The decorator "${name}" is already there: this plugin needs the name`)

/** `SOURCE_ORIGIN_ERR_ALREADY_REGISTERED`: the same kind of plugin is registered twice below the same prefix. */
export const alreadyRegistered = (plugin: string, prefix: string) => authorError('ALREADY_REGISTERED',
  `${plugin} is already registered below ${prefix || '/'}: give this one another prefix`)

/** `SOURCE_ORIGIN_ERR_ROUTE_TAKEN`: the app already has a route of the source. */
export const routeTaken = (route: string) => authorError('ROUTE_TAKEN',
  `Another plugin of this server has ${route} too, which the contract needs: give that plugin another path ` +
  '(@fastify/under-pressure: exposeStatusRoute), or the source a prefix')

/** `SOURCE_ORIGIN_ERR_ROUTE_TAKEN` for a route that an option adds. */
export const routeOfOptionTaken = (route: string, option: string) => authorError('ROUTE_TAKEN',
  `Another plugin of this server has ${route} too, which the option "${option}" makes: give that plugin another ` +
  'path, or leave the option out')

/** `SOURCE_ORIGIN_ERR_PLUGIN_TAKEN`: the app already has a plugin that an option registers. */
export const pluginTaken = (plugin: string, option: string, without: string) => authorError('PLUGIN_TAKEN',
  `This server has ${plugin}, which the option "${option}" registers too: leave that plugin out, or ${without}`)

/** `SOURCE_ORIGIN_ERR_ALREADY_REGISTERED` for an option of the complete server that another source already has. */
export const optionGivenTwice = (option: string) => authorError('ALREADY_REGISTERED',
  `Another source of this server has the option "${option}", which is for the whole server: give it to the first one ` +
  'only')

/** `SOURCE_ORIGIN_ERR_NO_SOURCE`: a plugin that serves a source found none below its prefix. */
export const noSource = (plugin: string, prefix: string) => authorError('NO_SOURCE',
  `There is no source below ${prefix || '/'}: register fastify-source-origin with this prefix before ${plugin}`)

/** `SOURCE_ORIGIN_ERR_MISSING_PACKAGE`: an option needs a package that is an optional peer dependency. */
export const missingPackage = (name: string, option: string) =>
  authorError('MISSING_PACKAGE', `Option "${option}" needs the package ${name}: npm install ${name}`)

/** `SOURCE_ORIGIN_ERR_MIGRATIONS_MISSING`: a database lacks tables or columns that migrations create. */
export const migrationsMissing = (names: readonly string[], cause: unknown) => Object.assign(
  authorError('MIGRATIONS_MISSING', 'The tables of kyselyStore are missing, or are of an older version. Run the ' +
    `migrations that fastify-source-origin/accounts/kysely exports: ${names.join(', ')}`), { cause })
/** `SOURCE_ORIGIN_ERR_SEALED_SESSION`: no secret of the accounts decrypts a stored session. */
export const encryptedSession = () => authorError('SEALED_SESSION',
  'A stored session cannot be opened: give createAccounts the secret that sealed it too, after the new one')
