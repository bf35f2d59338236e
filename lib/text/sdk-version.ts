/** Version of this package (SemVer). A test compares it with package.json, which a bundle does not have. */
export const sdkVersion = '0.3.2'
