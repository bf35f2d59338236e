/** The version of this package (SemVer). A test compares it with package.json, which is missing in a bundle. */
export const sdkVersion = '0.3.2'
